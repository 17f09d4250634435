"""Long work in slices: one at a time, a few under way, and the same work once."""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from events import scheduling
from events.errors import Busy
from events.scheduling import FEW, Slices, Steps
from tests.support.waiting import LIMIT, until


def steps(number: int, note: Callable[[], object] = lambda: None) -> Steps[int]:
    for _ in range(number):
        note()
        yield
    return number


def at_once(number: int, do: Callable[[], object]) -> None:
    with ThreadPoolExecutor(number) as pool:
        for one in [pool.submit(do) for _ in range(number)]:
            one.result(LIMIT)


@pytest.fixture
def pauses() -> list[int]:
    """Grows by one with every pause."""
    return []


def test_work_is_finished_with_a_pause_before_every_slice(pauses: list[int]) -> None:
    """Slices of no time at all: one step each. Short pieces share a slice, for a pause costs whoever waits."""
    assert Slices(lambda: pauses.append(1), seconds=0).finish(steps(10)) == 10
    assert len(pauses) == 11
    pauses.clear()
    slices = Slices(lambda: pauses.append(1), seconds=60)
    assert slices.finish(steps(10)) == 10
    for _ in range(100):
        assert slices.finish(steps(3)) == 3
    assert len(pauses) == 1


def test_pieces_that_fill_a_slice_together_are_followed_by_a_pause(
    pauses: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pieces that fill a slice only together are followed by a pause, too."""
    now = [0.0]

    def takes_long() -> None:
        now[0] += 4.0

    monkeypatch.setattr(scheduling, "time", SimpleNamespace(perf_counter=lambda: now[0]))
    slices = Slices(lambda: pauses.append(1), seconds=10.0)
    for _ in range(9):
        slices.finish(steps(1, takes_long))
    assert len(pauses) == 1 + 9 // 3


def test_few_at_a_time() -> None:
    """Others wait, and whoever has the turn gives it away meanwhile; what fails leaves its place."""
    slices, inside, most = Slices(seconds=0), [0], [0]

    def reading() -> Steps[None]:
        yield
        with slices.among_few():
            with slices.aside():
                inside[0] += 1
                most[0] = max(most[0], inside[0])
                until(lambda: most[0] == FEW)
                inside[0] -= 1
            yield

    at_once(4 * FEW, lambda: slices.finish(reading()))
    assert most[0] == FEW
    for _ in range(FEW + 1):
        with pytest.raises(ValueError, match="as it must"), slices.among_few():
            raise ValueError("as it must")


def test_one_slice_at_a_time() -> None:
    """No matter how much is under way: between two pauses there is one slice.

    Pauses and slices take a moment each, so that others could come in between.
    """
    slices, busy, most = Slices(lambda: time.sleep(0.0001), seconds=0), [0], [0]

    def note() -> None:
        busy[0] += 1
        most[0] = max(most[0], busy[0])
        time.sleep(0.0001)
        busy[0] -= 1

    at_once(8, lambda: slices.finish(steps(20, note)))
    assert most == [1]


def test_work_that_fails_gives_its_turn_back() -> None:
    """Work that fails gives back its turn, and its place in the line."""

    def failing() -> Steps[int]:
        yield
        raise ValueError("as it must")

    slices = Slices(seconds=0, at_once=1)
    for _ in range(3):
        with pytest.raises(ValueError, match="as it must"):
            slices.finish(failing(), in_line=True)
    assert slices.finish(steps(3), in_line=True) == 3


def test_only_so_many_are_under_way_and_the_others_wait_for_a_while() -> None:
    """Only so many tasks are under way; the others wait for a while, and are then told that it is busy."""
    slices = Slices(at_once=1, patience=0.05)
    began, end = threading.Event(), threading.Event()

    def slow() -> Steps[None]:
        began.set()
        while not end.is_set():
            yield

    first = threading.Thread(target=lambda: slices.finish(slow(), in_line=True))
    first.start()
    assert began.wait(LIMIT)
    with pytest.raises(Busy):
        slices.finish(steps(1), in_line=True)
    assert slices.finish(steps(1)) == 1, "what is short does not wait in the line"
    end.set()
    first.join(LIMIT)
    assert slices.finish(steps(1), in_line=True) == 1


def test_work_within_work() -> None:
    """Also where it is another caller's, who needs the turn to come to its end."""
    slices, done = Slices(lambda: time.sleep(0.0001), seconds=0), list[int]()

    def outer() -> Steps[None]:
        yield
        with slices.singly("the same"):
            if not done:
                done.append(slices.finish(steps(20)))
        yield

    at_once(8, lambda: slices.finish(outer()))
    assert done == [20]


def test_each_thing_is_made_in_a_slice() -> None:
    """Things are made one by one in their order, and lazily."""
    made = list[int]()

    def things() -> Iterator[int]:
        for number in range(3):
            made.append(number)
            yield number

    each = Slices().each(things())
    assert (next(each), made) == (0, [0])
    assert list(each) == [1, 2]


def test_the_same_is_done_once() -> None:
    """The same work is done once, and other callers wait for it; work of another name is other work."""
    slices, count, come = Slices(patience=LIMIT), list[int](), list[int]()

    def once() -> None:
        come.append(1)
        with slices.singly("this"):
            if not count:
                until(lambda: len(come) == 8)
                count.append(1)

    at_once(8, once)
    assert count == [1]
    hasty = Slices(patience=0.01)
    with hasty.singly("this"), hasty.singly("that"), pytest.raises(Busy), hasty.singly("this"):
        pass
    with hasty.singly("this"):
        pass


class Stopped(BaseException):
    """A job or a greenlet is stopped by it while it waits."""


def test_nothing_is_left_of_work_that_is_stopped_in_a_pause() -> None:
    """Neither the turn nor a place in the line, wherever it was stopped."""
    stopping = list[bool]()

    def pause() -> None:
        if stopping:
            stopping.pop()
            raise Stopped

    for in_line in (False, True):
        slices = Slices(pause, seconds=0, at_once=1, patience=0.05)
        for _ in range(3):
            stopping.append(True)
            with pytest.raises(Stopped):
                slices.finish(steps(3), in_line=in_line)
            assert slices.finish(steps(3), in_line=in_line) == 3


def test_work_that_is_stopped_after_waiting_leaves_its_place() -> None:
    """Within other work: it has the place already, and waits for the turn to come round again."""
    stopping = list[bool]()

    def pause() -> None:
        if stopping:
            raise Stopped

    slices = Slices(pause, seconds=0, patience=LIMIT)
    place, waiting = threading.Lock(), threading.Event()

    def outer() -> Steps[None]:
        yield
        waiting.set()
        slices.acquired(place, LIMIT)

    def end_it() -> None:
        assert waiting.wait(LIMIT)
        stopping.append(True)
        place.release()

    place.acquire()
    other = threading.Thread(target=end_it)
    other.start()
    with pytest.raises(Stopped):
        slices.finish(outer())
    other.join(LIMIT)
    stopping.clear()
    assert place.acquire(blocking=False), "the place is free"
    assert slices.finish(steps(1)) == 1, "and the turn as well"


def test_others_compute_while_something_is_waited_for() -> None:
    """All wait at the same time; nobody's exception keeps the turn."""
    slices, together = Slices(seconds=60), threading.Barrier(8)

    def waits() -> Steps[int]:
        yield
        assert slices.has_turn()
        with slices.aside():
            assert not slices.has_turn()
            together.wait(LIMIT)
        assert slices.has_turn()
        return slices.finish(steps(2))

    at_once(8, lambda: slices.finish(waits()))

    def fails() -> Steps[None]:
        yield
        try:
            with slices.aside():
                raise ValueError("as it must")
        finally:
            assert slices.has_turn(), "whoever catches it goes on computing"

    with pytest.raises(ValueError, match="as it must"):
        slices.finish(fails())
    assert slices.finish(steps(1)) == 1
    with slices.aside():
        assert not slices.has_turn()
    assert not slices.has_turn()
