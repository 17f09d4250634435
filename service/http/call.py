"""The request that is being answered: what it says, and what the app that answers it was made with."""

import os
import re
import time
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any, Final
from urllib.parse import parse_qsl
from wsgiref.types import WSGIEnvironment

from events.apps.scopes import ADMIN

REQUEST_ID: Final = "X-Request-Id"
# An id that a caller may choose. No token is one, for those have an underscore: so none gets into the log by this way.
# Nor does the request's Idempotency-Key, by which its answer can be had again.
_REQUEST_ID: Final = re.compile(r"[0-9A-Za-z.:=-]{1,64}")
_NO_RULES: Final[Mapping[str, str]] = {}
_DIGITS: Final = 16  # of an id of ours, in hex
_AT_ONCE: Final = 128  # ids that are drawn at once, which takes as long as to draw one
_DRAWN: Final[list[str]] = []  # and not given to any request yet
os.register_at_fork(after_in_child=_DRAWN.clear)  # they are its parent's


class Call:
    """A request on its way through the service, by the fast path or by Flask.

    `extensions`: what the app was made with, by name. `began`: in seconds of `time.perf_counter`. `game`: the name of
    the game whose rules a refusal cites, once it is known; `rules`: by member of the body, the rule that says what it
    may be. `quota`: the lines of the answer's head that say what is left of a limit. `scope`: what an app's key must be
    good for.
    """

    def __init__(self, environ: WSGIEnvironment, extensions: Mapping[str, Any]) -> None:
        self.environ = environ
        self.extensions = extensions
        self.began = time.perf_counter()
        self.game: str | None = None
        self.rules: Mapping[str, str] = _NO_RULES
        self.quota = ""
        self.scope: str = ADMIN  # until it is known what is asked for
        self._request_id: str | None = None

    @property
    def request_id(self) -> str:
        """By which the request is found in logs: the one that it came with, if that will do, else one of ours."""
        if self._request_id is None:
            sent: str = self.environ.get("HTTP_X_REQUEST_ID", "")
            is_fit = sent and _REQUEST_ID.fullmatch(sent) and sent != self.environ.get("HTTP_IDEMPOTENCY_KEY")
            self._request_id = sent if is_fit else new_request_id()
        return self._request_id

    @property
    def path(self) -> str:
        """The path, decoded."""
        raw: str = self.environ.get("PATH_INFO", "")
        return raw.encode("latin-1").decode(errors="replace")

    def arguments(self) -> dict[str, list[str]]:
        """The query string: every value of every parameter."""
        found: dict[str, list[str]] = {}
        raw: str = self.environ.get("QUERY_STRING", "")
        if raw:
            text = raw.encode("latin-1").decode()
            for name, value in parse_qsl(text, keep_blank_values=True, errors="werkzeug.url_quote"):
                found.setdefault(name, []).append(value)
        return found


def new_request_id() -> str:
    """An id for a request that came with none, or was never read: random, and another one each time in any process."""
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
