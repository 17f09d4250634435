"""The clients of the API, on real engines."""
