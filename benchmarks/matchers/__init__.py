"""Rivals of the answer matcher."""
