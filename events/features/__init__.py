"""Features, one room each: its use-cases, its port, and the adapter that keeps it in Redis."""
