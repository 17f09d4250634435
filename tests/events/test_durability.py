"""Servers that do not keep what they are given are found out, by what every user may ask them."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from redis import Redis

from events.runtime.settings import Settings, SettingsError
from events.runtime.stores.store_check import StoreCheck, refuse_unfit
from events.store.link import link_to
from events.store.servers.durability import (
    EVICTS,
    FORGETS,
    FULL,
    QUEUE_EVICTS,
    QUEUE_FULL,
    QUEUE_UNKNOWN,
    READ_ONLY,
    UNKNOWN,
    faults_of,
)

Configure = Callable[[str, str], object]


@pytest.fixture
def configure(redis_url: str) -> Iterator[Configure]:
    """Changes the server's configuration, for one test."""
    server = Redis.from_url(redis_url)
    before: dict[str, str | None] = {}

    def configure(name: str, value: str) -> None:
        before.setdefault(name, server.config_get(name)[name])
        server.config_set(name, value)

    yield configure
    for name, value in before.items():
        server.config_set(name, value or "")


def codes(url: str, *, ephemeral: bool = False) -> list[list[str]]:
    """The faults of a server as the store, and as the queue."""
    link = link_to(url, timeout=5.0)
    of_store, of_queue = faults_of(link, "store", ephemeral=ephemeral), faults_of(link, "queue")
    return [[fault.code for fault in faults] for faults in (of_store, of_queue)]


def test_servers_that_evict_or_write_no_file_are_found(redis_url: str, configure: Configure) -> None:
    """Any policy that evicts is found; a queue is never asked for a file, nor is a store that is to keep nothing."""
    assert codes(redis_url) == [[FORGETS], []]
    assert codes(redis_url, ephemeral=True) == [[], []]
    for policy in ("allkeys-lru", "volatile-lru", "volatile-ttl", "allkeys-random"):
        configure("maxmemory-policy", policy)
        assert codes(redis_url, ephemeral=True) == [[EVICTS], [QUEUE_EVICTS]]
    configure("maxmemory-policy", "noeviction")
    configure("appendonly", "yes")
    assert codes(redis_url) == [[], []]


def test_a_store_that_takes_no_writes_is_found(redis_url: str, configure: Configure) -> None:
    """A full one before its memory is full, and a replica, to which an address may lead after a failover."""
    configure("maxmemory", "1000000000")
    assert codes(redis_url, ephemeral=True) == [[], []]
    used = int(Redis.from_url(redis_url).info("memory")["used_memory"])
    configure("maxmemory", str(used))
    assert codes(redis_url, ephemeral=True) == [[FULL], [QUEUE_FULL]]
    configure("maxmemory", "0")
    server = Redis.from_url(redis_url)
    server.replicaof("127.0.0.1", "1")
    try:
        assert codes(redis_url, ephemeral=True) == [[READ_ONLY], []]
    finally:
        server.replicaof("NO", "ONE")


def test_a_server_that_does_not_tell_is_told_of(redis_url: str) -> None:
    """An ACL forbids it; where the server is, and whom it refused, is apart from what anybody may read."""
    Redis.from_url(redis_url).acl_setuser(
        "shy", enabled=True, nopass=True, keys=["*"], commands=["+@all", "-info"]
    )
    url = redis_url.replace("unix://", "unix://shy@")
    assert codes(url) == [[UNKNOWN], [QUEUE_UNKNOWN]]
    (fault,) = faults_of(link_to(url, timeout=5.0), "store")
    assert "shy" in fault.where
    assert ("shy" in fault.detail, "unix" in fault.detail, "redis.sock" in fault.detail) == (False,) * 3
    refuse_unfit(Settings(redis_url=url))


def test_each_master_of_a_cluster_is_asked(cluster_url: str) -> None:
    link = link_to(cluster_url, timeout=5.0)
    second = link.servers()[1]
    second.call("CONFIG", "SET", "maxmemory-policy", "volatile-lru")
    try:
        (fault,) = faults_of(link, "store", ephemeral=True)
        assert (fault.code, fault.where) == (EVICTS, second.address())
        with pytest.raises(SettingsError, match=second.address()):
            refuse_unfit(Settings(redis_url=cluster_url))
    finally:
        second.call("CONFIG", "SET", "maxmemory-policy", "noeviction")


def test_a_store_that_evicts_stops_the_start(evicting_url: str) -> None:
    """A store that evicts stops the start unless that is allowed; a silent store stops nothing, and is named."""
    settings = Settings(redis_url=evicting_url, queue_url=evicting_url)
    with pytest.raises(SettingsError, match=r"allkeys-lru, to noeviction\. .* MIGRATO_ALLOW_EVICTION=1"):
        refuse_unfit(settings)
    assert refuse_unfit(replace(settings, allow_eviction=True))
    assert [fault.code for fault in StoreCheck(settings).of_store()] == [EVICTS, FORGETS]
    assert StoreCheck(settings).of_queue() == []  # it is the same server
    assert not refuse_unfit(Settings(redis_url="unix:///nowhere"))
