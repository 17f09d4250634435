# compiled into rules
"""The common part of every game: its seats, its status, and the commands that are not moves."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from domain.bot import Budget
from domain.errors import DomainError, game_not_started, game_over, invalid, not_your_turn
from domain.value import Value

Json = dict[str, Any]
Viewer = int | None  # a seat, or None for a spectator


@dataclass(frozen=True, slots=True)
class Leaver:
    """A player who gave up a seat of a game: the `player`, None without a name, and `before`, how many had given up
    earlier.

    After the app's verdict on the game, `before` is None: the player then has the place of the seat.
    """

    player: str | None
    before: int | None


@dataclass(frozen=True, slots=True)
class Seat:
    """A seat and its player. `kind` is "human", "open" (not taken yet) or "bot"; `client_seed` goes into every shuffle.

    `stands_in`: the bot or person plays on for the person who sat there first. `leaver`: that person, if the seat was
    given up and not taken away by the app. `version`: the bot's version when the game was created; None in games of
    former releases. `elo`: the strength of a bot above a new player, in Elo points; games rate it by this number, and
    no result changes it; None without one. A remote seat has `bot` and `version` if it is an app's bot by name;
    `shares`: the versions of which this one was drawn, with the per cent of each. `budget`: how long an engine's bot
    may search for a move there, if not by its own budget.
    """

    kind: str
    player: str | None = None
    bot: str | None = None
    client_seed: str | None = None
    stands_in: bool = False
    leaver: Leaver | None = None
    version: str | None = None
    elo: int | None = None
    shares: tuple[tuple[int, int], ...] | None = None
    budget: Budget | None = None


def seat_names(seats: Sequence[Json]) -> list[str]:
    """Names of the seats of a view: each is its player or bot, with a number where several have the same name."""
    called = [str(seat.get("player") or seat.get("bot") or "a free seat") for seat in seats]
    return [
        name if called.count(name) == 1 else f"{name} {called[: seat + 1].count(name)}"
        for seat, name in enumerate(called)
    ]


@dataclass(frozen=True, slots=True)
class Result:
    """Result of a game. `places`: by seat, 1 is the best; seats that tie share a place, and the places after it are
    skipped.

    `scores`: by seat. `scored`: the scoring worker has confirmed the result. `more`: further members that the game
    adds, by name, as the API shows them; None if there are none. They follow from the game's events. An aborted game
    has ABORTED, a result without places.
    """

    places: tuple[int, ...]
    reason: str
    scores: tuple[int, ...]
    scored: bool = False
    more: Json | None = None

    @property
    def winner(self) -> int | None:
        """The seat that has the first place to itself; None if several share it."""
        return self.places.index(1) if self.places.count(1) == 1 else None

    @property
    def is_void(self) -> bool:
        """True if the game was aborted: it is over, and nobody has won or lost anything."""
        return not self.places


SEALED_CREATION: Final = (
    "game_created",
    2,
)  # type and schema of the first event of a game whose data have `seals`
ABORTED: Final = Result((), "aborted", (), scored=True)  # scored, because nothing is left to be confirmed


def seat_document(seat: Seat) -> Json:
    """The seat as the first event of its game records it; `recorded_seat` reads it again."""
    document = {"kind": seat.kind, "player": seat.player, "bot": seat.bot, "client_seed": seat.client_seed}
    more: Json = {"version": seat.version, "elo": seat.elo}
    if seat.shares is not None:
        more["shares"] = [list(share) for share in seat.shares]
    if seat.budget is not None:
        more["budget"] = budget_document(seat.budget)
    return document | {name: value for name, value in more.items() if value is not None}


def recorded_seat(document: Json) -> Seat:
    """The seat from the document that `seat_document` made."""
    if "shares" not in document and "budget" not in document:
        return Seat(**document)
    document = dict(document)
    if "shares" in document:
        document["shares"] = tuple([(version, part) for version, part in document["shares"]])
    if "budget" in document:
        document["budget"] = Budget(**document["budget"])
    return Seat(**document)


def budget_document(budget: Budget) -> Json:
    """The budget with the one limit that it has."""
    members = {"iterations": budget.iterations, "milliseconds": budget.milliseconds}
    return {name: value for name, value in members.items() if value is not None}


def eligibility_document(unrated: str | None, pairing: str | None) -> Json:
    """The part of a game's first event that says if it counts: its members `unrated_because` and `pairing`, if any."""
    more = {"unrated_because": unrated, "pairing": pairing}
    return {name: value for name, value in more.items() if value is not None}


def places_by(scores: Sequence[float]) -> tuple[int, ...]:
    """The place of each seat, 1 + the number of higher scores."""
    return tuple([1 + sum([other > score for other in scores]) for score in scores])


def places_in_duel(winner: int | None) -> tuple[int, int]:
    """The places of two seats, won by seat `winner`; None is a draw."""
    return (1, 1) if winner is None else (1, 2) if winner == 0 else (2, 1)


