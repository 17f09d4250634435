"""Presence: the seats of a game that are connected, by an open stream or long poll."""
