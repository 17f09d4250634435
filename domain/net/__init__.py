# compiled into rules
"""Small neural nets that judge positions of any game, in whole numbers."""
