"""A service whose players count as gone five seconds after they have left, and a caller that confirms nothing as away
after two: `tests.webhooks.hasty:service()`.
"""

from functools import partial

import compiled.preferred  # noqa: F401 (before anything imports the domain)
from events import application
from events.features.presence import presence
from service.http.app import Service, create_app
from service.http.server import web_worker

GRACE = 5.0  # seconds; a busy machine lets a process wait for one or two


def service() -> Service:
    """The whole service, by the settings of the environment."""
    application.Presence = partial(presence.Presence, grace=GRACE)  # type: ignore[assignment,attr-defined]
    presence.PACE = GRACE / 4  # type: ignore[misc]
    web_worker.STALLED = 2.0
    return create_app()
