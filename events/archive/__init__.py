"""The archive: finished games in compressed files, moved out of the event store and still readable."""
