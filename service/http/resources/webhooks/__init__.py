"""What apps are told of their games: one stream of all events, and webhooks."""
