"""Bringing players together: invites to open seats, the lobby, quick match."""
