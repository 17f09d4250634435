"""Several acts at the same time in one process, by greenlets: roles, calls, and the requests of several acts."""
