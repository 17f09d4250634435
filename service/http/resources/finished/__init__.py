"""What follows games that are over: ratings, rematches and analyses."""
