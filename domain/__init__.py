"""The pure games: rules as deciders, views and bots. Standard library only; no clock, no I/O, no chance of its own."""
