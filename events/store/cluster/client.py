# compiled into serving
"""The link to a cluster: a link to each server that is asked, and the map that says which one has a key.

A request goes where the map says. A server that has lost the slot names the one that has it now (MOVED), or the one
that is getting it just now (ASK); what was asked of that slot at the same time is asked again then, one request after
the other, so that their order stays. A server that does not answer, or says that it cannot do it now, has the map read
again: if another server has its slots by then, that one is asked; if not, the request fails as it does without a
cluster, and may be repeated. All that is ever sent may be done twice (see `events.store.connections.client`).
"""

import random
import time
from collections.abc import Sequence
from functools import cache
from typing import Any, Final

from redis.exceptions import AskError, MovedError, ResponseError

from events.errors import StoreUnavailable
from events.store.cluster.addresses import cluster_url
from events.store.cluster.slots import is_spread, slot_of, slot_of_request
from events.store.cluster.topology import Place, SlotMap, place_of
from events.store.connections.client import Argument, CarrierOver, RedisClient, Request, ServerClient

FOLLOWED: Final = 5  # times that a request is sent on
PAUSE: Final = 0.1  # seconds from one look at the map to the next
EVERYWHERE: Final = {"DBSIZE", "FLUSHALL", "SCAN"}  # asked of all servers
START: Final = b"0"  # of a scan, and its end


