"""A small HTTP client of the service, for commands that use it like any other client."""

import json
import os
import time
import uuid
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any
from urllib.parse import urlsplit

from service.cli.exits import Failure, Refusal
from service.cli.supervision.port import reachable

Json = dict[str, Any]
PATIENCE = 15.0  # seconds for which an unreachable service is asked again, because it may be restarting
PAUSE = 0.3
LONGEST_ANSWER = 45.0  # seconds; longer than any long poll


class Refused(Exception):
    """The service's problem document for a request that it did not carry out."""

    def __init__(self, problem: Json) -> None:
        detail = str(problem.get("detail") or problem.get("title") or "refused")
        messages = [
            f"{field}: {text}" for field, texts in problem.get("errors", {}).items() for text in texts
        ]
        super().__init__("\n  ".join([detail, *(message for message in messages if message not in detail)]))
        self.code = str(problem.get("code", ""))


def default_url() -> str:
    """The address at which `migrato serve` with the same settings answers."""
    host = reachable(os.environ.get("MIGRATO_HOST") or "127.0.0.1")
    return f"http://{host}:{os.environ.get('MIGRATO_PORT') or 8000}"


@dataclass(frozen=True, slots=True)
class Client:
    """A client of one service, with the rights of `token`."""

    url: str
    token: str | None = None

    def get(self, path: str) -> Json:
        """The document at `path`. Raises Refused; Failure if no service answers."""
        return self._ask("GET", path, None)

    def post(self, path: str, document: Json) -> Json:
        """Answer of the service to the document, which it handles once even if it is sent again."""
        return self._ask("POST", path, document)

    def patch(self, path: str, document: Json) -> Json:
        """Answer of the service to the change, which does nothing if it was done before."""
        return self._ask("PATCH", path, document)

    def _ask(self, method: str, path: str, document: Json | None) -> Json:
        headers = {"Accept": "application/json", "Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        if document is not None:
            headers["Idempotency-Key"] = str(uuid.uuid4())
        body = None if document is None else json.dumps(document)
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                status, answer = self._exchange(method, path, body, headers)
                if status != 503 or time.monotonic() > deadline:
                    break
            except (OSError, HTTPException) as error:
                if time.monotonic() > deadline or isinstance(error, ConnectionRefusedError):
                    raise Failure(f"No service answers at {self.url}. `migrato serve` starts one.") from error
            time.sleep(PAUSE)
        if status >= 400:
            raise Refused(answer)
        return answer

    def _exchange(
        self, method: str, path: str, body: str | None, headers: dict[str, str]
    ) -> tuple[int, Json]:
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise Refusal(f"{self.url} is no http:// or https:// address.")
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        connection = kind(parts.hostname, parts.port, timeout=LONGEST_ANSWER)
        try:
            connection.request(method, parts.path.rstrip("/") + path, body, headers)
            response = connection.getresponse()
            text = response.read()
        finally:
            connection.close()
        try:
            return response.status, json.loads(text)
        except ValueError as error:
            raise Failure(f"What answers at {self.url} is not this service.") from error
