"""The ports: what the use-cases ask of whatever keeps events, listings, players and questions to bots."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from domain.lifecycle import Json
from domain.value import Value
from events.errors import CommandMismatch
from events.log.envelope import RecordedEvent, StreamHead
from events.log.game_secrets import Secrets
from events.log.signing import SignedHead
from events.log.stored_form import StoredGame


class CommandId(Value):
    """The identity of a request: the same id with the same fingerprint is the same request, and is done once."""

    __match_args__ = ("id", "fingerprint")

    def __init__(self, id: str, fingerprint: str = "") -> None:
        self.id = id
        self.fingerprint = fingerprint


def is_drawn(command: str) -> bool:
    """Whether a command's id was drawn for one request alone: it has a `~`, and no other id has one.

    Nobody can ask for such a command again but who asks to append it, at the same version: a request without an answer.
    """
    return "~" in command


class Appended(Value):
    """The events were added; the stream ends at `version` now."""

    __match_args__ = ("version",)

    def __init__(self, version: int) -> None:
        self.version = version


@dataclass(frozen=True, slots=True)
class Repeated:
    """The command was done before: it caused the events `first` to `last`. Nothing was added."""

    first: int
    last: int

    @classmethod
    def by(cls, command: CommandId, recorded: str) -> "Repeated":
        """What the command caused by its record, `fingerprint:first:last`; CommandMismatch if it was another one."""
        fingerprint, first, last = recorded.split(":")
        if fingerprint != command.fingerprint:
            raise CommandMismatch
        return cls(int(first), int(last))


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

        A command that was done before is answered with its recorded outcome, whatever `expected` says; one whose id
        was drawn (`is_drawn`), if `expected` is the same as it was.
        Raises VersionConflict, CommandMismatch, GameNotFound. Safe to be sent again with the same command.
        """

    def read(self, game_id: str, after: int = 0, limit: int | None = None) -> list[RecordedEvent]:
        """The events after version `after`, at most `limit`; [] where there are none (no such game included)."""

    def recorded(self, game_id: str, command: CommandId) -> Repeated | None:
        """What the command caused, if it was done before; CommandMismatch if its id was another's.

        Nothing is known of a command whose id was drawn.
        """

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


@dataclass(frozen=True, slots=True)
class Page:
    """Some games of a listing, and where the rest begins; `cursor` None where there is no rest."""

    games: list[Json]
    cursor: str | None


Index = tuple[str, ...]  # by which games of an app are found: ("status", "playing"); () is all of them


class ListingStore(Protocol):
    """The lines of each app's listing, and indexes of them. Every method may raise StoreUnavailable.

    A member of an index is a game as `time:id`, and stands in the order of its bytes.
    """

    def put(
        self,
        app: str,
        game_id: str,
        version: int,
        line: bytes,
        member: str,
        listed: Sequence[Index],
        unlisted: Sequence[Index],
    ) -> None:
        """Put a game's line in, and the game into some indexes and out of others, unless a later version is there."""

    def members(self, app: str, indexes: Sequence[Index], before: bytes | None, limit: int) -> set[bytes]:
        """Of each index at most `limit` members, the last ones before `before`; None: the last ones of all."""

    def lines(self, app: str, game_ids: Sequence[bytes]) -> list[bytes]:
        """The lines of these games in the listing."""

    def versions(self, game_ids: Sequence[str]) -> list[int]:
        """Of each game the version that its line in its app's listing is of; 0 without one."""


@dataclass(frozen=True, slots=True)
class PlayerRecord:
    """Who a player is: a name in the words of its app, the app, and since when (RFC 3339 UTC) it is known."""

    name: str
    app: str
    created_at: str


@dataclass(frozen=True, slots=True)
class StoredPlayer:
    """A player's record, opened, and what the index knows it by."""

    record: PlayerRecord
    digest: bytes


