"""Every error response of the service: one table of codes, and one form of document (RFC 9457)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import orjson

from service.http.call import current_request_id
from service.http.responses import Reply, lines_of

MEDIA_TYPE = "application/problem+json"

# The caller decides how many members are at fault and how long their names are, so these limits bound a refusal.
NAMED: Final = 50  # the most members at fault that a refusal names
NAMES: Final = 8192  # the most bytes of JSON for their names and messages
NAME: Final = 100  # characters of a member's name
MESSAGE: Final = 600  # characters of one message
MESSAGES: Final = 5  # messages about one member
DETAIL: Final = 1000  # characters of the `detail`


@dataclass(frozen=True, slots=True)
class Kind:
    """Meaning of a code: the HTTP status, a title that never changes, and advice for the client."""

    status: int
    title: str
    advice: str


KINDS: dict[str, Kind] = {
    "bad-request": Kind(400, "Bad request", "Correct the request line or the headers."),
    "malformed-json": Kind(
        400, "Malformed JSON", "Send one JSON document in UTF-8 (RFC 8259), with each name once in an object."
    ),
    "unauthorized": Kind(
        401, "Token missing or invalid", "Send `Authorization: Bearer TOKEN` with a valid token."
    ),
    "forbidden": Kind(
        403,
        "Not allowed with this token",
        "Use the token of the seat or the app. If the problem has a `scope`, use a key with this scope.",
    ),
    "foreign-origin": Kind(
        403,
        "Not allowed from this origin",
        "The operator can list the site in MIGRATO_ORIGINS, or configure app keys.",
    ),
    "not-found": Kind(404, "Not found", "Check the address. A private game needs a token."),
    "game-pruned": Kind(
        404, "Game not kept any more", "Compare an export that you have with `digest`, its SHA-256."
    ),
    "method-not-allowed": Kind(
        405, "Method not allowed", "The Allow header lists the methods of the resource."
    ),
    "request-timeout": Kind(408, "Request timeout", "Send the request again."),
    "not-your-turn": Kind(409, "Not your turn", "Wait until `to_act` is your seat."),
    "game-not-started": Kind(409, "Game not started", "Wait until every open seat is taken."),
    "game-over": Kind(409, "Game over", "Read the result of the game."),
    "time-is-up": Kind(
        409,
        "Time is up",
        "Read the game: the turn is over, or a bot has taken it. `deadline` says when it ended.",
    ),
    "game-running": Kind(
        409,
        "Game still running",
        "Wait until the game is over. A seat can fork it now with `resample: true`.",
    ),
    "no-analysis": Kind(409, "No analysis of this game", "Look at its replay."),
    "no-rematch": Kind(409, "No rematch of this game", "Create another game."),
    "rated-game": Kind(
        409,
        "The game is rated",
        "Play on without help. A game that is created with `rated: false` has hints, forks and takebacks.",
    ),
    "nothing-to-take-back": Kind(
        409,
        "Nothing to take back",
        "Play on: only the last move can be taken back, by the person who made it.",
    ),
    "nothing-to-claim": Kind(
        409, "No win to claim", "Play on, or wait until `claimable_at` with a stream of the seat open."
    ),
    "something-was-learnt": Kind(
        409, "Somebody has learnt something", "Play on. `learnt_by` is the event that has shown something."
    ),
    "no-more-takebacks": Kind(409, "No more takebacks in this game", "Play on."),
    "seat-taken": Kind(409, "Seat already taken", "Take another seat."),
    "external-id-taken": Kind(
        409, "External id already taken", "Use the game that `game_id` names, or another `external_id`."
    ),
    "no-more-tokens": Kind(
        409, "No more tokens for this seat", "Use the token that was issued last, or create another game."
    ),
    "already-waiting": Kind(409, "Already waiting", "Use the ticket that the player has, or cancel it."),
    "already-matched": Kind(409, "Already matched", "Get the ticket: it names the game."),
    "too-many-invites": Kind(
        409, "Too many invites", "Revoke invites of the game, or wait until some expire."
    ),
    "app-exists": Kind(409, "App exists already", "Choose another name, or rotate the app's key."),
    "too-many-apps": Kind(409, "Too many apps", "Give an app that is not in use any more another key."),
    "too-many-keys": Kind(
        409, "Too many valid keys", "Revoke one of the `keys`, or rotate with an `overlap` of 0."
    ),
    "too-many-webhooks": Kind(409, "Too many webhooks", "Delete a webhook of the app."),
    "too-many-bots": Kind(409, "Too many bots", "Delete a bot of the app, or a version."),
    "conflict": Kind(409, "Conflicting changes", "Read the game and try again."),
    "game-ended": Kind(
        410,
        "Game removed",
        "Send another `Idempotency-Key` for another game; `game_id` is the one that is gone.",
    ),
    "events-expired": Kind(
        410,
        "Events no longer kept",
        "List the games to see how they stand, then ask for events from `now` on.",
    ),
    "version-mismatch": Kind(
        412, "Version mismatch", "Read the game again; `version` is its current version."
    ),
    "precondition-failed": Kind(
        412, "Precondition failed", "Send the request again, without If-Match and If-None-Match."
    ),
    "too-large": Kind(413, "Body too large", "Send at most as many bytes as `detail` says."),
    "uri-too-long": Kind(414, "URI too long", "Shorten the query string."),
    "unsupported-media-type": Kind(415, "Unsupported media type", "Send `Content-Type: application/json`."),
    "validation-error": Kind(422, "Invalid request", "Correct the fields that `errors` names."),
    "illegal-move": Kind(
        422,
        "Illegal move",
        "Read the rule that `rule` names and `rule_url` leads to, and ask for the legal moves.",
    ),
    "within-a-move": Kind(422, "Version within a move", "Fork one of the versions that `detail` names."),
    "unknown-bot": Kind(422, "Unknown bot", "GET /v1/bots lists the bots."),
    "unknown-game": Kind(
        422, "Unknown game", "Use one of the games that `detail` names, or leave `game` out."
    ),
    "idempotency-mismatch": Kind(422, "Idempotency key already used", "Use a new key for every new request."),
    "impossible-position": Kind(422, "Impossible position", "Correct what `detail` describes."),
    "bad-deck": Kind(422, "Invalid deck", "Correct the deck: `missing` and `extra` name the difference."),
    "rate-limited": Kind(
        429,
        "Too many requests",
        "Send the request again after `Retry-After` seconds, or when an earlier one has ended.",
    ),
    "headers-too-large": Kind(431, "Header fields too large", "Send fewer or shorter header fields."),
    "internal-error": Kind(500, "Internal error", "The error was logged. Report it if it happens again."),
    "bot-failed": Kind(500, "Bot failed", "Ask again, or ask another bot. The error was logged."),
    "not-implemented": Kind(501, "Not implemented", "Send a plain HTTP/1.1 request."),
    "store-unavailable": Kind(
        503,
        "Event store unavailable",
        "Send the request again after Retry-After seconds. With the same Idempotency-Key a move is never played twice.",
    ),
    "busy": Kind(503, "Service busy", "Send the request again after Retry-After seconds."),
    "queue-full": Kind(
        503,
        "Too many questions to bots",
        "Send the request again after Retry-After seconds, with the same Idempotency-Key: your turn is reserved.",
    ),
    "no-answer": Kind(
        503,
        "No answer from a bot",
        "Send the request again after Retry-After seconds, or with `Prefer: respond-async`.",
    ),
    "not-ready": Kind(503, "Service not ready", "`checks` shows what is missing."),
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

RETRY_AFTER = {
    "rate-limited": "60",
    "store-unavailable": "1",
    "not-ready": "1",
    "busy": "5",
    "no-answer": "3",
}


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
    """A validation error. `errors`: messages by dotted field name; `where`: "body", "query" or "header"."""
    shown = first_of(errors)
    more = f"; `errors` names {len(shown)} of {len(errors)}" if len(shown) < len(errors) else ""
    named = ", ".join(list(shown)[:5])
    return Problem("validation-error", f"The {where} is not valid: see {named}{more}.", errors=errors)


def first_of(errors: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """The first of the members at fault, within the limits of a refusal; at least one."""
    shown: dict[str, list[str]] = {}
    size = 0
    for name, messages in errors.items():
        told = shortened(name, NAME), [shortened(message, MESSAGE) for message in messages[:MESSAGES]]
        size += len(orjson.dumps(told))
        if shown and (len(shown) == NAMED or size > NAMES):
            break
        shown.setdefault(*told)
    return shown


def shortened(text: str, most: int) -> str:
    """The text, or its beginning where it is longer than `most` characters."""
    return text if len(text) <= most else f"{text[:most]}..."


def document(code: str, detail: str, members: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The problem document: the fixed members first, then what helps."""
    kind = KINDS[code]
    fixed = {
        "type": f"/problems#{code}",
        "title": kind.title,
        "status": kind.status,
        "detail": shortened(detail, DETAIL),
        "code": code,
    }
    found: dict[str, Any] = fixed | {
        name: value for name, value in (members or {}).items() if name not in fixed and value is not None
    }
    if "errors" in found:
        found["errors"] = first_of(found["errors"])
    return found


def answer(problem: Problem, request_id: str | None = None) -> Reply:
    """The HTTP answer to a problem; `request_id` is that of a request that was never read, else of the
    one under way.
    """
    kind = KINDS[problem.code]
    headers = {"Cache-Control": "no-store"} | problem.headers
    if kind.status == 401:
        headers.setdefault("WWW-Authenticate", "Bearer")
    if problem.code in RETRY_AFTER:
        headers.setdefault("Retry-After", RETRY_AFTER[problem.code])
    members = problem.members | {"request_id": request_id or current_request_id()}
    body = orjson.dumps(document(problem.code, problem.detail, members))
    return Reply(body, kind.status, f"{lines_of(headers)}Content-Type: {MEDIA_TYPE}\r\n")
