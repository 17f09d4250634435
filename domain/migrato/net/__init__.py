# compiled into rules
"""A small neural net that judges the knowledge of a seat, in whole numbers: the same on every machine,
plain or compiled.
"""
