"""Clocks kept: time that is up is recorded once, with its consequence; time that an outage took is given back."""
