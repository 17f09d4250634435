"""Measurements of a running engine: kept by every process, shown by the web service at `/metrics`.

Where PROMETHEUS_MULTIPROC_DIR names a directory, all processes that are given it keep their metrics there, and any web
process shows the sums; without it each process has its own. To count is an addition in mapped memory: nobody is
asked, and nothing is written to a disk if the directory is in memory.

Labels are names out of short lists: never an id, a player's name, or anything else that a request brings along.
"""

import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Metric,
    disable_created_metrics,
    values,
)
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from prometheus_client.samples import Sample

from events.log.usage import Used
from events.measures import OTHER, FirstNames
from events.runtime.file_lock import FileLock
from events.runtime.quick_metrics import QuickCounter, SharedValues

VARIABLE: Final = "PROMETHEUS_MULTIPROC_DIR"  # the library's own name for it
SHARED: Final = os.environ.get(VARIABLE)
CONTENT_TYPE: Final = CONTENT_TYPE_PLAIN_0_0_4


class Place:
    """This process's files in the directory: the first that no living process has.

    Those of a process that died are so taken over, and counted on: they get no more with every restart. The library's
    own way, by process id, would not hold among containers either, each of which numbers its processes from 1.
    """

    def __init__(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self._directory = directory
        self._pid = 0
        self._number = 0

    def __call__(self) -> int:
        """The number of the place; another one after a fork."""
        if self._pid != os.getpid():
            self._pid = os.getpid()
            self._number = next(number for number in count() if self._take(number))
        return self._number

    def _take(self, number: int) -> bool:
        lock = FileLock(self._directory / f"{number}.lock")
        if lock.acquire():
            return True  # and held for as long as the process lives
        lock.release()
        return False


if SHARED:
    values.ValueClass = SharedValues(Place(Path(SHARED))).value

disable_created_metrics()  # type: ignore[no-untyped-call]
_OWN: Final = CollectorRegistry()
_MOMENTS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_WAITS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 1.0, 2.0, 3.0, 5.0, 10.0, 30.0)

_OF_BOTS: Final = "migrato_registered_bot_"  # names of metrics by bot, whose labels begin with its app

REQUESTS: Final = Counter(
    "migrato_http_requests",
    "Requests that were answered.",
    ("method", "route", "status"),
    registry=_OWN,
)
REQUEST_SECONDS: Final = Histogram(
    "migrato_http_request_seconds",
    "Time to an answer; long polls and streams, which take as long as they are asked to, are not counted.",
    ("method", "route"),
    buckets=_MOMENTS,
    registry=_OWN,
)
APP_REQUESTS: Final = Counter(
    "migrato_app_requests",
    "Requests with an app's key, by outcome: answered, or refused by a limit.",
    ("app", "outcome"),
    registry=_OWN,
)
APP_USAGE: Final = Counter(
    "migrato_app_usage",
    "Counted usage of apps.",
    ("app", "what"),
    registry=_OWN,
)
LIMITED: Final = Counter(
    "migrato_limited_requests",
    "Requests that were refused because their sender had reached a limit.",
    ("limit",),
    registry=_OWN,
)
JOB_WAIT: Final = Histogram(
    "migrato_job_wait_seconds",
    "Time that a job waited in the queue until a worker began with it.",
    ("queue", "job"),
    buckets=_WAITS,
    registry=_OWN,
)
JOB_SECONDS: Final = Histogram(
    "migrato_job_seconds",
    "Time that a worker was busy with a job.",
    ("queue", "job"),
    buckets=_WAITS,
    registry=_OWN,
)
THINKING: Final = Histogram(
    "migrato_bot_thinking_seconds",
    "Time that a bot thought about a move, a hint or a position.",
    ("bot",),
    buckets=_MOMENTS,
    registry=_OWN,
)
ANSWER: Final = Histogram(
    "migrato_answer_seconds",
    "Time from the append that made a game wait for the engine to the engine's own, by the store's clock.",
    ("due",),
    buckets=_WAITS,
    registry=_OWN,
)
FALLBACKS: Final = Counter(
    "migrato_fallback_moves",
    "Moves made in the place of a bot's that did not come.",
    ("reason",),
    registry=_OWN,
)
REMOTE_SECONDS: Final = Histogram(
    "migrato_registered_bot_seconds",
    "Time until an app's bot by name answered.",
    ("bot",),
    buckets=_MOMENTS,
    registry=_OWN,
)
REMOTE_FALLBACKS: Final = Counter(
    "migrato_registered_bot_fallbacks",
    "Moves made in the place of an app's bot by name.",
    ("bot", "reason"),
    registry=_OWN,
)
LOST_JOBS: Final = Counter(
    "migrato_lost_jobs",
    "Work whose job was missing, which the sweeper enqueued again or did itself.",
    ("due", "remedy"),
    registry=_OWN,
)
DELIVERIES: Final = Counter(
    "migrato_webhook_deliveries",
    "Attempts to deliver a webhook, by how they ended.",
    ("outcome",),
    registry=_OWN,
)
DELIVERY_SECONDS: Final = Histogram(
    "migrato_webhook_delivery_seconds",
    "Time from the event to its arrival at a webhook's receiver.",
    ("attempt",),
    registry=_OWN,
    buckets=(0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0, 7200.0, 86400.0),
)
DELIVERIES_WAITING: Final = Gauge(
    "migrato_webhook_deliveries_waiting",
    "Deliveries of webhooks that wait for their next attempt.",
    ("receiver",),
    registry=_OWN,
    multiprocess_mode="sum",
)
DELIVERIES_WAITING_LONGEST: Final = Gauge(
    "migrato_webhook_deliveries_waiting_longest_seconds",
    "How long the first of the deliveries that wait has waited.",
    ("receiver",),
    registry=_OWN,
    multiprocess_mode="sum",
)
DELIVERIES_DEAD: Final = Gauge(
    "migrato_webhook_deliveries_dead",
    "Deliveries that were given up and are kept, at most 1,000 of each webhook.",
    registry=_OWN,
    multiprocess_mode="sum",
)
ARCHIVE_WAITING: Final = Gauge(
    "migrato_archive_games_waiting",
    "Games whose time in Redis was over when the archiver last looked, and that are not in the archive.",
    registry=_OWN,
    multiprocess_mode="max",
)
CACHE_BYTES: Final = Gauge(
    "migrato_cache_bytes",
    "What processes keep in memory because it may be asked for again, as they reckon it.",
    ("cache",),
    registry=_OWN,
    multiprocess_mode="sum",
)
CACHE_ENTRIES: Final = Gauge(
    "migrato_cache_entries",
    "How many things these are.",
    ("cache",),
    registry=_OWN,
    multiprocess_mode="sum",
)
CACHE_LOOKS: Final = Counter(
    "migrato_cache_looks",
    "How often something was looked for there.",
    ("cache", "found"),
    registry=_OWN,
)
CACHE_EVICTIONS: Final = Counter(
    "migrato_cache_evictions",
    "How often something had to go to make room.",
    ("cache",),
    registry=_OWN,
)


