"""The wiring, in one place: from settings to an application and to a feed."""

from dataclasses import replace

from domain.registry import GAMES
from events.archive.mover import Mover, Step, untold
from events.archive.reader import ArchiveReader
from events.archive.storage import Storage, storage_of
from events.archive.store import ArchivedEventStore
from events.caching.byte_cache import MIB
from events.players.players import Players
from events.ports import EventStore
from events.projections.listings import Listings
from events.redis.bot_query_queue import RedisBotQueryQueue
from events.redis.client import RedisClient
from events.redis.event_store import RedisEventStore
from events.redis.feed import Feed
from events.redis.job_queue import enqueuing
from events.redis.news import TICK
from events.runtime.key_files import KeyFiles
from events.runtime.settings import Settings, SettingsError
from events.runtime.slices import Slices
from events.runtime.url_guard import Allowed, Guard
from events.use_cases.application import Application
from events.use_cases.bot_queries import MOST, BotQueries

GRACE = 5.0  # seconds that a blocking request may take beyond what it asked for
FEED_BLOCK_MAX = 30.0
ARCHIVE_SHARE = 0.1  # of what a process keeps in memory: games as they are in the archive
PATIENCE = 300.0  # seconds that a wait for a game may last; how long a caller's may is for the service to say
PATIENT = 10.0  # seconds for what handles whole games, beside those who play


def application(settings: Settings, slices: Slices | None = None) -> Application:
    """The application that runs on the settings' Redis; connects when first asked.

    `slices` does its long work, without pauses unless it is given.
    """
    slices = slices or Slices()
    url = _redis_url(settings)
    link = RedisClient.to(url, settings.redis_timeout)
    store = RedisEventStore(link, RedisClient.to(url, TICK), PATIENCE)
    return Application(
        _with_archive(settings, store, link, slices),
        Listings(link),
        GAMES,
        players=Players(link),
        app_keys=settings.app_keys,
        cache_mb=settings.cache_mb,
        slices=slices,
        guard=guard(settings),
        keyring=_keys(settings).keyring,
    )


def advice(settings: Settings, application: Application) -> BotQueries:
    """What can be asked of bots, through the settings' job queue; connects when first asked."""
    url = settings.queue_url or _redis_url(settings)
    link, waiting = RedisClient.to(url, settings.redis_timeout), RedisClient.to(url, TICK)
    thinkers = RedisBotQueryQueue(link, waiting, MOST, enqueuing(url, settings.redis_timeout))
    return BotQueries(GAMES, application.hints, thinkers)


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


def shelves(settings: Settings, slices: Slices | None = None) -> ArchiveReader | None:
    """What reads the settings' archive; None if there is none."""
    if settings.archive is None:
        return None
    return ArchiveReader(place(settings), slices=slices, most=settings.cache_mb * MIB * ARCHIVE_SHARE)


def mover(settings: Settings, step: Step = untold) -> Mover:
    """What moves games into the settings' archive; `step` is told before each thing that it does."""
    engine = application(replace(settings, cache_mb=8))

    def sign(game_id: str) -> None:
        if engine.heads.key_id() is not None:
            engine.heads.with_final(engine.snapshot(game_id))

    return Mover(
        patient_link(settings),
        place(settings),
        GAMES,
        settings.archive_after,
        sign=sign,
        signed=engine.heads.of_export,
        step=step,
    )


def patient_link(settings: Settings) -> RedisClient:
    """A link for scripts that read or remove whole games, which takes its time."""
    return RedisClient.to(_redis_url(settings), max(settings.redis_timeout, PATIENT))


def place(settings: Settings) -> Storage:
    """Where the settings' archive is."""
    if settings.archive is None:
        raise SettingsError("MIGRATO_ARCHIVE must be set: there is no archive.")
    try:
        return storage_of(settings.archive)
    except ValueError as error:
        raise SettingsError(f"MIGRATO_ARCHIVE cannot be used: {error}") from error


def _with_archive(settings: Settings, store: EventStore, link: RedisClient, slices: Slices) -> EventStore:
    archive = shelves(settings, slices)
    return store if archive is None else ArchivedEventStore(store, link, archive)


def _redis_url(settings: Settings) -> str:
    if settings.redis_url is None:
        raise SettingsError("MIGRATO_REDIS_URL must be set, or the embedded server be started first.")
    return settings.redis_url
