"""Apps' logs and webhooks, on a real server."""
