"""CORS: pages of which origins may read the answers. What they may do is judged by `service.http.admission.origins`."""

import re
from typing import Any, Final
from wsgiref.types import StartResponse, WSGIEnvironment

from events.runtime.settings import ANY_ORIGIN, Settings
from service.http.admission.origins import origin_of

ORIGIN_HEADER: Final = "Access-Control-Allow-Origin"
USUAL_HEADERS: Final = (
    "Accept, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Prefer, "
    "X-Request-Id"
)

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

    def for_page(self, environ: WSGIEnvironment, start_response: StartResponse) -> StartResponse:
        """The same, but the answer lets the page of its caller read it only if the page's origin is listed."""
        origin = environ.get("HTTP_ORIGIN", "")

        def start(status: str, headers: list[tuple[str, str]], *error: Any) -> Any:
            named = [header for header in headers if header[0] != ORIGIN_HEADER]
            if origin.lower() in self._origins:
                named.append((ORIGIN_HEADER, origin))
            return start_response(status, named, *error)

        return start


def allowed_headers(environ: WSGIEnvironment) -> str:
    """The request headers that a preflight is told it may send: those that it asks for, whatever they are."""
    asked: str = environ.get("HTTP_ACCESS_CONTROL_REQUEST_HEADERS", "")
    return asked.strip() if _HEADER_NAMES.fullmatch(asked) else USUAL_HEADERS
