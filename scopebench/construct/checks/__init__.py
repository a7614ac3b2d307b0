"""Checks that every row of a benchmark must pass, shared by the build and by `validate`."""
