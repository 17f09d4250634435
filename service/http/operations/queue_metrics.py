"""Metrics of games and jobs that wait, and of the servers' state: read from the servers when the metrics
are asked for.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from events.engine.pending_action import PENDING, QUEUES, REMOTE_QUEUE
from events.runtime import adapters
from events.runtime.settings import Settings
from events.store.connections.client import RedisClient
from events.store.queues.keys import REMOTE_WAITING, waiting_jobs
from events.store.servers.durability import CODES, Fault
from service.http.operations import server_metrics
from service.http.operations.readiness import RedisReadiness
from service.http.operations.server_metrics import Family, Machine, gauge
from service.http.operations.servers import Servers


class QueueMetrics(Collector):
    """The lengths of the queues, and the state of servers and roles, as gauges; a server that does not answer leaves a
    gap.
    """

    def __init__(self, servers: Servers, readiness: RedisReadiness, machine: Machine) -> None:
        """`readiness` knows the roles that must be running."""
        self._servers = servers
        self._readiness = readiness
        self._machine = machine

    @classmethod
    def from_settings(cls, settings: Settings) -> "QueueMetrics":
        """The metrics of the servers that the settings name."""
        servers = Servers.from_settings(settings)
        return cls(servers, RedisReadiness.from_settings(settings, servers), Machine.from_settings(settings))

    def collect(self) -> Iterator[Family]:
        """The families of metrics, read from both servers."""
        servers = self._servers
        of_store, of_queue = servers.ask(self._of_store, self._of_queue)
        yield from [] if of_queue is None else of_queue[0]
        yield from [] if of_store is None else of_store[0]
        yield _faults({"store": of_store and of_store[1], "queue": of_queue and of_queue[1]})
        there = {"store": of_store is not None}
        if servers.queue is not servers.store:
            there["queue"] = of_queue is not None
        yield gauge(
            "migrato_store_up",
            "1 if a server answers.",
            "server",
            ((n, float(up)) for n, up in there.items()),
        )
        told = {**(of_store[2] if of_store else {}), **(of_queue[2] if of_queue else {})}
        yield from server_metrics.of_servers(told)
        yield from self._machine.families()

    def _of_store(self, store: RedisClient) -> tuple[list[Family], list[Fault], server_metrics.Told]:
        families: list[Family] = [*_games_due(store)]
        if not self._servers.ephemeral:
            families.append(server_metrics.last_backup(store))
        return families, self._servers.faults_of_store(store), server_metrics.reports("store", store)

    def _of_queue(self, queue: RedisClient) -> tuple[list[Family], list[Fault], server_metrics.Told]:
        at_work = self._readiness.at_work(queue).items()
        text = "1 if the role has given a sign of life lately; of the roles that the settings ask for."
        families: list[Family] = [
            _queue_lengths(queue),
            *_thinking(queue),
            gauge("migrato_role_up", text, "role", ((role, float(is_there)) for role, is_there in at_work)),
        ]
        told = {} if queue is self._servers.store else server_metrics.reports("queue", queue)
        return families, self._servers.faults_of_queue(queue), told


def _faults(told: Mapping[str, Sequence[Fault] | None]) -> GaugeMetricFamily:
    found = Counter(fault.code for faults in told.values() for fault in faults or ())
    known = [code for code in CODES if told[code.partition("-")[0]] is not None]
    text = "Servers that may lose what they are given, by why."
    return gauge("migrato_store_faults", text, "fault", ((code, found[code]) for code in known))


def _queue_lengths(queue: RedisClient) -> GaugeMetricFamily:
    *lengths, in_lanes = queue.calls(
        [*(("LLEN", waiting_jobs(name)) for name in QUEUES), ("HLEN", REMOTE_WAITING)]
    )
    by_queue = dict(zip(QUEUES, lengths, strict=True))
    by_queue[REMOTE_QUEUE] += in_lanes
    return gauge("migrato_queue_length", "Jobs that wait for a worker.", "queue", by_queue.items())


def _thinking(queue: RedisClient) -> list[GaugeMetricFamily]:
    work, living = adapters.work_waiting(queue)
    waits = ((name, seconds / living) for name, seconds in work.items())
    text = "Seconds that the living thinkers need for the questions to bots that wait."
    return [
        gauge("migrato_thinking_wait_seconds", text, "queue", waits),
        gauge(
            "migrato_thinkers", "Thinkers that live, at least one.", "queue", [("migrato-thinking", living)]
        ),
    ]


def _games_due(store: RedisClient) -> list[GaugeMetricFamily]:
    due = adapters.due_games(store).overdue(0)
    waits = {kind: [game.seconds for game in due if game.what == kind] for kind in PENDING}
    number = ((kind, len(seconds)) for kind, seconds in waits.items())
    longest = ((kind, max(seconds, default=0.0)) for kind, seconds in waits.items())
    text = "How long the first of the games that wait for the engine has waited."
    return [
        gauge("migrato_games_due", "Games that wait for the engine.", "due", number),
        gauge("migrato_games_due_longest_seconds", text, "due", longest),
    ]
