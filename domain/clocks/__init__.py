# compiled into rules
"""Clocks, beside the games and the same in all of them: options, remaining times, deadlines, and time that is up.

Times are given, in milliseconds since 1970: nothing here reads a clock.
"""
