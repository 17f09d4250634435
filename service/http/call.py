"""The request that is being answered: what it says, and what the app that answers it was made with."""

import time
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any, Final
from urllib.parse import parse_qsl
from wsgiref.types import WSGIEnvironment

_NO_RULES: Final[Mapping[str, str]] = {}


class Call:
    """A request on its way through the service, by the fast path or by Flask.

    `extensions`: what the app was made with, by name. `began`: in seconds of `time.perf_counter`. `game`: the name of
    the game whose rules a refusal cites, once it is known; `rules`: by member of the body, the rule that says what it
    may be.
    """

    def __init__(self, environ: WSGIEnvironment, extensions: Mapping[str, Any]) -> None:
        self.environ = environ
        self.extensions = extensions
        self.began = time.perf_counter()
        self.game: str | None = None
        self.rules: Mapping[str, str] = _NO_RULES

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


CALL: ContextVar[Call] = ContextVar("call")  # each greenlet and each thread has its own

current_call: Callable[[], Call] = CALL.get
