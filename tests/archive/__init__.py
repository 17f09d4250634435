"""The archive and the check of the store, on a real server."""
