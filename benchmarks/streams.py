"""Many who watch: event streams over real gunicorn, what they cost, and how soon each is told of a move.

A fifth of the streams watch one game, the others 200 games. Both web workers and this client share the cores.
"""

import asyncio
import json
import os
import resource
import subprocess
import tempfile
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.moves import HOST, service
from events.runtime.embedded import EmbeddedServer
from events.store.connections.client import RedisClient
from events.store.link import link_to

STREAMS = 5000
GAMES = 200  # beside the one that a fifth of the streams watch
AT_ONCE = 50  # streams that are being opened
PATIENCE = 240.0  # seconds for all to be open, and for all to be told

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Watching:
    """Figures of a run. Connections are those of the event store's clients, times in milliseconds."""

    streams: int
    connections_before: int
    connections: int
    kilobytes: float
    few_told: float
    many_told_first: float
    many_told_p99: float
    many_told_last: float
    creating: float


class Watchers:
    """The clients' side of all streams: when each was told what."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._gate = asyncio.Semaphore(AT_ONCE)
        self.open = 0
        self.told: list[tuple[str, float]] = []

    async def watch(self, game_id: str, query: str) -> None:
        """One stream, until it ends."""
        async with self._gate:
            reader, writer = await asyncio.open_connection(HOST, self._port)
            head = f"GET /v1/games/{game_id}/events?{query} HTTP/1.1"
            writer.write(f"{head}\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n".encode())
            answer = await reader.readuntil(b"\r\n\r\n")
            if b" 200 " not in answer.split(b"\r\n", 1)[0]:
                raise RuntimeError(answer.decode())
            await reader.readuntil(b"still here")
            self.open += 1
        while line := await reader.readline():
            if line.startswith(b"id:"):
                self.told.append((game_id, time.perf_counter()))

    async def times(self, game_id: str, since: int, watchers: int) -> list[float]:
        """Time at which each of a number of watchers of the game got its first event after `since`."""
        until = time.perf_counter() + PATIENCE
        while True:
            found = sorted(at for game, at in self.told[since:] if game == game_id)
            if len(found) >= watchers:
                return found[:watchers]
            if time.perf_counter() > until:
                raise RuntimeError(f"{len(found)} of {watchers} watchers were told")
            await asyncio.sleep(0.05)


def ask(url: str, body: Json | None = None, token: str | None = None) -> Json:
    """The document that answers a request."""
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    request = urllib.request.Request(url, None if body is None else json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        document: Json = json.load(answer)
    return document


def run(port: int = 8994, streams: int = STREAMS, *, views: bool = False) -> Watching:
    """Open the streams, move, and see who is told when. `views`: streams of `state` frames, in place of events."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with tempfile.TemporaryDirectory() as directory, EmbeddedServer(Path(directory)) as server:
        link = link_to(server.url, 10.0)
        with service(port, redis_url=server.url, MIGRATO_STREAMS_PER_CALLER="100000") as url:
            return asyncio.run(_measure(url, port, link, streams, views))


async def _measure(url: str, port: int, link: RedisClient, streams: int, views: bool) -> Watching:
    seats = [{"kind": "human", "player": name} for name in ("ada", "bo")]
    new = {"seats": seats, "visibility": "public"}
    games = [ask(f"{url}/v1/games", new) for _ in range(GAMES + 1)]
    connections, kilobytes = _connections(link), _kilobytes()
    watchers, many = Watchers(port), streams // 5
    rest = range(streams - many)
    watched = [games[0]["id"]] * many + [games[1 + number % GAMES]["id"] for number in rest]
    query = "views=true" if views else f"after={games[0]['version']}"
    tasks = [asyncio.create_task(watchers.watch(game_id, query)) for game_id in watched]
    until = time.perf_counter() + PATIENCE
    while watchers.open < streams and time.perf_counter() < until:
        for task in tasks:
            if task.done():
                task.result()
        await asyncio.sleep(0.2)
    grown = _kilobytes() - kilobytes
    few = [await _told(url, watchers, game, len(rest) // GAMES) for game in games[1:21]]
    crowd = [await _told(url, watchers, games[0], many) for _ in range(3)]
    began = time.perf_counter()
    await asyncio.to_thread(ask, f"{url}/v1/games", new)
    creating = time.perf_counter() - began
    found = Watching(
        streams=watchers.open,
        connections_before=connections,
        connections=_connections(link),
        kilobytes=grown / streams,
        few_told=1000 * median(first for first, _, _ in few),
        many_told_first=1000 * median(first for first, _, _ in crowd),
        many_told_p99=1000 * median(p99 for _, p99, _ in crowd),
        many_told_last=1000 * median(last for *_, last in crowd),
        creating=1000 * creating,
    )
    for task in tasks:
        task.cancel()
    return found


async def _told(url: str, watchers: Watchers, game: Json, count: int) -> tuple[float, float, float]:
    """Seconds from a move to the first, to 99 of 100 and to the last of its watchers."""
    since = len(watchers.told)
    began = await asyncio.to_thread(_move, url, game)
    times = await watchers.times(game["id"], since, count)
    return times[0] - began, times[len(times) * 99 // 100] - began, times[-1] - began


def _move(url: str, game: Json) -> float:
    """Make the first legal move; when it was sent."""
    path, tokens = f"{url}/v1/games/{game['id']}", [seat["token"] for seat in game["seats"]]
    token = tokens[ask(path, token=tokens[0])["to_act"]]
    move = ask(f"{path}/legal-moves", token=token)["moves"][0]
    began = time.perf_counter()
    ask(f"{path}/moves", move, token)
    return began


def _connections(link: RedisClient) -> int:
    lines = link.call("INFO", "clients").decode().splitlines()
    return int(next(line for line in lines if line.startswith("connected_clients:")).partition(":")[2])


def _kilobytes() -> int:
    """Memory of all gunicorn workers below this process."""
    found = subprocess.run(
        ["ps", "-e", "-o", "pid=,ppid=,rss=,args="], capture_output=True, text=True, check=True
    )
    rows = [line.split(None, 3) for line in found.stdout.splitlines()]
    below, known = {str(os.getpid())}, 0
    while len(below) != known:
        known = len(below)
        below |= {pid for pid, parent, *_ in rows if parent in below}
    return sum(int(rss) for pid, _, rss, command in rows if pid in below and "gunicorn" in command)
