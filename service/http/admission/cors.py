# compiled into serving
"""CORS: pages of which origins may read the answers. What they may do is judged by `service.http.admission.origins`."""

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

# The API is used from web pages of any origin; there are no cookies that could be abused. What a page may do where no
# app keys are configured is judged by `service.http.admission.origins`; a refusal, too, is for it to read.
_EXPOSED: Final = (
    "Access-Control-Expose-Headers: Content-Disposition, ETag, Location, Link, Preference-Applied, RateLimit, "
    "RateLimit-Policy, Retry-After, Allow, X-Request-Id\r\nX-Content-Type-Options: nosniff\r\n"
)
ON_EVERY_ANSWER: Final = f"{ORIGIN_HEADER}: *\r\n{_EXPOSED}"

_HEADER_NAMES: Final = re.compile(
    r"[ \t]*[0-9A-Za-z!#$%&'*+.^_`|~-]+(?:[ \t]*,[ \t]*[0-9A-Za-z!#$%&'*+.^_`|~-]+)*[ \t]*"
)


class Cors:
    """The origins that an operator has listed; without a list every origin's pages may read the answers.

    `restricted`: whether there is a list.
    """

    def __init__(self, settings: Settings) -> None:
        self.restricted = bool(settings.cors_origins) and ANY_ORIGIN not in settings.cors_origins
        self._origins = {origin_of(origin) for origin in settings.cors_origins if origin != ANY_ORIGIN}

    def lines(self, environ: WSGIEnvironment) -> str:
        """Last lines of the head of an answer: whether a browser lets the page of its caller read it."""
        if not self.restricted:
            return ON_EVERY_ANSWER
        origin: str = environ.get("HTTP_ORIGIN", "")
        return f"{_EXPOSED}{ORIGIN_HEADER}: {origin}\r\n" if origin.lower() in self._origins else _EXPOSED


def allowed_headers(environ: WSGIEnvironment) -> str:
    """The request headers that a preflight is told it may send: those that it asks for, whatever they are."""
    asked: str = environ.get("HTTP_ACCESS_CONTROL_REQUEST_HEADERS", "")
    return asked.strip() if _HEADER_NAMES.fullmatch(asked) else USUAL_HEADERS
