"""A lean HTTP/1.1 load client: many connections in one thread, requests prepared as bytes, answers barely read.

It costs the machine little, which matters where the client shares the cores with the server.
"""

import selectors
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

LENGTH = b"content-length:"


@dataclass(slots=True)
class Lane:
    """One connection and the requests that go over it one after another; `seconds` is each answer's latency."""

    requests: Sequence[bytes]
    expected: int
    at: int = 0
    sent: float = 0.0
    received: bytes = b""
    seconds: list[float] = field(default_factory=list)


def request(
    method: str,
    path: str,
    body: bytes = b"",
    token: str | None = None,
    version: int | None = None,
    key: str | None = None,
) -> bytes:
    """A whole HTTP request as it goes over the wire.

    `version` is the one that the caller has already, `key` an Idempotency-Key.
    """
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost"]
    lines += [f"Authorization: Bearer {token}"] * bool(token)
    lines += [f"Idempotency-Key: {key}"] * bool(key)
    lines += [f'If-None-Match: "{version}"'] * (version is not None)
    lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"] * bool(body)
    return "\r\n".join([*lines, "", ""]).encode() + body


def drive(host: str, port: int, lanes: Sequence[Lane]) -> float:
    """Send every lane's requests, all lanes at once; the seconds it took. Another status than expected is an error."""
    with selectors.DefaultSelector() as selector:
        started = time.perf_counter()
        for lane in lanes:
            connection = socket.create_connection((host, port))
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            selector.register(connection, selectors.EVENT_READ, lane)
            _send(connection, lane)
        while selector.get_map():
            for key, _ in selector.select():
                assert isinstance(key.fileobj, socket.socket)
                _receive(key.fileobj, lane := key.data)
                if lane.at == len(lane.requests):
                    selector.unregister(key.fileobj)
                    key.fileobj.close()
        return time.perf_counter() - started


def _send(connection: socket.socket, lane: Lane) -> None:
    lane.sent = time.perf_counter()
    connection.sendall(lane.requests[lane.at])


def _receive(connection: socket.socket, lane: Lane) -> None:
    piece = connection.recv(65536)
    if not piece:
        raise ConnectionError("the server closed the connection")
    lane.received += piece
    if not whole(lane.received):
        return
    lane.seconds.append(time.perf_counter() - lane.sent)
    status = int(lane.received[9:12])
    if status != lane.expected:
        raise RuntimeError(f"answer {status} to {lane.requests[lane.at]!r}: {lane.received!r}")
    lane.received = b""
    lane.at += 1
    if lane.at < len(lane.requests):
        _send(connection, lane)


def whole(received: bytes) -> bool:
    """Whether this is all of an answer."""
    end = received.find(b"\r\n\r\n")
    if end < 0:
        return False
    head = received[:end].lower()
    at = head.find(LENGTH)
    if at < 0:
        raise ValueError(f"no length in {head!r}")
    length = int(head[at + len(LENGTH) :].split(b"\r\n", 1)[0])
    return len(received) >= end + 4 + length
