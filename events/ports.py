"""The ports: what the use-cases ask of whatever keeps events, listings, players and questions to bots."""

from base64 import urlsafe_b64encode
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Protocol

from domain.lifecycle import Json
from domain.value import Value
from events.errors import CommandMismatch
from events.log.envelope import RecordedEvent, StreamHead
from events.log.game_secrets import Secrets
from events.log.signing import SignedHead
from events.log.stored_form import StoredGame


class CommandId(Value):
    """The identity of a request: the same id with the same fingerprint is the same request, and is done once.

    `former` is the id by which a former release recorded the same request; "" for none.
    """

    __match_args__ = ("id", "fingerprint", "former")

    def __init__(self, id: str, fingerprint: str = "", former: str = "") -> None:
        self.id = id
        self.fingerprint = fingerprint
        self.former = former


def short(digest: bytes) -> str:
    """A SHA-256 as ids and fingerprints of commands have it: 128 bits of it, 22 characters of base64url.

    So the records of a game's commands are short enough for the store to keep them in a row, without a table.
    """
    return urlsafe_b64encode(digest[:16])[:22].decode()


def _is_same(fingerprint: str, recorded: str) -> bool:
    """True if both are of one digest, of which former releases recorded all, in hex."""
    if recorded == fingerprint:
        return True
    return len(recorded) == _DIGITS and short(bytes.fromhex(recorded)) == fingerprint


_DIGITS: Final = 64


def is_drawn(command: str) -> bool:
    """True if a command's id was drawn for one request alone: it has a `~`, and no other id has one.

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
        """Events of the command by its record, `fingerprint:first:last`; CommandMismatch if it was another one."""
        fingerprint, first, last = recorded.split(":")
        if not _is_same(command.fingerprint, fingerprint):
            raise CommandMismatch
        return cls(int(first), int(last))


NOWHERE: Final = "-"  # the stamp of an archive at which nobody has looked


class MovedMeanwhile(Exception):
    """Games were moved to the archive since somebody looked for one there."""


class EventStore(Protocol):
    """Streams of events, one a game. Every method may raise StoreUnavailable.

    `due` says what a game waits for once the events are in: "bot", "remote", "score" or "" (people). It goes into the
    feed, and into the index of games that are due, in the same atomic step as the events. So does a `deadline`, in
    milliseconds, into the index of deadlines; 0 takes it out, None, for a game without a clock, leaves the index alone.
    """

    def create(
        self,
        game_id: str,
        secrets: Secrets,
        command: CommandId,
        events: Sequence[RecordedEvent],
        due: str,
        deadline: int | None = None,
        *,
        looked_at: str | None = NOWHERE,
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
    ) -> Appended | Repeated:
        """Add the events if the stream still ends at `expected`, and the `tokens` of seats taken, all or nothing.

        By an `invite` it is done only while that is what the store has, and has not expired: else InviteVoid.

        A command that was done before is answered with its recorded outcome, whatever `expected` says; one whose id
        was drawn (`is_drawn`), if `expected` is the same as it was.
        Raises VersionConflict, CommandMismatch, GameNotFound. Safe to be sent again with the same command.
        """

    def read(self, game_id: str, after: int = 0, limit: int | None = None) -> list[RecordedEvent]:
        """The events after version `after`, at most `limit`; [] where there are none (no such game included)."""

    def recorded(self, game_id: str, command: CommandId) -> Repeated | None:
        """Events of the command, if it was done before; CommandMismatch if its id was another's.

        Nothing is known of a command whose id was drawn.
        """

    def recorded_of(
        self, identity: Callable[[bytes], tuple[str, CommandId]]
    ) -> tuple[bytes, Repeated | None]:
        """As `requests_secret` and `recorded` at once, of the game and the command that follow from the secret.

        `identity` may be called several times, with different secrets.
        """

    def secrets(self, game_id: str) -> Secrets:
        """Raises GameNotFound."""

    def has_ended(self, game_id: str) -> bool:
        """True for a game that was removed and whose request may come again."""

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


Changed = tuple[str, int]  # a game's status, and when it changed last, in milliseconds
Place = tuple[int, bytes]  # when a game changed last, in milliseconds, and the game as a member of an index


@dataclass(frozen=True, slots=True)
class Span:
    """From when to when something has changed, in milliseconds, both included; None has no bound.

    What changed last comes first if `newest_first`. `beyond`: only what comes after that in this order.
    """

    first: int | None = None
    last: int | None = None
    newest_first: bool = False
    beyond: Place | None = None


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
        changed: "Changed",
        *,
        anew: bool = False,
    ) -> None:
        """Put a game's line in, and the game into some indexes and out of others, unless a later version is there.

        Nor is anything done where there is the same version, unless the line is to be made `anew`. `changed` says by
        which of STATUSES the game stands now, and since when.
        """

    def members(
        self, app: str, indexes: Sequence[Index], first: bytes, last: bytes, limit: int, *, newest_first: bool
    ) -> set[bytes]:
        """Of each index at most `limit` members after `first` and before `last`: the last ones, or the first ones."""

    def shared(self, app: str, indexes: Sequence[Index]) -> list[bytes]:
        """The members of all these indexes."""

    def lines(self, app: str, game_ids: Sequence[bytes]) -> list[bytes]:
        """The lines of these games in the listing."""

    def last_changes(self, game_ids: Sequence[str]) -> list[tuple[str, str, str] | None]:
        """Of each game its app, when it was created and the time of its last event; None for one that is gone."""

    def touch(self, changes: Sequence[tuple[str, str, int]]) -> None:
        """Games of apps, as members, have changed at a time, in milliseconds; what is not being played stays.

        From then on these apps are among `apps`.
        """

    def changed_at(self, app: str, members: Sequence[bytes]) -> list[int | None]:
        """The time at which each game changed last, in milliseconds; None where that is not known."""

    def by_change(self, app: str, statuses: Sequence[str], within: "Span", limit: int) -> list["Place"]:
        """At most so many games of these statuses and those that changed then, in the order of their changes."""

    def apps(self) -> list[str]:
        """The apps that have games in a listing."""

    def versions(self, game_ids: Sequence[str]) -> list[int]:
        """Of each game the version that its line in its app's listing is of; 0 without one."""


