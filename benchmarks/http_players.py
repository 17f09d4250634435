"""A lean HTTP/1.1 client for players who think: each is a generator, all of them share one thread.

A player yields what it wants next, a request (bytes) or a rest (float, seconds), and is given the answer's body.
"""

import heapq
import selectors
import socket
import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field

from benchmarks.http_load import whole

Player = Generator[bytes | float, bytes, None]


@dataclass(slots=True)
class _Seat:
    """A player's connection, what has come in on it, and whether an answer is still to come."""

    player: Player
    connection: socket.socket
    received: bytearray = field(default_factory=bytearray)


class _Table:
    """All players of one run."""

    def __init__(self, host: str, port: int) -> None:
        self._address = (host, port)
        self._selector = selectors.DefaultSelector()
        self._resting: list[tuple[float, int, _Seat]] = []
        self._count = 0

    def seat(self, player: Player) -> None:
        connection = socket.create_connection(self._address)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        seat = _Seat(player, connection)
        self._selector.register(connection, selectors.EVENT_READ, seat)
        self._count += 1
        heapq.heappush(self._resting, (0.0, self._count, seat))

    def run(self) -> None:
        with self._selector:
            while self._selector.get_map():
                self._wake()
                for key, _ in self._selector.select(self._until_next()):
                    self._receive(key.data)

    def _until_next(self) -> float | None:
        return max(0.0, self._resting[0][0] - time.perf_counter()) if self._resting else None

    def _wake(self) -> None:
        now = time.perf_counter()
        while self._resting and self._resting[0][0] <= now:
            self._go_on(heapq.heappop(self._resting)[2], None)

    def _go_on(self, seat: _Seat, answer: bytes | None) -> None:
        try:
            wanted = next(seat.player) if answer is None else seat.player.send(answer)
        except StopIteration:
            self._selector.unregister(seat.connection)
            seat.connection.close()
            return
        if isinstance(wanted, bytes):
            seat.connection.sendall(wanted)
        else:
            self._count += 1
            heapq.heappush(self._resting, (time.perf_counter() + wanted, self._count, seat))

    def _receive(self, seat: _Seat) -> None:
        piece = seat.connection.recv(262_144)
        if not piece:
            raise ConnectionError("the server closed the connection")
        seat.received += piece
        answer = bytes(seat.received)
        if not whole(answer):
            return
        seat.received.clear()
        head, _, body = answer.partition(b"\r\n\r\n")
        if head[9:10] != b"2":
            raise RuntimeError(f"{head[:12]!r}: {body!r}")
        self._go_on(seat, body)


def play(host: str, port: int, players: Sequence[Player]) -> None:
    """Let all players play until each of them is done; an answer that is no success is an error."""
    table = _Table(host, port)
    for player in players:
        table.seat(player)
    table.run()
