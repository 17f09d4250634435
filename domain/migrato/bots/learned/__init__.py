# compiled into rules
"""Bots that judge by the net: levels from a beginner's to the strongest, and styles."""
