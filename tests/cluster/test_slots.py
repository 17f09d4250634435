"""To which slot a request belongs, and where a cluster is."""

from collections.abc import Iterator

import pytest

from drills.cluster.servers import Cluster
from events.store import keys
from events.store.cluster.addresses import cluster_url, is_cluster
from events.store.cluster.slots import is_spread, slot_of, slot_of_request
from events.store.cluster.topology import Place, SlotMap, place_of


def test_slots_are_those_of_the_server(cluster: Cluster) -> None:
    for key in (
        "a",
        "{p042}:events:x",
        "{app:}:lines",
        "{apps}:names",
        "a{}b",
        "a{b",
        "{a}{b}",
        "}{x}",
        "ä{ü}",
        "",
    ):
        assert slot_of(key) == slot_of(key.encode()) == cluster.nodes[0].ask("CLUSTER", "KEYSLOT", key), key


def test_all_keys_of_a_game_share_a_slot() -> None:
    game = "0123456789ABCDEFGHIJKL"
    named = [*keys.append_keys(game), keys.invites(game), keys.tickets(game), keys.rematch(game)]
    assert len({slot_of(key) for key in named}) == 1


def test_partitions_are_spread() -> None:
    """Over three masters with equal shares of the slots, no master has half as many again as another one."""
    shares = [0, 0, 0]
    for number in range(keys.PARTITIONS):
        shares[slot_of(keys.feed(number)) * 3 // 16_384] += 1
    assert max(shares) < 1.5 * min(shares)


def test_the_slot_of_a_request() -> None:
    for request in (
        ("GET", "a"),
        ("XGROUP", "CREATE", "a", "g", "0"),
        ("XINFO", "STREAM", "a"),
        ("EVALSHA", "0" * 40, 2, "a", "b", "c"),
    ):
        assert slot_of_request(request) == slot_of("a"), request
    assert slot_of_request(("EVAL", "return 1", 0)) is None
    assert slot_of_request(("TIME",)) is None


def test_only_keys_of_several_slots_are_asked_for_one_by_one() -> None:
    assert is_spread(("EXISTS", "{p000}:feed", "{p001}:feed"))
    assert not is_spread(("EXISTS", "{p000}:feed", "{p000}:due"))
    assert not is_spread(("EXISTS", "a"))
    assert not is_spread(("SINTER", "a", "b"))


def test_the_url_of_a_cluster() -> None:
    url = cluster_url("rediss+cluster://u:p@a:7000,b,[::1]:7001?ssl_ca_certs=/x")
    assert url.seeds == (("a", 7000), ("b", 6379), ("::1", 7001))
    assert url.server("::1", 7001) == "rediss://u:p@[::1]:7001?ssl_ca_certs=/x"
    assert cluster_url("redis+cluster://a").server("a", 6379) == "redis://a:6379"
    assert not is_cluster("redis://a")
    for no_url in ("redis://a", "redis+cluster://", "redis+cluster://a/0", "redis+cluster://a,"):
        with pytest.raises(ValueError):  # noqa: PT011 -- what it says is for nobody
            cluster_url(no_url)


def test_a_map_of_slots() -> None:
    """A server that does not tell its own name is where it was asked."""
    reply = [[0, 99, [b"", 7000, b"id", []], [b"b", 7003, b"id", []]], [100, 16_383, [b"c", 7001, b"id", []]]]
    found = SlotMap.of(reply, ("a", 7000))
    assert (found.owner(0), found.owner(99), found.owner(100)) == (("a", 7000), ("a", 7000), ("c", 7001))
    assert found.places() == [("a", 7000), ("c", 7001)]
    found.set_range(0, 99, ("c", 7001))
    assert found.places() == [("c", 7001)]
    assert SlotMap().owner(0) is None
    assert place_of(b"?", 1, ("a", 2)) == ("a", 1)


def test_a_map_that_changes_while_its_servers_are_listed() -> None:
    """By another thread: what is listed afterwards is right, not what was seen in between."""
    here, there = ("a", 1), ("b", 2)
    found = SlotMap()
    found.set_range(0, 16_383, here)

    class Interrupted(list[Place | None]):
        is_over = False

        def __iter__(self) -> Iterator[Place | None]:
            owners = self[:]
            yield from owners[:-1]
            if not self.is_over:
                self.is_over = True
                found.set_range(16_383, 16_383, there)
            yield owners[-1]

    found._owners = Interrupted(found._owners)
    found.places()
    assert found.places() == [here, there]
