"""Questions to bots and requests for jobs, on the queue's server."""
