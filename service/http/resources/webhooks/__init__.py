"""News for apps about their games: one stream of all events, and webhooks."""
