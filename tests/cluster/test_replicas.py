"""Acknowledged writes where replicas must have it."""

from collections.abc import Sequence

import pytest

from drills.cluster.node import Node
from drills.cluster.servers import Cluster
from events.engine.access import new_game_id
from events.errors import StoreUnavailable
from events.log.envelope import EMPTY, RecordedEvent
from events.ports import Appended, Repeated
from events.store import keys
from events.store.cluster.slots import slot_of
from events.store.event_store import RedisEventStore
from events.store.link import link_to
from tests.events.test_store_contract import CREATE, SECRETS, events_after
from tests.support.waiting import LIMIT, until


def store_on(cluster: Cluster, replicas: int, patience: float = LIMIT) -> RedisEventStore:
    """An event store on it; moves must be on so many replicas within that time."""
    link = link_to(cluster.url, patience, replicas=replicas)
    return RedisEventStore(link, link_to(cluster.url, LIMIT), LIMIT)


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
    store, game = store_on(own_cluster, 1, patience=1.0), new_game_id()
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
