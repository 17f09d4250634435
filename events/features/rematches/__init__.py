"""Rematches: the same game once more."""
