"""Seats: they are taken, handed over, and left by players who were erased."""
