"""Bots on other people's servers: the order of calls, and the calls."""
