"""Dispatcher, jobs, queue and sweeper."""
