"""Streams in the store, for tests: which entry holds an event, and one that is lost."""

from events.store import keys
from events.store.connections.client import RedisClient
from events.store.stream_entries import place


def entry_with(link: RedisClient, game_id: str, version: int) -> tuple[bytes, list[bytes]]:
    """The entry that holds an event: its id, and its fields with their values."""
    ((entry_id, fields),) = link.call("XRANGE", keys.stream(game_id), version, "+", "COUNT", 1)
    first, last = place(entry_id)
    assert first <= version <= last
    return entry_id, list(fields)


def last_entry(link: RedisClient, game_id: str) -> tuple[bytes, list[bytes]]:
    """The stream's last entry."""
    ((entry_id, fields),) = link.call("XREVRANGE", keys.stream(game_id), "+", "-", "COUNT", 1)
    return entry_id, list(fields)


def lose(link: RedisClient, game_id: str, version: int | None = None, *, with_command: bool = False) -> None:
    """Take the entry with an event from a stream, or the last one; with the record of its command, if that is said."""
    entry_id, fields = last_entry(link, game_id) if version is None else entry_with(link, game_id, version)
    if with_command:
        link.call("HDEL", keys.commands(game_id), fields[5])
    assert link.call("XDEL", keys.stream(game_id), entry_id) == 1
