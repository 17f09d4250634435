"""Trains the net that judges what a seat knows: one command from nothing to the net that is checked in."""
