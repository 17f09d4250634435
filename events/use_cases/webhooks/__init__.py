"""What an app is told of its games: its log of messages, and the webhooks that are sent them."""
