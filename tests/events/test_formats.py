"""Releases side by side on one store: who may start, and which format is written."""

from collections.abc import Callable

import pytest

from events.store import keys
from events.store.connections.client import RedisClient
from events.store.formats import HOLD_MS, TTL_MS, FormatRefused, Formats, StoreFormat

OLD = Formats(reads=(1, 1), writes=(1, 1))
NEXT = Formats(reads=(1, 2), writes=(1, 2))  # reads and writes both
LATER = Formats(reads=(2, 3), writes=(2, 3))
ALONE = Formats(reads=(1, 2), writes=(2, 2))  # reads both, and writes the new one alone

Start = Callable[..., StoreFormat]


@pytest.fixture
def start(link: RedisClient) -> Start:
    """Makes processes of a release; a format is written as soon as all read it."""
    link.call("SET", "something", "is there")
    return lambda formats, hold=0: StoreFormat(link, formats, hold)


def refusal(process: StoreFormat) -> str:
    with pytest.raises(FormatRefused) as refused:
        process.join()
    return str(refused.value)


def test_a_new_format_is_written_once_all_read_it(start: Start, link: RedisClient) -> None:
    """Readers come before writers; a process that cannot read it does not start then, and ends if it was silent."""
    old, new = start(OLD), start(NEXT)
    assert (old.join(), new.join()) == (1, 1)
    assert "reads no format after 1" in refusal(start(ALONE))
    old.leave()
    assert start(NEXT).join() == 2
    assert new.join() == 2
    assert "written in format 2, and this release reads format 1." in refusal(old)
    assert start(LATER).join() == 2
    new.leave()
    with pytest.raises(FormatRefused, match="restore a backup"):
        start(OLD).check()
    assert "Start a release between the two first" in refusal(start(Formats((3, 4), (3, 4))))


def test_a_former_release_may_come_back_for_a_while(start: Start, link: RedisClient) -> None:
    """The hold begins anew when a former release was there again."""
    new, hour = start(NEXT, 3_600_000), 3_600_000
    assert new.join() == 1
    began = link.call("HGET", keys.FORMAT, "wanted")
    assert began.startswith(b"2:")
    back = start(OLD)
    assert (back.join(), new.join()) == (1, 1)
    assert link.call("HGET", keys.FORMAT, "wanted") is None
    back.leave()
    assert new.join() == 1
    since = int(link.call("HGET", keys.FORMAT, "wanted").partition(b":")[2])
    link.call("HSET", keys.FORMAT, "wanted", f"2:{since - hour}")
    assert new.join() == 2


def test_a_release_that_announces_nothing_begins_the_hold_anew(start: Start, link: RedisClient) -> None:
    """Somebody went back to a release from before announcements: it may come back for as long once more."""
    new = start(NEXT, HOLD_MS)
    assert new.join() == 1
    long_ago = int(link.call("HGET", keys.FORMAT, "seen")) - 2 * HOLD_MS
    link.call("HSET", keys.FORMAT, "wanted", f"2:{long_ago}", "seen", long_ago + HOLD_MS)
    assert start(NEXT, HOLD_MS).join() == 1
    link.call("HSET", keys.FORMAT, "wanted", f"2:{long_ago}")
    assert new.join() == 2


def test_a_process_that_was_killed_does_not_hold_others_back(start: Start, link: RedisClient) -> None:
    """A process that was killed counts for half a minute, also where the server's clock was set back meanwhile."""
    now = int(link.call("TIME")[0]) * 1000
    link.call("HSET", keys.READERS, "killed", f"1:1:{now - 1}", "ahead", f"1:1:{now + 10 * TTL_MS}")
    assert start(NEXT).join() == 2
    assert link.call("HLEN", keys.READERS) == 1


def test_an_empty_store_is_written_in_the_newest_format(link: RedisClient) -> None:
    assert StoreFormat(link, LATER).join() == 3
