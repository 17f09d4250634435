"""The access log: a line for each answered request, by its route and never by its path or query.

It is off unless MIGRATO_ACCESS_LOG is 1. Lines are written without `logging`, which takes several times as long.
"""

import os
import time
from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

import orjson

from events.runtime import logs
from events.runtime.settings import Settings
from service.http.call import CALL, Call

LOGGER: Final = "migrato.access"
NO_APP: Final = "-"  # stands for the app's name if no key was checked
LEVELS: Final = ("debug", "info")  # levels of the log that include these lines


class AccessLog(Protocol):
    """Writes a line for each answered request."""

    def __call__(self, call: Call, method: str, route: str, status: int, *, streams: bool) -> None:
        """Write the line of a request; method and route are empty if no route matched. `streams`: a stream has just
        begun.
        """


def access_log(settings: Settings, write: Callable[[bytes], None] = logs.write_line) -> AccessLog | None:
    """The access log that the settings ask for; None if they ask for none."""
    if not settings.access_log or settings.log_level not in LEVELS:
        return None
    line = _json if settings.log_format == "json" else _text

    def note(call: Call, method: str, route: str, status: int, *, streams: bool) -> None:
        about = "" if method == "" else f"{method} {route} "
        fields = _fields(call, method, route, status, streams=streams)
        write(line(time.time(), f"{about}{status}", fields))

    return note


def _fields(call: Call, method: str, route: str, status: int, *, streams: bool) -> dict[str, Any]:
    fields: dict[str, Any] = {"request_id": call.request_id}
    if route:
        fields |= {"method": method, "route": route}
    fields["status"] = status
    if streams:
        fields["stream"] = True
    else:
        fields["duration_ms"] = round(1000 * (time.perf_counter() - call.began), 2)
    fields["app"] = call.app or NO_APP
    if "{game_id}" in route:
        fields["game_id"] = game_of(call)
    return fields


def _json(now: float, message: str, fields: Mapping[str, Any]) -> bytes:
    head = {"time": logs.timestamp(now), "level": "info", "logger": LOGGER, "process": "web"}
    return orjson.dumps({**head, "message": message, "pid": os.getpid(), **fields}) + b"\n"


def _text(now: float, message: str, fields: Mapping[str, Any]) -> bytes:
    told = {name: value for name, value in fields.items() if name not in ("method", "route", "status")}
    return f"{time.strftime('%H:%M:%S', time.localtime(now))} INFO {message}{logs.about(told)}\n".encode()


def under_way() -> Mapping[str, Any]:
    """Fields about the request under way, for every line of the log."""
    call = CALL.get(None)
    if call is None:
        return {}
    known = {"request_id": call.request_id, "method": call.environ.get("REQUEST_METHOD")}
    game_id = game_of(call)
    return known if game_id is None else known | {"game_id": game_id}


def game_of(call: Call) -> str | None:
    """The id of the game in the request's path; None without one."""
    parts = call.environ.get("PATH_INFO", "").split("/", 4)
    is_game = parts[1:3] == ["v1", "games"] and len(parts) > 3
    return parts[3] if is_game and parts[3].isascii() and parts[3].isalnum() else None
