"""Several things at once in one process, by greenlets: roles, calls, and the requests of several acts."""
