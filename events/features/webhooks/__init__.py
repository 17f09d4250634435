"""News of an app's games: its log of messages, and the webhooks that get them."""
