"""The rules, proved without a server."""
