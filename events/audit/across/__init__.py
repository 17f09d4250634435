"""Contradictions between exports that are sound, each by itself."""
