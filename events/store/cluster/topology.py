# compiled into serving
"""Slots of a cluster's servers."""

from collections.abc import Sequence
from threading import Lock
from typing import Any

from events.store.cluster.slots import SLOTS

Place = tuple[str, int]  # host and port


class SlotMap:
    """The server of each slot, as far as it is known; safe among threads and greenlets.

    A list of owners never changes: each change makes another list.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._owners: list[Place | None] = [None] * SLOTS
        self._places: tuple[list[Place | None], list[Place]] = (self._owners, [])

    @classmethod
    def of(cls, reply: Sequence[Any], asked: Place) -> "SlotMap":
        """The map in the reply to CLUSTER SLOTS by the server `asked`, which may leave its own name out."""
        found = cls()
        for first, last, owner, *_ in reply:
            found.set_range(int(first), int(last), place_of(owner[0], owner[1], asked))
        return found

    def set_range(self, first: int, last: int, owner: Place) -> None:
        """Note that these slots, the last included, are that server's."""
        with self._lock:
            owners = list(self._owners)
            owners[first : last + 1] = [owner] * (last + 1 - first)
            self._owners = owners

    def owner(self, slot: int) -> Place | None:
        """The slot's server; None while none is known."""
        return self._owners[slot]

    def places(self) -> list[Place]:
        """All servers that have slots, in the order of their first slots."""
        owners = self._owners
        known, places = self._places
        if known is not owners:
            places = [place for place in dict.fromkeys(owners) if place is not None]
            self._places = (owners, places)
        return list(places)


def place_of(host: bytes | str | None, port: int, asked: Place) -> Place:
    """Place of a server, as another one says; one that has no name to tell is where it was asked."""
    name = host.decode() if isinstance(host, bytes) else host
    return (name if name and name != "?" else asked[0], int(port))
