"""The REST API: one pipeline that admits a request, has a view call one use-case, and writes the answer."""
