"""Analyses of finished games: every decision, judged."""
