"""Time that games wait for the engine, as the feed tells it."""

from collections.abc import Callable

import pytest

from events.ports import FeedEntry
from events.runtime import metrics
from workers.reactions.batch import Batch
from workers.reactions.latency import LatencyMetrics

Waits = Callable[[], tuple[float, float]]


def entry(milliseconds: int, first: int, last: int, due: str = "", game_id: str = "g") -> FeedEntry:
    """The entry that an append of the events `first` to `last` leaves in the feed at that time."""
    return FeedEntry(0, f"{milliseconds}-0", game_id, first, last, ("cards_moved",), due)


@pytest.fixture
def waits() -> Waits:
    """The number of waits for bots that were noted in this test, and their sum in seconds."""

    def noted() -> tuple[float, float]:
        samples = next(iter(metrics.ANSWER.collect())).samples
        of_bots = {sample.name: sample.value for sample in samples if sample.labels.get("due") == "bot"}
        return (
            of_bots.get("migrato_answer_seconds_count", 0.0),
            of_bots.get("migrato_answer_seconds_sum", 0.0),
        )

    before = noted()
    return lambda: (noted()[0] - before[0], round(noted()[1] - before[1], 6))


def test_the_wait_is_from_append_to_append(waits: Waits) -> None:
    """A bot's turn of two moves is two waits; a human's turn is none. Games are told apart."""
    clock = LatencyMetrics()
    clock.observe(Batch([entry(1000, 1, 2, "bot"), entry(1250, 3, 5, "bot")]))
    clock.observe(Batch([entry(1500, 6, 6), entry(9000, 7, 8), entry(9900, 9, 9)]))
    assert waits() == (2, 0.5)
    clock.observe(Batch([entry(1000, 1, 2, "bot", "a"), entry(2000, 1, 2, "bot", "b")]))
    clock.observe(Batch([entry(2500, 3, 3, "", "b"), entry(3000, 3, 3, "", "a")]))
    assert waits() == (4, 3.0)


def test_an_entry_that_answers_nothing_is_left_out(waits: Waits) -> None:
    """One that comes again, for the feed tells everything at least once; and where a gap in the versions says that the
    game was answered unseen, by another dispatcher.
    """
    clock = LatencyMetrics()
    clock.observe(Batch([entry(1000, 1, 2, "bot"), entry(1000, 1, 2, "bot")]))
    clock.observe(Batch([entry(1250, 3, 5)]))
    assert waits() == (1, 0.25)
    clock = LatencyMetrics()
    clock.observe(Batch([entry(1000, 1, 2, "bot"), entry(5000, 5, 6, "bot"), entry(5250, 7, 7)]))
    assert waits() == (2, 0.5)
