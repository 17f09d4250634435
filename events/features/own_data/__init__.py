"""Data of an app's own about its games: kept beside the listing, and unknown to the games themselves."""
