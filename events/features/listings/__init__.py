"""Listings of apps' games: a projection of their events, and its pages."""
