"""Copies of the whole event store: taken at one moment beside writes, packed into one file, put into another store."""
