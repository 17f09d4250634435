"""The page for people who play, watch and check games: its addresses and its files.

The files lie in `service/web/`, as a browser takes them: no build step. The page itself uses nothing but the
public API.
"""
