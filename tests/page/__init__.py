"""The page in a real browser: played, watched, broken, and looked at."""
