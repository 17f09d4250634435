# compiled into serving
"""CORS: the origins whose pages may read answers. `service.http.admission.origins` decides what pages may do."""

import re
from typing import Final
from wsgiref.types import WSGIEnvironment

from events.runtime.settings import ANY_ORIGIN, Settings
from service.http.admission.origins import origin_of

ORIGIN_HEADER: Final = "Access-Control-Allow-Origin"
USUAL_HEADERS: Final = (
    "Accept, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Prefer, "
    "X-Request-Id"
)

# Pages of any origin may use the API: there are no cookies to abuse. `service.http.admission.origins` decides what a
# page may do where there are no app keys; the page may read a refusal, too.
_EXPOSED: Final = (
    "Access-Control-Expose-Headers: Content-Disposition, ETag, Location, Link, Preference-Applied, RateLimit, "
    "RateLimit-Policy, Retry-After, Allow, X-Request-Id\r\nX-Content-Type-Options: nosniff\r\n"
)
ON_EVERY_ANSWER: Final = f"{ORIGIN_HEADER}: *\r\n{_EXPOSED}"

_HEADER_NAMES: Final = re.compile(
    r"[ \t]*[0-9A-Za-z!#$%&'*+.^_`|~-]+(?:[ \t]*,[ \t]*[0-9A-Za-z!#$%&'*+.^_`|~-]+)*[ \t]*"
)


class Cors:
    """The origins that an operator has listed; without a list, pages of every origin may read the answers.

    `restricted`: True if there is a list.
    """

    def __init__(self, settings: Settings) -> None:
        self.restricted = bool(settings.cors_origins) and ANY_ORIGIN not in settings.cors_origins
        self._origins = {origin_of(origin) for origin in settings.cors_origins if origin != ANY_ORIGIN}

    def lines(self, environ: WSGIEnvironment) -> str:
        """The last header lines of an answer: they tell a browser whether the page that asked may read it."""
        if not self.restricted:
            return ON_EVERY_ANSWER
        origin: str = environ.get("HTTP_ORIGIN", "")
        return f"{_EXPOSED}{ORIGIN_HEADER}: {origin}\r\n" if origin.lower() in self._origins else _EXPOSED


def allowed_headers(environ: WSGIEnvironment) -> str:
    """The request headers that a preflight may send: all those that it asks for."""
    asked: str = environ.get("HTTP_ACCESS_CONTROL_REQUEST_HEADERS", "")
    return asked.strip() if _HEADER_NAMES.fullmatch(asked) else USUAL_HEADERS
