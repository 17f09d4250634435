"""What waits at this moment: asked of the servers when somebody looks at the metrics."""

from collections.abc import Iterable, Iterator
from contextlib import suppress

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from events.errors import StoreUnavailable
from events.feed import Feed
from events.redis_link import RedisLink
from events.settings import Settings

QUEUES = ("migrato", "migrato-remote", "migrato-thinking")  # as the workers call them
LANES = (
    "migrato:remote:waiting"  # the hash of the calls of remote bots that wait in lanes, beside their queue
)
KINDS = ("bot", "remote", "score")


class Backlog(Collector):
    """The backlog as gauges; a server that does not answer leaves a gap."""

    def __init__(self, store: RedisLink, queue: RedisLink) -> None:
        """`store` keeps the events, `queue` the jobs; they may be the same server."""
        self._feed = Feed(store, "", "")
        self._queue = queue

    @classmethod
    def from_settings(cls, settings: Settings) -> "Backlog":
        """Asks the servers that the settings name."""
        store, queue = settings.redis_url or "", settings.queue_url or settings.redis_url or ""
        return cls(RedisLink.to(store, settings.redis_timeout), RedisLink.to(queue, settings.redis_timeout))

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """One look at both servers."""
        with suppress(StoreUnavailable):
            yield self._queue_lengths()
        with suppress(StoreUnavailable):
            yield from self._games_due()

    def _queue_lengths(self) -> GaugeMetricFamily:
        *lengths, in_lanes = self._queue.calls(
            [*(("LLEN", f"rq:queue:{name}") for name in QUEUES), ("HLEN", LANES)]
        )
        by_queue = dict(zip(QUEUES, lengths, strict=True))
        by_queue["migrato-remote"] += in_lanes
        return _gauge("migrato_queue_length", "Jobs that wait for a worker.", "queue", by_queue.items())

    def _games_due(self) -> Iterator[GaugeMetricFamily]:
        due = self._feed.overdue(0)
        waits = {kind: [game.seconds for game in due if game.what == kind] for kind in KINDS}
        number = ((kind, len(seconds)) for kind, seconds in waits.items())
        yield _gauge("migrato_games_due", "Games that wait for the engine.", "due", number)
        longest = ((kind, max(seconds, default=0.0)) for kind, seconds in waits.items())
        text = "How long the first of the games that wait for the engine has waited."
        yield _gauge("migrato_games_due_longest_seconds", text, "due", longest)


def _gauge(name: str, text: str, label: str, values: Iterable[tuple[str, float]]) -> GaugeMetricFamily:
    family = GaugeMetricFamily(name, text, labels=(label,))
    for label_value, value in values:
        family.add_metric((label_value,), value)
    return family
