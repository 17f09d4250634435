"""Clocks: a time that is up is recorded once, with its consequence; time that was lost to an outage is given back."""
