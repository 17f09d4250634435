"""Things that a viewer kept of a game while it was played: read from files, and compared with the game's record."""
