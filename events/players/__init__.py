"""Who plays: records beside the games, found by name, shown, and erased for good."""
