# compiled into rules
"""Clocks, which are the same in all games: options, remaining times, deadlines, and turns whose time is up.

Times are arguments, in milliseconds since 1970: nothing here reads a clock.
"""
