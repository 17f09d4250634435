"""A process at work: its settings, its figures, its key files, and the one place that wires everything."""
