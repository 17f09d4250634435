# compiled into rules
"""The rules of Migrato: cards, moves, events, state, columns, legality, decide, forks, views."""
