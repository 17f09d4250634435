"""Queues on a Redis server: jobs for workers, questions to bots, and the names of both."""
