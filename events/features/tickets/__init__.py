"""Tickets: short-lived rights that are put into an address."""
