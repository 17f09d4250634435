"""Resources that a number of running games takes: a model from measured costs, for sizes that no machine here can run.

The model is arithmetic: `plan` and `limits`. Its inputs are in COSTS: `measured` measures again what can be measured
with synthetic games, and INPUTS names the section of results.md for the rest.
"""

import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import ceil
from operator import itemgetter
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

from benchmarks.synthetic import AT, SyntheticGame, by_chance
from domain.lifecycle import Seat
from domain.registry import GAMES
from events.archive import file_format
from events.archive.mover import unsigned
from events.archive.record import record_of
from events.engine.access import ANONYMOUS
from events.engine.new_game import Created, NewGame
from events.log.partitions import partition_of
from events.ports import FeedEntry
from events.runtime import bootstrap
from events.runtime.embedded import EmbeddedServer
from events.runtime.settings import Settings
from events.store import keys
from events.store.connections.client import RedisClient
from events.store.event_store import RedisEventStore
from events.store.link import link_to
from events.store.whole_games import RedisGames
from service.http.app import create_app

USE = 0.5  # of a core, a memory or a disk that is planned with
MASTERS = 30  # over which 256 partitions are spread well
MONTH = 730 * 3600  # seconds
SIZES = (10_000, 100_000, 1_000_000)
PEOPLE = (Seat("human", "ada"), Seat("human", "bo"))
SAMPLE = 60  # synthetic games
MANY = 1_000  # new games
FEW, PLAYED = 15, 50  # games that are played through the service, and the moves of each
DAY = AT[:10].replace("-", "/")


@dataclass(frozen=True, slots=True)
class Costs:
    """Measured costs, as INPUTS explains: microseconds of processor time (`_us`) and bytes, as they were measured."""

    move_web_us: float = 82
    move_store_us: float = 39
    move_scoring_us: float = 13
    move_dispatcher_us: float = 6
    move_queue_us: float = 2
    look_us: float = 94
    create_web_us: float = 687
    create_store_us: float = 156
    append_one_us: float = 250
    append_replica_us: float = 734
    webhook_us: float = 1_662
    stream_kb: float = 24.3
    archive_us: float = 16_000
    logged_worker_us: float = 125
    logged_place_us: float = 21
    game_bytes: float = 6_000
    event_bytes: float = 160
    append_bytes: float = 500
    archived_bytes: float = 44_000
    listed_bytes: float = 1_586
    pruned_bytes: float = 40
    roll_bytes: float = 198
    answer_bytes: float = 2_250

    @property
    def replicated(self) -> float:
        """Ratio of the work of all servers for an append that a replica must have to that of one server alone."""
        return self.append_replica_us / self.append_one_us


# What each cost is, and where it was measured: by this command, or in a section of results.md.
HERE = ""
RETENTION = "Old games let go"
MOVES = "Processor time of a move, by process and by part"
CREATING = "Creating games through HTTP"
INPUTS = {
    "move_web_us": ("a move: web workers, us", MOVES),
    "move_store_us": ("a move: one event store without replicas, us", MOVES),
    "move_scoring_us": ("a move: scoring, us", MOVES),
    "move_dispatcher_us": ("a move: dispatcher, us", MOVES),
    "move_queue_us": ("a move: job queue, us", MOVES),
    "look_us": ("a look at a game, us", "However much there is beside it"),
    "create_web_us": ("a new game of two people: web workers, us", CREATING),
    "create_store_us": ("a new game of two people: one event store, us", CREATING),
    "append_one_us": ("an append, one server, us", "An append on a cluster"),
    "append_replica_us": (
        "an append that a replica must have, all servers of a cluster, us",
        "An append on a cluster",
    ),
    "webhook_us": ("a webhook delivered, us", "Webhooks: one worker, a receiver that answers at once"),
    "stream_kb": ("an open stream in a web worker, kB", "5,000 event streams, two web workers"),
    "archive_us": ("a finished game moved to the archive, us", HERE),
    "logged_worker_us": ("a move in its app's log: the webhook worker, us", HERE),
    "logged_place_us": ("a move in its app's log: the app's place, one server, us", HERE),
    "game_bytes": ("a new game in the store, its listing included, bytes", HERE),
    "event_bytes": ("an event in the store, bytes", HERE),
    "append_bytes": ("a move in the append-only file, and on its way to a replica, bytes", HERE),
    "archived_bytes": ("a finished game in the archive, bytes", HERE),
    "listed_bytes": ("an archived game in a listing: in the store for good, bytes", RETENTION),
    "pruned_bytes": ("a game that was pruned, in the store for good, bytes", RETENTION),
    "roll_bytes": ("a game that was pruned, in the archive's roll, bytes", RETENTION),
    "answer_bytes": ("the answer to a move or a look, its head included, bytes", HERE),
}


