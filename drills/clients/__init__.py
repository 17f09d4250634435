"""Clients that play while the engine is hurt: they repeat a request until it is answered, and record every answer."""
