"""What a process keeps in memory because it may be asked for again: games and bytes, so many and no more."""
