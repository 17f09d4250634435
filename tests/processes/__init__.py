"""`migrato serve` as it is: real processes, a real event store, real signals."""
