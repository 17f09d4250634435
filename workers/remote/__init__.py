"""Bots on other people's servers: who is asked next, and how one is asked."""
