"""The check of the event store: every stream, the keys beside it, every file of the archive."""
