"""Registered bots: an app's own bots by name, with fixed versions, shares, and secrets that can be replaced."""
