"""Streams as usage: opened, and open for so many seconds, noted every few seconds and when the last one ends."""

from collections.abc import Generator, Mapping

from events.errors import StoreUnavailable
from service.http.operations.open_streams import EVERY, OpenStreams
from tests.support.clock import Clock


class Notes:
    """Notes that were taken; none are while it is `away`."""

    def __init__(self) -> None:
        self.noted: list[tuple[str, Mapping[str, int]]] = []
        self.away = False

    def note(self, app: str, day: str, counts: Mapping[str, int]) -> None:
        if self.away:
            raise StoreUnavailable("away")
        assert day == "1970-01-01"
        self.noted.append((app, counts))


def frames() -> Generator[bytes, None, None]:
    while True:
        yield b"frame"


def test_streams_are_counted_by_their_apps() -> None:
    steady, notes, left = Clock(), Notes(), list[str]()
    streams = OpenStreams(notes, steady, lambda: 0.0)
    first, over = streams.metered("club", frames(), lambda: left.append("first"))
    second, second_over = streams.metered("zoo", frames(), lambda: left.append("second"))
    assert next(first) == next(second) == b"frame"
    assert notes.noted == []
    steady.now += EVERY + 0.4
    next(first)
    assert notes.noted == [
        ("club", {"streams": 1, "stream-seconds": 15}),
        ("zoo", {"streams": 1, "stream-seconds": 15}),
    ]
    steady.now += 0.7
    for _ in range(2):  # whoever ends a stream may do so twice
        over()
    steady.now += 1.0
    second_over()
    assert notes.noted[2:] == [("club", {"stream-seconds": 1}), ("zoo", {"stream-seconds": 2})]
    assert set(left) == {"first", "second"}
    assert streams.metered("", first, over) == (first, over)


def test_a_server_that_is_away_ends_no_stream() -> None:
    steady, notes = Clock(), Notes()
    streams = OpenStreams(notes, steady, lambda: 0.0)
    its, over = streams.metered("club", frames(), lambda: None)
    notes.away = True
    steady.now += EVERY
    assert next(its) == b"frame"
    notes.away = False
    steady.now += EVERY
    next(its)
    over()
    assert notes.noted == [("club", {"stream-seconds": 15})]