def places_with_winner(seats: int, winner: int) -> tuple[int, ...]:
    """The places of a game that is awarded to seat `winner`; the others share the second place."""
    return tuple([1 if seat == winner else 2 for seat in range(seats)])


def places_with_loser(seats: int, loser: int) -> tuple[int, ...]:
    """The places of a game that seat `loser` alone has lost; the others share the first place."""
    return tuple([seats if seat == loser else 1 for seat in range(seats)])


def is_rated(prepared: bool, seats: Sequence[Seat], result: Result | None) -> bool:
    """True if a game counts: its cards were not prepared, the app replaced nobody, and it was not aborted."""
    if prepared or (result is not None and result.is_void):
        return False
    return all(not seat.stands_in or seat.leaver is not None for seat in seats)


def places_of_those_who_began(seats: Sequence[Seat], places: tuple[int, ...]) -> tuple[int, ...]:
    """The places of the players who began the game, by seat, from the places of those who ended it.

    A player who gave a seat up has lost to all players who stayed and to all who left later, unless the app has judged
    the game.
    """
    before = [None if seat.leaver is None else seat.leaver.before for seat in seats]
    stayed = [place for left, place in zip(before, places, strict=True) if left is None]
    return tuple(
        [
            1 + sum([other < place for other in stayed]) if left is None else len(seats) - left
            for left, place in zip(before, places, strict=True)
        ]
    )


class GameStatus(Value):
    """The public state of any game. `status` is "waiting", "playing" or "finished"; `to_act` is a seat or None;
    `unrated` and `pairing` as in `Create`.
    """

    __match_args__ = (
        "status",
        "seats",
        "turn",
        "to_act",
        "rated",
        "setup",
        "options",
        "result",
        "commitment",
        "unrated",
        "pairing",
    )

    def __init__(
        self,
        status: str,
        seats: tuple[Seat, ...],
        turn: int,
        to_act: int | None,
        rated: bool,
        setup: bool,
        options: Json,
        result: Result | None,
        commitment: str,
        unrated: str | None = None,
        pairing: str | None = None,
    ) -> None:
        self.status = status
        self.seats = seats
        self.turn = turn
        self.to_act = to_act
        self.rated = rated
        self.setup = setup
        self.options = options
        self.result = result
        self.commitment = commitment
        self.unrated = unrated
        self.pairing = pairing


class EventRecord(Value):
    """An event as it is stored: complete, ready for JSON, named by its type and the schema version of its data."""

    __match_args__ = ("type", "schema", "seat", "data")

    def __init__(self, type: str, schema: int, seat: int | None, data: Json) -> None:
        self.type = type
        self.schema = schema
        self.seat = seat
        self.data = data

    @property
    def document(self) -> Json:
        """Its members by their names."""
        return {"type": self.type, "schema": self.schema, "seat": self.seat, "data": self.data}


@dataclass(frozen=True, slots=True)
class Create:
    """The command that sets a game up. `options` as the caller gave them: the game fills in its defaults.

    `setup`: what is prepared instead of left to chance, as the game's `setup` schema describes it; None for a fair
    game.

    `unrated`: why the game does not count for ratings, such as an option by which it cannot be compared with others.
    `pairing`: why it counts: who brought its players together. Either one is recorded, so that no later release judges
    the game anew. A game with neither does not count, for a reason that its seats show.
    """

    game_id: str
    commitment: str
    options: Json
    seats: tuple[Seat, ...]
    setup: Json | None = None
    unrated: str | None = None
    pairing: str | None = None


@dataclass(frozen=True, slots=True)
class Origin:
    """Origin of a fork: another game after its event `version`, with the chain's `head` there, in hex.

    `resampled`: all cards that `seat` could not know were drawn anew; otherwise everything is as it was, and `seat` is
    None.
    """

    game_id: str
    version: int
    head: str
    resampled: bool
    seat: int | None


def origin_document(origin: Origin) -> Json:
    """The origin as the first event of a fork records it; `Origin(**document)` reads it again."""
    return {
        "game_id": origin.game_id,
        "version": origin.version,
        "head": origin.head,
        "resampled": origin.resampled,
        "seat": origin.seat,
    }


@dataclass(frozen=True, slots=True)
class Fork:
    """The command that sets up a game which goes on from a `position` of another game, a state of the same rules."""

    game_id: str
    commitment: str
    seats: tuple[Seat, ...]
    origin: Origin
    position: Any


@dataclass(frozen=True, slots=True)
class TakeSeat:
    """Sit down on an open seat."""

    seat: int
    player: str
    client_seed: str | None = None


@dataclass(frozen=True, slots=True)
class ReissueToken:
    """Record that a person's seat gets a new token; only this token plays the seat from then on."""

    seat: int


