"""Failure drills: a seeded plan hurts a whole engine while clients play on it, and a checker judges the answers that
they got.

From outside alone: by HTTP, the command line, processes and files. `python -m drills` is the command.
"""
