"""Resources of administrators: apps and their keys."""
