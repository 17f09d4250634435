"""The Redis servers, asked about their state: it takes no longer than one request, even if a server does not answer."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from events.errors import StoreUnavailable
from events.runtime.settings import Settings
from events.store.connections.client import RedisClient
from events.store.link import link_to
from events.store.servers.durability import Fault, faults_of

A = TypeVar("A")
B = TypeVar("B")


@dataclass(frozen=True, slots=True)
class Servers:
    """`store` keeps the events, `queue` the jobs; both are the same link if one server does both.

    `ephemeral`: the store must keep nothing on a disk.
    """

    store: RedisClient
    queue: RedisClient
    ephemeral: bool = False

    @classmethod
    def from_settings(cls, settings: Settings) -> "Servers":
        """The servers that the settings name."""
        store = link_to(settings.redis_url or "", settings.redis_timeout)
        if settings.queue_url in (None, settings.redis_url):
            return cls(store, store, settings.ephemeral)
        queue = link_to(settings.queue_url or "", settings.redis_timeout)
        return cls(store, queue, settings.ephemeral)

    def ask(
        self, of_store: Callable[[RedisClient], A], of_queue: Callable[[RedisClient], B]
    ) -> tuple[A | None, B | None]:
        """Answers of the store and the queue; None for a server that does not answer.

        Two servers are asked at the same time. One that does both is not asked again after it did not answer.
        """
        if self.store is self.queue:
            said = _said(of_store, self.store)
            return said, None if said is None else _said(of_queue, self.queue)
        with ThreadPoolExecutor(1) as beside:
            waits = beside.submit(_said, of_queue, self.queue)
            return _said(of_store, self.store), waits.result()

    def faults(self) -> list[Fault]:
        """The reasons why the servers cannot be relied on; none about a server that does not answer."""
        of_store, of_queue = self.ask(self.faults_of_store, self.faults_of_queue)
        return [*(of_store or ()), *(of_queue or ())]

    def faults_of_store(self, store: RedisClient) -> list[Fault]:
        """The reasons why the event store cannot be relied on. Raises StoreUnavailable."""
        return faults_of(store, "store", ephemeral=self.ephemeral)

    def faults_of_queue(self, queue: RedisClient) -> list[Fault]:
        """The reasons why the job queue's server cannot be relied on, if it is not the store. Raises
        StoreUnavailable.
        """
        return [] if queue is self.store else faults_of(queue, "queue")


def _said(question: Callable[[RedisClient], A], link: RedisClient) -> A | None:
    try:
        return question(link)
    except StoreUnavailable:
        return None
