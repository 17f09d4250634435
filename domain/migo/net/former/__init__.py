"""Nets of former releases, which bots of former versions play by: data."""
