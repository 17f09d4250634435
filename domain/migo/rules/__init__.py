# compiled into migo
"""The rules of Migo: cards, layouts, options, moves, events, state, legality, scoring, decide, forks, views."""
