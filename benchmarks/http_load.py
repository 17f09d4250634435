"""A lean HTTP/1.1 load client: many connections in one thread, requests prepared as bytes, answers barely read.

It costs the machine little, which matters where the client shares the cores with the server.
"""

import select
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

LENGTH: Final = b"\r\ncontent-length:"
AS_USUAL: Final = b"\r\nContent-Length: "  # found without lower-casing the head
AT_ONCE: Final = 16_384  # bytes read at once


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
    started = time.perf_counter()
    under_way = dict[int, tuple[socket.socket, Lane]]()
    with select.epoll() as poll:
        for lane in lanes:
            connection = socket.create_connection((host, port))
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            poll.register(connection, select.EPOLLIN)
            under_way[connection.fileno()] = connection, lane
            lane.sent = time.perf_counter()
            connection.sendall(lane.requests[lane.at])
        while under_way:
            for number, _ in poll.poll():
                connection, lane = under_way[number]
                if not _go_on(connection, lane):
                    del under_way[number]
                    connection.close()
    return time.perf_counter() - started


def _go_on(connection: socket.socket, lane: Lane) -> bool:
    """Take what has come, and send the next request if it was an answer; whether one is under way."""
    piece = connection.recv(AT_ONCE)
    if not piece:
        raise ConnectionError("the server closed the connection")
    received = lane.received + piece if lane.received else piece
    if not whole(received):
        lane.received = received
        return True
    now = time.perf_counter()
    lane.seconds.append(now - lane.sent)
    if int(received[9:12]) != lane.expected:
        raise RuntimeError(f"answer {received[9:12]!r} to {lane.requests[lane.at]!r}: {received!r}")
    lane.received = b""
    lane.at = at = lane.at + 1
    if at == len(lane.requests):
        return False
    lane.sent = now
    connection.sendall(lane.requests[at])
    return True


def whole(received: bytes) -> bool:
    """True if this is all of an answer."""
    end = received.find(b"\r\n\r\n")
    if end < 0:
        return False
    at = received.find(AS_USUAL, 0, end) + len(AS_USUAL)
    if at < len(AS_USUAL):
        at = received[:end].lower().find(LENGTH) + len(LENGTH)
        if at < len(LENGTH):
            raise ValueError(f"no length in {received[:end]!r}")
    return len(received) >= end + 4 + int(received[at : received.index(b"\r\n", at)])
