"""Presence: the seats of a game at which somebody is connected, by a stream or a long poll that is open."""
