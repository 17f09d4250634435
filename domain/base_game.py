"""A base for small games: it does what is the same in all of them, so that a game tells its own rules and no more.

A game on this base keeps what lies on its table as JSON, its `position`, and its events as they are stored. It says how
a position comes to be (`deal`, `begin`), what a seat sees of it (`sight`), which moves a seat has that sees so much
(`moves`), which events a move causes (`play`), what an event changes (`apply`) and when it is over (`outcome`).
Everything else (creating and joining, bots' moves and hints, forks, resigning, scoring, the audit) is done here.
`docs/how-to/add-a-game.md` shows a whole game. One that is played by the million implements `domain.game.Game` itself.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from domain import annotations
from domain.bot import Bot, Budget, Choice, Stop, Strength, never
from domain.chance import Chance
from domain.errors import DomainError, invalid
from domain.game import OptionVariant, PlayOption
from domain.lifecycle import (
    Create,
    EventRecord,
    Fork,
    GameStatus,
    Json,
    Origin,
    PlayBotMove,
    ReissueToken,
    Result,
    Score,
    Seat,
    TakeHint,
    TakeSeat,
    Viewer,
    must_be_to_act,
)
from domain.prng import Prng
from domain.random_bot import RANDOM

SCHEMA: Final = 1
RESIGN: Final = {"type": "resign"}
_CREATED: Final = frozenset(("id", "game", "commitment", "options", "seats", "setup", "origin"))
_CONSEQUENCES: Final = frozenset(("game_started", "position_set", "game_ended"))


@dataclass(frozen=True, slots=True)
class Move:
    """A move as it was posted."""

    document: Json


@dataclass(frozen=True, slots=True)
class Sight:
    """What a seat sees of the table, and the moves that it has."""

    seat: int
    table: Json
    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A game as its events have made it; `position` is None before the deal, `prepared` None in a fair game."""

    game_id: str = ""
    commitment: str = ""
    options: Json = None  # type: ignore[assignment]  # before the first event
    seats: tuple[Seat, ...] = ()
    prepared: Json | None = None
    origin: Origin | None = None
    position: Any = None
    turn: int = 0
    result: Result | None = None


def event(kind: str, seat: int | None = None, **data: Any) -> EventRecord:
    """An event of a game on this base."""
    return EventRecord(kind, SCHEMA, seat, data)


