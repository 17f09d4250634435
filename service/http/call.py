# compiled into serving
"""A request under way, and its route."""

import os
import re
import time
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any, Final
from urllib.parse import parse_qsl
from wsgiref.types import WSGIEnvironment

from events.features.apps.scopes import ADMIN
from service.http.responses import Reply

BODY_LIMIT: Final = 64 * 1024  # bytes
POSITION_LIMIT: Final = 1024 * 1024  # bytes of a described position, with the history of a long game
KEY_LIMIT: Final = 255  # characters of an Idempotency-Key
TOKEN_LIMIT: Final = 512  # characters of a bearer token

REQUEST_ID: Final = "X-Request-Id"
# An id that a caller may choose, for logs. Tokens have an underscore and an `Idempotency-Key` may repeat an answer, so
# neither must be logged: an id that is a token, or equals the request's `Idempotency-Key`, is not accepted.
_REQUEST_ID: Final = re.compile(r"[0-9A-Za-z.:=-]{1,64}")
_NO_RULES: Final[Mapping[str, str]] = {}
_DIGITS: Final = 16  # hex digits of an id that the service draws
_AT_ONCE: Final = 128  # ids that are drawn together, which takes no longer than to draw one
_DRAWN: Final[list[str]] = []  # drawn ids that no request has yet
os.register_at_fork(after_in_child=_DRAWN.clear)  # the parent uses them


class Route:
    """The resource that the pipeline answers: an operation, a document, or none.

    `name`: the template of its path, for metrics and logs; "" where there is no resource. `scope`: the scope that an
    app's key needs. `foreign`: pages of other sites may ask for it where no app keys identify callers. `paced`: it
    counts for the pace of its caller. `reads`: the conditional headers that its view reads; None where nothing is
    changed.
    """

    def __init__(
        self,
        name: str,
        view: Callable[..., Reply],
        *,
        scope: str = ADMIN,
        foreign: bool = True,
        paced: bool = False,
        reads: tuple[str, ...] | None = None,
    ) -> None:
        self.name = name
        self.view = view
        self.scope = scope
        self.foreign = foreign
        self.paced = paced
        self.reads = reads


class Found:
    """The route of a request, with the parameters in its path."""

    def __init__(self, route: Route, parameters: dict[str, Any]) -> None:
        self.route = route
        self.parameters = parameters


class Call:
    """A request on its way through the pipeline.

    `began`: in seconds of `time.perf_counter`. `game`: the name of the game whose rules a refusal cites, once it is
    known; `rules`: for each member of the body, the rule that says which values it may have. `quota`: the header lines
    that tell the rest of a limit, and `left`: that rest. `app`: the app whose key came with the request, once the key
    was checked. `found` is known before the first step, `reply` after the view.
    """

    found: Found
    reply: Reply

    def __init__(self, environ: WSGIEnvironment) -> None:
        self.environ = environ
        self.began = time.perf_counter()
        self.game: str | None = None
        self.rules: Mapping[str, str] = _NO_RULES
        self.quota = ""
        self.left = 0
        self.app: str | None = None
        self._request_id: str | None = None

    @property
    def request_id(self) -> str:
        """The request's id in logs: its own `X-Request-Id` if that is valid, else a drawn one."""
        if self._request_id is None:
            sent: str = self.environ.get("HTTP_X_REQUEST_ID", "")
            is_fit = sent and _REQUEST_ID.fullmatch(sent) and sent != self.environ.get("HTTP_IDEMPOTENCY_KEY")
            self._request_id = sent if is_fit else new_request_id()
        return self._request_id

    @property
    def method(self) -> str:
        """The method of the request line."""
        method: str = self.environ["REQUEST_METHOD"]
        return method

    def arguments(self) -> dict[str, list[str]]:
        """The query string: every value of every parameter; bytes that are not UTF-8 stay percent-encoded."""
        found: dict[str, list[str]] = {}
        raw: str = self.environ.get("QUERY_STRING", "")
        if raw:
            text = raw.encode("latin-1").decode(errors="werkzeug.url_quote")
            for name, value in parse_qsl(text, keep_blank_values=True, errors="werkzeug.url_quote"):
                found.setdefault(name, []).append(value)
        return found


def new_request_id() -> str:
    """An id for a request that came without one or was never read: random, and different in every process."""
    try:
        return _DRAWN.pop()
    except IndexError:
        drawn = os.urandom(_AT_ONCE * _DIGITS // 2).hex()
        first, *others = [drawn[at : at + _DIGITS] for at in range(0, len(drawn), _DIGITS)]
        _DRAWN.extend(others)
        return first


CALL: ContextVar[Call] = ContextVar("call")  # each greenlet and each thread has its own

current_call: Callable[[], Call] = CALL.get


def current_request_id() -> str:
    """The id of the request that is being answered."""
    call = CALL.get(None)
    return new_request_id() if call is None else call.request_id
