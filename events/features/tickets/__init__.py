"""Tickets: rights that stand in an address for a short time."""
