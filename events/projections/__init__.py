"""What the feed keeps up to date, and what can be made again from the events."""
