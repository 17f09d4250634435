# compiled into migo
"""Migo as documents: events as they are stored, moves as the API writes them, positions read from views."""
