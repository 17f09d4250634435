# compiled into migo
"""The game of Migo: its rules, its documents, and its bots."""
