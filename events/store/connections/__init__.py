"""The way to Redis: connections, and the requests of many callers in one send."""
