"""For operators: readiness, and metrics of requests, queues and servers."""
