"""Names and counts on the queue's server."""
