"""The HTTP service: parses requests, calls one use-case, dumps the answer."""

__version__ = "0.1.0"
