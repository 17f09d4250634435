"""Faults of the feed of a partition."""

from collections.abc import Callable, Iterator
from typing import Any, Final

from redis.exceptions import ResponseError

from events.fsck.findings import Finding
from events.store import keys
from events.store.connections.client import RedisClient
from events.store.feed_entries import entry_of
from events.store.stream_entries import last_entry, version_of

PAGE: Final = 1000  # entries read at once


def check_feed(
    link: RedisClient, partition: int, is_archived: Callable[[str], bool], patience: float
) -> Iterator[Finding]:
    """References to games that do not exist, appends without a reference, and readers that are `patience` seconds late.

    A stream is looked at after the feed, so what is appended meanwhile makes no alarm.
    """
    bad = list[Finding]()
    try:
        newest = dict(_newest(link, partition, bad))
    except ResponseError:
        return  # the feed is of a wrong type, which is reported
    yield from bad
    versions = _versions(link, list(newest))
    for game_id, (entry_id, last) in newest.items():
        where, version = f"{keys.feed(partition)} {entry_id}", versions[game_id]
        if version == 0 and not is_archived(game_id):
            detail = "It names a game that is neither in Redis nor in the archive."
            yield Finding("feed-to-nothing", game_id, where, detail)
        elif 0 < version < last:
            detail = f"It names event {last}, but the game has {version}."
            yield Finding("feed-beyond-end", game_id, where, detail)
    behind = {game_id for game_id, version in versions.items() if version > newest[game_id][1]}
    yield from _missing(link, partition, behind, versions)
    late = _late(link, partition)
    if late > patience:
        detail = f"What was appended {late:,.0f} seconds ago was not dealt with."
        yield Finding("feed-behind", None, keys.feed(partition), detail)


def _missing(
    link: RedisClient, partition: int, behind: set[str], versions: dict[str, int]
) -> Iterator[Finding]:
    """Findings about games that seemed to be ahead of the feed, and still are when the feed is read again."""
    if not behind:
        return
    for game_id, (entry_id, last) in _newest(link, partition, []):
        if game_id in behind and last < versions[game_id]:
            detail = f"Its last reference is to event {last}, but the game had {versions[game_id]} before."
            yield Finding("feed-missing", game_id, f"{keys.feed(partition)} {entry_id}", detail)


def _newest(link: RedisClient, partition: int, bad: list[Finding]) -> Iterator[tuple[str, tuple[str, int]]]:
    """Each game of the feed with its last reference: the entry's id and the last version that it names.

    Entries that nobody can read go to `bad`.
    """
    newest, after = dict[str, tuple[str, int]](), "-"
    while page := link.call("XRANGE", keys.feed(partition), after, "+", "COUNT", PAGE):
        for entry_id, flat in page:
            entry = entry_of(partition, entry_id, flat)
            if entry is None:
                where = f"{keys.feed(partition)} {entry_id.decode()}"
                bad.append(Finding("bad-reference", None, where, "The entry is no reference to events."))
            else:
                newest[entry.game_id] = (entry.entry_id, entry.version)
        after = f"({page[-1][0].decode()}"
    yield from newest.items()


def _versions(link: RedisClient, game_ids: list[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for at in range(0, len(game_ids), PAGE):
        some = game_ids[at : at + PAGE]
        ends = link.calls([last_entry(keys.stream(game_id)) for game_id in some])
        found |= {
            game: 0 if isinstance(end, ResponseError) else version_of(end)
            for game, end in zip(some, ends, strict=True)
        }
    return found


def _late(link: RedisClient, partition: int) -> float:
    """Seconds for which the oldest unhandled entry has been waiting; 0 without one."""
    feed = keys.feed(partition)
    now, groups = link.calls([("TIME",), ("XINFO", "GROUPS", feed)])
    if isinstance(groups, ResponseError):
        return 0.0  # no such stream
    oldest: list[bytes] = []
    for flat in groups:
        group: dict[bytes, Any] = dict(zip(flat[::2], flat[1::2], strict=True))
        pending = link.call("XPENDING", feed, group[b"name"])
        unread = link.call("XRANGE", feed, b"(" + group[b"last-delivered-id"], "+", "COUNT", 1)
        oldest += [pending[1]] if pending[1] else []
        oldest += [unread[0][0]] if unread else []
    if not groups:
        oldest = [entry_id for entry_id, _ in link.call("XRANGE", feed, "-", "+", "COUNT", 1)]
    since = min((int(entry_id.partition(b"-")[0]) for entry_id in oldest), default=None)
    return 0.0 if since is None else int(now[0]) + int(now[1]) / 1e6 - since / 1000