@dataclass(frozen=True, slots=True)
class Load:
    """The question: a number of games that run at the same time, and the way they are played."""

    running: int
    seconds: float = 10  # from move to move of a game
    moves: int = 100  # of a game
    events: int = 310  # of a game
    looks: float = 1  # at the game, for each move
    streams: float = 2  # open, for each running game
    kept: float = 600  # seconds that a finished game stays in the store (MIGRATO_ARCHIVE_AFTER)

    @property
    def moves_per_second(self) -> float:
        """Of all games."""
        return self.running / self.seconds

    @property
    def games_per_second(self) -> float:
        """Number of games that begin, and that end."""
        return self.moves_per_second / self.moves


@dataclass(frozen=True, slots=True)
class Prices:
    """A machine and what it costs, in US dollars: inputs, to be replaced by your own.

    AWS, us-east-1, on demand: m7g.2xlarge at four times the m7g.large of June 2026; traffic out beyond 50 TB a month as
    of April 2026; gp3 disks (assumed). The page names the sources.
    """

    cores: int = 8
    memory: float = 32e9
    hour: float = 0.3264
    disk_gigabyte_month: float = 0.08
    traffic_gigabyte: float = 0.07


COSTS = Costs()
PRICES = Prices()


@dataclass(frozen=True, slots=True)
class Plan:
    """The answer: busy cores, used bytes, machines, dollars a month."""

    moves_per_second: float
    games_per_second: float
    web_cores: float
    store_cores: float  # of masters and replicas
    other_cores: float  # scoring, dispatcher, job queue, archiver
    store_bytes: float  # of all masters
    web_bytes: float
    masters: int
    machines: int  # with the replicas'
    disk_bytes: float  # of all servers' append-only files
    disk_traffic: float  # bytes a second that are written to them
    archive_bytes: float  # that are added in a month
    listed_bytes: float  # of the archived games of a month, in the store while they are listed
    pruned_bytes: float  # of the games of a month in the store, once they are pruned
    roll_bytes: float  # of the games of a month in the archive, once they are pruned
    traffic: float  # bytes a second, to players
    machines_price: float
    disk_price: float
    traffic_price: float


