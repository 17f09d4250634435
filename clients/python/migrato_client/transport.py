"""Requests to one engine, repeated where that may help."""

import json
import random
import time
import uuid
from collections.abc import Iterator, Mapping
from typing import Any, Final

import httpx

from migrato_client.errors import ApiError, Unreachable, error_of

PATIENCE: Final = 30.0  # seconds for which a request is repeated
CONNECT: Final = 5.0  # seconds
LIMIT: Final = 10.0  # seconds in which something must come; of a long poll, that many more
SLOW: Final = 45.0  # for what a bot or the whole record of a game has to do with
FIRST_PAUSE: Final = 0.1  # seconds before the first repeat; doubled for each further one
LONGEST_PAUSE: Final = 5.0
TRANSIENT: Final = frozenset((408, 429, 502, 503, 504))  # what a repeat may mend
NO_USE: Final = (httpx.UnsupportedProtocol, httpx.LocalProtocolError)  # what it cannot

Params = Mapping[str, str | int | bool | None]


class Transport:
    """Sends requests. It may be used by several threads at once."""

    def __init__(
        self,
        url: str,
        patience: float = PATIENCE,
        transport: httpx.BaseTransport | None = None,
        app_key: str | None = None,
    ) -> None:
        """`url`: where the engine is; `patience`: seconds; `transport`: what httpx sends requests by."""
        self._app_key = app_key
        self.url = url.rstrip("/")
        self.patience = patience
        self.silence = LIMIT  # seconds for which nothing may come on a stream; the engine tells them
        self._http = httpx.Client(transport=transport)

    def close(self) -> None:
        """Close its connections."""
        self._http.close()

    def request(
        self,
        method: str,
        path: str,
        *,
        token: str | None = None,
        body: Any = None,
        params: Params | None = None,
        headers: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
        repeat: bool = True,
        timeout: float | None = None,
    ) -> httpx.Response:
        """The response of status 2xx or 304. Raises ApiError, Unreachable.

        A POST carries an idempotency key, the same in every repeat: a new one, unless there is one. `repeat`: False for
        what the engine gives no key and must not happen twice; it is sent once. `timeout`: seconds for each attempt, 10
        and those of a long poll unless you say otherwise.
        """
        sent = self._authorized(token) | {"Accept": "application/json"} | dict(headers or {})
        if method == "POST":
            sent["Idempotency-Key"] = idempotency_key or str(uuid.uuid4())
        content = None
        if body is not None:
            content = json.dumps(body, ensure_ascii=False).encode()
            sent["Content-Type"] = "application/json"
        request = self._http.build_request(
            method,
            f"{self.url}{path}",
            params=_given(params),
            headers=sent,
            content=content,
            timeout=_within(timeout or LIMIT + float((params or {}).get("wait") or 0)),
        )
        deadline = time.monotonic() + (self.patience if repeat else 0.0)
        for pause in pauses():
            failure: ApiError | Unreachable
            try:
                response = self._http.send(request)
                if response.is_success or response.status_code == httpx.codes.NOT_MODIFIED:
                    return response
                failure = error_of(response)
                if failure.status not in TRANSIENT:
                    raise failure
                pause = max(pause, failure.retry_after or 0.0)
            except NO_USE:
                raise
            except httpx.TransportError as error:
                failure = Unreachable(f"{method} {self.url}{path}: {type(error).__name__}")
                failure.__cause__ = error
            if time.monotonic() + pause > deadline:
                raise failure
            time.sleep(pause)
        raise AssertionError("pauses do not end")

    def open(self, path: str, token: str | None, params: Params, last_id: str | None) -> httpx.Response:
        """The response to one attempt to open a stream, of status 200 or 204; close it. Raises ApiError, httpx's."""
        headers = self._authorized(token) | {"Accept": "text/event-stream"}
        if last_id is not None:
            headers["Last-Event-ID"] = last_id
        request = self._http.build_request(
            "GET",
            f"{self.url}{path}",
            params=_given(params),
            headers=headers,
            timeout=_within(self.silence),
        )
        response = self._http.send(request, stream=True)
        if response.is_success:
            return response
        try:
            response.read()
        finally:
            response.close()
        raise error_of(response)

    def _authorized(self, token: str | None) -> dict[str, str]:
        """The caller; beside a seat's token the app that sends its request, whose limits count."""
        sent = {} if token is None else {"Authorization": f"Bearer {token}"}
        if self._app_key is not None and token not in (None, self._app_key):
            sent["Migrato-App-Key"] = self._app_key
        return sent


def pauses() -> Iterator[float]:
    """Seconds before each repeat, at random, so that many clients do not come all at once."""
    longest = FIRST_PAUSE
    while True:
        yield longest * random.uniform(0.5, 1.0)  # noqa: S311 (nobody need not guess it)
        longest = min(2 * longest, LONGEST_PAUSE)


def content_of(response: httpx.Response) -> Any:
    """Content of a response: a document, text, or None."""
    if not response.content:
        return None
    kind = response.headers.get("Content-Type", "").partition(";")[0]
    return response.json() if kind == "application/json" else response.text


def _within(seconds: float) -> httpx.Timeout:
    return httpx.Timeout(seconds, connect=CONNECT)


def _given(params: Params | None) -> dict[str, str]:
    """The parameters that are given, as the API spells them."""
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in (params or {}).items()
        if value is not None
    }
