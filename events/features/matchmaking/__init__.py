"""Bringing players together: the lobby and quick match."""
