"""Redis Cluster behind the same link: each request goes to the server that has its keys."""
