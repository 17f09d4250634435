"""The engine on a Redis Cluster of real servers on the loopback."""
