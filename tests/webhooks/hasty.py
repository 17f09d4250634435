"""A service whose players count as gone one second after they have left: `tests.webhooks.hasty:service()`."""

from functools import partial

import compiled.preferred  # noqa: F401 (before anything imports the domain)
from events import application
from events.features.presence import presence
from service.http.app import Service, create_app

GRACE = 1.0  # seconds


def service() -> Service:
    """The whole service, by the settings of the environment."""
    application.Presence = partial(presence.Presence, grace=GRACE)  # type: ignore[assignment,attr-defined]
    presence.PACE = GRACE / 4  # type: ignore[misc]
    return create_app()
