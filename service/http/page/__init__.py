"""The page for people who play, watch and check games: its addresses and its files.

The files are in `service/web/` in the form that browsers read: there is no build step. The page itself uses nothing but
the public API.
"""
