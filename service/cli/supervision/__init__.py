"""One process tree: child processes started, watched, restarted and stopped in order."""
