"""A game's record after the fact: replayed, exported, its heads signed."""
