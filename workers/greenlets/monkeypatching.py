"""Makes workers run on greenlets, which wait for many calls, or in several roles, at the same time. Import it first."""

import sys
from typing import Final

WAITING: Final = ("dispatch", "remote", "webhooks", "archive")  # roles that can share a process
ROLES: Final = frozenset(sys.argv[1:])
ON_GREENLETS: Final = ROLES.issubset(WAITING) and (
    len(ROLES) > 1 or not ROLES.isdisjoint(("remote", "webhooks"))
)

if ON_GREENLETS:
    from gevent.monkey import patch_all  # type: ignore[import-untyped]

    patch_all()
