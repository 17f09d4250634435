"""The record of a game and all that follows from it alone: events, chain, signatures, snapshots, exports; pure."""
