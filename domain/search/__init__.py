# compiled into rules
"""Tree search in games with hidden information, for any game."""
