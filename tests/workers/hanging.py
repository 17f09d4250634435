"""Jobs that hang: where no signal reaches them, and where no other greenlet gets its turn.

`python -m tests.workers.hanging ROLE`: a worker that is found to hang after a second or two.
"""

import itertools
import sys
from functools import partial
from typing import NoReturn


def hang() -> None:
    """Never come back to Python."""
    sum(itertools.count())


def spin(game_id: str, version: int) -> NoReturn:
    """Never let another greenlet run, though a signal would reach this one."""
    while True:
        pass


if __name__ == "__main__":
    from workers.__main__ import main  # first, as it would be
    from workers import bot_worker  # isort: skip
    from workers.greenlets import watchdog

    vars(bot_worker)["HANGS_AFTER"] = 1
    vars(watchdog)["watchdog"] = partial(watchdog.watchdog, 1)
    sys.exit(main(sys.argv[1:]))
