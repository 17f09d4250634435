"""The `migrato` command: one file for each sub-command."""

from service.cli.root import main

__all__ = ["main"]
