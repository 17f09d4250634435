"""The wiring, in one place: from settings to an application and to a feed."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from domain.game import Game
from domain.registry import GAMES
from events.apps.administration import Apps
from events.apps.keys import AppKeys
from events.apps.store import AppStore
from events.archive.mover import Mover, Step, no_progress
from events.archive.reader import ArchiveReader
from events.archive.store import ArchivedEventStore
from events.caching import MIB, Memory
from events.games.command_handler import Clock, CommandHandler, utc_now
from events.games.repository import GameRepository
from events.log.signing import Keyring
from events.measures import UNCOUNTED, Measures
from events.players.players import Players
from events.ports import (
    ClockStore,
    ConsentStore,
    CountingGames,
    EventStore,
    InviteStore,
    ListingStore,
    MatchStore,
    PlayerStore,
    RatingStore,
    RunningGames,
    SeatForkStore,
    TicketStore,
    UrlGuard,
)
from events.projections.listings import Listings
from events.projections.ratings import Ratings
from events.redis import keys
from events.redis.cluster.addresses import is_cluster
from events.redis.connections.client import CarrierOver, RedisClient
from events.redis.deadlines import RedisClockStore
from events.redis.event_store import RedisEventStore
from events.redis.feed import Feed
from events.redis.listings import RedisListings
from events.redis.news import TICK
from events.redis.people.apps import RedisAppStore
from events.redis.people.counting_games import RedisCountingGames
from events.redis.people.invites import RedisInviteStore
from events.redis.people.players import RedisPlayerStore
from events.redis.people.quick_match import RedisMatchStore
from events.redis.people.rematches import RedisConsents
from events.redis.people.running_games import RedisRunningGames
from events.redis.people.seat_forks import RedisSeatForks
from events.redis.people.tickets import RedisTicketStore
from events.redis.queues.analyses import RedisAnalyses
from events.redis.queues.bot_query_queue import RedisBotQueryQueue
from events.redis.queues.job_queue import enqueuing
from events.redis.queues.rate_counts import RedisRateCounts
from events.redis.queues.trace_contexts import RedisTraceContexts
from events.redis.ratings import RedisRatings
from events.redis.webhooks.app_logs import GROUP as APP_LOGS
from events.redis.webhooks.app_logs import RedisAppLogs
from events.redis.webhooks.endpoints import RedisEndpoints
from events.redis.webhooks.lease import Lease
from events.redis.whole_games import RedisGames
from events.runtime.key_files import KeyFiles
from events.runtime.metrics import PrometheusMeasures
from events.runtime.rates import RUNNING, SEAT_FORKS, rates_of
from events.runtime.settings import Settings, SettingsError
from events.runtime.stores.archives import storage
from events.runtime.url_guard import Allowed, Guard
from events.scheduling import Slices
from events.tracing.store import TracedEventStore
from events.use_cases.abandonment import Abandonment, Patience
from events.use_cases.application import Application
from events.use_cases.bots.analyses import Analyses
from events.use_cases.bots.decisions import Decisions
from events.use_cases.bots.hints import Hints
from events.use_cases.bots.queries import MOST, BotQueries
from events.use_cases.bots.remote_play import RemotePlay
from events.use_cases.bots.turns import BotTurns
from events.use_cases.callers import Callers
from events.use_cases.clocks.timekeeping import Timekeeping
from events.use_cases.create import Creation
from events.use_cases.erasure import Erasure
from events.use_cases.finished.rankings import Rankings
from events.use_cases.finished.rematches import Rematches
from events.use_cases.forks import Forks
from events.use_cases.interventions import Interventions
from events.use_cases.joining.attendance import Attendance
from events.use_cases.joining.invites import Invites
from events.use_cases.joining.lobby import Lobby
from events.use_cases.joining.quick_match import QuickMatch
from events.use_cases.listing import Listing
from events.use_cases.moves import Moves
from events.use_cases.records.exports import Exports
from events.use_cases.records.replay import Replays
from events.use_cases.records.signed_heads import SignedHeads
from events.use_cases.seats import Seats
from events.use_cases.takebacks.takebacks import TakebackRequests
from events.use_cases.tickets import Tickets
from events.use_cases.views import Views
from events.use_cases.webhooks.app_logs import AppLogs
from events.use_cases.webhooks.endpoints import Endpoints
from events.use_cases.webhooks.payloads import Payloads
from events.use_cases.webhooks.ports import AppLogStore, EndpointStore

if TYPE_CHECKING:
    from events.tracing.traces import Traces

GRACE = 5.0  # seconds that a blocking request may take beyond what it asked for
FEED_BLOCK_MAX = 30.0
APP_LOGS_PACE = 0.1  # seconds between two looks at the feed: an app need not know sooner than that
PATIENCE = 300.0  # seconds that a wait for a game may last; how long a caller's may is for the service to say
PROMPT = 0.5  # seconds for what only counts: nobody waits longer for that
PATIENT = 10.0  # seconds for what handles whole games, beside those who play


def application(
    settings: Settings,
    slices: Slices | None = None,
    carrier: CarrierOver | None = None,
    traces: "Traces | None" = None,
) -> Application:
    """The application that runs on the settings' Redis; connects when first asked.

    `slices` does its long work, without pauses unless it is given; `carrier` makes what carries out its calls; `traces`
    shows its appends, if it is given.
    """
    slices = slices or Slices()
    url = _redis_url(settings)
    link = RedisClient.to(url, settings.redis_timeout, carrier, settings.redis_replicas)
    kept, running = memory(settings), rates_of(settings.limits).get(RUNNING)
    store: EventStore = RedisEventStore(link, RedisClient.to(url, TICK), PATIENCE)
    if settings.archive is not None:
        store = ArchivedEventStore(
            store, RedisGames(link), ArchiveReader(storage(settings), slices=slices, memory=kept)
        )
    if traces is not None:
        store = TracedEventStore(store, traces)
    return wired(
        store,
        RedisListings(link),
        GAMES,
        RedisPlayerStore(link),
        consents=RedisConsents(link),
        ratings=RedisRatings(link),
        app_logs=RedisAppLogs(link, RedisClient.to(url, TICK)),
        endpoints=RedisEndpoints(link),
        tickets=RedisTicketStore(link),
        clocks=RedisClockStore(link),
        invites=RedisInviteStore(link),
        matches=RedisMatchStore(link),
        app_keys=settings.app_keys,
        apps=RedisAppStore(link),
        memory=kept,
        slices=slices,
        guard=guard(settings),
        keyring=_keys(settings).keyring,
        measures=PrometheusMeasures(),
        running=None if running is None else RedisRunningGames(link, running.amount),
        counting=RedisCountingGames(link),
        seat_forks=_seat_forks(link, settings),
        patience=Patience(settings.abort_waiting_after, settings.abort_silent_after),
    )


def seat_forks(settings: Settings) -> RedisSeatForks:
    """The forks that seats have made in the settings' store, for those who look after it."""
    return _seat_forks(patient_link(settings), settings)


