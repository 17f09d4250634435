"""Report on players over all their games: moves as bots would make them, times of thinking, pairs, hints.

`choices` reads a verified game; `agreement` asks bots for its choices; `report` sums games up to what they say about
each player and each pair. Everything follows from the games and the options alone: two auditors get the same figures.
"""
