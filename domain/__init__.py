# compiled into rules
"""The games, free of side effects: rules as deciders, views and bots. They have no clock, no I/O and no chance of their
own, and need the standard library alone.
"""
