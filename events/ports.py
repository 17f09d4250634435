# compiled into serving
"""Ports that no feature owns: the event store, the feed, whole games, counts of requests, traces, and the url guard."""

import re
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Protocol

from domain.value import Value
from events.errors import CommandMismatch
from events.log.envelope import RecordedEvent, StreamHead
from events.log.game_secrets import Secrets
from events.log.partitions import PARTITIONS
from events.log.signing import SignedHead
from events.log.stored_form import StoredGame


class CommandId(Value):
    """The identity of a request: requests with the same id and fingerprint are the same request, which is carried out
    once.
    """

    __match_args__ = ("id", "fingerprint")

    def __init__(self, id: str, fingerprint: str = "") -> None:
        self.id = id
        self.fingerprint = fingerprint


def short(digest: bytes) -> str:
    """A SHA-256 in the short form of ids and fingerprints of commands: its first 128 bits, 22 characters of base64url.

    So the records of a game's commands are short enough for the store to keep them in a compact list.
    """
    return urlsafe_b64encode(digest[:16])[:22].decode()


def is_drawn(command: str) -> bool:
    """True if a command's id was drawn for one request alone: such an id has a `~`, and no other id has one.

    Only the request that drew it can send such a command again, at the same version, if it got no answer.
    """
    return "~" in command


class Appended(Value):
    """The events were appended; the stream now ends at `version`."""

    __match_args__ = ("version",)

    def __init__(self, version: int) -> None:
        self.version = version


@dataclass(frozen=True, slots=True)
class Repeated:
    """The command was carried out before, with the events `first` to `last`. Nothing was appended."""

    first: int
    last: int

    @classmethod
    def by(cls, command: CommandId, recorded: str) -> "Repeated":
        """Events of the command by its record, `fingerprint:first:last`; CommandMismatch if it was another one."""
        fingerprint, first, last = recorded.split(":")
        if fingerprint != command.fingerprint:
            raise CommandMismatch
        return cls(int(first), int(last))


NOWHERE: Final = "-"  # the stamp of an archive in which nobody has looked for the game


class MovedMeanwhile(Exception):
    """Games were moved to the archive after the caller had looked for the game there."""


class EventStore(Protocol):
    """Streams of events, one a game. Every method may raise StoreUnavailable.

    `due` says what a game waits for once the events are in: "bot", "remote", "score" or "" (people). It goes into the
    feed, and into the index of games that are due, in the same atomic step as the events. So does a `deadline`, in
    milliseconds, into the index of deadlines; 0 takes it out, None, for a game without a clock, leaves the index alone.
    `standing` is kept beside the game: what its line in a listing says of how it stands, b"" for nothing. `used` goes
    into the feed: what the append adds to the usage of the game's app (`events.log.usage`).
    """

    def create(
        self,
        game_id: str,
        secrets: Secrets,
        command: CommandId,
        events: Sequence[RecordedEvent],
        due: str,
        deadline: int | None = None,
        standing: bytes = b"",
        *,
        looked_at: str | None = NOWHERE,
        used: str = "",
    ) -> Appended | Repeated:
        """Begin a stream; VersionConflict if there is one, GameEnded if there was one that was removed.

        A stream that the same command began is answered with its recorded outcome, and left as it is, secrets too.
        Raises CommandMismatch. Safe to be sent again. `looked_at` is the stamp of the archive in which the game was
        not; MovedMeanwhile if it has another one now.
        """

    def append(
        self,
        game_id: str,
        expected: StreamHead,
        command: CommandId,
        events: Sequence[RecordedEvent],
        due: str = "",
        tokens: Mapping[int, str] | None = None,
        invite: "StoredInvite | None" = None,
        deadline: int | None = None,
        standing: bytes = b"",
        used: str = "",
    ) -> Appended | Repeated:
        """Add the events if the stream still ends at `expected`, and the `tokens` of seats taken, all or nothing.

        With an `invite` it is done only if the store still has exactly this invite, and it has not expired: else
        InviteVoid.

        A command that was done before is answered with its recorded outcome for any `expected`; one whose id was drawn
        (`is_drawn`), only for the same `expected`. Raises VersionConflict, CommandMismatch, GameNotFound. Safe to be
        sent again with the same command.
        """

    def read(self, game_id: str, after: int = 0, limit: int | None = None) -> list[RecordedEvent]:
        """The events after version `after`, at most `limit`; [] if there are none, or no such game."""

    def recorded(self, game_id: str, command: CommandId) -> Repeated | None:
        """Events of the command, if it was done before; CommandMismatch if its id was another's.

        None for a command whose id was drawn.
        """

    def recorded_of(
        self, identity: Callable[[bytes], tuple[str, CommandId]]
    ) -> tuple[bytes, Repeated | None]:
        """`requests_secret` and `recorded` at once, of the game and the command that follow from the secret.

        `identity` may be called several times, with different secrets.
        """

    def secrets(self, game_id: str) -> Secrets:
        """Raises GameNotFound."""

    def has_ended(self, game_id: str) -> bool:
        """True for a game that was removed, but whose creating request may come again."""

    def requests_secret(self) -> bytes:
        """The installation's secret for what is derived from requests (`events.engine.idempotency`): 32 bytes."""

    def keep_signature(self, game_id: str, signed: SignedHead) -> SignedHead:
        """Keep the signature of the game's final head with its secrets, unless there is one. Returns the kept one.

        Raises GameNotFound. Safe to be sent again, and by several at once: the first one stays.
        """

    def version(self, game_id: str) -> int:
        """The number of events in the stream; 0 if there is no such game."""

    def wait(self, game_id: str, after: int, seconds: float) -> int:
        """Wait until the stream goes beyond version `after`, at most so long. Returns its version then."""


