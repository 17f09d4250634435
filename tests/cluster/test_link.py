"""The link to a cluster: as that to one server, whatever the servers do meanwhile."""

from collections.abc import Callable

import pytest
from redis.exceptions import ResponseError

from drills.cluster.node import OneServer
from drills.cluster.servers import Cluster
from events.engine.access import new_game_id
from events.errors import StoreUnavailable
from events.store import keys
from events.store.cluster.slots import slot_of
from events.store.connections.client import RedisClient
from events.store.feed import RedisFeed
from events.store.link import link_to
from tests.support.waiting import LIMIT, until

FEEDS = [keys.feed(number) for number in range(keys.PARTITIONS)]
ADD = "return redis.call('INCRBY', KEYS[1], ARGV[1])"


def test_each_request_gets_its_own_reply(link: RedisClient) -> None:
    """In order, whichever server it goes to; a refused one has its refusal."""
    assert link.calls([("SET", key, number) for number, key in enumerate(FEEDS)]) == [b"OK"] * 256
    assert link.calls([("GET", key) for key in FEEDS]) == [b"%d" % number for number in range(256)]
    first, refused, last = link.calls([("GET", FEEDS[0]), ("LPUSH", FEEDS[1], "x"), ("GET", FEEDS[2])])
    assert (first, type(refused), last) == (b"0", ResponseError, b"2")
    assert link.calls([]) == []
    assert link.script(ADD, [FEEDS[3]], [4]) == 7


def test_requests_to_all_servers(link: RedisClient) -> None:
    link.calls([("SET", key, 1) for key in FEEDS])
    assert link.call("DBSIZE") == 256
    assert link.call("EXISTS", *FEEDS, "other") == 256
    assert link.calls([("DBSIZE",), ("EXISTS", FEEDS[0], FEEDS[1]), ("GET", FEEDS[0])]) == [256, 2, b"1"]
    assert link.call("PING") == b"PONG"
    cursor, found = b"0", list[bytes]()
    while True:
        cursor, some = link.call("SCAN", cursor, "MATCH", "*:feed", "COUNT", 10)
        found += some
        if cursor == b"0":
            break
    assert sorted(set(found)) == [key.encode() for key in FEEDS]


def test_the_time_is_that_of_the_server_that_is_asked_beside_it(link: RedisClient) -> None:
    replies = link.calls([("TIME",), *(("GET", key) for key in FEEDS)])
    assert len(replies[0]) == 2
    assert replies[1:] == [None] * 256


def test_keys_by_server(link: RedisClient) -> None:
    held = link.by_server(FEEDS)
    assert len(held) == len(link.servers()) == 3
    assert sorted(key for _, own in held for key in own) == FEEDS


def test_no_cluster_there() -> None:
    link = link_to("redis+cluster://127.0.0.1:9,127.0.0.1:10", 0.5)
    for ask in (lambda: link.call("GET", "a"), lambda: link.call("PING"), link.servers):
        with pytest.raises(StoreUnavailable):
            ask()


def test_a_server_that_is_part_of_no_cluster() -> None:
    """The error says that the server is part of no cluster."""
    with OneServer() as alone:
        link = link_to(alone.url.replace("redis://", "redis+cluster://").removesuffix("/0"), 0.5)
        with pytest.raises(StoreUnavailable) as told:
            link.call("GET", "a")
    assert "cluster support disabled" in told.value.reason


def test_a_slot_that_is_half_moved(own_cluster: Cluster) -> None:
    """A key is found at either server; what needs both is refused, and can be repeated."""
    link = link_to(own_cluster.url, 2.0)
    named = [f"{{p000}}:{number}" for number in range(20)]
    link.calls([("SET", key, number) for number, key in enumerate(named)])
    slot = slot_of("{p000}")
    source = own_cluster.owner(slot)
    target = next(node for node in own_cluster.owners() if node is not source)
    half = list[object]()

    def between() -> None:
        half.append(link.calls([("GET", key) for key in named]))
        half.append([link.script(ADD, [key], [1]) for key in named])
        with pytest.raises(StoreUnavailable):
            link.call("EXISTS", *named)

    own_cluster.move_by_key(slot, target, between)
    assert half == [[b"%d" % number for number in range(20)], [number + 1 for number in range(20)]]
    assert link.call("EXISTS", *named) == 20


