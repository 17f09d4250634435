"""A check that the servers of the settings keep their data."""

import logging
from contextlib import suppress

from events.errors import StoreUnavailable
from events.runtime.settings import Settings, SettingsError
from events.runtime.stores.format_watch import refuse_format
from events.store.link import link_to
from events.store.servers.durability import EVICTS, Fault, faults_of

log = logging.getLogger("migrato.store_check")

PAUSE = 60.0  # seconds from one look of those who watch to the next


class StoreCheck:
    """Asks the event store, and the job queue's server where that is another one; safe among threads and greenlets."""

    def __init__(self, settings: Settings) -> None:
        """Connects when first asked."""
        self._settings = settings
        self._store = link_to(settings.redis_url or "", settings.redis_timeout)
        url = settings.queue_url
        alone = url in (None, settings.redis_url)
        self._queue = None if alone else link_to(url or "", settings.redis_timeout)

    def of_store(self) -> list[Fault]:
        """The faults of the event store's servers. Raises StoreUnavailable."""
        return faults_of(self._store, "store", ephemeral=self._settings.ephemeral)

    def of_queue(self) -> list[Fault]:
        """The faults of the job queue's server, if it is another one. Raises StoreUnavailable."""
        return [] if self._queue is None else faults_of(self._queue, "queue")

    def refuse_eviction(self) -> None:
        """SettingsError for an event store that evicts, unless the settings allow it. Raises StoreUnavailable."""
        evicts = [] if self._settings.allow_eviction else self.of_store()
        for fault in evicts:
            if fault.code == EVICTS:
                raise SettingsError(
                    f"{fault.detail} (It is at {fault.where}; MIGRATO_ALLOW_EVICTION=1 starts all the same.)"
                )


class StoreWatch:
    """Warns of each fault of the servers when it is first seen, and says when it is over."""

    def __init__(self, check: StoreCheck) -> None:
        self._check = check
        self._of_store: set[Fault] = set()
        self._of_queue: set[Fault] = set()

    def begin(self) -> None:
        """The first look, as soon as the store answers. Raises SettingsError for one that evicts; StoreUnavailable."""
        self._check.refuse_eviction()
        self.look()

    def look(self) -> None:
        """Look at the servers; a queue that does not answer is left as it was seen last. Raises StoreUnavailable."""
        before = self._of_store | self._of_queue
        self._of_store = set(self._check.of_store())
        with suppress(StoreUnavailable):
            self._of_queue = set(self._check.of_queue())
        now = self._of_store | self._of_queue
        for fault in sorted(now - before, key=str):
            log.warning("%s (%s)", fault.detail, fault.where)
        for fault in sorted(before - now, key=str):
            log.info("no longer so: %s (%s)", fault.detail, fault.where)


def refuse_unfit(settings: Settings) -> bool:
    """SettingsError for an event store that evicts, unless the settings allow it, or whose format is not read here;
    False for one that is silent.
    """
    if settings.redis_url is None:
        return True
    refuse_format(settings)
    try:
        StoreCheck(settings).refuse_eviction()
    except StoreUnavailable:
        return False  # it is waited for, and looked at as soon as it answers
    return True
