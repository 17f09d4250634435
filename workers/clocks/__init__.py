"""Clocks watched: the worker's part of time that is up, and of time that is given back."""
