"""Migo over HTTP."""
