"""Bots at work: their turns, hints, questions about any position, remote bots."""
