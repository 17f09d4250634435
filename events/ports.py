"""The event store port: what the use-cases ask of whatever keeps the events."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from events.games.remote_seat import Remote
from events.log.envelope import RecordedEvent, StreamHead
from events.log.signing import SignedHead


@dataclass(frozen=True, slots=True)
class Secrets:
    """What a game keeps beside its events and never shows: its seed, whose it is, who holds which seat.

    `tokens` maps a seat to the SHA-256 (hex) of its token, `remotes` a remote seat to where its bot is; `seed` is 32
    bytes, `created_at` RFC 3339 UTC. `signature` is of the final head, and no secret.
    """

    seed: bytes
    app: str
    visibility: str
    game: str
    created_at: str
    tokens: Mapping[int, str] = field(default_factory=dict)
    remotes: Mapping[int, Remote] = field(default_factory=dict)
    signature: SignedHead | None = None

    def with_tokens(self, taken: Mapping[int, str]) -> "Secrets":
        """The same with the tokens of seats that were taken."""
        return replace(self, tokens={**self.tokens, **taken})


@dataclass(frozen=True, slots=True)
class CommandId:
    """The identity of a request: the same id with the same fingerprint is the same request, and is done once."""

    id: str
    fingerprint: str = ""


@dataclass(frozen=True, slots=True)
class Appended:
    """The events were added; the stream ends at `version` now."""

    version: int


@dataclass(frozen=True, slots=True)
class Repeated:
    """The command was done before: it caused the events `first` to `last`. Nothing was added."""

    first: int
    last: int


class EventStore(Protocol):
    """Streams of events, one a game. Every method may raise StoreUnavailable.

    `due` says what a game waits for once the events are in: "bot", "remote", "score" or "" (people). It goes into the
    feed, and into the index of games that are due, in the same atomic step as the events.
    """

    def create(
        self, game_id: str, secrets: Secrets, command: CommandId, events: Sequence[RecordedEvent], due: str
    ) -> Appended | Repeated:
        """Begin a stream; VersionConflict if there is one.

        A stream that the same command began is answered with its recorded outcome, and left as it is, secrets too.
        Raises CommandMismatch. Safe to be sent again.
        """

    def append(
        self,
        game_id: str,
        expected: StreamHead,
        command: CommandId,
        events: Sequence[RecordedEvent],
        due: str = "",
        tokens: Mapping[int, str] | None = None,
    ) -> Appended | Repeated:
        """Add the events if the stream still ends at `expected`, and the `tokens` of seats taken, all or nothing.

        A command that was done before is answered with its recorded outcome, whatever `expected` says.
        Raises VersionConflict, CommandMismatch, GameNotFound. Safe to be sent again with the same command.
        """

    def read(self, game_id: str, after: int = 0, limit: int | None = None) -> list[RecordedEvent]:
        """The events after version `after`, at most `limit`; [] where there are none (no such game included)."""

    def recorded(self, game_id: str, command: CommandId) -> Repeated | None:
        """What the command caused, if it was done before; CommandMismatch if its id was another's."""

    def secrets(self, game_id: str) -> Secrets:
        """Raises GameNotFound."""

    def requests_secret(self) -> bytes:
        """The installation's secret for what is derived from requests (`events.games.idempotency`): 32 bytes."""

    def keep_signature(self, game_id: str, signed: SignedHead) -> SignedHead:
        """Keep the signature of the game's final head with its secrets, unless there is one; which one there is now.

        Raises GameNotFound. Safe to be sent again, and by several at once: the first one stays.
        """

    def version(self, game_id: str) -> int:
        """The number of events in the stream; 0 if there is no such game."""

    def wait(self, game_id: str, after: int, seconds: float) -> int:
        """Wait until the stream goes beyond version `after`, at most so long; its version then."""
