"""Records of a game: replays, exports and proofs."""
