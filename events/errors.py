"""Refusals of requests before or after the game had its say; the same shape as a game's own `DomainError`."""

from collections.abc import Collection, Mapping
from math import ceil
from typing import Any, ClassVar

from domain.errors import NEVER_RELEASED


class EngineError(Exception):
    """A refusal: `code` is the slug that clients match on, `detail` a sentence, `data` further members that help."""

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
    """A token that is good for something else."""

    code = "forbidden"


class GameNotFound(EngineError):
    """No such game, or none that this caller may know of."""

    code = "not-found"

    def __init__(self, game_id: str) -> None:
        super().__init__("There is no such game.")
        self.game_id = game_id


class GamePruned(GameNotFound):
    """A finished game that the archive does not keep any more. The archive's roll of its day has what is left of it.

    `app`, `visibility` and `tokens` (hashes, by seat) say who may know of it; None: nothing is left.
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
    """The request once created a game that was removed since: there is no other one under its id."""

    code = "game-ended"

    def __init__(self, game_id: str) -> None:
        super().__init__(
            f"This request created game {game_id}, which was removed when its time was up, or by the operator.",
            game_id=game_id,
        )


class PlayerNotFound(EngineError):
    """No such player, or none of this app's; the error does not say which."""

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
    """An invite that was revoked, has expired, or never was one for this seat; the error does not say which."""

    code = "forbidden"

    def __init__(self) -> None:
        super().__init__("This invite does not open this seat, or it has ended.")


class InviteNotFound(EngineError):
    """No such invite of this game."""

    code = "not-found"

    def __init__(self) -> None:
        super().__init__("There is no such invite.")


class MatchTicketNotFound(EngineError):
    """No such ticket of quick match, none of this app's, or one that has expired."""

    code = "not-found"

    def __init__(self) -> None:
        super().__init__("There is no such ticket, or it has expired.")


class TooManyWaiting(EngineError):
    """Too many players wait for a partner: nobody can join them."""

    code = "busy"

    def __init__(self) -> None:
        super().__init__("Too many players wait for a partner at the moment.")


class VersionBeyondEnd(EngineError):
    """A version was asked for that the game has not reached; `current` is the last one."""

    code = "not-found"

    def __init__(self, version: int, current: int) -> None:
        super().__init__(
            f"The game has no version {version}; its versions are 1 to {current}.", version=current
        )
        self.current = current


class GameRunning(EngineError):
    """The answer would show hidden things while the game runs."""

    code = "game-running"

    def __init__(self) -> None:
        super().__init__(
            "While the game runs a fork cannot have what is hidden from your seat."
            " Send `resample: true`: then it is drawn anew from what your seat may know."
        )


class GameNotOver(EngineError):
    """The answer is only told of a game that is over."""

    code = "game-running"

    def __init__(self) -> None:
        super().__init__("The game is not over: an analysis would tell the seats more than they know.")


class AnalysisUnavailable(EngineError):
    """Nothing judges the moves of that game."""

    code = "no-analysis"

    def __init__(self, game: str) -> None:
        super().__init__(f"There are no analyses of {game}: no bot of it judges positions well enough.")


class TooManyGames(EngineError):
    """An app has so many games that are not over that it may have no more."""

    code = "rate-limited"

    def __init__(self, most: int) -> None:
        super().__init__(
            f"This app has {most} games that are not over, which is the limit. Wait until some end, or abort some.",
            limit={"name": "running-per-app", "quota": most},
        )


class QuotaSpent(EngineError):
    """An app has used up a quota that an administrator has set. Running games go on."""

    code = "rate-limited"

    def __init__(self, kind: str, period: str, quota: int, until: str, seconds: int) -> None:
        """`until`: when it begins anew (RFC 3339 UTC), in so many `seconds`."""
        super().__init__(
            f"This app has used up its quota of {quota} {kind} in a {period}. It begins anew at {until}.",
            limit={"name": f"{kind}-per-{period}", "quota": quota, "begins_anew_at": until},
        )
        self.seconds = seconds


class TooManyForks(EngineError):
    """The seats of a game, and of the forks that they made, have made so many forks that there may be no more."""

    code = "rate-limited"

    def __init__(self, most: int) -> None:
        super().__init__(
            f"Seats have made {most} forks from this game, which is the limit. Wait until some expire.",
            limit={"name": "seat-forks-per-game", "quota": most},
        )


class WithinMove(EngineError):
    """A version after which nobody decides anything: what follows is part of the same move."""

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
    """Somebody else appended first; `current` is the version that the stream has now."""

    code = "conflict"

    def __init__(self, current: int) -> None:
        super().__init__("The game has moved on meanwhile; read it again.", version=current)
        self.current = current


