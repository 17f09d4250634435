"""Work spread over processes, and left before its end."""

import os
import signal
from multiprocessing.util import register_after_fork
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from service.cli.in_order import in_order
from tests.support.waiting import until


def interrupted(*_: Any) -> None:
    """Effects of Ctrl-C."""
    raise KeyboardInterrupt


@pytest.mark.parametrize("tasks", [1, 3])
def test_an_interrupt_waits_for_no_task(tmp_path: Path, tasks: int) -> None:
    """Not even for the last one: its process ends with the others, in the middle of it."""
    begun = [tmp_path / f"begun {number}" for number in range(min(tasks, 2))]

    def work(number: int) -> None:
        (tmp_path / f"begun {number}").touch()
        signal.pause()
        (tmp_path / "done").touch()

    def interrupt_once_begun() -> None:
        until(lambda: all(path.exists() for path in begun))
        os.kill(os.getpid(), signal.SIGALRM)

    before = signal.signal(signal.SIGALRM, interrupted)
    interrupting = Thread(target=interrupt_once_begun)
    try:
        interrupting.start()
        with pytest.raises(KeyboardInterrupt):
            list(in_order(work, range(tasks), 2, lambda number: number))
    finally:
        interrupting.join()
        signal.signal(signal.SIGALRM, before)
    assert sorted(tmp_path.iterdir()) == begun


def test_an_interrupt_harms_no_process_that_is_just_beginning() -> None:
    """Ctrl-C in a terminal reaches every process at once; the command itself ends the others."""
    here = Thread()  # as long as it lives, what is registered is done
    register_after_fork(here, lambda _: os.kill(os.getpid(), signal.SIGINT))
    assert list(in_order(abs, [-1, -2, -3], 2, int)) == [(-1, 1), (-2, 2), (-3, 3)]