def _seat_forks(link: RedisClient, settings: Settings) -> RedisSeatForks:
    most = rates_of(settings.limits).get(SEAT_FORKS)
    return RedisSeatForks(link, None if most is None else most.amount, settings.seat_forks_kept)


def traces(settings: Settings) -> "Traces | None":
    """This process's traces, if the settings ask for them; to be made once. SettingsError without the library."""
    if not settings.traces:
        return None
    try:
        from events.tracing.traces import Traces
    except ImportError as error:
        raise SettingsError(f"MIGRATO_TRACES=1 requires the extra `otel`: {error}.") from error
    url = settings.queue_url or _redis_url(settings)
    return Traces(RedisTraceContexts(RedisClient.to(url, min(settings.redis_timeout, PROMPT))))


def wired(
    store: EventStore,
    listings: ListingStore,
    games: Mapping[str, Game],
    players: PlayerStore,
    *,
    consents: ConsentStore | None = None,
    ratings: RatingStore | None = None,
    app_logs: AppLogStore | None = None,
    endpoints: EndpointStore | None = None,
    tickets: TicketStore | None = None,
    clocks: ClockStore | None = None,
    invites: InviteStore | None = None,
    matches: MatchStore | None = None,
    app_keys: Mapping[str, str] | None = None,
    apps: AppStore | None = None,
    memory: Memory | None = None,
    slices: Slices | None = None,
    now: Clock = utc_now,
    guard: UrlGuard | None = None,
    keyring: Callable[[], Keyring] = Keyring,
    measures: Measures = UNCOUNTED,
    running: RunningGames | None = None,
    counting: CountingGames | None = None,
    seat_forks: SeatForkStore | None = None,
    patience: Patience | None = None,
    steady: Callable[[], float] = time.monotonic,
) -> Application:
    """The application on these adapters; without one for `app_logs`, `apps`, `consents` (to rematches), `endpoints`,
    `invites`, `matches`, `ratings` or `tickets` there are none, and without one for `clocks` nobody looks whose time is
    up.

    `app_keys` are those of the settings: by app, the SHA-256 of its key in hex.
    `guard` says which remote bots may be called; without one, those on the public internet. `keyring` gives the keys
    that sign heads; without one nothing is signed. `memory` is what may be kept, 128 MiB unless it is given. `patience`
    says when abandoned games are aborted, by `now` and by `steady`, a monotonic clock; never, unless it is given.
    """
    slices, memory = slices or Slices(), memory or Memory(128 * MIB)
    keys = AppKeys(app_keys, apps)
    repository = GameRepository(store, games, slices, memory)
    handler = CommandHandler(store, repository, now)
    names, lines = Players(players), Listings(listings)
    heads = SignedHeads(store, repository, keyring)
    callers = Callers(repository, keys)
    views = Views(store, repository, heads, names, keys, slices, now)
    guard = guard or Guard(Allowed())
    timekeeping = None if clocks is None else Timekeeping(repository, handler, clocks, measures)
    attendance = Attendance(names, lines, repository, handler, heads)
    creation = Creation(
        store, repository, handler, names, lines, attendance, guard, now, running, seat_forks, counting
    )
    logs = AppLogs(store, repository, app_logs)
    standing = Ratings(ratings, names.erased)
    quick_match = QuickMatch(matches, store, repository, names, creation, now, ratings)
    erasure = Erasure(names, standing, lines, quick_match, repository, attendance, counting)
    return Application(
        abandonment=Abandonment(repository, handler, heads, lines, patience or Patience(), now, steady),
        app_logs=logs,
        callers=callers,
        views=views,
        creation=creation,
        forks=Forks(store, repository, views, callers, creation, handler, seat_forks),
        seats=Seats(store, repository, handler, names, keys, now, attendance, invites),
        invites=Invites(invites, repository, keys),
        tickets=Tickets(tickets, repository, views),
        interventions=Interventions(store, repository, handler, heads, keys),
        moves=Moves(repository, handler, views, timekeeping),
        bot_turns=BotTurns(repository, handler, heads, lines, measures),
        remote=RemotePlay(store, repository, handler, now, memory),
        hints=Hints(store, repository, handler, measures),
        decisions=Decisions(store, repository),
        replays=Replays(store, repository, slices),
        exports=Exports(store, heads, slices, memory),
        heads=heads,
        listing=Listing(lines, repository, names),
        lobby=Lobby(lines, repository, names),
        quick_match=quick_match,
        players=names,
        apps=Apps(apps),
        erasure=erasure,
        rankings=Rankings(standing, lines, repository, names),
        rematches=Rematches(store, consents, repository, handler, creation, keys, names),
        takebacks=TakebackRequests(store, repository, handler, views, slices),
        timekeeping=timekeeping,
        webhooks=Endpoints(endpoints, logs, repository, guard, Payloads(repository, views, keys), now, keys),
    )


