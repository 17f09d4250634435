"""A game that is not over, as far as its events alone show: their hidden parts, and its clock."""
