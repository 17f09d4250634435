"""A cluster that keeps the games: masters die or stand still, slots move, servers come and go."""

import random
import time
from binascii import crc_hqx
from collections.abc import Callable
from functools import partial
from typing import Final

from drills.cluster.node import NODE_TIMEOUT, Node
from drills.cluster.servers import SLOTS, Cluster
from drills.faults.fault import Fault, Scene, Struck

PARTITIONS: Final = 256
SHARE: Final = 1500  # slots that are moved at once


def _needs_a_cluster(scene: Scene) -> str | None:
    return "the games are not in a cluster (--cluster)" if scene.cluster is None else None


def _with_replica(cluster: Cluster, rng: random.Random) -> Node:
    """A master that a replica can take the place of."""
    cluster.until("a master has a replica", lambda: any(map(cluster.replicas_of, cluster.owners())))
    return rng.choice([node for node in cluster.owners() if cluster.replicas_of(node)])


def _kill(cluster: Cluster, scene: Scene, rng: random.Random) -> Struck:
    """Its replica takes its place; it comes back with nothing in memory, and follows."""
    node = _with_replica(cluster, rng)
    node.kill()
    _until_replaced(cluster, node)
    node.start()
    _until_settled(cluster, node)
    return Struck(f"{node.port}", scene.history.now(), kills=1)


def _pause(cluster: Cluster, scene: Scene, rng: random.Random) -> Struck:
    """Pause a server: to the others its network is cut; when that is mended, it finds that it is a replica."""
    node = _with_replica(cluster, rng)
    with node.stopped():
        time.sleep(max(scene.hold, 2 * NODE_TIMEOUT / 1000))
        _until_replaced(cluster, node)
    _until_settled(cluster, node)
    return Struck(f"{node.port}, {scene.hold:.0f} s", scene.history.now())


def _until_replaced(cluster: Cluster, node: Node) -> None:
    cluster.until(f"{node.port} is replaced", lambda: node not in cluster.owners() and cluster.is_whole())


def _until_settled(cluster: Cluster, node: Node) -> None:
    cluster.until(f"{node.port} is part of the cluster", lambda: cluster.is_settled(node))


def _move(cluster: Cluster, scene: Scene, rng: random.Random) -> Struck:
    """A range of slots goes to another master, as an operator does who evens out their load."""
    source = max(cluster.owners(), key=lambda node: _size(cluster, node))
    target = rng.choice([node for node in cluster.owners() if node is not source])
    first, last = _share(cluster, source)
    cluster.move(first, last, target)
    return Struck(f"{last - first + 1} slots", scene.history.now())


def _move_by_key(cluster: Cluster, scene: Scene, rng: random.Random) -> Struck:
    """A partition moves key by key, as former servers do it; half moved, it refuses most of what is asked."""
    slot = crc_hqx(b"p%03d" % rng.randrange(PARTITIONS), 0) % SLOTS
    source = cluster.owner(slot)
    target = rng.choice([node for node in cluster.owners() if node is not source])
    cluster.move_by_key(slot, target, lambda: time.sleep(min(1.0, scene.hold / 4)))
    return Struck(f"slot {slot}", scene.history.now())


def _add_and_drain(cluster: Cluster, scene: Scene, rng: random.Random) -> Struck:
    """One more master, with a replica, gets slots of all others, gives them back, and goes."""
    owners, lent = cluster.owners(), list[tuple[int, int, Node]]()
    node = cluster.add(1)
    for owner in owners:
        first, last = _share(cluster, owner)
        cluster.move(first, last, node)
        lent.append((first, last, owner))
    time.sleep(min(2.0, scene.hold))
    for first, last, owner in lent:
        cluster.move(first, last, owner)
    cluster.forget(node)
    return Struck(f"{len(lent)} ranges of slots there and back", scene.history.now())


def _size(cluster: Cluster, node: Node) -> int:
    return sum(last - first + 1 for first, last in cluster.slots_of(node))


def _share(cluster: Cluster, node: Node) -> tuple[int, int]:
    """Some slots of a server, never all of them."""
    first, last = max(cluster.slots_of(node), key=lambda span: span[1] - span[0])
    return first, min(first + SHARE, (first + last) // 2)


def _on_cluster(
    strike: Callable[[Cluster, Scene, random.Random], Struck], scene: Scene, rng: random.Random
) -> Struck:
    assert scene.cluster is not None
    return strike(scene.cluster, scene, rng)


FAULTS: Final = tuple(
    Fault(name, partial(_on_cluster, strike), missing=_needs_a_cluster)
    for name, strike in (
        ("kill master", _kill),
        ("pause master", _pause),
        ("move slots", _move),
        ("move a slot by key", _move_by_key),
        ("add and drain a server", _add_and_drain),
    )
)
