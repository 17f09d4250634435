"""Work spread over processes, and left before its end."""

import signal
import time
from pathlib import Path
from typing import Any

import pytest

from service.cli.in_order import in_order


def interrupted(*_: Any) -> None:
    """What Ctrl-C does."""
    raise KeyboardInterrupt


@pytest.mark.parametrize("tasks", [1, 3])
def test_an_interrupt_waits_for_no_task(tmp_path: Path, tasks: int) -> None:
    """Not even for the last one: its process ends with the others, in the middle of it."""

    def work(number: int) -> int:
        time.sleep(3)
        (tmp_path / str(number)).touch()
        return number

    before = signal.signal(signal.SIGALRM, interrupted)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        with pytest.raises(KeyboardInterrupt):
            list(in_order(work, range(tasks), 2, lambda number: number))
    finally:
        signal.signal(signal.SIGALRM, before)
    assert not list(tmp_path.iterdir())
