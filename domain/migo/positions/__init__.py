"""Possible positions of Migo, read from views, stored forks or exports."""
