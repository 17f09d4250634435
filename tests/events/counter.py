"""A small game to test the engine with: two seats add numbers in turn; who reaches the goal wins.

Every addition has a note that only its seat may read, and each seat holds a secret card from a shuffled deck of three.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from types import MappingProxyType, SimpleNamespace
from typing import Any, ClassVar

from domain import annotations, interventions
from domain.bot import Bot, Budget, Choice, Considered, Rng, Stop, never
from domain.chance import Chance
from domain.common_events import clocks as clock_events
from domain.errors import DomainError, invalid
from domain.lifecycle import (
    SEALED_CREATION,
    AbortGame,
    Adjudicate,
    Create,
    EventRecord,
    GameStatus,
    HandOver,
    Json,
    PlayBotMove,
    ReissueToken,
    ReplacePlayer,
    Result,
    Score,
    Seat,
    TakeHint,
    TakeSeat,
    TellFork,
    Viewer,
    check_open_seat,
    seat_document,
)
from domain.words.languages import ENGLISH


@dataclass(frozen=True, slots=True)
class Add:
    """Add a number from 1 to 3."""

    amount: int
    note: str


def _any(seen: Any, rng: Rng, budget: Budget, stop: Stop) -> Choice:
    move: Any = Add(1 + rng.randrange(3), "bot")
    return Choice(move)


def _break(seen: Any, rng: Rng, budget: Budget, stop: Stop) -> Choice:
    raise RuntimeError("The bot broke.")


def _search(seen: Any, rng: Rng, budget: Budget, stop: Stop) -> Choice:
    """Draws as many numbers as it may and takes the last; its note says what it remembers."""
    drawn, amount = 0, 1
    while not stop() and drawn != budget.iterations:
        drawn, amount = drawn + 1, 1 + rng.randrange(3)
    move: Any = Add(amount, " ".join(seen.memory))
    return Choice(move, (Considered(move, drawn, 1.0, 0.5),), drawn)


BOTS = {
    "one": Bot("one", "1", "Any number.", _any, milliseconds=1),
    "broken": Bot("broken", "1", "Breaks.", _break, milliseconds=1),
    "thinker": Bot("thinker", "7", "Searches.", _search, 10, Budget(iterations=20), remembers=True),
}


@dataclass(frozen=True, slots=True)
class Counting:
    """The count as it stands."""

    commitment: str = ""
    seats: tuple[Seat, ...] = ()
    goal: int = 0
    started: bool = False
    total: int = 0
    turn: int = 0
    notes: tuple[str, ...] = ()
    cards: tuple[int, ...] = ()
    result: Result | None = None


class Counter:
    """The game; its events are wires, so that there is little to encode."""

    name = "counter"
    seat_counts: Sequence[int] = (2,)
    default_seats = (Seat("human"), Seat("human"))
    bots = BOTS
    kept_bots: Mapping[str, Bot] = MappingProxyType({})
    fallback_bot = hint_bot = "one"
    judge: str | None = None
    strengths: Mapping[str, Any] = MappingProxyType({})
    agreements: Mapping[str, Any] = MappingProxyType({})
    newcomer_elo = 0
    rule_books = ("plain",)
    chance_events = frozenset(("game_started",))
    resignation_events: frozenset[str] = frozenset()
    lookahead: ClassVar[Mapping[str, int]] = {}
    option_variants = ()
    game_columns: ClassVar = {"total": "int16"}
    event_columns: ClassVar = {"amount": "int8"}
    option_table = ()
    starter_option = None
    rated_options: ClassVar[Json] = {}
    levels = ("one",)
    sparring_bots = ("one", "one")
    automatic_moves: frozenset[str] = frozenset()
    legend = ""

    def initial(self) -> Counting:
        return Counting()

    def decide(self, state: Any, seat: int | None, command: Any, chance: Chance) -> Sequence[EventRecord]:
        match command:
            case Create():
                return self._create(command, chance)
            case TakeSeat():
                return self._take_seat(state, command, chance)
            case Score():
                return [EventRecord("game_scored", 1, None, {"scores": list(state.result.scores)})]
            case Add():
                return self._add(state, seat, command)
            case PlayBotMove():
                assert seat is not None
                how, *caused = annotations.move_chosen(seat, command, self._add(state, seat, command.command))
                return [annotations.encode(how), *caused]
            case TellFork():
                return [annotations.encode(annotations.game_forked(self.status(state), seat, command)[0])]
            case TakeHint():
                return [annotations.encode(annotations.hint_given(self.status(state), seat, command)[0])]
            case AbortGame() | Adjudicate() | ReplacePlayer() | HandOver():
                decided = interventions.decide(self, state, command)
                return [one if isinstance(one, EventRecord) else interventions.encode(one) for one in decided]
            case ReissueToken():
                return [annotations.encode(annotations.token_reissued(self.status(state), command)[0])]
            case _:
                raise AssertionError(command)

    def _create(self, command: Create, chance: Chance) -> list[EventRecord]:
        goal = command.options.get("goal", 10)
        if not isinstance(goal, int):
            raise invalid("options.goal", "Not a number.")
        seats = [seat_document(seat) for seat in command.seats]
        if any(s.bot is not None and s.bot not in BOTS for s in command.seats):
            raise DomainError("unknown-bot", "There is no such bot.")
        created: Json = {"id": command.game_id, "game": self.name, "commitment": command.commitment}
        created |= {"options": {"goal": goal}, "goal": goal, "seats": seats}
        events = [EventRecord("game_created", 1, None, created)]
        if all(s.kind != "open" for s in command.seats):
            events.append(self._started(chance, command.seats))
        return events

    def _take_seat(self, state: Counting, command: TakeSeat, chance: Chance) -> list[EventRecord]:
        check_open_seat(state.seats, command.seat, state.result)
        taken = {"player": command.player, "client_seed": command.client_seed}
        events = [EventRecord("seat_taken", 1, command.seat, taken)]
        seats = self.evolve(state, events[0]).seats
        if all(s.kind != "open" for s in seats):
            events.append(self._started(chance, seats))
        return events

    @staticmethod
    def _started(chance: Chance, seats: Sequence[Seat]) -> EventRecord:
        cards = chance.shuffled(0, (1, 2, 3), [s.client_seed for s in seats])
        return EventRecord("game_started", 1, None, {"cards": list(cards)})

    @staticmethod
    def _add(state: Counting, seat: int | None, command: Add) -> list[EventRecord]:
        if state.result is not None:
            raise DomainError("game-over", "The game is over.")
        if not state.started:
            raise DomainError("game-not-started", "Not all seats are taken.")
        if state.turn % len(state.seats) != seat:
            raise DomainError("not-your-turn", "It is not your turn.")
        if command.amount not in (1, 2, 3):
            raise DomainError("illegal-move", "From 1 to 3.", "1.1")
        events = [EventRecord("added", 1, seat, {"amount": command.amount, "note": command.note})]
        if state.total + command.amount >= state.goal:
            events.append(EventRecord("game_ended", 1, None, {"winner": seat}))
        return events

    def evolve(self, state: Any, event: EventRecord) -> Counting:
        assert isinstance(state, Counting)
        data = event.data
        match event.type:
            case "game_created":
                return Counting(data["commitment"], tuple(Seat(**s) for s in data["seats"]), data["goal"])
            case "seat_taken":
                assert event.seat is not None
                seats = list(state.seats)
                seats[event.seat] = Seat("human", data["player"], client_seed=data["client_seed"])
                return replace(state, seats=tuple(seats))
            case "game_started":
                return replace(state, started=True, cards=tuple(data["cards"]))
            case "added":
                notes = (*state.notes, data["note"])
                return replace(state, total=state.total + data["amount"], turn=state.turn + 1, notes=notes)
            case "game_ended":
                won = [seat == data["winner"] for seat in range(len(state.seats))]
                places, scores = tuple(2 - one for one in won), tuple(map(int, won))
                return replace(state, result=Result(places, "goal", scores))
            case "move_chosen" | "hint_given" | "game_forked" | "seat_token_reissued":
                return state
            case kind if kind in clock_events.KINDS:
                timed_out = interventions.timed_out(self, state, clock_events.decode(event))
                assert isinstance(timed_out, Counting)
                return timed_out
            case kind if kind in interventions.KINDS:
                decided = interventions.decode(event)
                assert decided is not None
                after = interventions.evolve(self, state, decided)
                assert isinstance(after, Counting)
                return after
            case _:
                assert state.result is not None
                return replace(state, result=replace(state.result, scored=True))

    def ended(self, state: Any, places: tuple[int, ...], reason: str) -> EventRecord:
        return EventRecord("game_ended", 1, None, {"winner": places.index(1)})

    def with_result(self, state: Any, result: Result) -> Counting:
        assert isinstance(state, Counting)
        return replace(state, result=result)

    def with_seats(self, state: Any, seats: tuple[Seat, ...]) -> Counting:
        assert isinstance(state, Counting)
        return replace(state, seats=seats)

    def status(self, state: Any) -> GameStatus:
        status = "finished" if state.result is not None else "playing" if state.started else "waiting"
        to_act = state.turn % len(state.seats) if status == "playing" else None
        options = {"goal": state.goal}
        return GameStatus(
            status, state.seats, state.turn, to_act, True, False, options, state.result, state.commitment
        )

    def parse_move(self, document: Json) -> Add:
        if not isinstance(document.get("amount"), int):
            raise invalid("amount", "Not a number.")
        return Add(document["amount"], document.get("note", ""))

    def legal_moves(self, state: Any, seat: int) -> list[Json]:
        mine = state.started and state.result is None and state.turn % len(state.seats) == seat
        return [{"type": "add", "amount": amount} for amount in (1, 2, 3)] if mine else []

    def view(self, state: Any, viewer: Viewer, *, whole: bool = False) -> Json | None:
        if not state.started:
            return None
        over = whole or state.result is not None
        cards = [card if over or at == viewer else None for at, card in enumerate(state.cards)]
        return {"total": state.total, "cards": cards}

    def preview(self, state: Any, seat: int, command: Any) -> tuple[list[EventRecord], bool]:
        return self._add(state, seat, command), True

    def encode(self, event: EventRecord) -> EventRecord:
        return event

    def decode(self, wire: EventRecord) -> EventRecord:
        known = ("game_created", "seat_taken", "game_started", "added", "game_ended", "game_scored")
        remarks = (
            "move_chosen",
            "hint_given",
            "seat_token_reissued",
            *interventions.KINDS,
            *clock_events.KINDS,
        )
        newest = clock_events.SET_SCHEMA if wire.type == clock_events.SET else 1
        is_known = wire.schema == newest or (wire.type, wire.schema) == SEALED_CREATION
        if wire.type not in (*known, *remarks) or not is_known:
            raise DomainError("unknown-event", f"{wire.type} {wire.schema}")
        return wire

    def is_consequence(self, before: EventRecord, wire: EventRecord) -> bool:
        return before.type == "move_chosen" or wire.type in ("game_started", "game_ended")

    def reveals_nothing(self, event: Any) -> bool:
        return False

    def taken_back(self, former: Any, seat: int, to_version: int) -> EventRecord:
        raise NotImplementedError

    def redact(self, wire: EventRecord, viewer: Viewer) -> tuple[Json, list[str]]:
        if (remark := annotations.redact(wire) or interventions.redact(wire)) is not None:
            return remark
        hidden = ["note"] if wire.type == "added" and wire.seat != viewer else []
        if wire.type == "game_started":
            hidden = ["cards"]
        return {name: None if name in hidden else value for name, value in wire.data.items()}, hidden

    def notation(self, wire: EventRecord, language: str = ENGLISH) -> str:
        return f"{wire.type} {wire.data}"

    def bot(self, name: str) -> Bot:
        if name not in BOTS:
            raise DomainError("unknown-bot", "There is no such bot.")
        return BOTS[name]

    def move_document(self, command: Add) -> Json:
        return {"type": "add", "amount": command.amount}

    def initial_knowledge(self) -> tuple[str, ...]:
        return ()

    def update_knowledge(self, memory: Any, seat: int, before: Any, event: Any, after: Any) -> Any:
        return (*memory, event.type)

    def resample(self, state: Any, seat: int, memory: Any, seed: int) -> Counting:
        """Nothing that is hidden is of any use in this game."""
        assert isinstance(state, Counting)
        return replace(state, notes=(), cards=tuple(Random(seed).sample((1, 2, 3), 3)))

    def observe(self, state: Any, seat: int, memory: Any) -> Any:
        return SimpleNamespace(moves=(1, 2, 3), memory=memory)

    def position(self, document: Json) -> Any:
        """A described count: {"memory": [...]}, perhaps with a history that is not looked at."""
        if "memory" not in document:
            raise DomainError("impossible-position", "No memory.", errors={"memory": ["Missing."]})
        return self.observe(None, 0, tuple(document["memory"]))

    def think(
        self, seen: Any, bot: str, seed: int, budget: Budget | None = None, stop: Stop = never
    ) -> Choice:
        return self.bot(bot).think(seen, Random(seed), budget, stop)

    def chances(self, observation: Any) -> Sequence[Sequence[float]]:
        return ()

    def judged(self, observation: Any) -> Sequence[Considered]:
        return []

    def explained(self, observation: Any, bot: str, choice: Choice) -> Sequence[Considered]:
        return choice.considered

    def choose(self, state: Any, seat: int, bot: str, rng: Rng) -> Add:
        raise NotImplementedError

    def fallback_move(self, state: Any, seat: int) -> Add:
        return Add(1, "fallback")

    def infer_move(self, state: Any, record: EventRecord, following: Sequence[EventRecord]) -> Json | None:
        return {"type": "add", **record.data} if record.type == "added" else None

    def recorded_setup(self, data: Json) -> Json | None:
        return None

    def stand_in(self, kind: str, field: str, data: Json) -> Any:
        return {("added", "note"): "", ("game_started", "cards"): [1, 2, 3]}[kind, field]

    def position_fault(self, state: Any) -> str | None:
        return None

    def same_position(self, one: Any, other: Any) -> bool:
        return bool(one == other)

    def view_scores(self, view: Json) -> Sequence[int] | None:
        return None

    def game_row(self, state: Any) -> Json:
        return {"total": state.total}

    def conservation_fault(self, state: Any) -> str | None:
        return None

    def draw(self, view: Json, seat: int) -> str:
        return str(view["state"])

    def describe_move(self, move: Json, view: Json | None = None, language: str = ENGLISH) -> str:
        return f"add {move['amount']}"


COUNTER = Counter()
