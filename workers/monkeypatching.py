"""Lets the remote worker run on greenlets: it waits for many calls at once. Imported before all else."""

import sys

if sys.argv[1:] == ["remote"]:
    from gevent.monkey import patch_all  # type: ignore[import-untyped]

    patch_all()
