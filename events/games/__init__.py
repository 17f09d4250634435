"""Games in memory: loaded and kept, commands handled, who may see and do what, what goes out."""