class CommandMismatch(EngineError):
    """A command id (an `Idempotency-Key`) came back with another body."""

    code = "idempotency-mismatch"

    def __init__(self) -> None:
        super().__init__("This Idempotency-Key was used with another request.")


class StoreUnavailable(EngineError):
    """The store does not answer. Whether an append was recorded is unknown; with its key it may be sent again."""

    code = "store-unavailable"

    def __init__(self, reason: str) -> None:
        super().__init__("The event store does not answer at the moment.")
        self.reason = reason  # for the log, never for clients

    @property
    def kind(self) -> str:
        """A word for what the store does: of each kind the log tells once in a while."""
        return type(self).__name__

    @property
    def said(self) -> str:
        """Trouble of the store, for the log: the end of a sentence that begins with its name."""
        return f"does not answer: {self.reason}"


class StoreRefuses(StoreUnavailable):
    """The store answers that it cannot do it, as things are with it."""

    def __init__(self, reason: str, why: str, seconds: int) -> None:
        """`why`: a clause for anybody; `seconds` until it is worth a try again."""
        EngineError.__init__(self, f"The event store refuses at the moment: {why}.")
        self.reason = reason
        self.seconds = seconds

    @property
    def said(self) -> str:
        """Trouble of the store, for the log."""
        return f"refuses: {self.reason}"


class StoreForbids(StoreRefuses):
    """The store does not let its user do it, until an operator changes that."""


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
    """Long work that has waited in vain for other work to end."""

    code = "busy"

    def __init__(self) -> None:
        super().__init__("Too many requests about long games wait at the moment.")


class QueueFull(EngineError):
    """A question to a bot that would wait too long behind the others."""

    code = "queue-full"

    def __init__(self, seconds: float, *, reserved: bool = False) -> None:
        """`seconds` until there should be room; `reserved`: for the asker who comes back then with the same key."""
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
    """A bot raised an error, or ignored its time limit; the place of the failure has logged it."""

    code = "bot-failed"

    def __init__(self) -> None:
        super().__init__("The bot failed to find a move.")


class QuestionNotFound(EngineError):
    """No such question, none of this caller's, or its answer has expired."""

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
    """A URL that we do not call; the message is for the caller who gave it, and says nothing about our own network."""


class WebhookNotFound(EngineError):
    """No such webhook, or none of this app's; the error does not say which."""

    code = "not-found"

    def __init__(self) -> None:
        super().__init__("There is no such webhook.")


class DeliveryNotFound(EngineError):
    """No such delivery among those that were given up."""

    code = "not-found"

    def __init__(self) -> None:
        super().__init__("There is no such delivery among those that were given up.")


class TooManyWebhooks(EngineError):
    """The app has as many webhooks as it may have."""

    code = "too-many-webhooks"

    def __init__(self, most: int) -> None:
        super().__init__(f"The app has {most} webhooks, which is the most that it may have: delete one.")


class BotNotFound(EngineError):
    """No such bot of this app, or no such version of it."""

    code = "not-found"

    def __init__(self) -> None:
        super().__init__("The app has no such bot: GET /v1/bots lists them under `own`.")


class TooManyBots(EngineError):
    """The app has as many bots, or a bot as many versions, as it may have."""

    code = "too-many-bots"

    def __init__(self, most: int, what: str) -> None:
        super().__init__(f"There are {most} {what}, which is the most: delete one.")


class TooManyWaitingDeliveries(EngineError):
    """Too many deliveries wait for a webhook's receiver: its app cannot have further ones made again."""

    code = "rate-limited"

    def __init__(self, most: int) -> None:
        super().__init__(
            f"{most} deliveries wait for this webhook, which is the most. Wait until some have arrived.",
            limit={"name": "waiting-per-webhook", "quota": most},
        )


class TooManySecrets(EngineError):
    """Too many secrets sign for a webhook or a bot: it gets no further one while all of them do."""

    code = "rate-limited"

    def __init__(self, most: int, until: str, whose: str) -> None:
        """`until` is when the first of them ends; `whose`: a "webhook" has them, or a "bot"."""
        super().__init__(
            f"{most} secrets sign for this {whose}, which is the most. Wait until {until}, when the first ends, or "
            "rotate with an overlap of 0, which ends all former ones.",
            limit={"name": f"secrets-per-{whose}", "quota": most},
        )


class CursorExpired(EngineError):
    """A cursor into an app's events of which some that follow are kept no more."""

    code = "events-expired"

    def __init__(self) -> None:
        super().__init__(
            "Events that follow this id are not kept any more: list the games, then go on from `now`."
        )
