"""A person's game in the terminal: its screen and input, the wording, and the list of games that were left."""
