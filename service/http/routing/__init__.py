"""Routes: parameters in paths, and the way to an operation past Flask."""
