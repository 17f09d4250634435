"""Reactions of the dispatcher: each handles entries of the feed in one way, or does one thing now and then."""