class RunningGames(Protocol):
    """Limit of an app's games that are not over."""

    def take_place(self, app: str, game_id: str) -> None:
        """Have a place for a game that is to be created; harmless when doubled.

        Raises TooManyGames, StoreUnavailable.
        """


class CountingGames(Protocol):
    """The games of each player that may count for ratings and are not over. Every method may raise StoreUnavailable."""

    def take_place(
        self, app: str, player: str, game_id: str, most: int, free: Sequence[str] = ()
    ) -> Mapping[str, float]:
        """Have one of so many places for a game that is to be created, of which those of `free` games are taken away.

        Harmless when doubled. If there is none: the games that have them, and for how many seconds; otherwise nothing.
        """

    def forget(self, app: str, player: str) -> None:
        """Remove what is kept of the player."""


@dataclass(frozen=True, slots=True)
class SeatFork:
    """A game that a seat has made for itself, the game that it goes back to, and until when it is kept (ms)."""

    game_id: str
    first_origin: str
    until: int


class SeatForkStore(Protocol):
    """The games that seats have made for themselves. Every method may raise StoreUnavailable."""

    def look(self, first_origin: str, game_id: str) -> None:
        """Raise TooManyForks where `enter` would; nothing is changed."""

    def enter(self, first_origin: str, game_id: str) -> None:
        """List a game that is to be created; harmless when doubled. Raises TooManyForks."""

    def until(self, first_origin: str, game_id: str) -> int | None:
        """Until when the game is kept, in milliseconds; None if it is not listed."""

    def end_expired(self) -> int:
        """Remove the games whose time is up, some of them if many are; how many that were."""


@dataclass(frozen=True, slots=True)
class Rating:
    """Belief about somebody's strength: a normal distribution, and the numbers of games and of won games behind it.

    `met`: how many of the games were against each bot whose rating no result moves, by its name.
    """

    mean: float
    deviation: float
    games: int
    wins: int
    met: Mapping[str, int] = field(default_factory=dict)

    @property
    def ordinal(self) -> float:
        """Strength that is as good as certain: three deviations below the mean."""
        return round(self.mean - 3 * self.deviation, 6)


@dataclass(frozen=True, slots=True)
class Counted:
    """The result of a game, as it counts for the ratings of its app's `ladder`.

    `member` is its place among the results, `time:id`; `subjects` are whom it rates, and `places` theirs, by seat.
    `anchors`, by seat: by how many Elo points a bot, which no result moves, is stronger than somebody new, None for
    people; None where every result moves everybody alike, as in games of former releases.
    """

    app: str
    ladder: str
    member: str
    subjects: tuple[str, ...]
    places: tuple[int, ...]
    anchors: tuple[int | None, ...] | None = None

    @property
    def game_id(self) -> str:
        """The game's id."""
        return self.member.partition(":")[2]


