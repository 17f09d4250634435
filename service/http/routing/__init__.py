"""Routes: parameters in paths, and the short way to an operation, without Flask."""
