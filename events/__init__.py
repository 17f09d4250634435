"""Use-cases, the event store and its Redis adapter, the chain, the feed: everything between the games and the world."""
