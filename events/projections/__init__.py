"""What is kept up to date from the feed, and can be made again from the events."""
