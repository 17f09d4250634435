"""Every adapter that speaks Redis: event store, feed, listings, players, questions to bots, whole games."""
