"""Failure drills: a whole engine is hurt by a seeded plan while clients play on it, and what they were told is checked.

From outside alone: by HTTP, the command line, processes and files. `python -m drills` is the command.
"""
