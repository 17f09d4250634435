"""The outer side of the engine: the HTTP API, the command line, self-play and the pages."""

__version__ = "0.1.0"
