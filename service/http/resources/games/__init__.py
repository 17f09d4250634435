"""Games, their events, and moves in them."""
