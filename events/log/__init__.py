"""What is recorded of a game and what follows from it alone: events, chain, signatures, snapshots, exports; pure."""
