"""Whatever speaks Redis: the connections, the event store, the feed, news of both, queues."""
