"""News of an app's games: the app's log of messages, and the webhooks that get them."""
