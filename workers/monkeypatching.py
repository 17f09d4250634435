"""Lets workers that wait for many calls at once run on greenlets. Imported before all else."""

import sys
from typing import Final

ON_GREENLETS: Final = sys.argv[1:] in (["remote"], ["webhooks"])

if ON_GREENLETS:
    from gevent.monkey import patch_all  # type: ignore[import-untyped]

    patch_all()
