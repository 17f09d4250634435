"""A person's game in the terminal: what is shown and typed, how it is worded, and which games were left."""
