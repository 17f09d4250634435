"""Games in requests and in responses."""
