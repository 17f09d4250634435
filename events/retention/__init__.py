"""Retention: old games leave the listings, and then the archive; what proves them stays."""
