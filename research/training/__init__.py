"""Trains the nets of Migrato and Migo: one command each, from nothing."""