class RedisCluster(RedisClient):
    """Links to the servers of a cluster that take writes; safe among threads, greenlets and forks."""

    def __init__(self, url: str, timeout: float, carrier: CarrierOver | None = None) -> None:
        """`url`: see `events.store.cluster.addresses`; connects when first asked. Raises ValueError."""
        self._url = cluster_url(url)
        self._timeout = timeout
        self._carrier = carrier
        self._links: dict[Place, ServerClient] = {}
        self._map = SlotMap()
        self._read_at = float("-inf")
        self.guard = ()
        self.replicas = 0

    def calls(self, requests: Sequence[Request]) -> list[Any]:
        """The replies to several requests, in order; a refused one has its ResponseError for a reply.

        Those for one server are sent at once, and done in their order. Raises StoreUnavailable.
        """
        if any(request[0] in EVERYWHERE or is_spread(request) for request in requests):
            return [self._everywhere(request) for request in requests]
        return self.at_once(requests) if len(requests) == 1 else self._routed(requests)

    def at_once(self, requests: Sequence[Request]) -> list[Any]:
        """The replies to requests of which only the first has keys, over one connection. Raises StoreUnavailable."""
        slot = slot_of_request(requests[0])
        if slot is None:
            return self._anywhere(requests)
        place = self._owner(slot)
        try:
            replies = self._link(place).calls(requests)
        except StoreUnavailable:
            self._refresh(place)
            if self._owner(slot) == place:
                raise
            return self._followed(slot, requests)
        if isinstance(replies[0], AskError):  # or MovedError, which is one
            return self._followed(slot, requests)
        return replies

    def script(self, source: str, keys: Sequence[str], arguments: Sequence[Argument]) -> Any:
        """The reply of a script; its messages go to the listeners of the server that has its keys."""
        return super().script(_sharded(source), keys, arguments)

    def servers(self) -> list[ServerClient]:
        """Links to all servers that have slots. Raises StoreUnavailable."""
        return [self._link(place) for place in self.places()]

    def by_server(self, keys: Sequence[str]) -> list[tuple[ServerClient, list[str]]]:
        """The servers that have these keys, each with its own keys in their order. Raises StoreUnavailable."""
        held: dict[Place, list[str]] = {}
        for key in keys:
            held.setdefault(self._owner(slot_of(key)), []).append(key)
        return [(self._link(place), own) for place, own in held.items()]

    def owner_of(self, key: str) -> Place:
        """Place of the key's server, as far as this link knows. Raises StoreUnavailable."""
        return self._owner(slot_of(key))

    def server_at(self, place: Place) -> ServerClient:
        """A link to the server at that place."""
        return self._link(place)

    def places(self) -> list[Place]:
        """Places of all servers that have slots, as far as this link knows. Raises StoreUnavailable."""
        if not self._map.places():
            self._refresh(None)
        return self._map.places()

    def close(self) -> None:
        """Close the idle connections; the link can still be used."""
        for link in list(self._links.values()):
            link.close()

    def refresh(self, after: float = PAUSE) -> None:
        """Read which server has which slots, if the last look is so many seconds old. Raises StoreUnavailable."""
        if time.monotonic() - self._read_at >= after:
            self._refresh(None)

    # What belongs to one slot

    def _followed(self, slot: int, requests: Sequence[Request]) -> list[Any]:
        """The replies to requests of one slot, which are sent on to the server that each server names."""
        place, is_asking = self._owner(slot), False
        for _ in range(FOLLOWED):
            sent: list[Request] = [("ASKING",), *requests] if is_asking else list(requests)
            replies = self._link(place).calls(sent)[-len(requests) :]
            reply = replies[0]
            if not isinstance(reply, AskError):
                return replies
            is_asking = not isinstance(reply, MovedError)
            place = place_of(reply.host, reply.port, place)
            if not is_asking:
                self._refresh(None)
                self._map.set_range(slot, slot, place)
        raise StoreUnavailable("the servers of the cluster send the request to each other")

    def _anywhere(self, requests: Sequence[Request]) -> list[Any]:
        """The replies of the first server that answers; any will do for requests without keys."""
        failure = StoreUnavailable("no server of the cluster is known")
        for place in self.places():
            try:
                return self._link(place).calls(requests)
            except StoreUnavailable as error:
                failure = error
        raise failure

    # Many requests

    def _routed(self, requests: Sequence[Request]) -> list[Any]:
        slots = self._slots(requests)
        groups: dict[Place, list[int]] = {}
        for number, slot in enumerate(slots):
            groups.setdefault(self._owner(slot), []).append(number)
        replies: list[Any] = [None] * len(requests)
        again = set[int]()  # slots of which some request was sent elsewhere
        failure: StoreUnavailable | None = None
        for place, numbers in groups.items():
            try:
                found = self._link(place).calls([requests[number] for number in numbers])
            except StoreUnavailable as error:
                self._refresh(place)
                left = {slots[number] for number in numbers}
                again |= {slot for slot in left if self._owner(slot) != place}
                failure = failure or (error if left - again else None)
                continue
            for number, reply in zip(numbers, found, strict=True):
                replies[number] = reply
                if isinstance(reply, AskError):
                    again.add(slots[number])
        if failure is not None:
            raise failure
        for number, slot in enumerate(slots):
            if slot in again:
                (replies[number],) = self._followed(slot, [requests[number]])
        return replies

    def _slots(self, requests: Sequence[Request]) -> list[int]:
        """The slot of each request; one without keys gets the slot of the first that has keys."""
        found = [slot_of_request(request) for request in requests]
        other = next((slot for slot in found if slot is not None), 0)
        return [other if slot is None else slot for slot in found]

    # All servers

    def _everywhere(self, request: Request) -> Any:
        name = request[0]
        if name == "SCAN":
            return self._scanned(request)
        if name in EVERYWHERE:
            replies = [link.calls([request])[0] for link in self.servers()]
            return _sum(replies) if name == "DBSIZE" else replies[0]
        if is_spread(request):
            return _sum(self._routed([("EXISTS", key) for key in request[1:]]))
        return self.at_once([request])[0]

    def _scanned(self, request: Request) -> Any:
        """A step of a scan through one server after the other; its cursor says where it is."""
        _, cursor, *options = request
        places = self.places()
        place, _, own = (cursor if isinstance(cursor, bytes) else str(cursor).encode()).rpartition(b" ")
        at = places.index(_place(place)) if place and _place(place) in places else 0
        if place and _place(place) not in places:
            raise StoreUnavailable("the cluster has changed while its keys were read")
        reply = self._link(places[at]).calls([("SCAN", own, *options)])[0]
        if isinstance(reply, ResponseError):
            return reply
        following, found = reply
        if following == START:
            at += 1
        if at == len(places):
            return [START, found]
        host, port = places[at]
        return [b"%s %d %s" % (host.encode(), port, following), found]

    # The map

    def _owner(self, slot: int) -> Place:
        place = self._map.owner(slot)
        if place is None:
            self._refresh(None)
            place = self._map.owner(slot)
        if place is None:
            raise StoreUnavailable(f"no server of the cluster has slot {slot}")
        return place

    def _link(self, place: Place) -> ServerClient:
        link = self._links.get(place)
        if link is None:
            link = ServerClient.of(self._url.server(*place), self._timeout, self._carrier)
            link = self._links.setdefault(place, link)
        return link

    def _refresh(self, silent: Place | None) -> None:
        """Read the map from any server that answers; the `silent` one is asked last. Raises StoreUnavailable."""
        if time.monotonic() - self._read_at < PAUSE:
            return
        known = self._map.places()
        random.shuffle(known)
        places = list(dict.fromkeys((*known, *self._url.seeds)))
        places.sort(key=lambda place: place == silent)
        failure: Exception | None = None
        for place in places:
            try:
                (reply,) = self._link(place).calls([("CLUSTER", "SLOTS")])
            except StoreUnavailable as error:
                failure = error
                continue
            if isinstance(reply, ResponseError):
                failure = reply
                continue
            self._map = SlotMap.of(reply, place)
            self._read_at = time.monotonic()
            self._forget_the_gone()
            return
        raise StoreUnavailable(f"no server of the cluster says which slots it has: {failure}") from failure

    def _forget_the_gone(self) -> None:
        """Keep no links to servers that have no slots any more; a caller that is using one goes on with it."""
        for place in self._links.keys() - {*self._map.places(), *self._url.seeds}:
            link = self._links.pop(place, None)
            if link is not None:
                link.close()


@cache
def _sharded(source: str) -> str:
    return source.replace("'PUBLISH'", "'SPUBLISH'")


def _sum(replies: Sequence[Any]) -> Any:
    """The sum of the replies; the first refusal among them, if there is one."""
    refusal = next((reply for reply in replies if isinstance(reply, ResponseError)), None)
    return sum(replies) if refusal is None else refusal


def _place(text: bytes) -> Place:
    host, _, port = text.decode().rpartition(" ")
    return host, int(port)
