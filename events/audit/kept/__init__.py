"""Things that somebody kept of a game while it was played: read from files, and compared with its record."""
