"""Tests of the rules of Migo, its documents and its bots."""
