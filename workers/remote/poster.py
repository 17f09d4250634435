"""Posts a request to somebody else's server, on behalf of the caller who gave us its URL.

A connection goes to an address that the guard has checked and to no other: there are no redirects, no proxies, and
nothing is looked up a second time. Everything that a server sends, and every wait for it, has an end
(`workers.remote.http`), and all other calls go on meanwhile.
"""

from collections.abc import Mapping
from typing import Final

import gevent  # type: ignore[import-untyped]
from gevent import socket, ssl
from gevent.local import local  # type: ignore[import-untyped]

from events.errors import UrlRefused
from events.url_guard import Guard, Target, target_of
from workers.remote.connection import Connection, TlsConnection
from workers.remote.http import MOST, Answer, exchange

LOOKUPS: Final = local()  # `current`: the greenlet that looks a name up for this one


class Poster:
    """Posts. Every request is a greenlet's own; any number of them may wait at once."""

    def __init__(self, guard: Guard, seconds: float) -> None:
        """`seconds`: how long all attempts at a connection may take together."""
        self._guard = guard
        self._seconds = seconds
        self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # verifies certificates and names
        self._tls.load_default_certs()

    def post(
        self, url: str, headers: Mapping[str, str], body: bytes, deadline: float, *, reads_body: bool = True
    ) -> Answer:
        """The answer; `deadline` is a time of `time.monotonic`, for what is read: the caller limits the whole.

        Raises UrlRefused, OSError, and what `exchange` and the connection do.
        """
        target = target_of(url)
        connected = self._connected(target)
        try:
            connection = self._connection(connected, target, deadline)
            return exchange(connection, target, headers, body, reads_body=reads_body)
        finally:
            connected.close()

    def _connection(self, connected: socket.socket, target: Target, deadline: float) -> Connection:
        if target.scheme == "https":
            return TlsConnection(connected, deadline, MOST, self._tls, target.host)
        return Connection(connected, deadline, MOST)

    def _connected(self, target: Target) -> socket.socket:
        """A connection to one of the target's addresses, each of which gets its share of the time."""
        addresses = _looked_up(self._guard, target)
        failure = OSError()
        for address in addresses:
            try:
                connected = socket.create_connection((address, target.port), self._seconds / len(addresses))
            except OSError as error:
                failure = error
            else:
                connected.settimeout(None)  # the deadline of the call is enough
                return connected
        raise failure


def end_of_lookup() -> None:
    """Wait until the last name that this greenlet had looked up is found or given up: longer than a call may take.

    No deadline ends that; the system's resolver keeps a thread until its own patience is over.
    """
    lookup = getattr(LOOKUPS, "current", None)
    if lookup is not None:
        lookup.join()


def _looked_up(guard: Guard, target: Target) -> list[str]:
    """The target's addresses that the guard allows, found in a greenlet of its own, which a deadline does not end."""

    def look() -> list[str] | OSError | UrlRefused:
        try:
            return guard.addresses(target)
        except (OSError, UrlRefused) as error:
            return error

    LOOKUPS.current = gevent.spawn(look)
    found: list[str] | OSError | UrlRefused = LOOKUPS.current.get()
    if isinstance(found, list):
        return found
    raise found
