"""Cost of a game that has become long: moves, views, exports and audits of games of 60, 600 and 6,000 events.

Two people exchange their hands all the time, so that all three games have the same table and differ in the number of
their events alone. One web worker; each round writes new games, and asks for the same of each of them in turns.
"""

import socket
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.http_load import request, whole
from benchmarks.moves import HOST, service
from benchmarks.synthetic import SyntheticGame, exchanging
from events.runtime.embedded import EmbeddedServer
from events.store.event_store import RedisEventStore
from events.store.link import link_to

LENGTHS = (60, 600, 6_000)
ROUNDS = 7
TIMES = 30  # that each is asked in a round, after what is asked first
EXCHANGE = b'{"type":"exchange"}'
KINDS = ("first view", "view", "move", "first audit", "audit", "first export", "export")


@dataclass(slots=True)
class Cost:
    """Requests to games of one length: in each round the median milliseconds, and the last answer's bytes."""

    milliseconds: list[float] = field(default_factory=list)
    size: int = 0


def run(port: int = 8988) -> dict[str, dict[int, Cost]]:
    """By what is asked, by the length of the game."""
    found = {kind: {length: Cost() for length in LENGTHS} for kind in KINDS}
    with tempfile.TemporaryDirectory() as directory, EmbeddedServer(Path(directory)) as server:
        link = link_to(server.url, 10.0)
        store = RedisEventStore(link, link, 1.0)
        with service(port, web_workers=1, redis_url=server.url):
            for number in range(ROUNDS + 1):
                for length, game in {length: _game(store, length) for length in LENGTHS}.items():
                    for kind, milliseconds, size in _asked(port, game):
                        cost = found[kind][length]
                        if number:  # the first round warms up
                            cost.milliseconds.append(milliseconds)
                        cost.size = size
    return found


def _game(store: RedisEventStore, length: int) -> SyntheticGame:
    game = SyntheticGame(store, endless=True)
    game.play(length, exchanging)
    return game


def _asked(port: int, game: SyntheticGame) -> Iterator[tuple[str, float, int]]:
    """(what, median milliseconds, bytes)."""
    path, seat = f"/v1/games/{game.game_id}", game.to_act
    assert seat is not None
    view = request("GET", path, token=game.tokens[seat])
    moves = [request("POST", f"{path}/moves", EXCHANGE, game.tokens[(seat + turn) % 2]) for turn in range(2)]
    with socket.create_connection((HOST, port)) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

        def ask(kind: str, times: int, *requests: bytes) -> tuple[str, float, int]:
            """So many times, the requests in turns."""
            took, answer = list[float](), b""
            for number in range(times):
                began, answer = time.perf_counter(), b""
                connection.sendall(requests[number % len(requests)])
                while not _whole(answer):
                    answer += connection.recv(1_048_576)
                took.append((time.perf_counter() - began) * 1000)
                if answer[9:10] != b"2":
                    raise RuntimeError(f"{kind}: {answer[:400]!r}")
            return kind, sorted(took)[times // 2], len(answer)

        yield ask("first view", 1, view)
        yield ask("view", TIMES, view)
        yield ask("move", TIMES, *moves)
        for what in ("audit", "export"):
            wanted = request("GET", f"{path}/{what}")
            yield ask(f"first {what}", 1, wanted)
            yield ask(what, TIMES, wanted)


def _whole(answer: bytes) -> bool:
    """True if this is all of an answer, which may be sent in chunks."""
    if b"\r\ntransfer-encoding: chunked" in answer[:2000].lower():
        return answer.endswith(b"\r\n0\r\n\r\n")
    return whole(answer)