@dataclass(frozen=True, slots=True)
class LadderPosition:
    """Progress of a ladder's ratings through its results: up to the member `mark`, "" for none.

    `revision` changes whenever ratings do, or become out of date.
    """

    revision: int
    mark: str


@dataclass(frozen=True, slots=True)
class RatedGame:
    """A result with the ratings of its subjects after it; None where nobody has worked them out yet."""

    counted: Counted
    after: tuple[Rating, ...] | None


@dataclass(frozen=True, slots=True)
class Ranked:
    """Somebody's place in a leaderboard, from 1, with the rating."""

    rank: int
    subject: str
    rating: Rating


class RatingStore(Protocol):
    """The results that count, and the ratings that follow from them. Every method may raise StoreUnavailable.

    Results are a set: it makes no difference in which order, how often and by how many they are put in.
    """

    def look(self, game_ids: Sequence[str]) -> list[tuple[str, bytes | None, RatedGame | None]]:
        """Of each game its app ("" where it is not known), its line in the listing, and its result if it is in."""

    def enter(self, counted: Counted) -> bool:
        """Put a result in, unless it is there; whether it was not. Ratings that follow from later ones are void."""

    def ladders(self, app: str) -> dict[str, LadderPosition]:
        """The app's ladders."""

    def batch(self, app: str, ladder: str, mark: str, limit: int) -> list[RatedGame]:
        """At most `limit` results after a mark, in order. Raises CorruptStream where some of it is lost."""

    def before(self, app: str, ladder: str, member: str, subjects: Sequence[str]) -> dict[str, Rating] | None:
        """The ratings of those of the subjects who have any, after the last game of each before a member.

        None if one of these is not worked out: somebody has just put it in.
        """

    def commit(
        self, app: str, ladder: str, position: LadderPosition, batch: Sequence[RatedGame], gone: Sequence[str]
    ) -> bool:
        """Keep the ratings after each game of a batch, which begins after the position's mark.

        Nothing is done, and the answer is False, if the position or the batch is not the present one any more.
        `gone` are subjects of whom no present rating is to be kept.
        """

    def wipe(self) -> None:
        """Remove all results and ratings of all apps."""

    def apps(self) -> list[str]:
        """The apps that have results."""

    def ratings(self, app: str, subject: str) -> dict[str, Rating]:
        """The subject's present ratings, by ladder."""

    def top(self, app: str, ladder: str, after: tuple[float, str] | None, limit: int) -> list[Ranked]:
        """At most `limit` of the best of a ladder, those after an ordinal and a subject that had it.

        None: the first ones.
        """

    def forget(self, app: str, subjects: Sequence[str]) -> None:
        """Remove the present ratings of these subjects; results stay."""


@dataclass(frozen=True, slots=True)
class PlayerRecord:
    """A player: the name in the words of its app, the app, and the time (RFC 3339 UTC) since when it is known."""

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

    def enrol(self, record: PlayerRecord, place: str = "", seconds: int | None = None) -> str:
        """The id of the app's player of that name, or of its guest at a `place`, who is made where there is none.

        `seconds`: for how long, if nobody keeps the player meanwhile; whoever is there for good stays so.
        """

    def keep(self, player_id: str, seconds: int | None = None) -> bool:
        """Keep the player for good, or for so many seconds more who is not; whether there is such a player."""

    def read(self, player_ids: Sequence[str]) -> list[StoredPlayer | None]:
        """The players of these ids; None for one that is not there (any more)."""

    def erase(self, player_id: str, digest: bytes, *, at_once: bool = True) -> bool:
        """Destroy what is known of the player in one step; whether there was anything to destroy.

        `at_once`: out of the store's files as well (`settle_erasures`), and not only when these are made anew.
        """

    def settle_erasures(self) -> None:
        """See to it that what was erased leaves the store's files, too; to be called now and then."""


class BotQueryQueue(Protocol):
    """Queue of questions to bots. Every method may raise NoAnswer."""

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


