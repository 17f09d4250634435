"""Refusals of requests outside of a game's own rules; they have the form of a game's `DomainError`."""

from collections.abc import Collection, Mapping
from math import ceil
from typing import Any, ClassVar

from domain.errors import NEVER_RELEASED


class EngineError(Exception):
    """A refusal: `code` is the word that clients match on, `detail` a sentence, `data` further members that help."""

    code: ClassVar[str] = "internal-error"
    rule: ClassVar[str | None] = None

    def __init__(self, detail: str, **data: Any) -> None:
        super().__init__(detail)
        self.detail = detail
        self.data: dict[str, Any] = data


class Unauthorized(EngineError):
    """A token that is not known here, or not well formed."""

    code = "unauthorized"


class Forbidden(EngineError):
    """A valid token without the right to this."""

    code = "forbidden"


class GameNotFound(EngineError):
    """No such game, or none that this caller may know of."""

    code = "not-found"

    def __init__(self, game_id: str) -> None:
        super().__init__("There is no such game.")
        self.game_id = game_id


class GamePruned(GameNotFound):
    """A finished game that the archive no longer keeps. The archive's roll of its day has what is left of it.

    `app`, `visibility` and `tokens` (hashes, by seat) decide who may know of the game; None if nothing is left.
    """

    code = "game-pruned"

    def __init__(
        self,
        game_id: str,
        ended_on: str,
        left: Mapping[str, Any] | None = None,
        app: str | None = None,
        visibility: str | None = None,
        tokens: Collection[str] = (),
    ) -> None:
        """`ended_on`: the day (UTC); `left`: `pruned_at`, `version`, `head` and `digest`, that of the export."""
        super().__init__(game_id)
        self.detail = f"This game ended on {ended_on}. It is not kept any more; the digest of its export is."
        self.data = {"game_id": game_id, **(left or {})}
        self.app = app
        self.visibility = visibility
        self.tokens = tokens


class GameEnded(EngineError):
    """The request once created a game that was removed since; no other game gets its id."""

    code = "game-ended"

    def __init__(self, game_id: str) -> None:
        super().__init__(
            f"This request created game {game_id}, which was removed when its time was up, or by the operator.",
            game_id=game_id,
        )


class PlayerNotFound(EngineError):
    """There is no such player of this app; the error does not say whether another app has one."""

    code = "not-found"

    def __init__(self) -> None:
        super().__init__("There is no such player.")


class ExternalIdTaken(EngineError):
    """Another game of the app has the external id."""

    code = "external-id-taken"

    def __init__(self, game_id: str) -> None:
        super().__init__(f"The game {game_id} has this `external_id`.", game_id=game_id)


class PlayersGone(EngineError):
    """A player who was to sit at a new game was erased; the use cases handle it."""

    code = "conflict"

    def __init__(self) -> None:
        super().__init__("A player of this game was erased.")


class InviteVoid(EngineError):
    """An invite that was revoked, has expired, or was never for this seat; the error does not say which."""

    code = "forbidden"

    def __init__(self) -> None:
        super().__init__("This invite does not open this seat, or it has ended.")


class InviteNotFound(EngineError):
    """The game has no such invite."""

    code = "not-found"

    def __init__(self) -> None:
        super().__init__("There is no such invite.")


class MatchTicketNotFound(EngineError):
    """The app has no such ticket of quick match, or it has expired."""

    code = "not-found"

    def __init__(self) -> None:
        super().__init__("There is no such ticket, or it has expired.")


class TooManyWaiting(EngineError):
    """Too many players wait for a partner, so no more can be added."""

    code = "busy"

    def __init__(self) -> None:
        super().__init__("Too many players wait for a partner at the moment.")


class VersionBeyondEnd(EngineError):
    """The game has not reached the version that was asked for; `current` is its last one."""

    code = "not-found"

    def __init__(self, version: int, current: int) -> None:
        super().__init__(
            f"The game has no version {version}; its versions are 1 to {current}.", version=current
        )
        self.current = current


class GameRunning(EngineError):
    """The answer would reveal hidden things while the game runs."""

    code = "game-running"

    def __init__(self) -> None:
        super().__init__(
            "While the game runs a fork cannot have what is hidden from your seat."
            " Send `resample: true`: then it is drawn anew from what your seat may know."
        )


class GameNotOver(EngineError):
    """The answer can only be given once the game is over."""

    code = "game-running"

    def __init__(self) -> None:
        super().__init__("The game is not over: an analysis would tell the seats more than they know.")


