"""Games and jobs that wait at this moment: asked of the servers when somebody looks at the metrics."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from events.engine.pending_action import PENDING, QUEUES, REMOTE_QUEUE
from events.runtime import adapters
from events.runtime.settings import Settings
from events.store.connections.client import RedisClient
from events.store.queues.keys import REMOTE_WAITING, waiting_jobs
from events.store.servers.durability import CODES, Fault
from service.http.operations.servers import Servers


class QueueMetrics(Collector):
    """The lengths of the queues as gauges; a server that does not answer leaves a gap."""

    def __init__(self, servers: Servers) -> None:
        self._servers = servers

    @classmethod
    def from_settings(cls, settings: Settings) -> "QueueMetrics":
        """Asks the servers that the settings name."""
        return cls(Servers.from_settings(settings))

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """One look at both servers."""
        servers = self._servers
        of_store, of_queue = servers.ask(
            lambda store: (_games_due(store), servers.faults_of_store(store)),
            lambda queue: (_queue_lengths(queue), servers.faults_of_queue(queue)),
        )
        yield from [] if of_queue is None else [of_queue[0]]
        yield from [] if of_store is None else of_store[0]
        yield _faults({"store": of_store and of_store[1], "queue": of_queue and of_queue[1]})


def _faults(told: Mapping[str, Sequence[Fault] | None]) -> GaugeMetricFamily:
    found = Counter(fault.code for faults in told.values() for fault in faults or ())
    known = [code for code in CODES if told[code.partition("-")[0]] is not None]
    text = "Servers that may lose what they are given, by why."
    return _gauge("migrato_store_faults", text, "fault", ((code, found[code]) for code in known))


def _queue_lengths(queue: RedisClient) -> GaugeMetricFamily:
    *lengths, in_lanes = queue.calls(
        [*(("LLEN", waiting_jobs(name)) for name in QUEUES), ("HLEN", REMOTE_WAITING)]
    )
    by_queue = dict(zip(QUEUES, lengths, strict=True))
    by_queue[REMOTE_QUEUE] += in_lanes
    return _gauge("migrato_queue_length", "Jobs that wait for a worker.", "queue", by_queue.items())


def _games_due(store: RedisClient) -> list[GaugeMetricFamily]:
    due = adapters.due_games(store).overdue(0)
    waits = {kind: [game.seconds for game in due if game.what == kind] for kind in PENDING}
    number = ((kind, len(seconds)) for kind, seconds in waits.items())
    longest = ((kind, max(seconds, default=0.0)) for kind, seconds in waits.items())
    text = "How long the first of the games that wait for the engine has waited."
    return [
        _gauge("migrato_games_due", "Games that wait for the engine.", "due", number),
        _gauge("migrato_games_due_longest_seconds", text, "due", longest),
    ]


def _gauge(name: str, text: str, label: str, values: Iterable[tuple[str, float]]) -> GaugeMetricFamily:
    family = GaugeMetricFamily(name, text, labels=(label,))
    for label_value, value in values:
        family.add_metric((label_value,), value)
    return family
