"""A client of the engine: it sends a request again, the very same, until it is answered, and records every attempt."""

import threading
import time
import uuid
from dataclasses import dataclass, field
from typing import Any, Final

import requests

from drills.history import DRILL, History, without_tokens

Json = dict[str, Any]
TIMEOUT: Final = 15.0  # seconds that one attempt may take; no long poll here waits for more than 5
LONGEST_PAUSE: Final = 0.5  # seconds between two attempts
TRY_AGAIN: Final = frozenset((408, 429, 503))


class Unanswered(Exception):
    """The engine gave no answer for as long as the client is patient."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Outcome of a request: a success, or a refusal."""

    status: int
    document: Json

    @property
    def ok(self) -> bool:
        """True if it is a success."""
        return self.status < 400


@dataclass(slots=True)
class AppKey:
    """The key of the app that creates the games, which the operator may change at any time."""

    value: str


def new_key() -> str:
    """An `Idempotency-Key` that nobody guesses."""
    return str(uuid.uuid4())


@dataclass(slots=True)
class Client:
    """One connection's worth of requests, numbered; `by` names it in the history."""

    url: str
    by: str
    history: History
    patience: float
    stopped: threading.Event
    session: requests.Session = field(default_factory=requests.Session)
    count: int = 0

    def ask(
        self,
        do: str,
        method: str,
        path: str,
        *,
        game_id: str | None = None,
        seat: int | None = None,
        token: str | AppKey | None = None,
        body: Json | None = None,
        key: str | None = None,
        version: int | None = None,
    ) -> Answer:
        """The answer to a request that is safe to repeat: one that only reads, or one with a key. Raises Unanswered.

        `version`: the game's, of a move that is to be refused.
        """
        self.count += 1
        number, name, attempt, pause = self.count, game_id or DRILL, 0, 0.02
        deadline = time.monotonic() + self.patience
        said: Json = {"by": self.by, "n": number}
        while time.monotonic() < deadline and not self.stopped.is_set():
            attempt += 1
            asked = {"do": do, "seat": seat, "method": method, "path": path, "body": body, "key": key}
            asked |= {} if version is None else {"version": version}
            self.history.write(name, {"is": "invoke", **said, **asked, "attempt": attempt})
            answer, why = self._attempt(method, path, token, body, key)
            if answer is not None and not self._is_unclear(answer, token):
                document = without_tokens(answer.document)
                entry = {"is": "ok" if answer.ok else "fail", **said, "status": answer.status}
                self.history.write(name, {**entry, "answer": document})
                return answer
            self.history.write(name, {"is": "info", **said, "why": why or f"{answer and answer.status}"})
            time.sleep(pause)
            pause = min(LONGEST_PAUSE, 2 * pause)
        raise Unanswered(f"{self.by}: {method} {path}")

    def _attempt(
        self, method: str, path: str, token: str | AppKey | None, body: Json | None, key: str | None
    ) -> tuple[Answer | None, str]:
        bearer = token.value if isinstance(token, AppKey) else token
        headers = {} if bearer is None else {"Authorization": f"Bearer {bearer}"}
        if key is not None:
            headers["Idempotency-Key"] = key
        try:
            got = self.session.request(method, self.url + path, json=body, headers=headers, timeout=TIMEOUT)
            return Answer(got.status_code, got.json()), ""
        except (requests.RequestException, ValueError) as error:
            return None, type(error).__name__

    @staticmethod
    def _is_unclear(answer: Answer, token: str | AppKey | None) -> bool:
        """True if the same request has to be sent again: the engine was away, failed, or has another app key now."""
        refused = answer.status == 401 and isinstance(token, AppKey)
        return answer.status in TRY_AGAIN or answer.status >= 500 or refused