def test_slots_that_move_are_followed(own_cluster: Cluster) -> None:
    """By what is asked alone, at once with others, and by scripts; nothing is done twice or left out."""
    link = link_to(own_cluster.url, 5.0)
    link.calls([("SET", key, number) for number, key in enumerate(FEEDS)])
    source, target = own_cluster.owners()[:2]
    spans = own_cluster.slots_of(source)
    for first, last in spans:
        own_cluster.move(first, last, target)
    assert link.calls([("GET", key) for key in FEEDS]) == [b"%d" % number for number in range(256)]
    moved = next(
        number
        for number, key in enumerate(FEEDS)
        if any(first <= slot_of(key) <= last for first, last in spans)
    )
    assert link.script(ADD, [FEEDS[moved]], [1]) == moved + 1
    link = link_to(own_cluster.url, 5.0)
    assert len(link.servers()) == 2
    assert link.call("DBSIZE") == 256


def test_a_master_that_dies(own_cluster: Cluster) -> None:
    """Its own keys are refused until the replica has taken its place; those of others never are."""
    link, hasty = link_to(own_cluster.url, LIMIT), link_to(own_cluster.url, 0.5)
    link.calls([("SET", key, number) for number, key in enumerate(FEEDS)])
    gone, *others = own_cluster.owners()
    own_cluster.catch_up(gone)
    theirs = next(key for key in FEEDS if own_cluster.owner(slot_of(key)) is others[0])
    own = next(key for key in FEEDS if own_cluster.owner(slot_of(key)) is gone)
    until(lambda: _answer(lambda: hasty.call("GET", own)) is not None)
    gone.kill()
    assert link.call("GET", theirs) is not None
    with pytest.raises(StoreUnavailable):
        hasty.call("GET", own)
    until(lambda: _answer(lambda: hasty.call("GET", own)) is not None)
    assert link.calls([("GET", key) for key in FEEDS]) == [b"%d" % number for number in range(256)]


def _answer(ask: Callable[[], object]) -> object:
    try:
        return ask()
    except StoreUnavailable:
        return None


class TestFeed:
    """A feed whose partitions are all read at once."""

    def test_entries_of_all_servers(self, link: RedisClient) -> None:
        feed = RedisFeed(link, "group", "one", pace=0.0, full_pace=0.0)
        feed.join()
        games = [new_game_id() for _ in range(100)]
        link.calls([_entry(game) for game in games])
        found = list[str]()

        def has_all() -> bool:
            found.extend(entry.game_id for entry in feed.read(200))
            return len(found) == len(games)

        until(has_all)
        assert sorted(found) == sorted(games)

    def test_a_silent_server_holds_up_no_other(self, own_cluster: Cluster) -> None:
        link = link_to(own_cluster.url, 1.0)
        feed = RedisFeed(link, "group", "one", pace=0.0, full_pace=0.0)
        feed.join()
        feed.read(1)
        silent, other, _ = own_cluster.owners()
        game = next(one for one in iter(new_game_id, None) if _owner(own_cluster, one) is other)
        late = next(one for one in iter(new_game_id, None) if _owner(own_cluster, one) is silent)
        found = list[str]()

        def has(game_id: str) -> bool:
            found.extend(entry.game_id for entry in feed.read(100))
            return game_id in found

        with silent.stopped():
            link.calls([_entry(game)])
            until(lambda: has(game))
        own_cluster.until("the silent one is back", lambda: own_cluster.is_settled(silent))
        until(lambda: _answer(lambda: link.calls([_entry(late)])) is not None)
        until(lambda: has(late))


def _entry(game: str) -> tuple[str, ...]:
    fields = ("game", game, "first", "1", "last", "2", "types", "game_created", "due", "")
    return ("XADD", keys.feed(keys.partition_of(game)), "*", *fields)


def _owner(cluster: Cluster, game: str) -> object:
    return cluster.owner(slot_of(keys.stream(game)))
