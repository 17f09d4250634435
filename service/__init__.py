"""What people and programs use: the HTTP API, the command line, self-play and the pages."""

__version__ = "0.1.0"
