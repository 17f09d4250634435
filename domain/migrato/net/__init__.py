"""A small neural net that judges what a seat knows, in whole numbers: the same on every machine, plain or compiled."""
