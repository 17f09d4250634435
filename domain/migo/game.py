"""Migo as an implementation of the protocol of every game."""

from collections.abc import Mapping, Sequence
from typing import Any

from domain import annotations, interventions
from domain.annotations import Annotation
from domain.bot import Bot, Budget, Choice, Considered, Stop, Strength, bot_named, never, think
from domain.chance import Chance
from domain.common_events.clocks import TurnTimedOut
from domain.interventions import Decision, Intervention
from domain.lifecycle import (
    Create,
    EventRecord,
    Fork,
    GameStatus,
    Json,
    PlayBotMove,
    ReissueToken,
    Result,
    Seat,
    TakeHint,
    TellFork,
    Viewer,
    is_rated,
    must_be_to_act,
)
from domain.migo import archive_columns, audit, notation
from domain.migo.bots import BOTS, KEPT, LEVELS
from domain.migo.bots.learned import NET, judged
from domain.migo.bots.measured_strength import STRENGTH
from domain.migo.codec import event_codec
from domain.migo.codec.move_codec import move_document, parse_move
from domain.migo.codec.position_reader import position_of
from domain.migo.drawing import LEGEND, draw
from domain.migo.net import explain
from domain.migo.net.checked_in import trained
from domain.migo.observation import Observation, observe
from domain.migo.positions.impossible import faces_in, impossible
from domain.migo.preview import preview
from domain.migo.rules import view
from domain.migo.rules.cards import CARDS
from domain.migo.rules.decide import Command, decide, ended
from domain.migo.rules.events import Event, GameEnded, MovesTakenBack
from domain.migo.rules.fork import resampled, taken_back
from domain.migo.rules.legal import legal_moves
from domain.migo.rules.moves import Move
from domain.migo.rules.options import (
    OPTIONS,
    RATED_OPTIONS,
    SEAT_COUNTS,
    TOKENS,
    options_document,
)
from domain.migo.rules.state import INITIAL, State, evolve, over, setup_of, tokens_left
from domain.words.languages import ENGLISH

AnyCommand = Command | PlayBotMove | TakeHint | TellFork | ReissueToken | Decision
AnyEvent = Event | Annotation | Intervention


