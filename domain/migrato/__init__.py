# compiled into rules
"""The game of Migrato: its rules, its documents, what a seat can know, and its bots."""
