"""What administrators ask for: apps and their keys."""