def plan(load: Load, costs: Costs = COSTS, prices: Prices = PRICES) -> Plan:
    """The load on a cluster whose masters have one replica each, which must have every move."""
    moves, games = load.moves_per_second, load.games_per_second
    web = moves * (costs.move_web_us + load.looks * costs.look_us) + games * costs.create_web_us
    store = (moves * costs.move_store_us + games * costs.create_store_us) * costs.replicated
    other = moves * (costs.move_scoring_us + costs.move_dispatcher_us + costs.move_queue_us)
    other += games * costs.archive_us
    store_bytes = _stored(load, costs)
    web_bytes = load.running * load.streams * costs.stream_kb * 1000
    # A server's scripts run on one core of its machine; the others write its files. A fork needs half of the memory.
    masters = max(ceil(store / 2e6 / USE), ceil(store_bytes / (prices.memory * USE)), 3)
    at_work = max(ceil((web + other) / 1e6 / USE / prices.cores), ceil(web_bytes / (prices.memory * USE)), 1)
    machines = at_work + 2 * masters
    disk = 2 * 2 * store_bytes  # masters and replicas, up to twice what they hold
    archived = games * costs.archived_bytes * MONTH
    traffic = moves * (1 + load.looks) * costs.answer_bytes
    return Plan(
        moves_per_second=moves,
        games_per_second=games,
        web_cores=web / 1e6,
        store_cores=store / 1e6,
        other_cores=other / 1e6,
        store_bytes=store_bytes,
        web_bytes=web_bytes,
        masters=masters,
        machines=machines,
        disk_bytes=disk,
        disk_traffic=2 * moves * costs.append_bytes,
        archive_bytes=archived,
        listed_bytes=games * costs.listed_bytes * MONTH,
        pruned_bytes=games * costs.pruned_bytes * MONTH,
        roll_bytes=games * costs.roll_bytes * MONTH,
        traffic=traffic,
        machines_price=machines * prices.hour * MONTH / 3600,
        disk_price=disk / USE / 1e9 * prices.disk_gigabyte_month,
        traffic_price=traffic * MONTH / 1e9 * prices.traffic_gigabyte,
    )


def limits(load: Load, costs: Costs = COSTS, prices: Prices = PRICES) -> Mapping[str, float]:
    """Number of running games that fill each single part, or each of thirty: the first bottleneck first.

    The load tells how the games are played; how many there are does not matter.
    """
    moves = 1e6 * USE * load.seconds  # games whose moves take 1 us each
    games = moves * load.moves
    of_masters = MASTERS * prices.memory * USE / (_stored(load, costs) / load.running)
    found = {
        "the webhook worker, told of every turn": moves / costs.webhook_us,
        "the webhook worker, filling logs": moves / costs.logged_worker_us,
        "one app's place in the cluster, with a log": moves
        / (costs.logged_place_us + costs.create_store_us / load.moves)
        / (costs.replicated / 2),
        "one event store, its processor": moves / costs.move_store_us,
        "one event store, its memory": of_masters / MASTERS,
        "the webhook worker, told of five events a game": games / (5 * costs.webhook_us),
        "one dispatcher": moves / costs.move_dispatcher_us,
        "the job queue's server": moves / costs.move_queue_us,
        "one app's place in the cluster, without a log": games
        / costs.create_store_us
        / (costs.replicated / 2),
        f"{MASTERS} masters, their processors": MASTERS
        * moves
        / (costs.move_store_us * costs.replicated / 2),
        f"{MASTERS} masters, their memory": of_masters,
    }
    return dict(sorted(found.items(), key=itemgetter(1)))


def _stored(load: Load, costs: Costs) -> float:
    """Bytes of games in the store: running ones have half of their events, finished ones wait for the archive."""
    running = load.running * (costs.game_bytes + load.events / 2 * costs.event_bytes)
    finished = load.games_per_second * load.kept * (costs.game_bytes + load.events * costs.event_bytes)
    return running + finished


def inputs_table() -> list[str]:
    """COSTS, as Markdown."""
    rows = [
        f"| {what} | {getattr(COSTS, name):,g} | {_source(where)} |" for name, (what, where) in INPUTS.items()
    ]
    return ["| what | costs | measured |", "|---|---|---|", *rows]


def _source(section: str) -> str:
    """A link to the section of results.md; HERE is the command that prints all this."""
    if section == HERE:
        return "`python -m benchmarks capacity`"
    anchor = "".join(sign for sign in section.lower().replace(" ", "-") if sign.isalnum() or sign == "-")
    return f"[{section.partition(':')[0]}](../../benchmarks/results.md#{anchor})"


