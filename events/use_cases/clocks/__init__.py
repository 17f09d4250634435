"""Clocks kept: time that is up is recorded, once, with what comes of it; time that an outage took is given back."""
