"""Resources of games that are over: ratings, rematches and analyses."""
