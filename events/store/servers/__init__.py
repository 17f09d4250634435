"""Redis servers as they run: whether they keep their data, and requests to rewrite their files."""
