"""The `migrato` command: its root, and what its sub-commands share."""

from service.cli.root import main

__all__ = ["main"]