def table() -> list[str]:
    """The plans for SIZES, as Markdown."""
    plans = [plan(Load(size)) for size in SIZES]
    rows = {
        "moves a second": [f"{one.moves_per_second:,.0f}" for one in plans],
        "games that begin a second": [f"{one.games_per_second:,.0f}" for one in plans],
        "busy cores: web workers": [f"{one.web_cores:,.1f}" for one in plans],
        "busy cores: event store, with replicas": [f"{one.store_cores:,.1f}" for one in plans],
        "busy cores: scoring, dispatcher, queue, archiver": [f"{one.other_cores:,.1f}" for one in plans],
        "games in the store": [_bytes(one.store_bytes) for one in plans],
        "open streams": [_bytes(one.web_bytes) for one in plans],
        "masters, each with a replica": [f"{one.masters:,}" for one in plans],
        "machines in all": [f"{one.machines:,}" for one in plans],
        "disks of all servers": [_bytes(one.disk_bytes) for one in plans],
        "written to them, a second": [_bytes(one.disk_traffic) for one in plans],
        "to the archive, a month": [_bytes(one.archive_bytes) for one in plans],
        "of these games stays in the store: listed": [_bytes(one.listed_bytes) for one in plans],
        "of these games stays in the store: pruned": [_bytes(one.pruned_bytes) for one in plans],
        "of these games stays in the archive: pruned": [_bytes(one.roll_bytes) for one in plans],
        "traffic to players, a second": [_bytes(one.traffic) for one in plans],
        "machines, dollars a month": [f"{one.machines_price:,.0f}" for one in plans],
        "disks, dollars a month": [f"{one.disk_price:,.0f}" for one in plans],
        "traffic to players, dollars a month": [f"{one.traffic_price:,.0f}" for one in plans],
    }
    return [
        f"| running games | {' | '.join(f'{size:,}' for size in SIZES)} |",
        f"|---|{'---|' * len(SIZES)}",
        *(f"| {name} | {' | '.join(cells)} |" for name, cells in rows.items()),
    ]


def limits_table() -> list[str]:
    """The first bottlenecks, as Markdown."""
    rows = [f"| {name} | {_rounded(games):,} |" for name, games in limits(Load(1)).items()]
    return ["| what | running games that fill it |", "|---|---|", *rows]


def _rounded(number: float) -> int:
    """To two digits."""
    unit: int = 10 ** max(0, len(str(int(number))) - 2)
    return int(number / unit) * unit


def _bytes(number: float) -> str:
    for unit, size in (("TB", 1e12), ("GB", 1e9)):
        if number >= size:
            return f"{number / size:,.1f} {unit}"
    return f"{number / 1e6:,.0f} MB"


def measured() -> Costs:
    """COSTS with what synthetic games show now: bytes in memory, in the append-only file, in the archive, its time."""
    with tempfile.TemporaryDirectory() as directory, EmbeddedServer(Path(directory), fsync="no") as server:
        link = link_to(server.url, 10.0)
        game_bytes, answer_bytes = _of_played_games(server.url, link)
        store, whole, rng = RedisEventStore(link, link, 1.0), RedisGames(link), Random(1)
        logging = _Logging(server.url)
        games = [SyntheticGame(store) for _ in range(SAMPLE)]
        written, before = _written(directory), _memory(link)
        for game in games:
            game.play(Load(1).events, by_chance(rng))
        memory, events = _memory(link) - before, sum(game.version for game in games)
        appended = _written(directory) - written
        worker_us, place_us = logging.measured()
        for game in games:
            game.end()
        began, size = time.process_time(), 0
        for game in games:
            member = file_format.member_of(record_of(whole.whole(game.game_id).raw, GAMES, unsigned))
            partition = partition_of(game.game_id)
            content = file_format.pack(DAY, partition, {game.game_id: member})
            file_format.checked(file_format.name_of(DAY, partition, content), content)
            size += len(content)
        took = time.process_time() - began
        moves = sum(game.moves for game in games)
        return replace(
            COSTS,
            event_bytes=memory / events,
            append_bytes=appended / moves,
            archived_bytes=size / SAMPLE,
            archive_us=took / SAMPLE * 1e6,
            logged_worker_us=worker_us,
            logged_place_us=place_us,
            game_bytes=game_bytes,
            answer_bytes=answer_bytes,
        )


