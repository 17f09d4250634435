"""Adapters of the ports, in one place: all of them on the settings' Redis.

Each connects when it is first asked. Another event store needs its own adapters, and this module alone chooses them.
"""

from collections.abc import Callable

from events.application import Adapters
from events.archive.reader import ArchiveReader
from events.archive.store import ArchivedEventStore
from events.caching import Memory
from events.features.analyses.port import AnalysisStore
from events.features.analyses.redis import RedisAnalyses
from events.features.apps.port import AppStore
from events.features.apps.redis.apps import RedisAppStore
from events.features.apps.redis.running_games import RedisRunningGames
from events.features.bots.port import QuestionQueue
from events.features.bots.redis import questions
from events.features.bots.redis.job_queue import calling, enqueuing
from events.features.bots.redis.questions import RedisQuestionQueue
from events.features.clocks.port import ClockStore
from events.features.clocks.redis import RedisClockStore
from events.features.games.redis import RedisSeatForks
from events.features.invites.redis import RedisInviteStore
from events.features.listings.port import ListingStore
from events.features.listings.redis import RedisListings
from events.features.matchmaking.redis import RedisMatchStore
from events.features.own_data.port import OwnDataStore
from events.features.own_data.redis import RedisOwnData
from events.features.players.redis import RedisPlayerStore
from events.features.presence.redis import RedisPresence
from events.features.ratings.port import RatingStore
from events.features.ratings.redis.counting_games import RedisCountingGames
from events.features.ratings.redis.ratings import RedisRatings
from events.features.registered_bots.redis import RedisRegisteredBots
from events.features.rematches.redis import RedisConsents
from events.features.tickets.redis import RedisTicketStore
from events.features.usage.port import CountsStore, UsageNotes, UsageSource
from events.features.usage.redis import RedisUsage, RedisUsageNotes, RedisUsageSource
from events.features.webhooks.port import DoneJobs, EndpointStore, Lease
from events.features.webhooks.redis.app_logs import GROUP as APP_LOGS
from events.features.webhooks.redis.app_logs import RedisAppLogs
from events.features.webhooks.redis.attendance import RedisAttendance
from events.features.webhooks.redis.done_jobs import RedisDoneJobs
from events.features.webhooks.redis.endpoints import RedisEndpoints
from events.features.webhooks.redis.lease import RedisLease
from events.ports import DueGames, EventStore, Feed
from events.runtime.rates import RUNNING, SEAT_FORKS, rates_of
from events.runtime.settings import Settings, SettingsError
from events.runtime.stores.archives import storage
from events.scheduling import Slices
from events.store import keys
from events.store.cluster.addresses import is_cluster
from events.store.connections.client import CarrierOver, RedisClient
from events.store.due_games import RedisDueGames
from events.store.event_store import RedisEventStore
from events.store.feed import RedisFeed
from events.store.link import link_to
from events.store.news import TICK
from events.store.queues.rate_counts import RedisRateCounts
from events.store.whole_games import RedisGames
from events.tracing.redis import RedisTraceContexts

GRACE = 5.0  # seconds that a blocking request may take beyond what it asked for
FEED_BLOCK_MAX = 30.0
APP_LOGS_PACE = 0.1  # seconds between two looks at the feed: an app need not know sooner than that
PATIENCE = 300.0  # seconds that a wait for a game may last; how long a caller's may is for the service to say
PROMPT = 0.5  # seconds for what only counts: nobody waits longer for that
PATIENT = 10.0  # seconds for what handles whole games, beside those who play


def of_application(
    settings: Settings, slices: Slices, kept: Memory, carrier: CarrierOver | None = None
) -> Adapters:
    """Adapters of a process's application.

    `slices` reads the archive, and `kept` keeps what was read; `carrier` makes what carries out calls.
    """
    url = _redis_url(settings)
    link = link_to(url, settings.redis_timeout, carrier, settings.redis_replicas)
    store: EventStore = RedisEventStore(link, link_to(url, TICK), PATIENCE)
    if settings.archive is not None:
        archive = ArchiveReader(storage(settings), slices=slices, memory=kept)
        store = ArchivedEventStore(store, RedisGames(link), archive)
    running = rates_of(settings.limits).get(RUNNING)
    return Adapters(
        store,
        RedisListings(link),
        RedisPlayerStore(link),
        app_logs=RedisAppLogs(link, link_to(url, TICK)),
        apps=RedisAppStore(link),
        attendance=RedisAttendance(link),
        bots=RedisRegisteredBots(link),
        clocks=RedisClockStore(link),
        consents=RedisConsents(link),
        counting=RedisCountingGames(link),
        endpoints=RedisEndpoints(link),
        invites=RedisInviteStore(link),
        matches=RedisMatchStore(link),
        own_data=RedisOwnData(link),
        presence=RedisPresence(_prompt_link(settings)),
        ratings=RedisRatings(link),
        running=None if running is None else RedisRunningGames(link, running.amount),
        seat_forks=_seat_forks(link, settings),
        tickets=RedisTicketStore(link),
        usage=RedisUsage(link),
    )