class AnalysisUnavailable(EngineError):
    """The game has no judge of its moves."""

    code = "no-analysis"

    def __init__(self, game: str) -> None:
        super().__init__(f"There are no analyses of {game}: no bot of it judges positions well enough.")


class TooManyGames(EngineError):
    """An app has the most unfinished games that it may have."""

    code = "rate-limited"

    def __init__(self, most: int) -> None:
        super().__init__(
            f"This app has {most} games that are not over, which is the limit. Wait until some end, or abort some.",
            limit={"name": "running-per-app", "quota": most},
        )


class QuotaSpent(EngineError):
    """An app has used up a quota that an administrator set. Running games go on."""

    code = "rate-limited"

    def __init__(self, kind: str, period: str, quota: int, until: str, seconds: int) -> None:
        """`until`: the time at which the quota begins again (RFC 3339 UTC), which is so many `seconds` away."""
        super().__init__(
            f"This app has used up its quota of {quota} {kind} in a {period}. It begins anew at {until}.",
            limit={"name": f"{kind}-per-{period}", "quota": quota, "begins_anew_at": until},
        )
        self.seconds = seconds


class TooManyForks(EngineError):
    """The seats of a game, and of the forks that they made, have the most forks that they may have."""

    code = "rate-limited"

    def __init__(self, most: int) -> None:
        super().__init__(
            f"Seats have made {most} forks from this game, which is the limit. Wait until some expire.",
            limit={"name": "seat-forks-per-game", "quota": most},
        )


class WithinMove(EngineError):
    """A version after which no decision comes next: the following events belong to the same move."""

    code = "within-a-move"

    def __init__(self, version: int, before: int, after: int) -> None:
        super().__init__(
            f"Version {version} lies within a move: fork version {before}, before it, or {after}, after it.",
            version=after,
        )


class VersionMismatch(EngineError):
    """`If-Match` named another version, or turn_version, than the current one; nothing was done."""

    code = "version-mismatch"

    def __init__(self, expected: int, current: int, turn_version: int | None = None) -> None:
        """`turn_version`: the current one, if one was expected."""
        is_at = f"version {current}" if turn_version is None else f"turn_version {turn_version}"
        wanted = f"not {expected}" if expected >= 0 else "and no tag of the precondition names it"
        super().__init__(f"The game is at {is_at}, {wanted}.", version=current)
        self.current = current


class VersionConflict(EngineError):
    """Another caller appended first; `current` is the version that the stream has now."""

    code = "conflict"

    def __init__(self, current: int) -> None:
        super().__init__("The game has moved on meanwhile; read it again.", version=current)
        self.current = current


class CommandMismatch(EngineError):
    """A command id (an `Idempotency-Key`) was used again with another body."""

    code = "idempotency-mismatch"

    def __init__(self) -> None:
        super().__init__("This Idempotency-Key was used with another request.")


class StoreUnavailable(EngineError):
    """The store does not answer. It is unknown whether an append was recorded; with its key it may be sent again."""

    code = "store-unavailable"

    def __init__(self, reason: str) -> None:
        super().__init__("The event store does not answer at the moment.")
        self.reason = reason  # for the log, never for clients

    @property
    def kind(self) -> str:
        """A word for the kind of trouble; the log reports each kind once in a while."""
        return type(self).__name__

    @property
    def said(self) -> str:
        """The trouble of the store, for the log: the end of a sentence that begins with the store's name."""
        return f"does not answer: {self.reason}"


class StoreRefuses(StoreUnavailable):
    """The store answers that it cannot carry out the request in its present state."""

    def __init__(self, reason: str, why: str, seconds: int) -> None:
        """`why`: a clause that any caller may read; `seconds` until another attempt may succeed."""
        EngineError.__init__(self, f"The event store refuses at the moment: {why}.")
        self.reason = reason
        self.seconds = seconds

    @property
    def said(self) -> str:
        """Trouble of the store, for the log."""
        return f"refuses: {self.reason}"


class StoreForbids(StoreRefuses):
    """The store does not permit its user to do it, until an operator changes that."""


class StoreOfNoRelease(StoreRefuses):
    """The store holds games in the form of 0.1.0, which no release reads."""

    def __init__(self) -> None:
        EngineError.__init__(self, f"The event store is of 0.1.0. {NEVER_RELEASED}")
        self.reason = f"it is of 0.1.0. {NEVER_RELEASED}"
        self.seconds = 3600


