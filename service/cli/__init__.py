"""The `migrato` command: one file for each sub-command."""

from service.cli.command import main

__all__ = ["main"]
