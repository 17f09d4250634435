"""Bots at work: their turns, hints, questions about any position, and remote bots."""
