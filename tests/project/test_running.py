"""Processes that tests start and interrupt."""

import signal
import sys
from collections.abc import Iterator

import pytest

from tests.support.engine import is_alive
from tests.support.running import interruptible
from tests.support.waiting import LIMIT, until

WHAT_CTRL_C_DOES = "import signal; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
WITH_A_CHILD = "import subprocess; print(subprocess.Popen(['sleep', '600']).pid, flush=True); input()"


@pytest.fixture
def in_the_background() -> Iterator[None]:
    """SIGINT is ignored here, as in what a script starts by `command &`."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("in_the_background")
def test_ctrl_c_interrupts_wherever_the_tests_run() -> None:
    with interruptible([sys.executable, "-c", WHAT_CTRL_C_DOES], {}) as process:
        assert process.communicate(timeout=LIMIT)[0] == "True\n"


def test_a_test_that_fails_leaves_no_process_behind() -> None:
    """Children of the process that it started among them."""
    pids: list[int] = []

    def fails() -> None:
        with interruptible([sys.executable, "-c", WITH_A_CHILD], {}) as process:
            assert process.stdout is not None
            pids.extend((process.pid, int(process.stdout.readline())))
            raise AssertionError

    with pytest.raises(AssertionError):
        fails()
    assert len(pids) == 2
    until(lambda: not any(map(is_alive, pids)))


TOOL = """
import subprocess
from tests.support.running import as_a_child
print(subprocess.Popen(["sleep", "600"], preexec_fn=as_a_child()).pid, flush=True)
input()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the system tells no child that its parent has died")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_tool_that_is_stopped_leaves_no_engine_behind(number: signal.Signals) -> None:
    with interruptible([sys.executable, "-c", TOOL], {}) as process:
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        process.send_signal(number)
        until(lambda: not is_alive(pid))
