# compiled into migo
"""A net that judges a table from a seat: how likely it is to take the round's flag."""
