"""News for apps of their games: one stream of all events, and webhooks."""
