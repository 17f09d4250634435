"""One request and its answer over a connection: HTTP/1.1, parsed by h11, with a limit for everything.

h11 neither reads nor writes sockets, so only what this module asks for is read. h11 limits the length of parts that it
must see whole (a head, a line of a chunk). This module counts parts that may repeat: preliminary answers, header lines,
chunks of a body. The connection counts all bytes.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

import h11

from events.retry_after import seconds_of
from events.url_guard import PORTS, Target
from workers.remote.connection import Connection, RemoteDisconnected

LARGEST: Final = 65_536  # bytes of an answer
MOST: Final = 4 * LARGEST  # bytes of an answer with everything around it: TLS, heads, chunks
HEAD: Final = 16_384  # bytes of a head, of the trailers, or of a chunk's first line
LINES: Final = 128  # lines of headers, in all heads together
PARTS: Final = 512  # chunks of a body: each takes as much time as a kilobyte
PRELIMINARY: Final = 32  # answers like 100 Continue before the one that counts
TOO_LARGE: Final = 431  # the status that h11 suggests for a head that is too large


class NoAnswer(Exception):
    """Bytes that are no complete answer in HTTP; another attempt may help."""


class MalformedResponse(Exception):
    """An answer in a form that no bot needs; the message is for the log, and repeats nothing that the server sent."""


class Answer(NamedTuple):
    """A server's answer. `pause`: the seconds that Retry-After asks for; `body`: LARGEST + 1 bytes at most.

    `media_type`: that of Content-Type, in lower case.
    """

    status: int
    pause: float
    body: bytes
    media_type: str = ""


def exchange(
    connection: Connection, target: Target, headers: Mapping[str, str], body: bytes, *, reads_body: bool
) -> Answer:
    """Post the body. The body of the answer is read if the caller wants it and the status is 200; otherwise only the
    head.

    Raises NoAnswer, MalformedResponse, and the errors of the connection.
    """
    http = h11.Connection(h11.CLIENT, max_incomplete_event_size=HEAD)
    own = {"Host": _host(target), "Connection": "close", "Content-Length": str(len(body))}
    request = h11.Request(method="POST", target=target.path, headers=[*(own | dict(headers)).items()])
    for event in (request, h11.Data(data=body), h11.EndOfMessage()):
        connection.send(http.send(event) or b"")
    try:
        return _Reading(connection, http).answer(reads_body)
    except h11.RemoteProtocolError as error:
        if error.error_status_hint == TOO_LARGE:
            raise MalformedResponse(f"more than {HEAD} bytes of headers") from error
        raise NoAnswer from error


class _Reading:
    """An answer while it comes in."""

    def __init__(self, connection: Connection, http: h11.Connection) -> None:
        self._connection = connection
        self._http = http
        self._lines = 0
        self._preliminary = 0

    def answer(self, reads_body: bool) -> Answer:
        """The response to the request: the final one, not an informational one."""
        event = self._next()
        while isinstance(event, h11.InformationalResponse):
            self._preliminary += 1
            if self._preliminary > PRELIMINARY:
                raise MalformedResponse(f"more than {PRELIMINARY} preliminary answers")
            event = self._next()
        if not isinstance(event, h11.Response):
            raise NoAnswer
        found = dict(event.headers)
        when, date = (found.get(name, b"").decode("latin-1") for name in (b"retry-after", b"date"))
        body = self._body() if reads_body and event.status_code == 200 else b""
        media_type = found.get(b"content-type", b"").decode("latin-1").partition(";")[0].strip().lower()
        return Answer(event.status_code, seconds_of(when, date), body, media_type)

    def _body(self) -> bytes:
        body = bytearray()
        for _ in range(PARTS):
            event = self._next()
            if not isinstance(event, h11.Data):
                return bytes(body)
            body += event.data
            if len(body) > LARGEST:
                return bytes(body[: LARGEST + 1])
        raise MalformedResponse(f"more than {PARTS} parts of a body")

    def _next(self) -> h11.Event:
        event = self._http.next_event()
        while event is h11.NEED_DATA:
            data = self._connection.receive()
            if not data and self._http.their_state is h11.SEND_RESPONSE:
                self._hung_up()
            self._http.receive_data(data)
            event = self._http.next_event()
        assert isinstance(event, h11.Event)
        self._lines += len(getattr(event, "headers", ()))
        if self._lines > LINES:
            raise MalformedResponse(f"more than {LINES} lines of headers")
        return event

    def _hung_up(self) -> None:
        begun, _ = self._http.trailing_data
        if begun.startswith(b"HTTP/"):
            raise MalformedResponse("half a head")
        raise RemoteDisconnected


def _host(target: Target) -> str:
    host = f"[{target.host}]" if ":" in target.host else target.host
    return host if target.port == PORTS[target.scheme] else f"{host}:{target.port}"
