"""Bots against bots in this process: the domain alone, without a server or a store."""
