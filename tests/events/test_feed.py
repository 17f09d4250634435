"""The feed: at least once, in order, for every group; and the games that wait for the engine."""

import time

import pytest

from domain.lifecycle import Seat
from events.application import Application
from events.engine.new_game import NewGame
from events.ports import FeedEntry, PendingAction
from events.store import keys
from events.store.connections.client import RedisClient
from events.store.feed import RedisFeed

HUMANS = (Seat("human"), Seat("human"))
LONG = 60  # seconds: more than any game here waits, on however busy a machine


@pytest.fixture
def feed(link: RedisClient) -> RedisFeed:
    """The first consumer of a group."""
    feed = RedisFeed(link, "group", "first", pace=0)
    feed.join()
    return feed


def new_game(application: Application, *seats: Seat, goal: int = 10) -> str:
    return application.creation.create(
        "my-app", NewGame("counter", {"goal": goal}, seats or HUMANS)
    ).snapshot.game_id


def test_every_append_is_read_once(counter: Application, feed: RedisFeed) -> None:
    """Each append is read once, with everything that a consumer needs to act on it."""
    game_id = new_game(counter)
    counter.moves.play(game_id, 0, {"amount": 1})
    created, added = feed.read(block_ms=10)
    partition = keys.partition_of(game_id)
    types, used = ("game_created", "game_started"), "my-app 2026-11-21 "
    assert created == FeedEntry(partition, created.entry_id, game_id, 1, 2, types, "", f"{used}created=1")
    assert added == FeedEntry(partition, added.entry_id, game_id, 3, 3, ("added",), "", f"{used}people=1")
    assert feed.read(block_ms=10) == []


def test_games_of_all_partitions_are_read(counter: Application, feed: RedisFeed) -> None:
    """In any partition; at most so many entries at a time, and the rest with the next reading, in order."""
    games = {new_game(counter) for _ in range(40)}
    assert {entry.game_id for entry in feed.read(block_ms=10)} == games
    game_id = new_game(counter)
    for turn in range(5):
        counter.moves.play(game_id, turn % 2, {"amount": 1})
    readings = [[entry.version for entry in feed.read(block_ms=10, count=2)] for _ in range(4)]
    assert readings == [[2, 3], [4, 5], [6, 7], []]


def test_consumers_of_a_group_share_and_groups_do_not(
    counter: Application, feed: RedisFeed, link: RedisClient
) -> None:
    """One consumer's entries are not given to its fellow; another group sees everything."""
    new_game(counter)
    assert len(feed.read(block_ms=10)) == 1
    assert RedisFeed(link, "group", "second", pace=0).read(block_ms=10) == []
    other = RedisFeed(link, "other", "first", pace=0)
    other.join()
    assert len(other.read(block_ms=10)) == 1


def test_a_group_made_late_sees_all_that_was_before(counter: Application, link: RedisClient) -> None:
    """The first reading makes the group; nothing that was appended before is missed."""
    game_id = new_game(counter)
    feed = RedisFeed(link, "late", "first", pace=0)
    assert feed.read(block_ms=10) == []
    assert [entry.game_id for entry in feed.read(block_ms=10)] == [game_id]


def test_entries_that_nobody_acknowledged_are_claimed(
    counter: Application, feed: RedisFeed, link: RedisClient
) -> None:
    """By any consumer of the group, once they have been idle for long enough; what was acknowledged is not."""
    done, undone = new_game(counter), new_game(counter)
    entries = feed.read(block_ms=10)
    feed.ack([])
    assert len(feed.claim_stale(min_idle_ms=0)) == len(entries) == 2
    feed.ack(entry for entry in entries if entry.game_id == done)
    fellow = RedisFeed(link, "group", "second", pace=0)
    assert fellow.claim_stale(min_idle_ms=60_000) == []
    claimed = fellow.claim_stale(min_idle_ms=0)
    assert [entry.game_id for entry in claimed] == [undone]
    fellow.ack(claimed)
    assert fellow.claim_stale(min_idle_ms=0) == []


def test_a_feed_that_lost_its_groups_makes_them_again(
    counter: Application, feed: RedisFeed, link: RedisClient
) -> None:
    """Groups are made again after the feed has lost them, as when a server without persistence came back."""
    new_game(counter)
    link.call("FLUSHALL")
    assert feed.read(block_ms=10) == []
    assert feed.claim_stale(min_idle_ms=0) == []
    game_id = new_game(counter)
    assert [entry.game_id for entry in feed.read(block_ms=10)] == [game_id]


