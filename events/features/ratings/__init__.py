"""Ratings of players and bots: results that count, the model, the leaderboards."""
