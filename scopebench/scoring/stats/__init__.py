"""Inference: intervals, paired tests and ranking measures, on arrays alone."""
