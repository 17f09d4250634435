"""The wiring, in one place: from settings to an application and to a feed."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from domain.game import Game
from domain.registry import GAMES
from events.archive.mover import Mover, Step, no_progress
from events.archive.reader import ArchiveReader
from events.archive.storage import Storage, storage_of
from events.archive.store import ArchivedEventStore
from events.caching import MIB, Memory
from events.games.command_handler import Clock, CommandHandler, utc_now
from events.games.repository import GameRepository
from events.log.signing import Keyring
from events.measures import UNCOUNTED, Measures
from events.players.players import Players
from events.ports import EventStore, ListingStore, PlayerStore, UrlGuard
from events.projections.listings import Listings
from events.redis.connections.batching import Batcher
from events.redis.connections.client import CarrierOver, RedisClient
from events.redis.event_store import RedisEventStore
from events.redis.feed import Feed
from events.redis.listings import RedisListings
from events.redis.news import TICK
from events.redis.players import RedisPlayerStore
from events.redis.queues.bot_query_queue import RedisBotQueryQueue
from events.redis.queues.job_queue import enqueuing
from events.redis.whole_games import RedisGames
from events.runtime.key_files import KeyFiles
from events.runtime.metrics import PrometheusMeasures
from events.runtime.settings import Settings, SettingsError
from events.runtime.url_guard import Allowed, Guard
from events.scheduling import Slices
from events.use_cases.application import Application
from events.use_cases.bots.hints import Hints
from events.use_cases.bots.queries import MOST, BotQueries
from events.use_cases.bots.remote_play import RemotePlay
from events.use_cases.bots.turns import BotTurns
from events.use_cases.callers import Callers
from events.use_cases.create import Creation
from events.use_cases.exports import Exports
from events.use_cases.forks import Forks
from events.use_cases.listing import Listing
from events.use_cases.moves import Moves
from events.use_cases.replay import Replays
from events.use_cases.seats import Seats
from events.use_cases.signed_heads import SignedHeads
from events.use_cases.views import Views

GRACE = 5.0  # seconds that a blocking request may take beyond what it asked for
FEED_BLOCK_MAX = 30.0
PATIENCE = 300.0  # seconds that a wait for a game may last; how long a caller's may is for the service to say
PATIENT = 10.0  # seconds for what handles whole games, beside those who play


def application(
    settings: Settings, slices: Slices | None = None, carrier: CarrierOver = Batcher
) -> Application:
    """The application that runs on the settings' Redis; connects when first asked.

    `slices` does its long work, without pauses unless it is given; `carrier` makes what carries out its calls.
    """
    slices = slices or Slices()
    url = _redis_url(settings)
    link = RedisClient.to(url, settings.redis_timeout, carrier)
    kept = memory(settings)
    store: EventStore = RedisEventStore(link, RedisClient.to(url, TICK), PATIENCE)
    if settings.archive is not None:
        store = ArchivedEventStore(
            store, RedisGames(link), ArchiveReader(storage(settings), slices=slices, memory=kept)
        )
    return wired(
        store,
        RedisListings(link),
        GAMES,
        RedisPlayerStore(link),
        app_keys=settings.app_keys,
        memory=kept,
        slices=slices,
        guard=guard(settings),
        keyring=_keys(settings).keyring,
        measures=PrometheusMeasures(),
    )


def wired(
    store: EventStore,
    listings: ListingStore,
    games: Mapping[str, Game],
    players: PlayerStore,
    *,
    app_keys: Mapping[str, str] | None = None,
    memory: Memory | None = None,
    slices: Slices | None = None,
    now: Clock = utc_now,
    guard: UrlGuard | None = None,
    keyring: Callable[[], Keyring] = Keyring,
    measures: Measures = UNCOUNTED,
) -> Application:
    """The application on these adapters.

    `guard` says which remote bots may be called; without one, those on the public internet. `keyring` gives the keys
    that sign heads; without one nothing is signed. `memory` is what may be kept, 128 MiB unless it is given.
    """
    app_keys, slices, memory = app_keys or {}, slices or Slices(), memory or Memory(128 * MIB)
    repository = GameRepository(store, games, slices, memory)
    handler = CommandHandler(store, repository, now)
    names, lines = Players(players), Listings(listings)
    heads = SignedHeads(store, repository, keyring)
    callers = Callers(repository, app_keys)
    views = Views(store, repository, heads, names, app_keys, slices)
    guard = guard or Guard(Allowed())
    creation = Creation(store, repository, handler, names, lines, guard, now)
    return Application(
        callers=callers,
        views=views,
        creation=creation,
        forks=Forks(store, repository, views, callers, creation),
        seats=Seats(store, repository, handler, names, app_keys, now),
        moves=Moves(repository, handler, views),
        bot_turns=BotTurns(repository, handler, heads, lines, measures),
        remote=RemotePlay(store, repository, handler, now, memory),
        hints=Hints(store, repository, handler, measures),
        replays=Replays(store, repository, slices),
        exports=Exports(store, heads, slices, memory),
        heads=heads,
        listing=Listing(lines, repository, names),
        players=names,
    )


def bot_queries(settings: Settings, application: Application) -> BotQueries:
    """What can be asked of bots, through the settings' job queue; connects when first asked."""
    url = settings.queue_url or _redis_url(settings)
    link, waiting = RedisClient.to(url, settings.redis_timeout), RedisClient.to(url, TICK)
    queue = RedisBotQueryQueue(link, waiting, MOST, enqueuing(url, settings.redis_timeout))
    return BotQueries(GAMES, application.hints, queue, PrometheusMeasures())


def memory(settings: Settings) -> Memory:
    """What a process may keep in memory."""
    return Memory(settings.cache_mb * MIB, PrometheusMeasures())


def _keys(settings: Settings) -> KeyFiles:
    keys = KeyFiles(settings.signing_keys)
    keys.keyring()  # so that keys that cannot be used stop the start
    return keys


def guard(settings: Settings) -> Guard:
    """What says which remote bots may be called."""
    return Guard(Allowed.of(settings.remote_allow))


def feed(settings: Settings, group: str, consumer: str) -> Feed:
    """A consumer of the feed, which may block for up to 30 s."""
    return Feed(RedisClient.to(_redis_url(settings), FEED_BLOCK_MAX + GRACE), group, consumer)


def archive_reader(settings: Settings) -> ArchiveReader | None:
    """What reads the settings' archive, without an engine; None if there is none."""
    return None if settings.archive is None else ArchiveReader(storage(settings), memory=memory(settings))


def whole_games(settings: Settings) -> RedisGames:
    """Whole games in the settings' Redis, over a patient link."""
    return RedisGames(patient_link(settings))


def mover(settings: Settings, step: Step = no_progress) -> Mover:
    """What moves games into the settings' archive; `step` is called before each of its steps."""
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


def storage(settings: Settings) -> Storage:
    """Where the settings' archive is."""
    if settings.archive is None:
        raise SettingsError("MIGRATO_ARCHIVE must be set: there is no archive.")
    try:
        return storage_of(settings.archive)
    except ValueError as error:
        raise SettingsError(f"MIGRATO_ARCHIVE cannot be used: {error}") from error


def _redis_url(settings: Settings) -> str:
    if settings.redis_url is None:
        raise SettingsError("MIGRATO_REDIS_URL must be set, or the embedded server be started first.")
    return settings.redis_url
