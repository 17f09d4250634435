"""Long work in slices: one at a time, a few under way, and the same work once."""

import threading
import time
from collections.abc import Callable, Iterator

import pytest

from events.errors import Busy
from events.slices import Slices, Steps


def steps(number: int, note: Callable[[], object] = lambda: None) -> Steps[int]:
    for _ in range(number):
        note()
        yield
    return number


def at_once(number: int, do: Callable[[], object]) -> None:
    threads = [threading.Thread(target=do) for _ in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive()


def test_work_is_finished_with_a_pause_before_every_slice() -> None:
    """Slices of no time at all: one step each."""
    pauses = list[int]()
    assert Slices(lambda: pauses.append(1), seconds=0).finish(steps(10)) == 10
    assert len(pauses) == 11
    pauses.clear()
    assert Slices(lambda: pauses.append(1), seconds=60).finish(steps(10)) == 10
    assert len(pauses) == 1


def test_one_slice_at_a_time() -> None:
    """However much is under way: between two pauses there is one slice."""
    slices, busy, most = Slices(lambda: time.sleep(0.0001), seconds=0), [0], [0]

    def note() -> None:
        busy[0] += 1
        most[0] = max(most[0], busy[0])
        time.sleep(0.0001)
        busy[0] -= 1

    at_once(8, lambda: slices.finish(steps(20, note)))
    assert most == [1]


def test_what_fails_gives_its_turn_back() -> None:
    """And its place in the line."""

    def failing() -> Steps[int]:
        yield
        raise ValueError("as it must")

    slices = Slices(seconds=0, at_once=1)
    for _ in range(3):
        with pytest.raises(ValueError, match="as it must"):
            slices.finish(failing(), in_line=True)
    assert slices.finish(steps(3), in_line=True) == 3


def test_only_so_many_are_under_way_and_the_others_wait_for_a_while() -> None:
    """Then they are told."""
    slices = Slices(at_once=1, patience=0.05)
    began, end = threading.Event(), threading.Event()

    def slow() -> Steps[None]:
        began.set()
        while not end.is_set():
            yield

    first = threading.Thread(target=lambda: slices.finish(slow(), in_line=True))
    first.start()
    assert began.wait(30)
    with pytest.raises(Busy):
        slices.finish(steps(1), in_line=True)
    assert slices.finish(steps(1)) == 1, "what is short does not wait in the line"
    end.set()
    first.join(30)
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
    """In their order, and lazily."""
    made = list[int]()

    def things() -> Iterator[int]:
        for number in range(3):
            made.append(number)
            yield number

    each = Slices().each(things())
    assert (next(each), made) == (0, [0])
    assert list(each) == [1, 2]


def test_the_same_is_done_once() -> None:
    """Others wait; another name is another thing."""
    slices, count = Slices(patience=30), list[int]()

    def once() -> None:
        with slices.singly("this"):
            if not count:
                time.sleep(0.01)
                count.append(1)

    at_once(8, once)
    assert count == [1]
    hasty = Slices(patience=0.01)
    with hasty.singly("this"), hasty.singly("that"), pytest.raises(Busy), hasty.singly("this"):
        pass
    with hasty.singly("this"):
        pass
