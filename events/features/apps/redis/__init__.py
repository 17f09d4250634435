"""Apps in Redis."""