def test_trimming_keeps_all_that_somebody_still_needs(counter: Application, link: RedisClient) -> None:
    """Read but not acknowledged, or not even read, by any of the groups; where there are none all is kept."""
    game_id = new_game(counter)
    for turn in range(6):
        counter.moves.play(game_id, turn % 2, {"amount": 1})
    stream = keys.feed(keys.partition_of(game_id))
    feed, slow = (RedisFeed(link, group, "first", pace=0) for group in ("group", "slow"))
    feed.trim()
    assert link.call("XLEN", stream) == 7
    feed.join()
    slow.join()

    feed.ack(feed.read(block_ms=10))
    feed.trim()
    assert link.call("XLEN", stream) == 7  # the slow group has read nothing

    slow_entries = slow.read(block_ms=10)
    slow.ack(slow_entries[:3])
    feed.trim()
    assert link.call("XLEN", stream) == 4

    slow.ack(slow_entries)
    feed.trim()
    assert link.call("XLEN", stream) <= 1
    counter.moves.play(game_id, 0, {"amount": 1})
    assert [entry.version for entry in slow.read(block_ms=10)] == [9]


def test_games_that_wait_for_the_engine(counter: Application, feed: RedisFeed) -> None:
    """From the moment that they do to the moment that they do not, without any reading of the feed, which tells it too.

    A game waits for a bot's turn, a score, or people.
    """
    game_id = new_game(counter, Seat("human"), Seat("bot", bot="one"), goal=2)
    assert feed.overdue(0) == []
    counter.moves.play(game_id, 0, {"amount": 1})
    (due,) = feed.overdue(0)
    assert due == PendingAction(game_id, "bot", 3, due.seconds)
    assert 0 <= due.seconds < LONG
    assert feed.overdue(LONG) == []
    counter.bot_turns.bot_move(game_id, 3)
    assert [(due.what, due.version) for due in feed.overdue(0)] == [("score", 6)]
    counter.bot_turns.score_game(game_id)
    assert feed.overdue(0) == []
    assert [entry.due for entry in feed.read(block_ms=10)] == ["", "bot", "score", ""]


def test_foreign_entries_among_due_games_are_passed_over(
    counter: Application, link: RedisClient, caplog: pytest.LogCaptureFixture
) -> None:
    """The other games are looked after; each is told once, with key and field."""
    game_id, key = new_game(counter, Seat("bot", bot="one"), Seat("human")), keys.due(0)
    for field in ("game", "x" * 22, "no game"):
        for value in (b"garbage", b"", b"bot:1", b"bot:one:1", b"nap:1:1", b"bot:1:2:3", b"\xff:1:1"):
            feed = RedisFeed(link, "group", "first", pace=0)
            link.call("HSET", key, field, value)
            for _ in range(2):
                assert [due.game_id for due in feed.overdue(0)] == [game_id]
            (told,) = [record.getMessage() for record in caplog.records if record.name == "migrato.feed"]
            assert key in told
            assert field in told
            caplog.clear()
        link.call("HDEL", key, field)


FOREIGN: tuple[tuple[str | int, ...], ...] = (
    ("hello", "world"),
    ("game", "x" * 22, "first", "one", "last", 1, "types", "a", "due", ""),
    ("game", "x" * 22, "first", 1, "last", 1, "types", "a", "due", "nap"),
    ("game", "no game", "first", 1, "last", 1, "types", "a", "due", "bot"),
)


def test_foreign_entries_of_the_feed_are_passed_over(
    counter: Application, link: RedisClient, feed: RedisFeed
) -> None:
    """They are given to nobody again."""
    for fields in FOREIGN:
        link.call("XADD", keys.feed(0), "*", *fields)
        game_id = new_game(counter)
        entries = feed.read(block_ms=10)
        assert [entry.game_id for entry in entries] == [game_id]
        assert [entry.game_id for entry in feed.claim_stale(min_idle_ms=0)] == [game_id]
        assert link.call("XPENDING", keys.feed(0), "group")[0] == (keys.partition_of(game_id) == 0)
        feed.ack(entries)


def test_keys_of_a_wrong_type_stop_only_their_partition(
    counter: Application, link: RedisClient, feed: RedisFeed
) -> None:
    """Be it the feed or the index of due games; when the key is gone it is read again."""
    game_id = new_game(counter, Seat("bot", bot="one"), Seat("human"))
    other = (keys.partition_of(game_id) + 1) % keys.PARTITIONS
    for key in (keys.feed(other), keys.due(other)):
        link.call("DEL", key)
        link.call("SET", key, "hello")
    assert feed.read(block_ms=10) == []
    assert [entry.game_id for entry in feed.read(block_ms=10)] == [game_id]
    assert [due.game_id for due in feed.overdue(0)] == [game_id]
    feed.trim()
    link.call("DEL", keys.feed(other))
    feed.trim()
    assert link.call("EXISTS", keys.feed(other))


def test_reading_is_paced(counter: Application, link: RedisClient) -> None:
    """Under load many entries are read at a time, and not each by itself; after a rest, at once."""
    feed = RedisFeed(link, "group", "first", pace=0.05)
    feed.join()
    game_id = new_game(counter)
    began = time.monotonic()
    assert len(feed.read(block_ms=1000)) == 1
    counter.moves.play(game_id, 0, {"amount": 1})
    assert len(feed.read(block_ms=1000)) == 1
    assert time.monotonic() - began >= 0.05
