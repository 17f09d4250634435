"""Invites: codes by which a stranger takes an open seat."""