class ArchiveUnavailable(StoreUnavailable):
    """The place where the archive is cannot be read or written."""

    def __init__(self, reason: str) -> None:
        EngineError.__init__(self, "The archive cannot be used at the moment.")
        self.reason = reason

    @property
    def said(self) -> str:
        """Trouble of the archive, for the log."""
        return f"cannot be used: {self.reason}"


class Busy(EngineError):
    """Long work that has waited too long for other work to end."""

    code = "busy"

    def __init__(self) -> None:
        super().__init__("Too many requests about long games wait at the moment.")


class QueueFull(EngineError):
    """A question to a bot that would wait too long behind the others."""

    code = "queue-full"

    def __init__(self, seconds: float, *, reserved: bool = False) -> None:
        """`seconds` until there should be room; `reserved`: for the caller that comes back then with the same key."""
        self.seconds = max(1, ceil(seconds))
        self.reserved = reserved
        more = " Your turn is reserved for this Idempotency-Key." if reserved else ""
        super().__init__(f"The queue of questions to bots is full; come again in {self.seconds} s.{more}")


class NoAnswer(EngineError):
    """No worker has answered a question to a bot in time, or the queue's server does not answer."""

    code = "no-answer"

    def __init__(self, reason: str = "no worker was free in time") -> None:
        super().__init__("No bot has answered in time.")
        self.reason = reason  # for the log, never for clients


class BotFailed(EngineError):
    """A bot raised an error, or ignored its time limit; the log has the details."""

    code = "bot-failed"

    def __init__(self) -> None:
        super().__init__("The bot failed to find a move.")


class QuestionNotFound(EngineError):
    """The caller has no such question, or its answer has expired."""

    code = "not-found"

    def __init__(self) -> None:
        super().__init__("There is no such job, or its result has expired.")


class BadCursor(EngineError):
    """A cursor that this service did not make."""

    code = "validation-error"

    def __init__(self) -> None:
        message = "This is not a cursor of this listing."
        super().__init__(f"cursor: {message}", errors={"cursor": [message]})


class CorruptStream(EngineError):
    """A stored event that no release has written: an unknown type or schema, or a chain that does not hold."""

    code = "internal-error"


class UrlRefused(Exception):
    """A URL that the engine does not call; the message is for the caller that gave it, and reveals nothing about the
    network.
    """


class WebhookNotFound(EngineError):
    """The app has no such webhook; the error does not say whether another app has it."""

    code = "not-found"

    def __init__(self) -> None:
        super().__init__("There is no such webhook.")


class DeliveryNotFound(EngineError):
    """No such delivery was given up."""

    code = "not-found"

    def __init__(self) -> None:
        super().__init__("There is no such delivery among those that were given up.")


class TooManyWebhooks(EngineError):
    """The app has the most webhooks that it may have."""

    code = "too-many-webhooks"

    def __init__(self, most: int) -> None:
        super().__init__(f"The app has {most} webhooks, which is the most that it may have: delete one.")


class BotNotFound(EngineError):
    """No such bot of this app, or no such version of it."""

    code = "not-found"

    def __init__(self) -> None:
        super().__init__("The app has no such bot: GET /v1/bots lists them under `own`.")


class TooManyBots(EngineError):
    """The app has the most bots, or a bot the most versions, that are allowed."""

    code = "too-many-bots"

    def __init__(self, most: int, what: str) -> None:
        super().__init__(f"There are {most} {what}, which is the most: delete one.")


class TooManyWaitingDeliveries(EngineError):
    """Too many deliveries wait for a webhook's receiver, so its app cannot ask for more."""

    code = "rate-limited"

    def __init__(self, most: int) -> None:
        super().__init__(
            f"{most} deliveries wait for this webhook, which is the most. Wait until some have arrived.",
            limit={"name": "waiting-per-webhook", "quota": most},
        )


class TooManySecrets(EngineError):
    """The most secrets sign for a webhook or a bot; it gets no further one before one of them ends."""

    code = "rate-limited"

    def __init__(self, most: int, until: str, whose: str) -> None:
        """`until`: the time at which the first of them ends; `whose`: "webhook" or "bot", their owner."""
        super().__init__(
            f"{most} secrets sign for this {whose}, which is the most. Wait until {until}, when the first ends, or "
            "rotate with an overlap of 0, which ends all former ones.",
            limit={"name": f"secrets-per-{whose}", "quota": most},
        )


class CursorExpired(EngineError):
    """A cursor into an app's events; some of the events after it are no longer kept."""

    code = "events-expired"

    def __init__(self) -> None:
        super().__init__(
            "Events that follow this id are not kept any more: list the games, then go on from `now`."
        )
