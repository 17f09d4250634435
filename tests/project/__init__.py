"""The project as a whole: its names, its lock, its image, its texts."""