def bot_queries(settings: Settings, application: Application) -> BotQueries:
    """The questions to bots, through the settings' job queue; connects when first asked."""
    url = settings.queue_url or _redis_url(settings)
    link, waiting = RedisClient.to(url, settings.redis_timeout), RedisClient.to(url, TICK)
    queue = RedisBotQueryQueue(link, waiting, MOST, enqueuing(url, settings.redis_timeout))
    analyses = Analyses(application.decisions, RedisAnalyses(link))
    return BotQueries(GAMES, application.hints, analyses, queue, PrometheusMeasures())


def rate_counts(settings: Settings) -> RedisRateCounts:
    """Counts of callers' recent requests, on the settings' job queue's server; connects when first asked."""
    url = settings.queue_url or _redis_url(settings)
    return RedisRateCounts(RedisClient.to(url, min(settings.redis_timeout, PROMPT)))


def apps(settings: Settings) -> Apps:
    """The apps in the settings' store, for those who administer them; connects when first asked."""
    link = RedisClient.to(_redis_url(settings), settings.redis_timeout, replicas=settings.redis_replicas)
    return Apps(RedisAppStore(link))


def memory(settings: Settings) -> Memory:
    """Caches of a process."""
    return Memory(settings.cache_mb * MIB, PrometheusMeasures())


