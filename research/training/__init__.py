"""Trains the nets of Migrato and Migo from nothing, by one command."""
