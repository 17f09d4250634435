"""The `migrato` command, without a running service."""
