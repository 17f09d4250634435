"""Posts a request to another server, whose URL an app has given.

A connection goes only to an address that the guard has checked: there are no redirects, no proxies, and no second
lookup. Everything that a server sends, and every wait for it, is limited (`workers.remote.http`), and all other calls
go on meanwhile.
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

LOOKUPS: Final = local()  # `current`: the greenlet that looks up a name for this greenlet


class Poster:
    """Posts requests. Each request belongs to one greenlet; any number of them may wait at the same time."""

    def __init__(self, guard: Guard, seconds: float) -> None:
        """`seconds`: how long all attempts to connect may take together."""
        self._guard = guard
        self._seconds = seconds
        self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # verifies certificates and names
        self._tls.load_default_certs()

    def post(
        self, url: str, headers: Mapping[str, str], body: bytes, deadline: float, *, reads_body: bool = True
    ) -> Answer:
        """The answer. `deadline`, a time of `time.monotonic`, is for reading; the caller limits the whole.

        Raises UrlRefused, OSError, and the errors of `exchange` and the connection.
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
        """A connection to one of the target's addresses; each address gets its share of the time."""
        addresses = _looked_up(self._guard, target)
        failure = OSError()
        for address in addresses:
            try:
                connected = socket.create_connection((address, target.port), self._seconds / len(addresses))
            except OSError as error:
                failure = error
            else:
                connected.settimeout(None)  # the deadline of the call is the limit
                return connected
        raise failure


def end_of_lookup() -> None:
    """Wait until the last lookup of a name by this greenlet is over, which may take longer than a call.

    No deadline can end a lookup; the system's resolver keeps a thread until its own limit.
    """
    lookup = getattr(LOOKUPS, "current", None)
    if lookup is not None:
        lookup.join()


def _looked_up(guard: Guard, target: Target) -> list[str]:
    """The target's addresses that the guard allows, looked up in a separate greenlet that a deadline does not end."""

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
