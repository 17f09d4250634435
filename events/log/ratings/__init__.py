"""Ratings, as far as they follow from events alone: the rated players, and why a game does not count."""
