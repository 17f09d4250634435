"""Every refusal of the service: one table of codes, and one document shape (RFC 9457) for them all."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson
from werkzeug.wrappers import Response

MEDIA_TYPE = "application/problem+json"


@dataclass(frozen=True, slots=True)
class Kind:
    """What a code means: the HTTP status, a title that never changes, and what a client can do about it."""

    status: int
    title: str
    advice: str


KINDS: dict[str, Kind] = {
    "bad-request": Kind(400, "The request is not valid HTTP", "Correct the request line or the headers."),
    "malformed-json": Kind(
        400, "The body is not JSON", "Send one JSON document in UTF-8 (RFC 8259), each name once."
    ),
    "unauthorized": Kind(401, "The token is missing or wrong", "Send `Authorization: Bearer TOKEN`."),
    "forbidden": Kind(403, "The token does not allow this", "Use the token of the seat or app in question."),
    "foreign-origin": Kind(
        403,
        "A page of another site may not do this here",
        "The operator can list the site in MIGRATO_ORIGINS, or configure app keys.",
    ),
    "not-found": Kind(
        404, "There is nothing here for you", "Check the address; a private game needs its token."
    ),
    "method-not-allowed": Kind(405, "The resource has no such method", "See the Allow header."),
    "request-timeout": Kind(408, "The request did not arrive in time", "Send it again."),
    "not-your-turn": Kind(409, "It is another seat's turn", "Wait until `to_act` is your seat."),
    "game-not-started": Kind(409, "The game waits for players", "Wait until every open seat is taken."),
    "game-over": Kind(409, "The game is over", "Read its result."),
    "game-running": Kind(
        409, "The game still runs", "Wait until it is over; a seat may fork it with `resample: true`."
    ),
    "seat-taken": Kind(409, "The seat is taken", "Take another seat."),
    "no-more-tokens": Kind(
        409, "The seat has had its last new token", "Use the one that was issued last, or begin another game."
    ),
    "conflict": Kind(409, "The game changed too often meanwhile", "Read the game and try again."),
    "version-mismatch": Kind(
        412, "The game has moved on", "Read the game again; `version` is the current one."
    ),
    "precondition-failed": Kind(412, "This is another document", "Read it again, without If-Match."),
    "too-large": Kind(413, "The body is too large", "Send at most as many bytes as `detail` says."),
    "uri-too-long": Kind(414, "The address is too long", "Shorten the query string."),
    "unsupported-media-type": Kind(
        415, "The body has the wrong type", "Send `Content-Type: application/json`."
    ),
    "validation-error": Kind(
        422, "The request says something meaningless", "`errors` names every field at fault."
    ),
    "illegal-move": Kind(
        422, "The rules do not allow this move", "See `rule`, and the legal moves of the game."
    ),
    "within-a-move": Kind(
        422, "Nobody decides anything at this version", "Fork one of the versions that `detail` names."
    ),
    "unknown-bot": Kind(422, "There is no such bot", "GET /v1/bots lists them."),
    "unknown-game": Kind(422, "There is no such game", "Omit `game` or name one that exists."),
    "idempotency-mismatch": Kind(
        422, "The idempotency key was used for another body", "Use a new key for each request."
    ),
    "impossible-position": Kind(
        422,
        "The position contradicts itself or its history",
        "`detail` tells how; correct what is described.",
    ),
    "bad-deck": Kind(
        422, "The deck is not a permutation of the cards", "`missing` and `extra` name the difference."
    ),
    "rate-limited": Kind(429, "Too many requests", "Wait for the seconds that Retry-After gives."),
    "headers-too-large": Kind(431, "The header fields are too large", "Send fewer or shorter header fields."),
    "internal-error": Kind(500, "The service made a mistake", "Nothing more is known; it has been logged."),
    "bot-failed": Kind(500, "The bot failed", "Ask again, or another bot; it has been logged."),
    "not-implemented": Kind(501, "The service does not understand this", "Send a plain HTTP/1.1 request."),
    "store-unavailable": Kind(
        503,
        "The event store does not answer",
        "Repeat after Retry-After seconds; with the same Idempotency-Key a move is never played twice.",
    ),
    "busy": Kind(503, "Too much long work is under way", "Ask again after Retry-After seconds."),
    "queue-full": Kind(503, "Too many questions wait for the bots", "Ask again after Retry-After seconds."),
    "no-answer": Kind(
        503,
        "No bot has answered in time",
        "Ask again after Retry-After seconds, or with `Prefer: respond-async`.",
    ),
    "not-ready": Kind(503, "The service cannot serve games now", "`checks` tells what is missing."),
}

CODE_OF_STATUS: dict[int, str] = {
    400: "bad-request",
    401: "unauthorized",
    403: "forbidden",
    404: "not-found",
    405: "method-not-allowed",
    408: "request-timeout",
    413: "too-large",
    414: "uri-too-long",
    415: "unsupported-media-type",
    429: "rate-limited",
    431: "headers-too-large",
    501: "not-implemented",
}

RETRY_AFTER = {"store-unavailable": "1", "not-ready": "1", "busy": "5", "queue-full": "3", "no-answer": "3"}


class Problem(Exception):
    """A refusal that the service itself decides; `members` are further members of the document."""

    def __init__(
        self, code: str, detail: str, *, headers: Mapping[str, str] | None = None, **members: Any
    ) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.headers = dict(headers or {})
        self.members = members


def invalid(errors: dict[str, list[str]], where: str) -> Problem:
    """A validation error; `errors` are messages per dotted field name, `where` is "body", "query" or "header"."""
    named = ", ".join(list(errors)[:5])
    return Problem("validation-error", f"The {where} is not valid: see {named}.", errors=errors)


def document(code: str, detail: str, members: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The problem document: the fixed members first, then what helps."""
    kind = KINDS[code]
    fixed = {
        "type": f"/problems#{code}",
        "title": kind.title,
        "status": kind.status,
        "detail": detail,
        "code": code,
    }
    return fixed | {
        name: value for name, value in (members or {}).items() if name not in fixed and value is not None
    }


def answer(problem: Problem) -> Response:
    """The HTTP answer to a problem."""
    kind = KINDS[problem.code]
    headers = {"Cache-Control": "no-store"} | problem.headers
    if kind.status == 401:
        headers.setdefault("WWW-Authenticate", "Bearer")
    if problem.code in RETRY_AFTER:
        headers.setdefault("Retry-After", RETRY_AFTER[problem.code])
    body = orjson.dumps(document(problem.code, problem.detail, problem.members))
    return Response(body, kind.status, headers, content_type=MEDIA_TYPE)
