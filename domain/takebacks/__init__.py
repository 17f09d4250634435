# compiled into rules
"""Moves taken back, beside the games and the same in all of them: the move that can be, the request, and
the answers.
"""
