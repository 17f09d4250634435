"""Measurements, run by `make bench`; what was seen is in results.md."""
