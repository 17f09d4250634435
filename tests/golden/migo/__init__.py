"""Stored games of Migo of every release, which must read the same for ever."""
