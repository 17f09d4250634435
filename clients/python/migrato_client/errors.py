"""Errors that the client raises."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx


class ApiError(Exception):
    """The engine refused the request and changed nothing: its problem document (RFC 9457).

    `code` is for programs: "illegal-move", "not-your-turn" and so on; it is "" if something else than the engine
    answered. `errors` has the messages of each wrong field. `problem` is the whole document, with what else helps.
    """

    def __init__(self, status: int, problem: dict[str, Any], retry_after: float | None = None) -> None:
        """`retry_after`: the seconds after which the engine wants to be asked again, if it said so."""
        self.status = status
        self.problem = problem
        self.retry_after = retry_after
        self.code = str(problem.get("code", ""))
        self.title = str(problem.get("title", ""))
        self.detail = str(problem.get("detail", ""))
        self.rule: str | None = problem.get("rule")
        self.version: int | None = problem.get("version")
        self.request_id: str | None = problem.get("request_id")
        self.errors: dict[str, list[str]] = problem.get("errors", {})
        fields = "".join(f"\n  {field}: {' '.join(texts)}" for field, texts in self.errors.items())
        super().__init__(f"{status} {self.code}: {self.detail or self.title}{fields}")


class Unreachable(Exception):
    """No answer came, however often the client asked; whether the last attempt had an effect is unknown.

    Send the same request again with the same idempotency key to learn it.
    """


class StreamGap(Exception):
    """Events that were there are gone. Read the game, or the list of games, again, and follow from there."""


class Altered(Exception):
    """The engine shows event `version` otherwise than it did before, or than it is bound to. Keep what you have."""

    def __init__(self, version: int, what: str) -> None:
        super().__init__(f"event {version}: {what}")
        self.version = version


class InvalidSignature(Exception):
    """The message was not signed with that secret, or not just now."""


def error_of(response: httpx.Response) -> ApiError:
    """The problem that a response tells, whose body has been read."""
    seconds = _pause(response.headers.get("Retry-After", ""), response.headers.get("Date", ""))
    try:
        problem = response.json()
    except ValueError:
        problem = None
    if not isinstance(problem, dict):
        problem = {"title": response.reason_phrase, "detail": response.text[:200]}
    return ApiError(response.status_code, problem, seconds)


def _pause(after: str, date: str) -> float | None:
    """The seconds that a Retry-After asks for; a date, as proxies send it, is one of the clock that Date tells."""
    if after.isascii() and after.isdigit():
        return float(after)
    until = _time(after)
    return None if until is None else max(0.0, (until - (_time(date) or datetime.now(UTC))).total_seconds())


def _time(text: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(text)
    except ValueError:
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)