class Migo:
    """The game as a decider; every function is pure."""

    name = "migo"
    seat_counts = SEAT_COUNTS
    fallback_bot = "greedy"
    hint_bot = "net-search"
    judge: str | None = f"{NET.name} {NET.version}"
    strengths: Mapping[str, Strength] = STRENGTH
    agreements: Mapping[str, Sequence[float]] = {}  # these rates were not measured
    newcomer_elo = STRENGTH["heuristic"].elo
    default_seats = (Seat("human"), Seat("bot", bot="greedy"))
    rule_books = ("standard",)
    chance_events = audit.CHANCE_EVENTS
    resignation_events = audit.RESIGNATION_EVENTS
    lookahead = audit.LOOKAHEAD
    option_variants = audit.OPTION_VARIANTS
    game_columns = archive_columns.GAME_COLUMNS
    event_columns = archive_columns.EVENT_COLUMNS
    option_table = OPTIONS
    starter_option: str | None = "first_seat"
    rated_options = RATED_OPTIONS
    sparring_bots: tuple[str, ...] = ("heuristic", "greedy")
    legend = LEGEND
    automatic_moves: frozenset[str] = frozenset()

    def initial(self) -> State:
        """The state before the first event."""
        return INITIAL

    def decide(
        self, state: State, seat: int | None, command: AnyCommand, chance: Chance
    ) -> Sequence[AnyEvent]:
        """The events that the command causes; DomainError "unknown-bot" for a seat with an unknown bot."""
        if isinstance(command, PlayBotMove):
            if seat is None or seat != state.to_act:  # the status is computed only to explain the refusal
                seat = must_be_to_act(self.status(state), seat)
            return annotations.move_chosen(seat, command, decide(state, seat, command.command, chance))
        if isinstance(command, TakeHint):
            return annotations.hint_given(self.status(state), seat, command)
        if isinstance(command, TellFork):
            return annotations.game_forked(self.status(state), seat, command)
        if isinstance(command, ReissueToken):
            return annotations.token_reissued(self.status(state), command)
        if isinstance(command, Decision):
            return interventions.decide(self, state, command)
        if isinstance(command, (Create, Fork)):
            for given in command.seats:
                if given.kind == "bot":
                    self.bot(str(given.bot))
        return decide(state, seat, command, chance)

    def evolve(self, state: State, event: AnyEvent) -> State:
        """The state after the event; the same object if nothing changed."""
        if isinstance(event, TurnTimedOut):
            given_up: State = interventions.timed_out(self, state, event)
            return given_up
        if isinstance(event, Annotation):
            return state
        return (
            interventions.evolve(self, state, event)
            if isinstance(event, Intervention)
            else evolve(state, event)
        )

    def status(self, state: State) -> GameStatus:
        """The public state of the game. A turn is a take: the turn of a running game is the take that comes next."""
        setup = setup_of(state)
        over, begun = state.result is not None, state.number > 0
        set_up = setup.rounds is not None or setup.origin is not None
        return GameStatus(
            status="finished" if over else "playing" if begun else "waiting",
            seats=setup.seats,
            turn=max(1, state.takes + (not over)) if begun else 0,
            to_act=state.to_act,
            rated=is_rated(set_up, setup.seats, state.result),
            setup=set_up,
            options=options_document(setup.options),
            result=state.result,
            commitment=setup.commitment,
            unrated=setup.unrated,
            pairing=setup.pairing,
        )

    def ended(self, state: State, places: tuple[int, ...], reason: str) -> GameEnded:
        """The event that ends the game with these places, with the scores of the present table."""
        return ended(state, places, reason)

    def with_result(self, state: State, result: Result) -> State:
        """The same table, in a game that is over."""
        return over(state, result)

    def with_seats(self, state: State, seats: tuple[Seat, ...]) -> State:
        """The same table with other players around it."""
        return state._replace(setup=setup_of(state)._replace(seats=seats))

    def parse_move(self, document: Json) -> Move:
        """The command that a posted move means; DomainError "validation-error" names the field."""
        return parse_move(document)

    def move_document(self, move: Move) -> Json:
        """The move, ready to be posted."""
        return move_document(move)

    def legal_moves(self, state: State, seat: int) -> list[Json]:
        """The seat's legal moves, ready to be posted."""
        return [move_document(move) for move in legal_moves(state)] if seat == state.to_act else []

    def view(self, state: State, viewer: Viewer, *, whole: bool = False) -> Json | None:
        """The table, the same for everybody."""
        return view.view(state)

    def preview(self, state: State, seat: int, command: Move) -> tuple[list[EventRecord], bool]:
        """The events that would follow, all but the layout of a next round."""
        return preview(state, seat, command)

    def encode(self, event: AnyEvent) -> EventRecord:
        """The event as it is stored."""
        if isinstance(event, Annotation):
            return annotations.encode(event)
        return interventions.encode(event) if isinstance(event, Intervention) else event_codec.encode(event)

    def decode(self, stored: EventRecord) -> AnyEvent:
        """The event that was stored; DomainError "unknown-event"."""
        return annotations.decode(stored) or interventions.decode(stored) or event_codec.decode(stored)

    def is_consequence(self, before: EventRecord, stored: EventRecord) -> bool:
        """True if nobody decided anything between the two; how a move was chosen is followed by that move."""
        return before.type == annotations.BEFORE_A_MOVE or event_codec.is_consequence(stored)

    def reveals_nothing(self, event: Event) -> bool:
        """True if the event is part of a take; the layout of the next round is not."""
        return view.reveals_nothing(event)

    def taken_back(self, former: State, seat: int, to_version: int) -> MovesTakenBack:
        """The event that takes the seat's last move back, to the state before it."""
        return taken_back(former, seat, to_version)

    def redact(self, stored: EventRecord, viewer: Viewer) -> tuple[Json, list[str]]:
        """Everybody may see everything except prepared rounds that are still to be laid out."""
        return annotations.redact(stored) or interventions.redact(stored) or view.redact(stored)

    def notation(self, stored: EventRecord, language: str = ENGLISH) -> str:
        """The event in one readable line."""
        return notation.event_said(stored).in_language(language)

    def initial_knowledge(self) -> None:
        """None: a seat knows what it sees, and no more."""

    def update_knowledge(
        self, knowledge: None, seat: int, before: State, event: AnyEvent, after: State
    ) -> None:
        """None: a seat knows what it sees, and no more."""

    def resample(self, state: State, seat: int, knowledge: None, seed: int) -> State:
        """The state, whose later rounds are left to the fork's own chance: nothing else is hidden."""
        return resampled(state)

    def observe(self, state: State, seat: int, knowledge: None = None) -> Observation:
        """View of the seat, with its moves."""
        return observe(state, seat)

    def position(self, document: Json) -> Observation:
        """The observation that a seat's view leads to; DomainError "validation-error", "impossible-position"."""
        return position_of(document)

    @property
    def levels(self) -> tuple[str, ...]:
        """Every bot but the net alone, whose search is stronger."""
        return tuple([bot.name for bot in LEVELS])

    @property
    def bots(self) -> Mapping[str, Bot]:
        """The bots, by name."""
        return BOTS

    @property
    def kept_bots(self) -> Mapping[str, Bot]:
        """The bots by former nets, by name and version."""
        return KEPT

    def bot(self, name: str) -> Bot:
        """The bot of that name, or DomainError "unknown-bot"."""
        return bot_named(BOTS, name, KEPT)

    def think(
        self, seen: Observation, bot: str, seed: int, budget: Budget | None = None, stop: Stop = never
    ) -> Choice:
        """Decision of the bot, by its own budget unless another one is given."""
        return think(BOTS, bot, seen, seed, budget, stop, KEPT)

    def chances(self, observation: Observation) -> Sequence[Sequence[float]]:
        """None: nobody has measured how people move."""
        return ()

    def judged(self, observation: Observation) -> Sequence[Considered]:
        """Every legal move as the net weighs it, the best first."""
        return judged(observation)

    def explained(self, observation: Observation, bot: str, choice: Choice) -> Sequence[Considered]:
        """Moves that the bot considered, with the net's reasons; the bot of the net alone weighs every legal move."""
        weighed = judged(observation) if bot == NET.name and not choice.considered else choice.considered
        return explain.explained(observation, weighed, trained())

    def fallback_move(self, state: State, seat: int) -> Move:
        """The greedy bot's move: legal, cheap and sensible."""
        move: Move = think(BOTS, self.fallback_bot, observe(state, seat), 0).move
        return move

    def infer_move(self, state: State, record: EventRecord, following: Sequence[EventRecord]) -> Json | None:
        """The move that begins with the event, as it would be posted; None if no move does."""
        return audit.infer_move(record, following)

    def recorded_setup(self, data: Json) -> Json | None:
        """The rounds that were prepared, {"rounds": [[...]]}; DomainError "validation-error"."""
        return audit.recorded_setup(data)

    def stand_in(self, kind: str, field: str, data: Json) -> Any:
        """A prepared round; KeyError if the field is never hidden."""
        return audit.stand_in(kind, field)

    def position_fault(self, state: State) -> str | None:
        """The reason for which no game can come to the position, in a sentence; None if one may."""
        return impossible(state)

    def same_position(self, one: State, other: State) -> bool:
        """True if the states differ in nothing but how their games were set up."""
        bare = [state._replace(setup=None, dealt=state.table) for state in (one, other)]
        return bare[0] == bare[1]

    def view_scores(self, view: Json) -> list[int]:
        """The sums of the scores that a view shows, by seat."""
        return audit.view_scores(view)

    def game_row(self, state: State) -> Json:
        """The flags of every seat, and how many rounds were played."""
        return archive_columns.game_row(state)

    def conservation_fault(self, state: State) -> str | None:
        """The fault unless every card is in exactly one place and no token is there twice, once round 1 is laid out."""
        if not state.number:
            return None
        if sorted([face >> 1 for face in faces_in(state)]) != list(range(CARDS)):
            return "cards were not conserved"
        whole = 0 <= tokens_left(state) <= TOKENS
        counts = [count for player in state.players for count in (player.full, player.empty)]
        return None if whole and min(counts) >= 0 else "bottle tokens were not conserved"

    def draw(self, view: Json, seat: int) -> str:
        """The table as plain text."""
        return draw(view, seat)

    def describe_move(self, move: Json, view: Json | None = None, language: str = ENGLISH) -> str:
        """A legal move in words."""
        return notation.move_said(move, view).in_language(language)


MIGO = Migo()
