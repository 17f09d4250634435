"""Seats taken, handed over, and left by players who were erased."""
