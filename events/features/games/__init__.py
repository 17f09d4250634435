"""Games created, forked, played and looked at, and those that nobody plays."""
