"""Tree search in games with hidden information: what is true of it in any game."""
