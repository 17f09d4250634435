# compiled into rules
"""The pure games: rules as deciders, views and bots. No clock, no I/O, no chance of its own; standard library."""