@dataclass(frozen=True, slots=True)
class StoredInvite:
    """Record of an invite: its id, its seat, the SHA-256 (hex) of its code, the end of its validity (ms)."""

    id: str
    seat: int
    digest: str = field(repr=False)
    until: int


SAID: Final = re.compile(r"(rematch\.[a-z]+|game\.rated):([0-9]{1,3})")


class FeedEntry(NamedTuple):
    """A reference to the events `first` to `version` of a game, and their types.

    `due` is what the game waits for at `version`: a kind of PENDING, or "" (people, or nothing).

    A game that is over has no further events, so an entry itself holds the word of a seat about a rematch (`said`),
    or that the game was rated, with the seat 0. `used` is what the append adds to usage (`events.log.usage`).
    """

    partition: int
    entry_id: str
    game_id: str
    first: int
    version: int
    types: tuple[str, ...]
    due: str
    used: str = ""

    @property
    def said(self) -> tuple[str, int] | None:
        """The seat's word, and the seat; None if the entry is about events."""
        match = SAID.fullmatch(self.types[0])
        return None if match is None else (match[1], int(match[2]))

    @property
    def place(self) -> int:
        """A number that grows with the entries of a partition."""
        time_part, _, sequence = self.entry_id.partition("-")
        return int(time_part) * 1000 + min(999, int(sequence))


@dataclass(frozen=True, slots=True)
class PendingAction:
    """A game that waits for the engine itself: `what` is a kind of PENDING.

    `seconds` is how long it has waited at `version` by the store's clock; 0 if that clock was set back meanwhile.
    """

    game_id: str
    what: str
    version: int
    seconds: float


class DueGames(Protocol):
    """Index of the games that wait for the engine. Every method may raise StoreUnavailable."""

    def overdue(self, seconds: float) -> list[PendingAction]:
        """The games that have waited for the engine for so long, the longest first."""

    def is_due(self, game_id: str, what: str, version: int) -> bool:
        """True if the game still waits for that, at that version."""


class Feed(DueGames, Protocol):
    """One consumer of a group that reads the whole feed. Every method may raise StoreUnavailable.

    The group sees each reference at least once: if a reader dies before it acknowledges an entry, another claims the
    entry. So a reader must do no harm by handling an entry twice.
    """

    def join(self) -> None:
        """Make the group if it does not exist yet; it begins with the oldest entry."""

    def read(self, block_ms: int = 1000, count: int = 100) -> list[FeedEntry]:
        """New entries, at most `count` from each partition; waits for the first one at most so many milliseconds."""

    def ack(self, entries: Iterable[FeedEntry]) -> None:
        """Acknowledge entries that were handled: the group does not see them again."""

    def say(self, game_id: str, version: int, word: str) -> None:
        """Add an entry about a game that is over (see `FeedEntry.said`)."""

    def oldest_pending(self) -> dict[int, bytes]:
        """The oldest entry of each partition that any reader has read and none has acknowledged."""

    def claim_stale(
        self, min_idle_ms: int, count: int = 100, partitions: Sequence[int] = range(PARTITIONS)
    ) -> list[FeedEntry]:
        """Claim entries that any reader has read so long ago, and none has acknowledged; they are this consumer's now.

        The age is by the store's clock; if that clock was set back, only 0 finds them.
        """

    def trim(self) -> None:
        """Forget the entries that every group has handled; a group that is made later does not see them."""