def seat_forks(settings: Settings) -> RedisSeatForks:
    """The forks that seats have made, for those who look after them."""
    return _seat_forks(patient_link(settings), settings)


def _seat_forks(link: RedisClient, settings: Settings) -> RedisSeatForks:
    most = rates_of(settings.limits).get(SEAT_FORKS)
    return RedisSeatForks(link, None if most is None else most.amount, settings.seat_forks_kept)


def of_retention(settings: Settings) -> tuple[ListingStore, RatingStore, OwnDataStore]:
    """The stores that old games leave: listings, ratings, own data."""
    link = patient_link(settings)
    return RedisListings(link), RedisRatings(link), RedisOwnData(link)


def app_store(settings: Settings) -> AppStore:
    """The apps, for those who administer them."""
    return RedisAppStore(
        link_to(_redis_url(settings), settings.redis_timeout, replicas=settings.redis_replicas)
    )


def usage_store(settings: Settings) -> CountsStore:
    """The usage of apps, for those who administer them."""
    return RedisUsage(link_to(_redis_url(settings), settings.redis_timeout))


def usage_notes(settings: Settings) -> UsageNotes:
    """Notes of usage that stands in no feed, on the job queue's server."""
    return RedisUsageNotes(_prompt_link(settings))


def usage_source(settings: Settings) -> UsageSource:
    """The sources from which usage is counted."""
    return RedisUsageSource(link_to(_redis_url(settings), settings.redis_timeout), _prompt_link(settings))


def clock_store(settings: Settings) -> ClockStore:
    """Store of the clocks' deadlines."""
    return RedisClockStore(link_to(_redis_url(settings), settings.redis_timeout))


def feed(settings: Settings, group: str, consumer: str) -> Feed:
    """A consumer of the feed, which may block for up to 30 s."""
    return RedisFeed(_feed_link(settings), group, consumer)


def app_logs_feed(settings: Settings) -> Feed:
    """The consumer of the feed that writes the logs of apps."""
    return RedisFeed(_feed_link(settings), APP_LOGS, APP_LOGS, APP_LOGS_PACE, 2 * APP_LOGS_PACE)


def _feed_link(settings: Settings) -> RedisClient:
    """A link for a reader of the feed: one server is silent for as long as it has nothing new."""
    url = _redis_url(settings)
    return link_to(url, settings.redis_timeout if is_cluster(url) else FEED_BLOCK_MAX + GRACE)


def webhooks_lease(settings: Settings) -> Lease:
    """Lease of the one process that delivers webhooks."""
    return RedisLease(link_to(_redis_url(settings), settings.redis_timeout), keys.WEBHOOKS_LEASE)


def done_jobs(settings: Settings) -> tuple[DoneJobs, EndpointStore]:
    """The jobs of questions to bots that are done, on the job queue's server; and the webhooks that are told."""
    endpoints = RedisEndpoints(link_to(_redis_url(settings), settings.redis_timeout))
    return RedisDoneJobs(_prompt_link(settings)), endpoints


def due_games(link: RedisClient) -> DueGames:
    """The index of games that wait for the engine."""
    return RedisDueGames(link)


def whole_games(settings: Settings) -> RedisGames:
    """Whole games, over a patient link."""
    return RedisGames(patient_link(settings))


def patient_link(settings: Settings) -> RedisClient:
    """A link for scripts that read or remove whole games, which takes its time."""
    return link_to(_redis_url(settings), max(settings.redis_timeout, PATIENT))


def rate_counts(settings: Settings) -> RedisRateCounts:
    """Counts of callers' recent requests, on the job queue's server."""
    return RedisRateCounts(_prompt_link(settings))


def trace_contexts(settings: Settings) -> RedisTraceContexts:
    """Contexts of traces, on the job queue's server."""
    return RedisTraceContexts(_prompt_link(settings))


def question_queue(
    settings: Settings, patience: float
) -> tuple[QuestionQueue, AnalysisStore, Callable[[str], None]]:
    """The queue of questions to bots, each asked for at most `patience` seconds, the analyses, and the maker of jobs
    of trials.
    """
    url, timeout = _queue_url(settings), settings.redis_timeout
    link = link_to(url, timeout)
    queue = RedisQuestionQueue(link, link_to(url, TICK), patience, enqueuing(url, timeout))
    return queue, RedisAnalyses(link), calling(url, timeout, settings.remote_seconds)


def work_waiting(queue: RedisClient) -> tuple[dict[str, float], int]:
    """Seconds of thinking that wait, by queue, and the number of living thinkers."""
    return questions.work_waiting(queue)


def _prompt_link(settings: Settings) -> RedisClient:
    return link_to(_queue_url(settings), min(settings.redis_timeout, PROMPT))


def _queue_url(settings: Settings) -> str:
    return settings.queue_url or _redis_url(settings)


def _redis_url(settings: Settings) -> str:
    if settings.redis_url is None:
        raise SettingsError("MIGRATO_REDIS_URL must be set, or the embedded server be started first.")
    return settings.redis_url
