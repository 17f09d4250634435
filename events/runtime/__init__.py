"""How an installation runs: settings, wiring, the embedded server, keys, metrics."""
