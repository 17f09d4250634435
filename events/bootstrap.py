"""The wiring, in one place: from settings to an application and to a feed."""

from domain.decider import GAMES
from events.application import Application
from events.feed import Feed
from events.listings import Listings
from events.redis_link import RedisLink
from events.redis_store import RedisEventStore
from events.settings import Settings, SettingsError

GRACE = 5.0  # seconds that a blocking request may take beyond what it asked for
FEED_BLOCK_MAX = 30.0


def application(settings: Settings) -> Application:
    """The application that runs on the settings' Redis; connects when first asked."""
    url = _redis_url(settings)
    patience = float(settings.long_poll_max)
    link = RedisLink.to(url, settings.redis_timeout)
    store = RedisEventStore(link, RedisLink.to(url, patience + GRACE), patience)
    return Application(
        store, Listings(link), GAMES, app_keys=settings.app_keys, cache_size=settings.cache_size
    )


def feed(settings: Settings, group: str, consumer: str) -> Feed:
    """A consumer of the feed, which may block for up to 30 s."""
    return Feed(RedisLink.to(_redis_url(settings), FEED_BLOCK_MAX + GRACE), group, consumer)


def _redis_url(settings: Settings) -> str:
    if settings.redis_url is None:
        raise SettingsError("MIGRATO_REDIS_URL must be set, or the embedded server be started first.")
    return settings.redis_url
