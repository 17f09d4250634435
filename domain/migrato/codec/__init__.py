# compiled into rules
"""Migrato as documents: events as they are stored, moves and positions as the API writes them."""
