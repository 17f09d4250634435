"""Stored games of Migo as they were recorded, which must read the same for ever."""