def _keys(settings: Settings) -> KeyFiles:
    keys = KeyFiles(settings.signing_keys)
    keys.keyring()  # so that keys that cannot be used stop the start
    return keys


def guard(settings: Settings) -> Guard:
    """Guard of the addresses of remote bots."""
    return Guard(Allowed.of(settings.remote_allow))


def feed(settings: Settings, group: str, consumer: str) -> Feed:
    """A consumer of the feed, which may block for up to 30 s."""
    return Feed(_feed_link(settings), group, consumer)


def _feed_link(settings: Settings) -> RedisClient:
    """A link for a reader of the feed: one server is silent for as long as it has nothing new."""
    url = _redis_url(settings)
    return RedisClient.to(url, settings.redis_timeout if is_cluster(url) else FEED_BLOCK_MAX + GRACE)


def clock_store(settings: Settings) -> ClockStore:
    """Store of the clocks' deadlines."""
    return RedisClockStore(RedisClient.to(_redis_url(settings), settings.redis_timeout))


@dataclass(frozen=True, slots=True)
class WebhookParts:
    """Parts of a webhook worker."""

    application: Application
    feed: Feed
    lease: Lease
    guard: Guard


def webhook_parts(settings: Settings, application: Application) -> WebhookParts:
    """The parts of a webhook worker on the settings' Redis."""
    url = _redis_url(settings)
    feed = Feed(_feed_link(settings), APP_LOGS, APP_LOGS, APP_LOGS_PACE, 2 * APP_LOGS_PACE)
    lease = Lease(RedisClient.to(url, settings.redis_timeout), keys.WEBHOOKS_LEASE)
    return WebhookParts(application, feed, lease, guard(settings))


def whole_games(settings: Settings) -> RedisGames:
    """Whole games in the settings' Redis, over a patient link."""
    return RedisGames(patient_link(settings))


def mover(settings: Settings, step: Step = no_progress) -> Mover:
    """Mover of games into the settings' archive; `step` is called before each of its steps."""
    engine = application(replace(settings, cache_mb=8))

    def sign(game_id: str) -> None:
        if engine.heads.key_id() is not None:
            engine.heads.with_final(engine.views.snapshot(game_id))

    return Mover(
        whole_games(settings),
        storage(settings),
        GAMES,
        settings.archive_after,
        sign=sign,
        signed=engine.heads.of_export,
        step=step,
    )


def patient_link(settings: Settings) -> RedisClient:
    """A link for scripts that read or remove whole games, which takes its time."""
    return RedisClient.to(_redis_url(settings), max(settings.redis_timeout, PATIENT))


def _redis_url(settings: Settings) -> str:
    if settings.redis_url is None:
        raise SettingsError("MIGRATO_REDIS_URL must be set, or the embedded server be started first.")
    return settings.redis_url
