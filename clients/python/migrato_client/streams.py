"""Server-sent events, and streams that go on after whatever breaks them."""

import json
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal

import httpx

from migrato_client.errors import ApiError, StreamGap, Unreachable
from migrato_client.transport import NO_USE, TRANSIENT, Params, Transport, pauses

STEADY: Final = 15.0  # seconds, after which a stream counts as having been open
BEATS: Final = 2  # heartbeats, within the time of which something must come

# Nothing comes any more, and the stream is opened again; or something comes again.
Connection = Literal["interrupted", "back"]


@dataclass(frozen=True, slots=True)
class Frame:
    """A server-sent event. `id`: None if it has none; `retry`: seconds to wait before connecting again, or None."""

    event: str
    data: str
    id: str | None
    retry: float | None


def follow(
    transport: Transport,
    path: str,
    token: str | None,
    params: Params,
    last_id: str | None,
    on_connection: Callable[[Connection], object] | None = None,
) -> Iterator[Any]:
    """The documents of a stream to its end, each once, through restarts of the engine and connections that die without
    a word.

    `last_id`: that of the last document that the caller has. `on_connection` is told how it goes. Raises ApiError,
    StreamGap, and Unreachable if no stream could be opened for as long as `transport.patience`.
    """
    attempts, deadline, received = pauses(), time.monotonic() + transport.patience, False
    tell, is_interrupted, params = on_connection or _ignore, False, {**params, "heartbeats": True}
    while True:
        pause, opened = next(attempts), time.monotonic()
        try:
            silence = transport.silence
            response = transport.open(path, token, params, last_id)
            try:
                if response.status_code == httpx.codes.NO_CONTENT:
                    return
                for frame in frames(response.iter_bytes()):
                    pause = max(pause, frame.retry or 0.0)
                    last_id = frame.id or last_id
                    if is_interrupted and frame.retry is None:
                        is_interrupted = False
                        tell("back")
                    if frame.event == "heartbeat":
                        transport.silence = BEATS * json.loads(frame.data)["seconds"]
                        if transport.silence != silence:
                            break  # httpx takes another limit with another request alone
                        continue
                    if frame.event == "end":
                        return
                    if frame.data:
                        received = True
                        yield json.loads(frame.data)
                        attempts, deadline = pauses(), time.monotonic() + transport.patience
            finally:
                response.close()
            if transport.silence != silence:
                continue
            failure: Exception = Unreachable(f"The stream {transport.url}{path} ends at once.")
        except ApiError as error:
            if error.status == httpx.codes.GONE or (error.status == httpx.codes.NOT_FOUND and received):
                raise StreamGap(str(error)) from error
            if error.status not in TRANSIENT:
                raise
            failure, pause = error, max(pause, error.retry_after or 0.0)
        except NO_USE:
            raise
        except httpx.TransportError as error:
            failure = Unreachable(f"{transport.url}{path}: {type(error).__name__}")
            failure.__cause__ = error
        if not is_interrupted:
            is_interrupted = True
            tell("interrupted")
        now = time.monotonic()
        if now - opened > STEADY:
            attempts, deadline = pauses(), now + transport.patience
        if now + pause > deadline:
            raise failure
        time.sleep(pause)


def _ignore(_: Connection) -> None:
    """Nothing."""


def frames(chunks: Iterable[bytes]) -> Iterator[Frame]:
    """The frames of a stream (https://html.spec.whatwg.org/multipage/server-sent-events.html)."""
    fields: dict[str, str] = {}
    for line in _lines(chunks):
        if line:
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            fields[name] = f"{fields[name]}\n{value}" if name == "data" and name in fields else value
        elif fields:
            retry = fields.get("retry", "")
            yield Frame(
                fields.get("event", "message"),
                fields.get("data", ""),
                fields.get("id"),
                int(retry) / 1000 if retry.isascii() and retry.isdigit() else None,
            )
            fields = {}


def _lines(chunks: Iterable[bytes]) -> Iterator[str]:
    """The whole lines; only line feeds end them here, because JSON may contain what else Python takes for an end."""
    rest = b""
    for chunk in chunks:
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            yield line.removesuffix(b"\r").decode()
