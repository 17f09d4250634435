"""The archive: finished games in compressed files, out of Redis and still readable; see docs/how-to/archive-games.md."""
