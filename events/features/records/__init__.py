"""Records of games: replays, exports, signed heads."""
