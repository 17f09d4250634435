"""People and what lets them in, in Redis: players, tickets, invites, rematches, and who waits for a partner."""
