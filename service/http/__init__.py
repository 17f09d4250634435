"""The REST API: one pipeline that admits a request, lets a view call one use case, and writes the answer."""