class PlayerStore(Protocol):
    """The players of an installation. Every method may raise StoreUnavailable; each is safe to be sent again."""

    def known(self, app: str, names: Sequence[str]) -> list[str | None]:
        """The ids of the app's players of these names; None for one that is not there."""

    def enrol(self, record: PlayerRecord, place: str = "") -> str:
        """The id of the app's player of that name, or of its guest at a `place`, who is made where there is none."""

    def read(self, player_ids: Sequence[str]) -> list[StoredPlayer | None]:
        """The players of these ids; None for one that is not there (any more)."""

    def erase(self, player_id: str, digest: bytes) -> bool:
        """Destroy what is known of the player in one step; whether there was anything to destroy."""

    def settle_erasures(self) -> None:
        """See to it that what was erased leaves the store's files, too; to be called now and then."""


class BotQueryQueue(Protocol):
    """Where questions wait for somebody who thinks about them. Every method may raise NoAnswer."""

    def ask(
        self, key: str, owner: str, question: Json, *, urgent: bool = False, app: str | None = None
    ) -> None:
        """Put a question; where one stands under the key already, it is put in line again if it is in none. QueueFull.

        `app`: in whose share of the line it stands; its owner's, unless it is said. An `urgent` one stands in another
        line, which comes first, and finds room where others do not any more.
        """

    def answer(self, key: str, owner: str, seconds: float = 0.0) -> Json | None:
        """The answer to the owner's question, waited for at most so long; None while there is none.

        Raises QuestionNotFound.
        """

    def forget(self, key: str) -> None:
        """Nobody wants to know any more."""

    def next(self, *, hints_only: bool = False) -> str | None:
        """For a worker: the key of the question that is to be thought about next, which leaves the line."""

    def question(self, key: str) -> Json | None:
        """For a worker: what is asked; None where it is answered or nobody wants to know."""

    def tell(self, key: str, answer: Json) -> None:
        """For a worker: the answer."""


class UrlGuard(Protocol):
    """Says which addresses may be called on behalf of others."""

    def check(self, url: str) -> None:
        """Raise UrlRefused for an address that may not be called."""


@dataclass(frozen=True, slots=True)
class Found:
    """All that Redis has of a game at one moment; `raw` is without entries where there is no stream.

    `sizes` are the numbers of entries of its stream and of fields of each of the hashes beside it. `gaps` names the
    entries that do not stand where they belong, `lost` is the last one that was added, if it is gone. `due` and
    `restored` are as they are kept, `moving` says whether somebody moves games of the partition, `now` is the server's
    time in seconds.
    """

    raw: StoredGame
    sizes: tuple[int, ...]
    gaps: tuple[str, ...]
    lost: str | None
    due: str | None
    restored: str | None
    moving: bool
    now: float


@dataclass(frozen=True, slots=True)
class Ended:
    """A game whose result is confirmed: `at` says when (RFC 3339 UTC), `restored` when it was brought back, in ms."""

    game_id: str
    at: str
    restored: str | None


class LockLost(Exception):
    """Somebody else moves games of the partition by now: this took too long."""


class PartitionLock(Protocol):
    """The right to move games of a partition; what is done under it says so (`token`)."""

    token: str

    def renew(self) -> None:
        """Hold it for longer; LockLost if it has expired."""

    def release(self) -> None:
        """Release the lock, so that another archiver may work here."""


class WholeGames(Protocol):
    """Whole games of the event store: looked at, removed, put back. Every method may raise StoreUnavailable."""

    def whole(self, game_id: str) -> Found:
        """All that there is of the game, at one moment."""

    def ended(self) -> Iterator[Ended]:
        """The games whose last event is the confirmation of their result."""

    def archived_stamp(self, game_id: str) -> tuple[bool, str | None]:
        """Whether the store has the game, and what changed when games of its partition were last removed."""

    def remove(self, found: Found, token: str, file: str) -> str:
        """Remove a game that the file holds: "removed"; "gone", "changed" or "lost" (the lock) if nothing was done."""

    def restore(self, raw: StoredGame) -> str:
        """Put a game back: "restored", "present" (the very same is there), or "different", and then nothing is done."""

    def lock(self, partition: int) -> PartitionLock | None:
        """The right to move games of the partition; None while somebody else has it."""
