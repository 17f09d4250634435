"""Reactions of the dispatcher: each handles entries of the feed in one way, or does one act periodically."""
