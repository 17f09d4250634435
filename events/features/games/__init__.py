"""Games: creating, forking, playing and looking at them, and ending those that nobody plays."""
