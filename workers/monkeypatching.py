"""Lets the remote worker run on greenlets: it waits for many calls at once. Imported before all else."""

import sys
from typing import Final

ON_GREENLETS: Final = sys.argv[1:] == ["remote"]

if ON_GREENLETS:
    from gevent.monkey import patch_all  # type: ignore[import-untyped]

    patch_all()