class AnalysisStore(Protocol):
    """Store of analyses of games, which it keeps for a while. Every method may raise NoAnswer."""

    def kept(self, game_id: str) -> Json | None:
        """Record of a game's analysis."""

    def keep(self, game_id: str, document: Json) -> None:
        """Keep it in the place of what was kept before."""

    def claim(self, game_id: str, *, again: bool = False) -> bool:
        """Say, for a while, that this worker is at it; whether no other one is. `again`: it was at it before."""

    def is_claimed(self, game_id: str) -> bool:
        """True if a worker is at it."""

    def release(self, game_id: str) -> None:
        """No worker is at it any more."""


@dataclass(frozen=True, slots=True)
class StoredInvite:
    """Record of an invite: its id, its seat, the SHA-256 (hex) of its code, the end of its validity (ms)."""

    id: str
    seat: int
    digest: str = field(repr=False)
    until: int


class InviteStore(Protocol):
    """The invites of games, which are gone once they have expired. Every method may raise StoreUnavailable."""

    def add(self, game_id: str, invite_id: str, seat: int, digest: str, seconds: int) -> int | None:
        """Keep an invite for so many seconds; until when that is, in ms. None if the game has as many as it can."""

    def invite(self, game_id: str, invite_id: str) -> StoredInvite | None:
        """The game's invite of that id."""

    def keep_join_code(self, digest: str, game_id: str, seat: int, seconds: int) -> bool:
        """Keep to which seat a join code leads, by the digest of its invite; False if there is such a code already."""

    def join_code(self, digest: str) -> tuple[str, int] | None:
        """The game and the seat to which a join code leads."""

    def invites(self, game_id: str) -> list[StoredInvite]:
        """The game's invites, those that expire first before the others."""

    def revoke(self, game_id: str, invite_id: str) -> StoredInvite | None:
        """Destroy the invite; which one it was, None if there was none."""


@dataclass(frozen=True, slots=True)
class Seeker:
    """Somebody who looks for a partner: by a `ticket` (the digest of one), in a `pool` of those who want the same.

    If nobody is there yet, the game will be `game_id`, and its `seat` this player's, by a token of that hash. `person`
    is what the seat of the game will be made from, `wanted` what the game will be made from. Either `reach`, how far
    the partner's rating may be, or None for any. `bot`, what the other seat is made from if nobody comes in `patience`
    ms. `fingerprint` is that of the request.
    """

    ticket: str
    pool: str
    player: str
    fingerprint: str
    game_id: str
    seat: int
    token_hash: str
    person: str
    wanted: str
    rating: float | None = None
    reach: float | None = None
    bot: str | None = None
    patience: int = 0


@dataclass(frozen=True, slots=True)
class Candidate:
    """Somebody who waits and fits: by whose ticket, and which seat of which game is left to the other."""

    ticket: str
    game_id: str
    seat: int


class MatchStore(Protocol):
    """Players who look for a partner, by app. Every method may raise StoreUnavailable; each may be sent again."""

    def join(
        self, app: str, seeker: Seeker, partner: Candidate | None, token_hash: str
    ) -> "Candidate | Mapping[str, str] | None":
        """One atomic step: pair with the `partner`, if that still waits; else say who else fits; else wait.

        `token_hash` is that of the seat that the partner's game leaves. Who has the ticket already gets what stands
        there. None if the player waits by another ticket. Raises TooManyWaiting.
        """

    def look(self, app: str, ticket: str, *, may_step_in: bool = False) -> Mapping[str, str] | None:
        """State of a ticket, which is good for longer by that; None if there is none.

        A bot steps in if it may and it is time.
        """

    def cancel(self, app: str, ticket: str, *, if_matched: bool = False) -> Mapping[str, str] | None:
        """Wait no longer; what stands at the ticket then. `if_matched`: also with a partner, as there is no game."""

    def withdraw(self, app: str, player: str) -> None:
        """Let the player wait no longer."""


@dataclass(frozen=True, slots=True)
class TicketFacts:
    """Facts by which a game's tickets are judged: the installation's key, the store's time, and when they were revoked.

    Times are in milliseconds; `revoked` is by who asked for the tickets.
    """

    key: bytes = field(repr=False)
    now: int
    revoked: Mapping[str, int]


class TicketStore(Protocol):
    """Store of facts about tickets. Every method may raise StoreUnavailable."""

    def ticket_facts(self, game_id: str) -> TicketFacts:
        """All that it takes to judge a ticket of the game, whether or not the game exists."""

    def revoke_tickets(self, game_id: str, holder: str, longest: int) -> None:
        """Void what the holder has asked for until now; that is kept for `longest` seconds."""


