"""Roles beside each other in one process."""

from functools import partial

import gevent.event  # type: ignore[import-untyped]
import pytest

from events.runtime.settings import SettingsError
from workers.greenlets.beside import AT_ONCE, Beside
from workers.greenlets.roles import beside_each_other


def test_the_first_error_ends_all() -> None:
    """The first error ends all roles, so the process is started again as a whole and no role is missing for long."""

    def fail() -> None:
        gevent.sleep()
        raise SettingsError("wrong")

    with pytest.raises(SettingsError, match="wrong"):
        beside_each_other({"waits": partial(gevent.sleep, 600), "fails": fail, "ends": lambda: None})


def test_acts_wait_beside_each_other_and_their_results_are_in_order() -> None:
    """Acts wait beside each other, their results are in order, and a failure is that of one act alone."""
    all_wait, waiting = gevent.event.Event(), list[int]()

    def act(number: int) -> int:
        waiting.append(number)
        if len(waiting) == AT_ONCE:
            all_wait.set()
        all_wait.wait()
        return 1 // number

    zeroth, *others = Beside().run([partial(act, number) for number in range(AT_ONCE + 1)])
    assert isinstance(zeroth, ZeroDivisionError)
    assert others == [1, *[0] * (AT_ONCE - 1)]
