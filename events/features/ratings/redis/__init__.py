"""Ratings in Redis."""
