"""The servers of a cluster, and what an operator does with them."""

import contextlib
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, Self

from drills.cluster.node import Node
from drills.cluster.talk import Refused
from drills.cluster.waiting import until
from drills.ports import HOST

SLOTS: Final = 16_384
MOST_KEYS: Final = 100_000
MIGRATE_MS: Final = 5000


class Cluster:
    """Masters with equal shares of the slots, each with its replicas.

    What an operator does is repeated until all servers have it so: any of them may be late, or have lost its place
    to a replica of its own meanwhile. Raises NotInTime, which shows what each server says.
    """

    def __init__(self, masters: int = 3, replicas: int = 0, **options: str) -> None:
        self._directory = Path(tempfile.mkdtemp(prefix="migrato-cluster-"))
        self._options = options
        self.nodes: list[Node] = []
        try:
            self._begin(masters, masters * replicas)
        except BaseException:
            self.end()
            raise

    def _begin(self, masters: int, replicas: int) -> None:
        self.nodes = [self._new() for _ in range(masters + replicas)]
        self.masters, followers = self.nodes[:masters], self.nodes[masters:]
        self._meet()
        bounds = [SLOTS * number // masters for number in range(masters + 1)]
        for master, first, end in zip(self.masters, bounds, bounds[1:], strict=False):
            master.ask("CLUSTER", "ADDSLOTSRANGE", first, end - 1)
        for number, replica in enumerate(followers):
            self._follow(replica, self.masters[number % masters])
        self.until("the cluster is whole", self.is_whole)

    @property
    def url(self) -> str:
        """Value of MIGRATO_REDIS_URL."""
        return "redis+cluster://" + ",".join(f"{HOST}:{node.port}" for node in self.nodes[:3])

    def until(self, what: str, holds: Callable[[], Any]) -> None:
        """Wait until something holds. Raises NotInTime."""
        until(what, holds, self.seen)

    def seen(self) -> str:
        """The view of each server, for people."""
        return "\n".join(_said(node) for node in self.nodes)

    def up(self) -> list[Node]:
        """The servers that answer."""
        return [node for node in self.nodes if node.answers()]

    def is_whole(self) -> bool:
        """True if every server that answers knows the whole cluster."""
        return all(node.is_whole(SLOTS) for node in self.up())

    def is_settled(self, node: Node) -> bool:
        """True if the cluster is whole, with this server in it as master or as a replica that has everything."""
        return node.answers() and self.is_whole() and (node in self.owners() or node.follows())

    def owner(self, slot: int) -> Node:
        """The master that has the slot, as the first server that answers says."""
        found = self.up()[0].slots()
        return self._at(next(port for first, last, port in found if first <= slot <= last))

    def slots_of(self, node: Node, asked: Node | None = None) -> list[tuple[int, int]]:
        """The ranges of slots that a server has, as it says itself, or another one that is asked."""
        return [(first, last) for first, last, port in (asked or node).slots() if port == node.port]

    def owners(self) -> list[Node]:
        """The masters that have slots now, as the first server that answers says."""
        ports = {port for _, _, port in self.up()[0].slots()}
        return [node for node in self.nodes if node.port in ports]

    def replicas_of(self, master: Node) -> list[Node]:
        """The replicas of a master that get all that it writes."""
        followers = [node for node in self.up() if node.master_port() == master.port]
        return [node for node in followers if node.follows()]

    def catch_up(self, master: Node) -> None:
        """Wait until the replicas of a master have all that it has written by now."""
        written = master.written()
        self.until(
            f"the replicas of {master.port} have all",
            lambda: all(node.written() >= written for node in self.replicas_of(master)),
        )

    def add(self, replicas: int = 0) -> Node:
        """One more master, without slots, and its replicas."""
        node, *followers = (self._new() for _ in range(1 + replicas))
        self.nodes += [node, *followers]
        self._meet()
        for replica in followers:
            self._follow(replica, node)
        return node

    def forget(self, gone: Node) -> None:
        """A master that has no slots leaves the cluster with its replicas, and they end."""
        leader = self._leader(gone)
        leaving = [leader, *(node for node in self.up() if node.master_port() == leader.port)]
        named = {node.id for node in leaving}
        for node in leaving:
            node.kill()
            self.nodes.remove(node)
        self.until(f"all forget {leader.port}", lambda: self._all_forgot(named))

    def move(self, first: int, last: int, target: Node) -> None:
        """Move slots to a server, all keys of them in one step (CLUSTER MIGRATESLOTS), and wait until all know it."""
        self.until(f"{target.port} has slots {first} to {last}", lambda: self._moved(first, last, target))

    def move_by_key(self, slot: int, target: Node, between: Callable[[], None]) -> None:
        """Move a slot as former servers do, key by key; `between` is called when half of its keys have moved."""
        pauses = [between]
        self.until(f"{target.port} has slot {slot}", lambda: self._moved_by_key(slot, target, pauses))

    def end(self) -> None:
        """End all servers."""
        for node in self.nodes:
            node.kill()
        shutil.rmtree(self._directory, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.end()

    def _new(self) -> Node:
        return Node(self._directory, **self._options).start()

    def _at(self, port: int) -> Node:
        return next(node for node in self.nodes if node.port == port)

    def _meet(self) -> None:
        """Make every server known to every other one, under different epochs."""
        for number, node in enumerate(self.nodes, 1):
            with contextlib.suppress(Refused):  # it has one already
                node.ask("CLUSTER", "SET-CONFIG-EPOCH", number)
        self.until("all servers know each other", self._all_met)

    def _all_met(self) -> bool:
        by_id = {node.id: node for node in self.up()}
        all_met = True
        for node in by_id.values():
            met = {one for one, said in node.known().items() if "handshake" not in said}
            for stranger in by_id.keys() - met:
                node.ask("CLUSTER", "MEET", HOST, by_id[stranger].port)
                all_met = False
        return all_met

    def _follow(self, replica: Node, master: Node) -> None:
        """Make a server the replica of a master, and wait until it has all that the master has."""
        what = f"{replica.port} follows {master.port}"
        self.until(what, lambda: replica.ask("CLUSTER", "REPLICATE", master.id))
        self.until(what, replica.follows)

    def _all_forgot(self, gone: set[str]) -> bool:
        knowing = [(node, one) for node in self.up() for one in node.known().keys() & gone]
        for node, one in knowing:
            node.ask("CLUSTER", "FORGET", one)
        return not knowing

    def _moved(self, first: int, last: int, target: Node) -> bool:
        """True if all servers know that the target has the slots; else owners that give none yet are told to."""
        leader = self._leader(target)
        if self._all_know(first, last, leader):
            return True
        for owner in self.owners():
            theirs = [span for span in self.slots_of(owner) if _common(span, first, last)]
            if theirs and owner is not leader and not owner.is_giving():
                common = max(theirs[0][0], first), min(theirs[0][1], last)
                owner.ask("CLUSTER", "MIGRATESLOTS", "SLOTSRANGE", *common, "NODE", leader.id)
        return False

    def _moved_by_key(self, slot: int, target: Node, pauses: list[Callable[[], None]]) -> bool:
        leader, source = self._leader(target), self.owner(slot)
        if self._all_know(slot, slot, leader):
            return True
        if source is not leader:
            leader.ask("CLUSTER", "SETSLOT", slot, "IMPORTING", source.id)
            source.ask("CLUSTER", "SETSLOT", slot, "MIGRATING", leader.id)
            named = source.ask("CLUSTER", "GETKEYSINSLOT", slot, MOST_KEYS)
            _give(source, leader, named[: len(named) // 2])
            while pauses:
                pauses.pop()()
            while named := source.ask("CLUSTER", "GETKEYSINSLOT", slot, MOST_KEYS):
                _give(source, leader, named)
        for node in (leader, source, *self.owners()):
            node.ask("CLUSTER", "SETSLOT", slot, "NODE", leader.id)
        return False

    def _leader(self, node: Node) -> Node:
        """The server itself, or the one that it follows since that has taken its place."""
        port = node.master_port()
        return node if port is None else self._at(port)

    def _all_know(self, first: int, last: int, owner: Node) -> bool:
        wanted = last - first + 1
        return all(
            sum(_common(span, first, last) for span in self.slots_of(owner, node)) == wanted
            for node in self.up()
        )


def _common(span: tuple[int, int], first: int, last: int) -> int:
    """Number of slots that two ranges have in common."""
    return max(0, min(span[1], last) - max(span[0], first) + 1)


def _give(source: Node, target: Node, named: Sequence[bytes]) -> None:
    if named:
        source.ask("MIGRATE", HOST, target.port, "", 0, MIGRATE_MS, "REPLACE", "KEYS", *named)


def _said(node: Node) -> str:
    if not node.answers():
        return f"{node.port} does not answer"
    try:
        known = "\n  ".join(node.known().values())
        jobs = node.ask("CLUSTER", "GETSLOTMIGRATIONS")
        return f"{node.port} knows:\n  {known}\n  slots on their way: {jobs}"
    except (OSError, Refused) as error:
        return f"{node.port}: {error}"
