"""Players: encrypted records beside the games, which can be destroyed."""
