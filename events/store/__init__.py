"""The event store on Redis: streams, feed, news, names of keys, whole games."""
