"""The wiring, in one place: from settings to an application and to a feed."""

from domain.decider import GAMES
from events.advice import MARGIN, Advice
from events.application import Application
from events.feed import Feed
from events.job_queue import enqueuing
from events.key_files import KeyFiles
from events.listings import Listings
from events.outbound import Allowed, Guard
from events.players import Players
from events.redis_link import RedisLink
from events.redis_store import RedisEventStore
from events.settings import Settings, SettingsError
from events.thinkers import RedisThinkers
from events.thinking import LONGEST

GRACE = 5.0  # seconds that a blocking request may take beyond what it asked for
FEED_BLOCK_MAX = 30.0


def application(settings: Settings) -> Application:
    """The application that runs on the settings' Redis; connects when first asked."""
    url = _redis_url(settings)
    patience = float(settings.long_poll_max)
    link = RedisLink.to(url, settings.redis_timeout)
    store = RedisEventStore(link, RedisLink.to(url, patience + GRACE), patience)
    return Application(
        store,
        Listings(link),
        GAMES,
        players=Players(link),
        app_keys=settings.app_keys,
        cache_size=settings.cache_size,
        guard=guard(settings),
        keyring=_keys(settings).keyring,
    )


def advice(settings: Settings, application: Application) -> Advice:
    """What can be asked of bots, through the settings' job queue; connects when first asked."""
    url = settings.queue_url or _redis_url(settings)
    patience = LONGEST + MARGIN
    link, waiting = RedisLink.to(url, settings.redis_timeout), RedisLink.to(url, patience + GRACE)
    thinkers = RedisThinkers(link, waiting, patience, enqueuing(url, settings.redis_timeout))
    return Advice(GAMES, application.hints, thinkers)


def _keys(settings: Settings) -> KeyFiles:
    keys = KeyFiles(settings.signing_keys)
    keys.keyring()  # so that keys that cannot be used stop the start
    return keys


def guard(settings: Settings) -> Guard:
    """What says which remote bots may be called."""
    return Guard(Allowed.of(settings.remote_allow))


def feed(settings: Settings, group: str, consumer: str) -> Feed:
    """A consumer of the feed, which may block for up to 30 s."""
    return Feed(RedisLink.to(_redis_url(settings), FEED_BLOCK_MAX + GRACE), group, consumer)


def _redis_url(settings: Settings) -> str:
    if settings.redis_url is None:
        raise SettingsError("MIGRATO_REDIS_URL must be set, or the embedded server be started first.")
    return settings.redis_url
