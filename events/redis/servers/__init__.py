"""Redis servers as they run: whether they keep what they are given, and what is asked of their files."""
