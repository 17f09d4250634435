"""The REST API: one Flask application that parses a request, calls one use-case and shows its answer."""
