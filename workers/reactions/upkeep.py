"""Upkeep: periodic acts that end what has expired, and remove what is no longer needed."""

from collections.abc import Callable, Mapping

from events.application import Application
from events.ports import Feed


def upkeep(feed: Feed, application: Application) -> Mapping[Callable[[], object], float]:
    """The acts of upkeep, each with the seconds from one time to the next."""
    return {
        feed.trim: 30.0,
        application.players.settle_erasures: 5.0,
        application.forks.end_expired: 10.0,
        application.rematches.end_requests: 5.0,
        application.abandonment.end: 15.0,
    }
