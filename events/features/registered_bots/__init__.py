"""Registered bots: an app's own bots by name, with fixed versions, shares of new games, and secrets that can be
replaced.
"""
