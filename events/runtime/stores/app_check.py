"""The store that the settings name, asked whether it has apps."""

from events.errors import StoreUnavailable
from events.features.apps.redis.apps import RedisAppStore
from events.runtime.settings import Settings
from events.store.link import link_to


def has_apps(settings: Settings) -> bool:
    """True if there are apps in the settings' store; a store that does not answer has none."""
    try:
        return RedisAppStore(link_to(settings.redis_url or "", settings.redis_timeout)).has_apps()
    except StoreUnavailable:
        return False