def _of_played_games(url: str, link: RedisClient) -> tuple[float, float]:
    """Bytes of a new game in the store, and of the answer to a move or a look, of PLAYED moves by chance."""
    settings = Settings(redis_url=url, queue_url=url, limits="off")
    engine = bootstrap.application(settings)
    client, rng = create_app(settings, engine).test_client(), Random(2)

    def created() -> Created:
        game = engine.creation.create(ANONYMOUS, NewGame(seats=PEOPLE))
        engine.listing.update(game.snapshot.game_id)
        return game

    for _ in range(MANY):  # after which each partition has what it has in any case
        created()
    before = _memory(link)
    games = [created() for _ in range(MANY)]
    size, sizes = (_memory(link) - before) / MANY, list[int]()
    for game in games[:FEW]:
        path = f"/v1/games/{game.snapshot.game_id}"
        holders = [{"Authorization": f"Bearer {game.tokens[seat]}"} for seat in sorted(game.tokens)]
        for _ in range(PLAYED):
            look = client.get(path, headers=holders[0])
            holder = holders[look.get_json()["to_act"]]
            moves = client.get(f"{path}/legal-moves", headers=holder).get_json()["moves"]
            move = client.post(f"{path}/moves", headers=holder, json=rng.choice(moves))
            sizes += [len(answer.data) + len(str(answer.headers)) for answer in (look, move)]
    return size, sum(sizes) / len(sizes)


class _Logging:
    """An app's log, which begins now, and what it costs to fill it: each move as if it came alone."""

    def __init__(self, url: str) -> None:
        settings = Settings(redis_url=url)
        parts = bootstrap.webhook_parts(settings, bootstrap.application(settings))
        self._link, self._feed = link_to(url, 10.0), parts.feed
        self._log, self._logs = parts.application.app_logs, parts.application.app_logs.logs
        self._logs.keep(ANONYMOUS)

    def measured(self) -> tuple[float, float]:
        """Microseconds of processor time for each: of who fills it, and of the server in which the log is."""
        entries, written = list[FeedEntry](), list[Callable[[], object]]()
        while found := self._feed.read(1):
            entries += found
        write = self._logs.write

        def noted(app: str, game_id: str, first: int, last: int, found: Any, *, settled: bool) -> int | None:
            again = partial(write, app, game_id, first, last, list(found), settled=settled)
            written.append(again)
            return again()

        with patch.object(self._logs, "write", noted):
            began = time.process_time()
            for entry in entries:
                self._log.record(ANONYMOUS, entry.game_id, entry.first, entry.version)
            worker = time.process_time() - began
        self._link.calls([("DEL", keys.app_log(ANONYMOUS)), *self._forgotten(entries)])
        before = _processor(self._link)
        for again in written:
            again()
        return worker / len(entries) * 1e6, (_processor(self._link) - before) / len(written) * 1e6

    @staticmethod
    def _forgotten(entries: Sequence[FeedEntry]) -> list[tuple[str, str]]:
        return [("DEL", keys.logged(ANONYMOUS, game)) for game in {entry.game_id for entry in entries}]


def _processor(link: RedisClient) -> float:
    """Seconds that the server has used."""
    lines = link.call("INFO", "cpu").decode().splitlines()
    parts = dict(line.split(":") for line in lines if ":" in line)
    return float(parts["used_cpu_sys"]) + float(parts["used_cpu_user"])


def _memory(link: RedisClient) -> int:
    lines = link.call("INFO", "memory").decode().splitlines()
    return int(next(line for line in lines if line.startswith("used_memory:")).partition(":")[2])


def _written(directory: str) -> int:
    return sum(file.stat().st_size for file in Path(directory).rglob("*.aof"))
