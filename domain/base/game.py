"""The whole interface of a game, for a game that supplies only its rules."""

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Final

from domain import interventions
from domain.base import events, lifecycle
from domain.base.rules import GameRules
from domain.base.table import Move, Observation, Table
from domain.bot import Bot, Budget, Choice, Considered, Stop, bot_named, never, think
from domain.chance import Chance
from domain.common_events import clocks as clock_events
from domain.errors import DomainError, invalid
from domain.lifecycle import EventRecord, GameStatus, Json, Result, Seat, Viewer, must_be_playing
from domain.prng import Prng
from domain.words.languages import ENGLISH

MOST_MOVES: Final = 1000  # moves that are accepted in a described position


class BaseGame(GameRules):
    """The protocol `domain.game.Game`, implemented by the methods of `GameRules`, which a game writes itself."""

    @property
    def default_seats(self) -> tuple[Seat, ...]:
        """A person against as many bots as the smallest game has room for."""
        return (Seat("human"), *[Seat("bot", bot=self.fallback_bot)] * (self.seat_counts[0] - 1))

    @property
    def levels(self) -> tuple[str, ...]:
        """All its bots."""
        return tuple(self.bots)

    @property
    def sparring_bots(self) -> tuple[str, ...]:
        """The usual bot on every seat of the smallest game."""
        return (self.fallback_bot,) * self.seat_counts[0]

    def initial(self) -> Table:
        """The state before the first event."""
        return Table()

    def decide(self, state: Table, seat: int | None, command: Any, chance: Chance) -> Sequence[EventRecord]:
        """The events that the command causes, or DomainError."""
        if isinstance(command, interventions.Decision):
            decided = interventions.decide(self, state, command)
            return [one if isinstance(one, EventRecord) else interventions.encode(one) for one in decided]
        return lifecycle.decide(self, state, seat, command, chance)

    def evolve(self, state: Table, event: EventRecord) -> Table:
        """The table after the event; the same object if nothing changed."""
        intervention = interventions.decode(event)
        if intervention is not None:
            after: Table = interventions.evolve(self, state, intervention)
            return after
        if event.type == clock_events.UP:
            given_up: Table = interventions.timed_out(self, state, clock_events.decode(event))
            return given_up
        return lifecycle.evolve(self, state, event)

    def status(self, state: Table) -> GameStatus:
        """The public state of the game."""
        return lifecycle.status(self, state)

    def ended(self, state: Table, places: tuple[int, ...], reason: str) -> EventRecord:
        """The event that ends the game with these places, with the scores of a resignation now."""
        return events.ended(replace(self.resigned(state.position, 0), places=places, reason=reason))

    def with_result(self, state: Table, result: Result) -> Table:
        """The same table, in a game that is over."""
        return replace(state, result=result)

    def with_seats(self, state: Table, seats: tuple[Seat, ...]) -> Table:
        """The same table with other players around it."""
        return replace(state, seats=seats)

    # Moves and views

    def parse_move(self, document: Json) -> Move:
        """The move; whether it is legal is checked when it is decided."""
        return Move(document)

    def move_document(self, move: Move) -> Json:
        """The move, ready to be posted."""
        return move.document

    def legal_moves(self, state: Table, seat: int) -> list[Json]:
        """The seat's moves; [] when it is not to act."""
        if self.status(state).to_act != seat:
            return []
        return self.moves(self.view_for(state.position, seat), seat)

    def view(self, state: Table, viewer: Viewer, *, whole: bool = False) -> Json | None:
        """The position as the viewer may see it; None before the deal."""
        if state.position is None:
            return None
        over = whole or state.result is not None
        return self.full_view(state.position) if over else self.view_for(state.position, viewer)

    def preview(self, state: Table, seat: int, command: Move) -> tuple[list[EventRecord], bool]:
        """The move itself, without its consequences, which may show cards that the seat does not know yet."""
        must_be_playing(self.status(state))
        if command.document == lifecycle.RESIGN:
            return list(self.decide(state, seat, command, _NO_CHANCE)), True
        if command.document not in self.legal_moves(state, seat):
            raise DomainError("illegal-move", "The rules do not allow this move now.")
        first = self.play(state.position, seat, command.document, _NO_CHANCE)[0]
        return [first._replace(data=self.redact(first, seat)[0])], False

    # Events

    def encode(self, event: EventRecord) -> EventRecord:
        """The event itself: this base keeps events as they are stored."""
        return event

    def decode(self, stored: EventRecord) -> EventRecord:
        """The event; DomainError "unknown-event" for a type or schema that this version does not know."""
        events.check_known(self, stored)
        return stored

    def is_consequence(self, before: EventRecord, stored: EventRecord) -> bool:
        """True if nobody decided anything between the two events."""
        return events.is_consequence(self, before, stored)

    def taken_back(self, former: Table, seat: int, to_version: int) -> EventRecord:
        """The event that takes the seat's last move back, to the table before it."""
        return events.taken_back(former, seat, to_version)

    def redact(self, stored: EventRecord, viewer: Viewer) -> tuple[Json, list[str]]:
        """The event's data as the viewer may see it, and the names of its hidden fields."""
        return events.redact(self, stored, viewer)

    def notation(self, stored: EventRecord, language: str = ENGLISH) -> str:
        """The event in one line; the game's own by its type and data, which are the same in each language."""
        return events.notation(stored, language)

    # What a seat knows, and bots

    def initial_knowledge(self) -> None:
        """None: a seat knows what it sees, and no more."""

    def update_knowledge(self, knowledge: None, seat: int, before: Any, event: Any, after: Any) -> None:
        """None: a seat knows what it sees, and no more."""

    def resample(self, state: Table, seat: int, knowledge: None, seed: int) -> Table:
        """The table with all cards drawn anew that the seat cannot know."""
        return replace(state, position=self.redraw(state.position, seat, Prng(seed)))

    def observe(self, state: Table, seat: int, knowledge: None = None) -> Observation:
        """View of the seat, with its moves."""
        moves = tuple([Move(document) for document in self.legal_moves(state, seat)])
        return Observation(seat, self.view_for(state.position, seat), moves)

    def position(self, document: Json) -> Observation:
        """The observation from a seat's view; DomainError "impossible-position" for a position in which no seat can
        act.
        """
        shown = document.get("view") or {}
        view: Any = shown.get("state")
        seat: Any = shown.get("viewer")
        try:
            moves = tuple([Move(move) for move in islice(self.moves(view, seat), MOST_MOVES)])
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            raise invalid("view.state", "This is no table of the game.") from None
        if not moves or shown.get("to_act") != seat:
            what = "The seat of the view has no move."
            raise DomainError("impossible-position", what, errors={"view.to_act": [what]})
        return Observation(seat, view, moves)

    def bot(self, name: str) -> Bot:
        """The bot of that name, or DomainError "unknown-bot"."""
        return bot_named(self.bots, name, self.kept_bots)

    def think(
        self, observation: Observation, bot: str, seed: int, budget: Budget | None = None, stop: Stop = never
    ) -> Choice:
        """Decision of the bot, by its own budget unless another one is given."""
        return think(self.bots, bot, observation, seed, budget, stop, self.kept_bots)

    def chances(self, observation: Observation) -> Sequence[Sequence[float]]:
        """None: nobody has measured how people move."""
        return ()

    def judged(self, observation: Observation) -> Sequence[Considered]:
        """[]: the game has no judge."""
        return []

    def explained(self, observation: Observation, bot: str, choice: Choice) -> Sequence[Considered]:
        """The moves that the bot considered; the game gives no reasons."""
        return choice.considered

    def fallback_move(self, state: Table, seat: int) -> Move:
        """A legal move."""
        observation = self.observe(state, seat)
        assert observation.moves, f"{self.name} gives seat {seat}, which is to act, no legal move"
        move: Move = think(self.bots, self.fallback_bot, observation, 0).move
        return move

    # For the audit and the archive

    def infer_move(self, state: Table, record: EventRecord, following: Sequence[EventRecord]) -> Json | None:
        """The move that begins with the event; None if none does."""
        if record.type == "player_resigned":
            return lifecycle.RESIGN
        return self.move_of(record) if record.type in self.events else None

    def position_fault(self, state: Table) -> str | None:
        """The reason why no game can come to the position, as far as that is the same for every game; None
        if one may.
        """
        if self.outcome(state.position) is not None:
            return "The game would be over."
        fault = self.conservation_fault(state)
        if fault is not None:
            return f"No game can come to this position: {fault}."
        return None if self.legal_moves(state, self.to_act(state.position)) else "Nobody is to act."

    def same_position(self, one: Table, other: Table) -> bool:
        """True if both tables are the same, apart from the players."""
        return _text(one) == _text(other)

    def view_scores(self, view: Json) -> Sequence[int] | None:
        """None: a game's views show scores in its own way, if at all."""
        return None

    def game_row(self, state: Table) -> Json:
        """Values of the game's own columns in the archive's table of games."""
        return {}

    def conservation_fault(self, state: Table) -> str | None:
        """A fault of the position that no event may cause; None before the deal, and if there is none."""
        return None if state.position is None else self.fault(state.position)

    # For people

    def draw(self, view: Json, seat: int) -> str:
        """View of the table from the seat, a member a line, as JSON."""
        return "\n".join(f"{name}: {json.dumps(value)}" for name, value in view["state"].items())

    def describe_move(self, move: Json, view: Json | None = None, language: str = ENGLISH) -> str:
        """The move's type, and its other members as JSON, in any language."""
        more = {name: value for name, value in move.items() if name != "type"}
        return f"{move['type']} {json.dumps(more)}" if more else str(move["type"])


def _text(table: Table) -> str:
    """The position as text; true differs from 1 in it."""
    return json.dumps([table.position, table.turn], sort_keys=True)


class _NoChance:
    """A chance that raises an error: the preview of a move must not depend on chance."""

    def shuffled(self, number: int, cards: Sequence[int], client_seeds: Any) -> tuple[int, ...]:
        """The cards as they are."""
        return tuple(cards)

    def first_seat(self, seats: int, client_seeds: Any) -> int:
        """The first one."""
        return 0


_NO_CHANCE: Final = _NoChance()
