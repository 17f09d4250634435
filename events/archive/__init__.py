"""The archive: finished games in compressed files, still readable; see docs/reference/archive-format.md."""