APPS: Final = FirstNames(50)  # that the metrics of this process tell apart
_USES: Final = {
    "created": "games",
    "people": "moves",
    "moves": "moves",
    "hints": "hints",
    "questions": "questions",
}


def tell_usage(used: Used) -> None:
    """Count what an app has used."""
    for name, number in used.counts.items():
        what = _USES.get(name.partition(":")[0])
        if what is not None:
            APP_USAGE.labels(APPS.label(used.app), what).inc(number)


class CacheMeasures:
    """The metrics of one cache; to look one up by its labels costs more than to note it."""

    def __init__(self, cache: str) -> None:
        self._cache = cache
        self._bytes = CACHE_BYTES.labels(cache)
        self._entries = CACHE_ENTRIES.labels(cache)
        self._looks: dict[bool, QuickCounter] = {}

    def looked(self, hit: bool) -> None:
        """Count a look into the cache. A metric of hits or misses appears with the first of them."""
        found = self._looks.get(hit)
        if found is None:
            found = self._looks[hit] = QuickCounter(CACHE_LOOKS.labels(self._cache, "hit" if hit else "miss"))
        found.inc()

    def evicted(self) -> None:
        """Count an entry that had to leave the cache."""
        CACHE_EVICTIONS.labels(self._cache).inc()

    def holds(self, size: float, entries: int) -> None:
        """Note how many bytes and how many things are kept now."""
        self._bytes.set(size)
        self._entries.set(entries)


class PrometheusMeasures:
    """The port `events.measures` on this process's metrics."""

    def cache(self, kind: str) -> CacheMeasures:
        """The measures of the cache of that name."""
        return CacheMeasures(kind)

    def thought(self, bot: str, seconds: float) -> None:
        """Note for how many seconds a bot has thought."""
        THINKING.labels(bot).observe(seconds)

    def fell_back(self, reason: str) -> None:
        """Count a cheap move that was made in place of a bot's."""
        FALLBACKS.labels(reason).inc()

    def asked(self, bot: str, outcome: str, seconds: float) -> None:
        """Note that an app's bot was asked for a move, with what came of it."""
        if outcome == "answered":
            REMOTE_SECONDS.labels(bot).observe(seconds)
        else:
            REMOTE_FALLBACKS.labels(bot, outcome).inc()


class _OfOneApp:
    """A collector that leaves out the metrics of all apps but one."""

    def __init__(self, whole: Collector, app: str) -> None:
        self._whole = whole
        self._app = app

    def collect(self) -> Iterator[Metric]:
        """The metrics, of which other apps' samples are missing."""
        for metric in self._whole.collect():
            metric.samples = [sample for sample in metric.samples if self._is_shown(sample)]
            yield metric

    def _is_shown(self, sample: Sample) -> bool:
        if sample.name.startswith(_OF_BOTS):
            return sample.labels["bot"].startswith(f"{self._app}/")
        return "app" not in sample.labels or OTHER != sample.labels["app"] == self._app


def exposition(*gauges: Collector, of_app: str | None = None) -> bytes:
    """Measurements of all processes, or of this one where they share no directory, and the gauges, as text.

    `of_app`: the only app whose metrics are included; None for all apps.
    """
    everything = CollectorRegistry()
    own: Collector = MultiProcessCollector(None, SHARED) if SHARED else _OWN  # type: ignore[no-untyped-call]
    everything.register(own if of_app is None else _OfOneApp(own, of_app))
    for gauge in gauges:
        everything.register(gauge)
    return generate_latest(everything)