@dataclass(frozen=True, slots=True)
class Watched:
    """The store's time, and when it could not be looked at: from when to when. All in milliseconds."""

    now: int
    outages: Sequence[tuple[int, int]]


class ClockStore(Protocol):
    """Store of deadlines, which finds those that have passed. Every method may raise StoreUnavailable."""

    def watched(self, since: int) -> Watched:
        """Look after the clocks, which tells that the store answers; the outages that ended at `since` or later.

        An outage is a time in which nobody looked, found by the first look after it and told to every later one.
        """

    def is_running(self) -> bool:
        """True if anybody's time runs in any game."""

    def up(self, now: int) -> list[str]:
        """The games in which somebody's time is up; some of them, if many are."""

    def running(self) -> Iterator[str]:
        """All games in which somebody's time runs."""


class RateCounts(Protocol):
    """Counts of callers' recent requests, by all processes together."""

    def count(self, key: str, seconds: int) -> tuple[int, float]:
        """One more of what the key names: how many in this window, and the seconds that are left of it.

        A window is opened by the first, for so many `seconds`. Raises StoreUnavailable.
        """


class TraceContexts(Protocol):
    """In which trace a game was last appended to, for the jobs that follow."""

    def keep(self, game_id: str, traceparent: str) -> None:
        """Keep it for some minutes (W3C Trace Context), unless that cannot be done now."""

    def kept(self, game_id: str) -> str | None:
        """The record that was kept last; None if nothing is known."""


class Agreement(NamedTuple):
    """Requests for a rematch: whether it begins, from when on they stay; the hashes of new tokens by seat that asks."""

    begun: bool
    hashes: dict[int, str]


@dataclass(frozen=True, slots=True)
class ListedRequest:
    """A request for a rematch by a seat of a game that may have run out; `at` is the time by which it is listed."""

    game_id: str
    seat: int
    at: str


class ConsentStore(Protocol):
    """Requests of seats for a rematch of a game that is over. Every method may raise StoreUnavailable.

    `seconds`: how long a request for that game's rematch lasts.
    """

    def agree(
        self, game_id: str, version: int, seat: int, token_hash: str, seconds: int, everybody: Collection[int]
    ) -> Agreement:
        """The seat asks, for so many seconds from now, and its token in the rematch has that hash; its first one stays.
        The game, which is over, ends at that version.

        The rematch begins at once where the seats of `everybody` ask, or it has begun before; then nothing changes.
        """

    def begin(self, game_id: str, version: int, seconds: int) -> Agreement:
        """The rematch begins with the seats that ask now."""

    def reopen(self, game_id: str) -> None:
        """The rematch does not begin after all, for it was refused."""

    def withdraw(self, game_id: str, version: int, seat: int, seconds: int) -> bool:
        """The seat does not ask any more; False, and nothing happens, where the rematch begins."""

    def agreement(self, game_id: str, seconds: int) -> Agreement:
        """The requests that have not ended."""

    def ending(self) -> list[ListedRequest]:
        """Some of the requests that may have run out."""

    def end(self, game_id: str, version: int, seconds: int) -> Agreement:
        """Tell which of the game's requests have run out, and drop them; those that have not."""

    def unlist(self, request: ListedRequest) -> None:
        """Look at the request no more, unless it was made again."""


class UrlGuard(Protocol):
    """Says which addresses may be called on behalf of others."""

    def check(self, url: str) -> None:
        """Raise UrlRefused for an address that may not be called."""


@dataclass(frozen=True, slots=True)
class Found:
    """All that Redis has of a game at one moment; `raw` is without entries where there is no stream.

    `sizes` are the numbers of entries of its stream and of fields of each of the hashes beside it. `gaps` names the
    entries that do not stand where they belong, `lost` is the last one that was added, if it is gone. `due`, `restored`
    and `deadline` are as they are kept, `moving` says whether somebody moves games of the partition, `now` is the
    server's time in seconds.
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
        """True if the store has the game, and the stamp of the last removal of games from its partition."""

    def remove(self, found: Found, token: str, file: str) -> str:
        """Remove a game that the file holds: "removed"; "gone", "changed" or "lost" (the lock) if nothing was done."""

    def restore(self, raw: StoredGame) -> str:
        """Put a game back: "restored", "present" (the very same is there), or "different", and then nothing is done."""

    def lock(self, partition: int) -> PartitionLock | None:
        """The right to move games of the partition; None while somebody else has it."""