class BaseGame:
    """The protocol `domain.game.Game`, for a game that tells its rules by the methods of the first part."""

    name: str
    seat_counts: Sequence[int]
    rule_books: Sequence[str] = ("standard",)
    events: Mapping[str, frozenset[str]]
    """The game's own events, with the fields that everybody may see."""
    bots: Mapping[str, Bot] = {RANDOM.name: RANDOM}
    fallback_bot = hint_bot = RANDOM.name
    strengths: Mapping[str, Strength] = {}
    play_options: Sequence[PlayOption] = ()
    starter_option: str | None = None
    automatic_moves: frozenset[str] = frozenset()

    # What a game tells

    def options(self, given: Json) -> Json:
        """The options with every default filled in; DomainError "validation-error" for one that cannot be."""
        if given:
            raise invalid(f"options.{min(given)}", f"{self.name} has no such option.")
        return {}

    def deal(self, table: Table, chance: Chance) -> Json:
        """What chance gives, or what was `prepared` in its place: the data of the event `game_started`."""
        raise NotImplementedError

    def begin(self, dealt: Json, seats: int) -> Json:
        """The position after the deal."""
        raise NotImplementedError

    def to_act(self, position: Json) -> int:
        """The seat whose move it is."""
        raise NotImplementedError

    def sight(self, position: Json, viewer: Viewer) -> Json:
        """What a seat, or a spectator, sees of the position while the game runs, member by member."""
        raise NotImplementedError

    def whole(self, position: Json) -> Json:
        """What everybody sees of the position once the game is over."""
        return position

    def moves(self, table: Json, seat: int) -> list[Json]:
        """The legal moves of a seat that sees the table so, ready to be posted."""
        raise NotImplementedError

    def play(self, position: Json, seat: int, move: Json, chance: Chance) -> list[EventRecord]:
        """The events that a legal move causes."""
        raise NotImplementedError

    def apply(self, position: Json, happened: EventRecord) -> Json:
        """The position after an event of the game's own; a new one, for positions are never changed."""
        raise NotImplementedError

    def outcome(self, position: Json) -> Result | None:
        """How the game ended; None while it goes on."""
        raise NotImplementedError

    def resigned(self, position: Json, seat: int) -> Result:
        """How the game ends when the seat gives it up."""
        raise NotImplementedError

    def move_of(self, happened: EventRecord) -> Json | None:
        """The move that begins with the event; None if none does."""
        raise NotImplementedError

    def redraw(self, position: Json, seat: int, rng: Prng) -> Json:
        """The position with what the seat cannot know drawn anew."""
        raise NotImplementedError

    def guess(self, kind: str, field: str, data: Json) -> Any:
        """A value that a hidden field of an event could have."""
        raise NotImplementedError

    # The rest is the same for all of them

    @property
    def default_seats(self) -> tuple[Seat, ...]:
        """A person against as many bots as the smallest game has room for."""
        return (Seat("human"), *[Seat("bot", bot=self.fallback_bot)] * (self.seat_counts[0] - 1))

    @property
    def sparring_bots(self) -> tuple[str, ...]:
        """The usual bot on every seat of the smallest game."""
        return (self.fallback_bot,) * self.seat_counts[0]

    def initial(self) -> Table:
        """Before the first event."""
        return Table()

    def decide(self, state: Table, seat: int | None, command: Any, chance: Chance) -> Sequence[EventRecord]:
        """The events that the command causes, or DomainError."""
        match command:
            case Create():
                return self._create(command, chance)
            case Fork():
                return self._fork(command)
            case TakeSeat():
                return self._take_seat(state, command, chance)
            case ReissueToken():
                return [
                    annotations.encode(e) for e in annotations.token_reissued(self.status(state), command)
                ]
            case TakeHint():
                return [
                    annotations.encode(e) for e in annotations.hint_given(self.status(state), seat, command)
                ]
            case PlayBotMove():
                to_act = must_be_to_act(self.status(state), seat)
                how = annotations.encode(annotations.move_chosen(to_act, command, ())[0])
                return [how, *self._move(state, to_act, command.command, chance)]
            case Score():
                return self._score(state)
            case _:
                return self._move(state, seat, command, chance)

    def _create(self, command: Create, chance: Chance) -> list[EventRecord]:
        self._check_seats(command.seats)
        options = self.options(command.options)
        created = self._created(command, options, command.setup is not None, command.setup or {})
        return [created, *self._start_if_full(self.evolve(Table(), created), chance)]

    def _check_seats(self, seats: tuple[Seat, ...]) -> None:
        if len(seats) not in self.seat_counts:
            allowed = " or ".join(map(str, self.seat_counts))
            raise invalid("seats", f"{self.name} has {allowed} seats, not {len(seats)}.")
        for seat in seats:
            if seat.kind == "bot":
                self.bot(str(seat.bot))

    def _created(self, command: Create | Fork, options: Json, setup: bool, more: Json) -> EventRecord:
        seats = [
            {"kind": s.kind, "player": s.player, "bot": s.bot, "client_seed": s.client_seed}
            for s in command.seats
        ]
        return event(
            "game_created",
            id=command.game_id,
            game=self.name,
            commitment=command.commitment,
            options=options,
            seats=seats,
            setup=setup,
            **more,
        )

    def _fork(self, command: Fork) -> list[EventRecord]:
        self._check_seats(command.seats)
        for number, seat in enumerate(command.seats):
            if seat.kind == "open":
                raise invalid(
                    f"seats.{number}.kind", "A fork goes on at once: none of its seats can be open."
                )
        before: Table = command.position
        self._require_running(before)
        origin = command.origin
        told = {
            "game_id": origin.game_id,
            "version": origin.version,
            "head": origin.head,
            "resampled": origin.resampled,
            "seat": origin.seat,
        }
        created = self._created(command, before.options, True, {"origin": told})
        return [created, event("position_set", turn=before.turn, position=before.position)]

    def _take_seat(self, state: Table, command: TakeSeat, chance: Chance) -> list[EventRecord]:
        if not 0 <= command.seat < len(state.seats):
            raise DomainError("not-found", f"There is no seat {command.seat}.")
        if state.seats[command.seat].kind != "open":
            raise DomainError("seat-taken", f"Seat {command.seat} is not open.")
        taken = event("seat_taken", command.seat, player=command.player, client_seed=command.client_seed)
        return [taken, *self._start_if_full(self.evolve(state, taken), chance)]

    def _start_if_full(self, table: Table, chance: Chance) -> list[EventRecord]:
        if any(seat.kind == "open" for seat in table.seats):
            return []
        return [event("game_started", **self.deal(table, chance))]

    def _require_running(self, state: Table) -> None:
        if state.position is None:
            raise DomainError("game-not-started", "The game waits for players to take its open seats.")
        if state.result is not None:
            raise DomainError("game-over", "The game is over.")

    def _move(self, state: Table, seat: int | None, move: Move, chance: Chance) -> list[EventRecord]:
        self._require_running(state)
        position, to_act = state.position, self.to_act(state.position)
        if seat is not None and move.document == RESIGN:
            return [event("player_resigned", seat), self._ended(self.resigned(position, seat))]
        if seat != to_act:
            raise DomainError("not-your-turn", f"It is seat {to_act}'s turn.", to_act=to_act)
        if move.document not in self.moves(self.sight(position, to_act), to_act):
            raise DomainError("illegal-move", "The rules do not allow this move now.")
        caused = self.play(position, to_act, move.document, chance)
        for happened in caused:
            position = self.apply(position, happened)
        result = self.outcome(position)
        return caused if result is None else [*caused, self._ended(result)]

    def _ended(self, result: Result) -> EventRecord:
        return event(
            "game_ended", places=list(result.places), reason=result.reason, scores=list(result.scores)
        )

    def _score(self, state: Table) -> list[EventRecord]:
        """Confirm the result, once."""
        if state.result is None:
            raise DomainError("conflict", "The game has not ended yet.")
        return [] if state.result.scored else [event("game_scored", places=list(state.result.places))]

    def evolve(self, state: Table, happened: EventRecord) -> Table:
        """The table after the event; the same one where nothing changed."""
        kind, _, seat, data = happened
        if annotations.redact(happened) is not None:
            return state
        match kind:
            case "game_created":
                return Table(
                    data["id"],
                    data["commitment"],
                    data["options"],
                    tuple([Seat(**told) for told in data["seats"]]),
                    self.recorded_setup(data),
                    Origin(**data["origin"]) if "origin" in data else None,
                )
            case "seat_taken":
                seats = list(state.seats)
                seats[seat or 0] = Seat("human", data["player"], client_seed=data["client_seed"])
                return replace(state, seats=tuple(seats))
            case "game_started":
                return replace(state, position=self.begin(data, len(state.seats)), turn=1)
            case "position_set":
                return replace(state, position=data["position"], turn=data["turn"])
            case "player_resigned":
                return state
            case "game_ended":
                result = Result(tuple(data["places"]), data["reason"], tuple(data["scores"]))
                return replace(state, result=result)
            case "game_scored":
                assert state.result is not None, "a game ends before it is scored"
                return replace(state, result=replace(state.result, scored=True))
            case _:
                position = self.apply(state.position, happened)
                passed = self.to_act(position) != self.to_act(state.position)
                return replace(state, position=position, turn=state.turn + passed)

    def status(self, state: Table) -> GameStatus:
        """What anybody may ask."""
        running = state.position is not None and state.result is None
        setup = state.prepared is not None or state.origin is not None
        return GameStatus(
            status="playing" if running else "waiting" if state.result is None else "finished",
            seats=state.seats,
            turn=state.turn,
            to_act=self.to_act(state.position) if running else None,
            rated=not setup,
            setup=setup,
            options=state.options or {},
            result=state.result,
            commitment=state.commitment,
        )

    def parse_move(self, document: Json) -> Move:
        """The move; whether it is possible is known when it is judged."""
        return Move(document)

    def move_document(self, move: Move) -> Json:
        """The move, ready to be posted."""
        return move.document

    def legal_moves(self, state: Table, seat: int) -> list[Json]:
        """The seat's moves; [] when it is not to act."""
        return [] if self.status(state).to_act != seat else self.moves(self.sight(state.position, seat), seat)

    def view(self, state: Table, viewer: Viewer, *, whole: bool = False) -> Json | None:
        """The table as the viewer may see it; None before the deal."""
        if state.position is None:
            return None
        over = whole or state.result is not None
        return self.whole(state.position) if over else self.sight(state.position, viewer)

    def preview(self, state: Table, seat: int, command: Move) -> tuple[list[EventRecord], bool]:
        """The move itself; what follows may show what the seat does not know yet."""
        self._require_running(state)
        if command.document not in self.legal_moves(state, seat):
            raise DomainError("illegal-move", "The rules do not allow this move now.")
        begun = self.play(state.position, seat, command.document, _NO_CHANCE)[0]
        return [begun._replace(data=self.redact(begun, seat)[0])], False

    def encode(self, happened: EventRecord) -> EventRecord:
        """Events are kept as they are stored."""
        return happened

    def decode(self, stored: EventRecord) -> EventRecord:
        """The event; DomainError "unknown-event" for a type or schema that this version does not know."""
        known = stored.type in _PUBLIC or stored.type in self.events or annotations.redact(stored) is not None
        if not known or stored.schema != SCHEMA:
            raise DomainError(
                "unknown-event", f"{self.name} knows no event ({stored.type}, {stored.schema})."
            )
        return stored

    def is_consequence(self, before: EventRecord, stored: EventRecord) -> bool:
        """Whether nobody decided anything between the two events."""
        if before.type == annotations.BEFORE_A_MOVE or stored.type in _CONSEQUENCES:
            return True
        return stored.type in self.events and self.move_of(stored) is None

    def redact(self, stored: EventRecord, viewer: Viewer) -> tuple[Json, list[str]]:
        """The event's data as the viewer may see it, and the names of its hidden fields."""
        annotation = annotations.redact(stored)
        if annotation is not None:
            return annotation
        if stored.type == "position_set":
            seen = self.sight(stored.data["position"], viewer)
            hidden = [] if seen == stored.data["position"] else ["position"]
            return {**stored.data, "position": seen}, hidden
        public = _PUBLIC.get(stored.type) or self.events.get(stored.type, frozenset())
        prepared = stored.type == "game_created"  # what was prepared is nobody's to see
        data = {
            name: value if name in public else None if prepared else self.shown(stored, name, viewer)
            for name, value in stored.data.items()
        }
        return data, sorted(name for name, value in data.items() if value != stored.data[name])

    def shown(self, stored: EventRecord, field: str, viewer: Viewer) -> Any:
        """What the viewer may see of a field that is not public; None hides it."""
        return None

    def notation(self, stored: EventRecord) -> str:
        """The event in one line."""
        told = annotations.notation(stored)
        if told is not None:
            return told
        who = "" if stored.seat is None else f"seat {stored.seat}: "
        told = ", ".join(f"{name} {'?' if value is None else value}" for name, value in stored.data.items())
        return f"{who}{stored.type.replace('_', ' ')} {told}".rstrip()

    def initial_knowledge(self) -> None:
        """A seat knows what it sees, and no more."""

    def update_knowledge(self, knowledge: None, seat: int, before: Any, event: Any, after: Any) -> None:
        """A seat knows what it sees, and no more."""

    def resample(self, state: Table, seat: int, knowledge: None, seed: int) -> Table:
        """The table with what the seat cannot know drawn anew."""
        return replace(state, position=self.redraw(state.position, seat, Prng(seed)))

    def observe(self, state: Table, seat: int, knowledge: None = None) -> Sight:
        """What the seat sees, with its moves."""
        moves = tuple([Move(document) for document in self.legal_moves(state, seat)])
        return Sight(seat, self.sight(state.position, seat), moves)

    def position(self, document: Json) -> Sight:
        """The same from a seat's view; DomainError "impossible-position" for one in which nobody can act."""
        view = document.get("view") or {}
        table: Any = view.get("state")
        seat: Any = view.get("viewer")
        try:
            moves = tuple([Move(move) for move in self.moves(table, seat)])
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            raise invalid("view.state", "This is no table of the game.") from None
        if not moves or view.get("to_act") != seat:
            what = "The seat of the view has no move."
            raise DomainError("impossible-position", what, errors={"view.to_act": [what]})
        return Sight(seat, table, moves)

    def bot(self, name: str) -> Bot:
        """The bot of that name, or DomainError "unknown-bot"."""
        if name not in self.bots:
            raise DomainError("unknown-bot", f"There is no bot {name!r}; there is: {', '.join(self.bots)}.")
        return self.bots[name]

    def think(
        self, seen: Sight, bot: str, seed: int, budget: Budget | None = None, stop: Stop = never
    ) -> Choice:
        """What the bot comes to, by its own budget unless another one is given."""
        return self.bot(bot).think(seen, Prng(seed), budget, stop)

    def fallback_move(self, state: Table, seat: int) -> Move:
        """A legal move."""
        move: Move = self.think(self.observe(state, seat), self.fallback_bot, 0).move
        return move

    # For the audit and the archive

    chance_events = frozenset(("game_started",))
    resignation_events = frozenset(("player_resigned",))
    lookahead: Mapping[str, int] = {}
    option_variants: Sequence[OptionVariant] = ()
    game_columns: Mapping[str, str] = {}
    event_columns: Mapping[str, str] = {}

    def infer_move(self, state: Table, record: EventRecord, following: Sequence[EventRecord]) -> Json | None:
        """The move that begins with the event; None if none does."""
        if record.type == "player_resigned":
            return RESIGN
        return self.move_of(record) if record.type in self.events else None

    def recorded_setup(self, data: Json) -> Json | None:
        """What was prepared: all that the first event has besides what every game's has."""
        prepared = {name: value for name, value in data.items() if name not in _CREATED}
        return prepared if any(value is not None for value in prepared.values()) else None

    def stand_in(self, kind: str, field: str, data: Json) -> Any:
        """A value that a hidden field of an event could have."""
        return self.guess(kind, field, data)

    def position_fault(self, state: Table) -> str | None:
        """Why no game can come to the position, as far as that is known of any game; None if one may."""
        if self.outcome(state.position) is not None:
            return "The game would be over."
        return None if self.legal_moves(state, self.to_act(state.position)) else "Nobody is to act."

    def same_position(self, one: Table, other: Table) -> bool:
        """Whether both tables are the same, whoever sits there."""
        return bool((one.position, one.turn) == (other.position, other.turn))

    def view_scores(self, view: Json) -> Sequence[int] | None:
        """Views show scores in the game's own way, if at all."""
        return None

    def game_row(self, state: Table) -> Json:
        """Of the game's own columns in the archive's table of games."""
        return {}

    def conservation_fault(self, state: Table) -> str | None:
        """None: nothing is known here of what must be conserved."""
        return None

    def draw(self, view: Json, seat: int) -> str:
        """What the seat sees of the table, a member a line, as JSON."""
        return "\n".join(f"{name}: {json.dumps(value)}" for name, value in view["state"].items())

    def describe_move(self, move: Json) -> str:
        """The move's type, and its other members as JSON."""
        more = {name: value for name, value in move.items() if name != "type"}
        return f"{move['type']} {json.dumps(more)}" if more else str(move["type"])


# The fields of the events of every game that everybody may see.
_PUBLIC: Final[dict[str, frozenset[str]]] = {
    "game_created": _CREATED,
    "seat_taken": frozenset(("player", "client_seed")),
    "game_started": frozenset(),
    "position_set": frozenset(("turn",)),
    "player_resigned": frozenset(),
    "game_ended": frozenset(("places", "reason", "scores")),
    "game_scored": frozenset(("places",)),
}


class _NoChance:
    """Chance that nobody may ask: the preview of a move must not depend on it."""

    def shuffled(self, number: int, cards: Sequence[int], client_seeds: Any) -> tuple[int, ...]:
        """The cards as they are."""
        return tuple(cards)

    def first_seat(self, seats: int, client_seeds: Any) -> int:
        """The first one."""
        return 0


_NO_CHANCE: Final = _NoChance()
