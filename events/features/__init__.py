"""Features, a folder each: its use cases, its port, and the adapter that keeps its data in Redis."""
