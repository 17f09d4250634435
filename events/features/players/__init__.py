"""Players: sealed records beside the games, which can be destroyed."""
