"""The stores that the settings name, opened or looked at without an engine: the archive, the Redis servers."""
