"""Stored games of every release, which must read the same for ever."""
