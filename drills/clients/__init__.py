"""Who plays while the engine is hurt: clients that repeat a request until it is answered, and record every answer."""