@dataclass(frozen=True, slots=True)
class AbortGame:
    """End the game without a result. `app`: the name of the app that decides so; or, where the engine decides for a
    `reason` (`domain.interventions`), of the app that has the game.
    """

    app: str
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Adjudicate:
    """End the game with these places, by seat, as the app of that name decides, or the engine for a `reason`."""

    app: str
    places: tuple[int, ...]
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class ReplacePlayer:
    """Put a bot in the place of a person, as the app of that name decides. The caller has checked that there is such a
    bot.
    """

    app: str
    seat: int
    bot: str


@dataclass(frozen=True, slots=True)
class HandOver:
    """Give a person's seat to another player, as the app of that name decides, or, where it is None, the seat's own
    player.
    """

    app: str | None
    seat: int
    player: str


@dataclass(frozen=True, slots=True)
class ClaimWin:
    """Claim the win for a `seat`, because the seat to act, `absent`, is away.

    `since`: the beginning of the time in which `absent` was away and nothing happened in the game (RFC 3339). `waited`:
    the milliseconds from then until the claim.
    """

    seat: int
    absent: int
    since: str
    waited: int


@dataclass(frozen=True, slots=True)
class Score:
    """Confirm the result of a game that has ended."""


class PlayBotMove(Value):
    """Make a move that a bot chose, and record what reproduces it.

    `command` is the move; `bot` in `version` thought with `budget` ({"iterations": the number that it really did}, None
    for one that does not search) and `seed` (16 hex digits, None for a bot that was given no chance). `fallback` says
    why it moves in the place of the bot `replaces`: "failed" or "overran", or for a "remote" one also "unreachable",
    "timeout", "bad-answer", "illegal-move" or "suspended"; both are None where the bot plays its own seat.
    """

    __match_args__ = ("command", "bot", "version", "budget", "seed", "fallback", "replaces")

    def __init__(
        self,
        command: Any,
        bot: str,
        version: str,
        budget: Json | None,
        seed: str | None,
        fallback: str | None = None,
        replaces: str | None = None,
    ) -> None:
        self.command = command
        self.bot = bot
        self.version = version
        self.budget = budget
        self.seed = seed
        self.fallback = fallback
        self.replaces = replaces


@dataclass(frozen=True, slots=True)
class TakeHint:
    """Record that the seat to act gets a hint; its members are those of `PlayBotMove`."""

    bot: str
    version: str
    budget: Json | None
    seed: str


@dataclass(frozen=True, slots=True)
class TellFork:
    """Record that the seat gets a fork of the running game, made from the position at that version."""

    version: int


def check_seats(game: str, counts: Sequence[int], seats: Sequence[Seat]) -> None:
    """DomainError "validation-error" unless `game` (its name, for the message) can have so many seats."""
    if len(seats) not in counts:
        raise invalid("seats", f"{game} has {either(counts)} seats, not {len(seats)}.")


def check_fork_seats(seats: Sequence[Seat]) -> None:
    """DomainError "validation-error" for an open seat: a fork does not wait for players."""
    for number, seat in enumerate(seats):
        if seat.kind == "open":
            raise invalid(f"seats.{number}.kind", "A fork goes on at once: none of its seats can be open.")


def check_open_seat(seats: Sequence[Seat], number: int, result: Result | None) -> None:
    """DomainError "not-found", "seat-taken", "game-over" unless somebody can sit down there."""
    if not 0 <= number < len(seats):
        raise DomainError("not-found", f"There is no seat {number}.")
    if seats[number].kind != "open":
        raise DomainError("seat-taken", f"Seat {number} is not open.")
    if result is not None:  # the game was aborted before it began
        raise game_over()


def either(counts: Sequence[int]) -> str:
    """The numbers as a choice between them: "2", "2 or 3", "2, 3 or 4"."""
    *first, last = [str(count) for count in counts]
    return f"{', '.join(first)} or {last}" if first else last


def must_be_playing(status: GameStatus) -> None:
    """DomainError "game-not-started", "game-over" unless the game goes on."""
    if status.status == "waiting":
        raise game_not_started()
    if status.status == "finished":
        raise game_over()


def must_allow_help(status: GameStatus) -> None:
    """DomainError "rated-game" in a game that counts for ratings, which has no hints, no forks while it runs, and no
    takebacks.

    If such a game merely ceased to count, a player about to lose could save the rating by one hint. A game of a former
    release allows what it allowed when it was created.
    """
    if status.pairing is not None and status.rated:
        what = "The game is `rated`: it has no hints, no forks while it runs, and no moves are taken back."
        raise DomainError("rated-game", what)


def must_be_to_act(status: GameStatus, seat: int | None) -> int:
    """The seat, if it is the one to act; otherwise DomainError "game-not-started", "game-over", "not-your-turn"."""
    must_be_playing(status)
    if seat is None or seat != status.to_act:
        raise not_your_turn(status.to_act)
    return seat
