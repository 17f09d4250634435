"""The check of the event store: every stream, what stands beside it, every file of the archive."""
