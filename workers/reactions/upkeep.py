"""Upkeep: ends what has run out, and forgets what nobody needs."""

from collections.abc import Callable, Mapping

from events.application import Application
from events.ports import Feed


def upkeep(feed: Feed, application: Application) -> Mapping[Callable[[], object], float]:
    """The acts of upkeep, and how many seconds apart each is done."""
    return {
        feed.trim: 30.0,
        application.players.settle_erasures: 5.0,
        application.forks.end_expired: 10.0,
        application.rematches.end_requests: 5.0,
        application.abandonment.end: 15.0,
    }
