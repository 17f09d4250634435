"""To be imported before anything that opens connections: the role that waits for many calls at once is greenlets."""

import sys

if sys.argv[1:] == ["remote"]:
    from gevent.monkey import patch_all  # type: ignore[import-untyped]

    patch_all()
