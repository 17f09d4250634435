"""Migrato: cards, moves, events, state, rules, decide and evolve, legal moves, views."""
