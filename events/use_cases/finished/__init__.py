"""Sequel of a game that is over: it counts for ratings, and may be played again."""
