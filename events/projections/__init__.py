"""Projections: kept up to date from the feed, and made again from the events at any time."""
