"""Events and moves in words, in each language: the words that all games share. Each game adds its own."""
