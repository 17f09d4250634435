"""Acknowledged writes where replicas must have it."""

from collections.abc import Sequence

import pytest

from drills.cluster.node import Node
from drills.cluster.servers import Cluster
from events.errors import StoreUnavailable
from events.games.access import new_game_id
from events.log.envelope import EMPTY, RecordedEvent
from events.ports import Appended, Repeated
from events.redis import keys
from events.redis.cluster.slots import slot_of
from events.redis.connections.client import RedisClient
from events.redis.event_store import RedisEventStore
from tests.events.test_store_contract import CREATE, SECRETS, events_after
from tests.waiting import until


def store_on(cluster: Cluster, replicas: int) -> RedisEventStore:
    """An event store on it; moves must be on so many replicas."""
    link = RedisClient.to(cluster.url, 1.0, replicas=replicas)
    return RedisEventStore(link, RedisClient.to(cluster.url, 1.0), 5.0)


def created(store: RedisEventStore, game: str, events: Sequence[RecordedEvent]) -> Appended | Repeated:
    """Create the game, or repeat that."""
    return store.create(game, SECRETS, CREATE, events, "")


def test_enough_replicas(own_cluster: Cluster) -> None:
    store, game = store_on(own_cluster, 1), new_game_id()
    events = events_after(EMPTY, "game_created", game_id=game)
    assert created(store, game, events) == Appended(1)
    assert isinstance(created(store, game, events), Repeated)
    (replica,) = own_cluster.replicas_of(_owner(own_cluster, game))
    assert b"slave_repl_offset" in replica.ask("INFO", "replication")


def test_too_few_replicas(own_cluster: Cluster) -> None:
    """It is not acknowledged, nor is its repetition, until they have it; then it is there once."""
    store, game = store_on(own_cluster, 1), new_game_id()
    events = events_after(EMPTY, "game_created", game_id=game)
    (replica,) = own_cluster.replicas_of(_owner(own_cluster, game))
    with replica.stopped():
        for _ in range(2):
            with pytest.raises(StoreUnavailable) as told:
                created(store, game, events)
            assert told.value.reason == "0 replicas have it, and 1 must"
        with pytest.raises(StoreUnavailable):
            store.recorded(game, CREATE)
    until(lambda: _is_created(store, game, events))
    assert store.version(game) == 1
    assert len(store.read(game)) == 1


def test_without_the_setting_nothing_is_waited_for(own_cluster: Cluster) -> None:
    """The server is not asked to wait for replicas, and it is acknowledged while none of them can have it."""
    store, game = store_on(own_cluster, 0), new_game_id()
    owner = _owner(own_cluster, game)
    (replica,) = own_cluster.replicas_of(owner)
    owner.ask("CONFIG", "RESETSTAT")
    with replica.stopped():
        assert created(store, game, events_after(EMPTY, "game_created", game_id=game)) == Appended(1)
    assert b"cmdstat_wait" not in owner.ask("INFO", "commandstats")


def _owner(cluster: Cluster, game: str) -> Node:
    return cluster.owner(slot_of(keys.stream(game)))


def _is_created(store: RedisEventStore, game: str, events: Sequence[RecordedEvent]) -> bool:
    try:
        return isinstance(created(store, game, events), Repeated)
    except StoreUnavailable:
        return False
