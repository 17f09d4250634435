"""The feed: every append of every game, in order within a partition, for consumers that react to events.

A consumer group sees each entry at least once: if a reader dies before it acknowledges an entry, another one claims the
entry. So handling an entry twice must do no harm.
"""

import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Final

from redis.exceptions import ResponseError

from events.ports import FeedEntry
from events.store import keys
from events.store.cluster.group_readers import group_reader
from events.store.connections.client import RedisClient
from events.store.due_games import PARTITIONS, RedisDueGames
from events.store.feed_entries import entry_of

MANY: Final = 12  # entries in a read, from which on the next one waits longer


class RedisFeed(RedisDueGames):
    """One consumer of a group that reads the whole feed."""

    def __init__(
        self, link: RedisClient, group: str, consumer: str, pace: float = 0.02, full_pace: float = 0.05
    ) -> None:
        """`link`, if it is that of one server, must wait longer for an answer than `read` blocks.

        Under load the feed is read once in `pace` seconds, or once in `full_pace` if a read brings many entries: a look
        at all partitions costs the store as much as a dozen appends. After a rest it is read at once.
        """
        super().__init__(link)
        self._group = group
        self._consumer = consumer
        self._pace = self._next_pace = pace
        self._full_pace = full_pace
        self._last_read = float("-inf")
        self._left_out = set[int]()
        self._reader = group_reader(link, group, consumer)
        self._streams = tuple(map(keys.feed, PARTITIONS))

    def join(self) -> None:
        """Make the group if it does not exist yet; it begins with the oldest entry.

        A partition is left out while its feed is of a wrong type.
        """
        requests = [
            ("XGROUP", "CREATE", keys.feed(partition), self._group, "0", "MKSTREAM")
            for partition in PARTITIONS
        ]
        self._left_out.clear()
        for partition, reply in zip(PARTITIONS, self._link.calls(requests), strict=True):
            if isinstance(reply, ResponseError) and str(reply).startswith("WRONGTYPE"):
                self._left_out.add(partition)
                self._skip(keys.feed(partition), "all of it")
            elif isinstance(reply, ResponseError) and not str(reply).startswith("BUSYGROUP"):
                raise reply
        self._streams = tuple(keys.feed(number) for number in PARTITIONS if number not in self._left_out)

    def read(self, block_ms: int = 1000, count: int = 100) -> list[FeedEntry]:
        """New entries, at most `count` from each partition; waits for the first one at most so many milliseconds."""
        time.sleep(max(0.0, self._last_read + self._next_pace - time.monotonic()))
        try:
            reply = self._reader.read(self._streams, max(1, block_ms), count)
        except ResponseError as refusal:
            if not str(refusal).startswith(("NOGROUP", "WRONGTYPE")):
                raise
            self.join()  # the first time, and after the server lost its data
            return []
        if reply:  # or it has waited for long enough
            self._last_read = time.monotonic()
        entries = [entry for stream, raw in reply for entry in self._entries(_partition(stream), raw)]
        self._next_pace = self._pace if len(entries) < MANY else self._full_pace
        return entries

    def say(self, game_id: str, version: int, word: str) -> None:
        """Add a word about a game that is over."""
        entry = ("game", game_id, "first", version, "last", version, "types", f"{word}:0", "due", "")
        self._link.call("XADD", keys.feed(keys.partition_of(game_id)), "*", *entry)

    def ack(self, entries: Iterable[FeedEntry]) -> None:
        """Acknowledge these entries: they were handled, and no reader needs them again."""
        done = defaultdict[int, list[str]](list)
        for entry in entries:
            done[entry.partition].append(entry.entry_id)
        self._link.calls(
            [("XACK", keys.feed(partition), self._group, *ids) for partition, ids in done.items()]
        )

    def oldest_pending(self) -> dict[int, bytes]:
        """The oldest entry of each partition that any consumer has read, and none has acknowledged."""
        replies = self._link.calls(
            [("XPENDING", keys.feed(partition), self._group) for partition in PARTITIONS]
        )
        return {
            partition: reply[1]
            for partition, reply in zip(PARTITIONS, replies, strict=True)
            if not isinstance(reply, ResponseError) and reply[0]
        }

    def claim_stale(
        self, min_idle_ms: int, count: int = 100, partitions: Sequence[int] = PARTITIONS
    ) -> list[FeedEntry]:
        """Entries that any consumer read so long ago, and none acknowledged; they are this consumer's now.

        The age is by the server's clock; if that clock was set back, only 0 finds them.
        """
        claim = (self._group, self._consumer, min_idle_ms, "0", "COUNT", count)
        replies = self._link.calls([("XAUTOCLAIM", keys.feed(partition), *claim) for partition in partitions])
        found = zip(partitions, replies, strict=True)
        return [
            entry
            for partition, reply in found
            if not isinstance(reply, ResponseError)  # the group is not there: there is nothing to claim
            for entry in self._entries(partition, reply[1])
        ]

    def trim(self) -> None:
        """Forget the entries that every group has dealt with; a group made later does not get to see them."""
        if self._left_out:
            self.join()
        oldest = self._oldest_needed()
        self._link.calls(
            [("XTRIM", keys.feed(partition), "MINID", entry) for partition, entry in oldest.items()]
        )

    def _entries(self, partition: int, raw: Sequence[Any]) -> list[FeedEntry]:
        """The readable entries; unreadable ones are acknowledged, so that no reader gets them again."""
        entries = list[FeedEntry]()
        for entry_id, flat in raw:
            entry = entry_of(partition, entry_id, flat) if flat else None
            if entry is not None:
                entries.append(entry)
            elif flat:
                self._skip(keys.feed(partition), entry_id.decode())
                self._link.call("XACK", keys.feed(partition), self._group, entry_id)
        return entries

    def _oldest_needed(self) -> dict[int, bytes]:
        """The oldest entry of each partition that a group has not acknowledged, or the last that all groups got."""
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


def _fields(flat: Sequence[Any]) -> dict[bytes, Any]:
    return dict(zip(flat[::2], flat[1::2], strict=True))


def _order(entry_id: bytes) -> tuple[int, int]:
    time_part, _, sequence = entry_id.partition(b"-")
    return int(time_part), int(sequence or 0)
