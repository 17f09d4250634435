"""Stored games as they were recorded, which must read the same for ever."""
