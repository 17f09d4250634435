"""The feed: every append of every game, in order within a partition, for those who react to events.

A consumer group sees each reference at least once: what was read and not acknowledged, because its reader died, is
claimed by another. So whoever reads the feed must do no harm by doing a thing twice.
"""

import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from redis.exceptions import ResponseError

from events import keys
from events.redis_link import RedisLink

PARTITIONS = range(keys.PARTITIONS)


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """A reference to the events `first` to `version` of a game, and their types.

    `due` says what the game waits for at `version`: "bot", "remote" (a bot of somebody else), "score" or "" (people, or
    nothing any more).
    """

    partition: int
    entry_id: str
    game_id: str
    first: int
    version: int
    types: tuple[str, ...]
    due: str


@dataclass(frozen=True, slots=True)
class Due:
    """A game that waits for the engine itself: `what` is "bot" or "score", `seconds` how long since `version`."""

    game_id: str
    what: str
    version: int
    seconds: float


class Feed:
    """One consumer of a group that reads the whole feed."""

    def __init__(self, link: RedisLink, group: str, consumer: str, pace: float = 0.02) -> None:
        """`link` must wait longer for an answer than `read` blocks.

        Under load the feed is read once in `pace` seconds, many entries at a time; after a rest, at once.
        """
        self._link = link
        self._group = group
        self._consumer = consumer
        self._pace = pace
        self._last_read = float("-inf")

    def join(self) -> None:
        """Make the group where it does not exist yet; it begins with the oldest entry there is."""
        requests = [
            ("XGROUP", "CREATE", keys.feed(partition), self._group, "0", "MKSTREAM")
            for partition in PARTITIONS
        ]
        for reply in self._link.calls(requests):
            if isinstance(reply, ResponseError) and not str(reply).startswith("BUSYGROUP"):
                raise reply

    def read(self, block_ms: int = 1000, count: int = 100) -> list[FeedEntry]:
        """New entries, at most `count` from each partition; waits for the first one at most so many milliseconds."""
        time.sleep(max(0.0, self._last_read + self._pace - time.monotonic()))
        streams = [keys.feed(partition) for partition in PARTITIONS]
        reading = (
            "XREADGROUP",
            "GROUP",
            self._group,
            self._consumer,
            "COUNT",
            count,
            "BLOCK",
            max(1, block_ms),
        )
        try:
            reply = self._link.call(*reading, "STREAMS", *streams, *[">"] * len(streams))
        except ResponseError as refusal:
            if not str(refusal).startswith("NOGROUP"):
                raise
            self.join()  # the first time, and after the server lost its data
            return []
        self._last_read = time.monotonic()
        return [entry for stream, raw in reply or () for entry in _entries(_partition(stream), raw)]

    def ack(self, entries: Iterable[FeedEntry]) -> None:
        """These were dealt with, and need not be seen again."""
        done = defaultdict[int, list[str]](list)
        for entry in entries:
            done[entry.partition].append(entry.entry_id)
        self._link.calls(
            [("XACK", keys.feed(partition), self._group, *ids) for partition, ids in done.items()]
        )

    def claim_stale(self, min_idle_ms: int, count: int = 100) -> list[FeedEntry]:
        """Entries that were read so long ago, by whomever, and never acknowledged; they are this consumer's now."""
        claim = (self._group, self._consumer, min_idle_ms, "0", "COUNT", count)
        replies = self._link.calls([("XAUTOCLAIM", keys.feed(partition), *claim) for partition in PARTITIONS])
        found = zip(PARTITIONS, replies, strict=True)
        return [
            entry
            for partition, reply in found
            if not isinstance(reply, ResponseError)  # the group is not there: there is nothing to claim
            for entry in _entries(partition, reply[1])
        ]

    def trim(self) -> None:
        """Forget the entries that every group has dealt with; a group made later does not get to see them."""
        oldest = self._oldest_needed()
        self._link.calls(
            [("XTRIM", keys.feed(partition), "MINID", entry) for partition, entry in oldest.items()]
        )

    def overdue(self, seconds: float) -> list[Due]:
        """The games that have waited for the engine for so long, the longest first."""
        requests = [("TIME",), *(("HGETALL", keys.due(partition)) for partition in PARTITIONS)]
        (now, _), *replies = self._link.calls(requests)
        waiting = [
            _due(int(now), reply[at], reply[at + 1]) for reply in replies for at in range(0, len(reply), 2)
        ]
        return sorted((due for due in waiting if due.seconds >= seconds), key=lambda due: -due.seconds)

    def is_due(self, game_id: str, what: str, version: int) -> bool:
        """Whether the game still waits for that, at that version."""
        waits = self._link.call("HGET", keys.due(keys.partition_of(game_id)), game_id)
        return waits is not None and waits.decode().startswith(f"{what}:{version}:")

    def _oldest_needed(self) -> dict[int, bytes]:
        """By partition, the oldest entry that some group has not acknowledged, or the last that all were given."""
        about = self._link.calls([("XINFO", "GROUPS", keys.feed(partition)) for partition in PARTITIONS])
        groups = [
            (partition, _fields(group))
            for partition, reply in zip(PARTITIONS, about, strict=True)
            if not isinstance(reply, ResponseError)  # no such stream yet
            for group in reply
        ]
        pending = self._link.calls(
            [("XPENDING", keys.feed(partition), group[b"name"]) for partition, group in groups]
        )
        needed = defaultdict[int, list[bytes]](list)
        for (partition, group), (_, first, *_) in zip(groups, pending, strict=True):
            needed[partition].append(first or group[b"last-delivered-id"])
        return {partition: min(entries, key=_order) for partition, entries in needed.items()}


def _partition(stream: bytes) -> int:
    return int(stream[2:5])


def _entries(partition: int, raw: Sequence[Any]) -> list[FeedEntry]:
    return [_entry(partition, entry_id, _fields(flat)) for entry_id, flat in raw if flat]


def _entry(partition: int, entry_id: bytes, fields: dict[bytes, bytes]) -> FeedEntry:
    return FeedEntry(
        partition,
        entry_id.decode(),
        fields[b"game"].decode(),
        int(fields[b"first"]),
        int(fields[b"last"]),
        tuple(fields[b"types"].decode().split(",")),
        fields[b"due"].decode(),
    )


def _due(now: float, game_id: bytes, value: bytes) -> Due:
    what, version, since = value.decode().split(":")
    return Due(game_id.decode(), what, int(version), max(0.0, now - int(since) / 1000))


def _fields(flat: Sequence[Any]) -> dict[bytes, Any]:
    return dict(zip(flat[::2], flat[1::2], strict=True))


def _order(entry_id: bytes) -> tuple[int, int]:
    time_part, _, sequence = entry_id.partition(b"-")
    return int(time_part), int(sequence or 0)