class RateCounts(Protocol):
    """Counts of callers' recent requests, by all processes together."""

    def count(self, key: str, seconds: int, number: int = 1) -> tuple[int, float]:
        """Count so many more under the key. Returns the number in this window, and the seconds left of it.

        A window is opened by the first, for so many `seconds`. Raises StoreUnavailable.
        """


class TraceContexts(Protocol):
    """The trace of a game's last append, for the jobs that follow."""

    def keep(self, game_id: str, traceparent: str) -> None:
        """Keep it for some minutes (W3C Trace Context), unless that cannot be done now."""

    def kept(self, game_id: str) -> str | None:
        """The record that was kept last; None if nothing is known."""


class UrlGuard(Protocol):
    """Says which addresses may be called on behalf of others."""

    def check(self, url: str) -> None:
        """Raise UrlRefused for an address that may not be called."""


@dataclass(frozen=True, slots=True)
class Found:
    """All that Redis has of a game at one moment; `raw` is without entries where there is no stream.

    `sizes` are the numbers of entries of its stream and of fields of each of the hashes beside it. `gaps` names the
    entries that do not stand where they belong, `lost` is the last one that was added, if it is gone. `due`,
    `restored`, `deadline` and `standing` are as they are kept, `moving` says whether somebody moves games of the
    partition, `now` is the server's time in seconds.
    """

    raw: StoredGame
    sizes: tuple[int, ...]
    gaps: tuple[str, ...]
    lost: str | None
    due: str | None
    restored: str | None
    moving: bool
    now: float
    deadline: str | None = None
    standing: bytes | None = None


@dataclass(frozen=True, slots=True)
class Ended:
    """A game whose result is confirmed: `at` says when (RFC 3339 UTC), `restored` when it was brought back, in ms."""

    game_id: str
    at: str
    restored: str | None


class LockLost(Exception):
    """Another process moves games of the partition by now, because this one took too long."""


class PartitionLock(Protocol):
    """The right to move games of a partition; every step under it names its `token`."""

    token: str

    def renew(self) -> None:
        """Prolong the lock; LockLost if it has expired."""

    def release(self) -> None:
        """Release the lock, so that another archiver may work here."""


class Whereabouts(NamedTuple):
    """Place of a game, as far as the store knows: `is_here`, in the store; `stamp`, of the last removal of games from
    its partition; `pruned`, the day of its end, since 1970, if the archive does not have it any more.
    """

    is_here: bool
    stamp: str | None
    pruned: int | None


class WholeGames(Protocol):
    """Whole games of the event store: looked at, removed, put back. Every method may raise StoreUnavailable."""

    def whole(self, game_id: str) -> Found:
        """All keys of the game, at one moment."""

    def ended(self) -> Iterator[Ended]:
        """The games whose last event is the confirmation of their result."""

    def existing(self, game_ids: list[str]) -> set[str]:
        """The games that the store has, of these."""

    def whereabouts(self, game_id: str) -> Whereabouts:
        """Place of the game, as far as the store knows."""

    def note_pruned(self, day: int, game_ids: list[str]) -> None:
        """Note that these games, which ended on that day since 1970, are not in the archive any more."""

    def pruned(self, game_ids: list[str]) -> set[str]:
        """The games of which that is noted, of these."""

    def remove(self, found: Found, token: str, file: str) -> str:
        """Remove a game that the file holds: "removed"; "gone", "changed" or "lost" (the lock) if nothing was done."""

    def restore(self, raw: StoredGame) -> str:
        """Put a game back: "restored", "present" (the very same is there), or "different", and then nothing is done."""

    def lock(self, partition: int) -> PartitionLock | None:
        """The right to move games of the partition; None while another process has it."""

    def retention_lock(self) -> PartitionLock | None:
        """The right to remove old games; None while another process has it."""
