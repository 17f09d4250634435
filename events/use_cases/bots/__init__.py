"""Bots at work: whose turn it is, hints, questions about any position, bots of others."""
