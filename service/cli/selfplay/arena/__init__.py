"""A round robin between bots: fixtures, results, Elo ratings and what those are worth."""
