# compiled into rules
"""Events that are the same in every game: of clocks, and of moves that are taken back."""
