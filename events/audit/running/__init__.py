"""A game that is not over, as far as its events alone tell: what they hide, and its clock."""
