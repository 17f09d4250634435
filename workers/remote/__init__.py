"""Bots on other servers: the order of calls, and the calls."""
