"""Ratings as far as events alone tell: who is rated, and why a game does not count."""
