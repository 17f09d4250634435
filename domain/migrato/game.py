# compiled into recording
"""Migrato behind the protocol that every game implements."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from domain import annotations, interventions
from domain.annotations import Annotation, GameForked, HintGiven, MoveChosen, SeatTokenReissued
from domain.bot import Bot, Budget, Choice, Considered, Stop, Strength, bot_named, never, think
from domain.chance import Chance
from domain.common_events.clocks import ClockCredited, ClockSet, TurnTimedOut
from domain.common_events.takebacks import TakebackAnswered, TakebackRequested
from domain.interventions import (
    Decision,
    GameAborted,
    GameAdjudicated,
    Intervention,
    PlayerReplaced,
    SeatHandedOver,
    WinClaimed,
)
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
from domain.migrato import archive_columns, audit, notation
from domain.migrato.belief.knowledge import NOTHING, Knowledge, update_knowledge
from domain.migrato.belief.observation import Observation, observe
from domain.migrato.belief.resampling import resampled
from domain.migrato.bots import BOTS, BY_THE_NET, KEPT
from domain.migrato.bots.learned.chances import chances
from domain.migrato.bots.learned.levels import LEVELS
from domain.migrato.bots.learned.net import NET
from domain.migrato.bots.measured_strength import AGREEMENT, STRENGTH
from domain.migrato.codec import event_codec
from domain.migrato.codec.move_codec import move_document, parse_move
from domain.migrato.codec.position_reader import position_of
from domain.migrato.drawing import LEGEND, draw
from domain.migrato.net import explain
from domain.migrato.net.checked_in import trained
from domain.migrato.preview import preview
from domain.migrato.rules import view
from domain.migrato.rules.decide import Command, decide
from domain.migrato.rules.events import Event, GameEnded, MovesTakenBack, TurnEvent
from domain.migrato.rules.fork import impossible, taken_back
from domain.migrato.rules.legal import legal_moves
from domain.migrato.rules.moves import Discard, Move, MoveCards, Play, PlayDanger
from domain.migrato.rules.options import OPTIONS, RATED_OPTIONS, options_document
from domain.migrato.rules.rule_books import RULE_BOOKS, SEATS
from domain.migrato.rules.state import (
    INITIAL,
    OVER,
    WAITING,
    State,
    evolve,
    over,
    scores,
    setup_of,
    with_setup,
)
from domain.words.languages import ENGLISH

AnyCommand = Command | PlayBotMove | TakeHint | TellFork | ReissueToken | Decision
AnyEvent = Event | Annotation | Intervention


class Migrato:
    """The game as a decider; every function is pure.

    The classes of annotations and interventions are written out where they are asked for: so compiled code looks at the
    event's type only, while it goes through a name for all of them at run time.
    """

    name = "migrato"
    seat_counts = (SEATS,)
    fallback_bot = "greedy"
    hint_bot = "level-7"
    strengths: Mapping[str, Strength] = STRENGTH
    agreements: Mapping[str, Sequence[float]] = AGREEMENT
    newcomer_elo = STRENGTH["heuristic"].elo
    default_seats = (Seat("human"), Seat("bot", bot="greedy"))
    rule_books = tuple(RULE_BOOKS)
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
    automatic_moves = frozenset(("pass",))

    def initial(self) -> State:
        """The state before the first event."""
        return INITIAL

    def decide(
        self, state: State, seat: int | None, command: AnyCommand, chance: Chance
    ) -> Sequence[AnyEvent]:
        """The events that the command causes; DomainError "unknown-bot" for a seat's bot that is not there."""
        if isinstance(command, PlayBotMove):
            if seat is None or seat != state.to_act:  # the status is only worked out to say why not
                seat = must_be_to_act(self.status(state), seat)
            return annotations.move_chosen(seat, command, decide(state, seat, command.command, chance))
        if isinstance(command, (Play, Discard, MoveCards, PlayDanger)):
            return decide(state, seat, command, chance)
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
        if isinstance(event, TurnEvent):
            return evolve(state, event)
        # Types are listed where speed counts: compiled, a union of them is looked up each time.
        if isinstance(
            event,
            (
                MoveChosen,
                HintGiven,
                GameForked,
                SeatTokenReissued,
                ClockSet,
                TurnTimedOut,
                ClockCredited,
                TakebackRequested,
                TakebackAnswered,
            ),
        ):
            if isinstance(event, TurnTimedOut):
                given_up: State = interventions.timed_out(self, state, event)
                return given_up
            return state
        if isinstance(event, (GameAborted, GameAdjudicated, PlayerReplaced, SeatHandedOver, WinClaimed)):
            decided: State = interventions.evolve(self, state, event)
            return decided
        return evolve(state, event)

    def status(self, state: State) -> GameStatus:
        """The public state of the game."""
        setup = setup_of(state)
        limit, set_up = setup.rules.last_turn, setup.deck is not None or setup.origin is not None
        return GameStatus(
            status="waiting" if state.phase is WAITING else "finished" if state.phase is OVER else "playing",
            seats=setup.seats,
            turn=min(state.turn, limit) if limit else state.turn,
            to_act=state.to_act,
            rated=is_rated(set_up, setup.seats, state.result),
            setup=set_up,
            options=options_document(setup.rules),
            result=state.result,
            commitment=setup.commitment,
            unrated=setup.unrated,
            pairing=setup.pairing,
        )

    def ended(self, state: State, places: tuple[int, ...], reason: str) -> GameEnded:
        """The event that ends the game with these places, scored as the table lies."""
        winner = None if places[0] == places[1] else places.index(1)
        return GameEnded(winner, reason, scores(state))

    def with_result(self, state: State, result: Result) -> State:
        """The same table in a game that is over."""
        return over(state, result)

    def with_seats(self, state: State, seats: tuple[Seat, ...]) -> State:
        """The same table with other players around it."""
        return with_setup(state, replace(setup_of(state), seats=seats))

    def parse_move(self, document: Json) -> Move:
        return parse_move(document)

    def move_document(self, move: Move) -> Json:
        """The move, ready to be posted."""
        return move_document(move)

    def legal_moves(self, state: State, seat: int) -> list[Json]:
        """The seat's legal moves, ready to be posted."""
        return [move_document(move) for move in legal_moves(state)] if seat == state.to_act else []

    def view(self, state: State, viewer: Viewer, *, whole: bool = False) -> Json | None:
        return view.view(state, viewer, whole=whole)

    def preview(self, state: State, seat: int, command: Move) -> tuple[list[EventRecord], bool]:
        return preview(state, seat, command)

    def encode(self, event: AnyEvent) -> EventRecord:
        if isinstance(event, TurnEvent):
            return event_codec.encode(event)
        if isinstance(
            event,
            (
                MoveChosen,
                HintGiven,
                GameForked,
                SeatTokenReissued,
                ClockSet,
                TurnTimedOut,
                ClockCredited,
                TakebackRequested,
                TakebackAnswered,
            ),
        ):
            return annotations.encode(event)
        if isinstance(event, (GameAborted, GameAdjudicated, PlayerReplaced, SeatHandedOver, WinClaimed)):
            return interventions.encode(event)
        return event_codec.encode(event)

    def decode(self, stored: EventRecord) -> AnyEvent:
        return annotations.decode(stored) or interventions.decode(stored) or event_codec.decode(stored)

    def is_consequence(self, before: EventRecord, stored: EventRecord) -> bool:
        """True if nobody decided anything between the two; how a move was chosen is followed by that move."""
        return before.type == annotations.BEFORE_A_MOVE or event_codec.is_consequence(stored)

    def reveals_nothing(self, event: Event) -> bool:
        """True if no card is shown by the event that was hidden from anybody."""
        return view.reveals_nothing(event)

    def taken_back(self, former: State, seat: int, to_version: int) -> MovesTakenBack:
        """The event that takes the seat's last move back, to the state before it."""
        return taken_back(former, seat, to_version)

    def redact(self, stored: EventRecord, viewer: Viewer) -> tuple[Json, list[str]]:
        return annotations.redact(stored) or interventions.redact(stored) or view.redact(stored, viewer)

    def notation(self, stored: EventRecord, language: str = ENGLISH) -> str:
        return notation.event_said(stored).in_language(language)

    def initial_knowledge(self) -> Knowledge:
        """Memory of a seat before the game has begun."""
        return NOTHING

    def update_knowledge(
        self, knowledge: Knowledge, seat: int, before: State, event: AnyEvent, after: State
    ) -> Knowledge:
        return (
            knowledge
            if isinstance(
                event,
                (
                    MoveChosen,
                    HintGiven,
                    GameForked,
                    SeatTokenReissued,
                    ClockSet,
                    TurnTimedOut,
                    ClockCredited,
                    TakebackRequested,
                    TakebackAnswered,
                    GameAborted,
                    GameAdjudicated,
                    PlayerReplaced,
                    SeatHandedOver,
                    WinClaimed,
                ),
            )
            else update_knowledge(knowledge, seat, before, event, after)
        )

    def resample(self, state: State, seat: int, knowledge: Knowledge, seed: int) -> State:
        return resampled(state, seat, knowledge, seed)

    def observe(self, state: State, seat: int, knowledge: Knowledge) -> Observation:
        return observe(state, seat, knowledge)

    def position(self, document: Json) -> Observation:
        return position_of(document)

    @property
    def levels(self) -> tuple[str, ...]:
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
        self, observation: Observation, bot: str, seed: int, budget: Budget | None = None, stop: Stop = never
    ) -> Choice:
        """Decision of the bot, by its own budget unless another one is given."""
        return think(BOTS, bot, observation, seed, budget, stop, KEPT)

    @property
    def judge(self) -> str | None:
        """The net."""
        return f"{NET.name} {NET.version}"

    def judged(self, observation: Observation) -> Sequence[Considered]:
        """Every legal move as the net weighs it, the best first."""
        return explain.judged(observation, trained())

    def chances(self, observation: Observation) -> Sequence[Sequence[float]]:
        """The chances of each legal move for people, by temperature."""
        return chances(observation)

    def explained(self, observation: Observation, bot: str, choice: Choice) -> Sequence[Considered]:
        """Moves that the bot considered, with the net's reasons; bots of the net alone weigh every legal move."""
        considered = choice.considered
        if bot in BY_THE_NET and not considered:
            considered = tuple(self.judged(observation))
        return explain.explained(observation, considered, trained())

    def fallback_move(self, state: State, seat: int) -> Move:
        """The greedy bot's move: legal, cheap and sensible."""
        move: Move = think(BOTS, self.fallback_bot, observe(state, seat), 0).move
        return move

    def infer_move(self, state: State, record: EventRecord, following: Sequence[EventRecord]) -> Json | None:
        """The move that begins with the event, as it would be posted; None if no move does."""
        return audit.infer_move(state, record, following)

    def recorded_setup(self, data: Json) -> Json | None:
        """The deck that was prepared, {"deck": [...]}; DomainError "validation-error"."""
        return audit.recorded_setup(data)

    def stand_in(self, kind: str, field: str, data: Json) -> Any:
        """A card, or as many as are hidden; KeyError if the field is never hidden."""
        return audit.stand_in(kind, field, data)

    def position_fault(self, state: State) -> str | None:
        """The reason for which no game can come to the position, in a sentence; None if one may."""
        return impossible(state)

    def same_position(self, one: State, other: State) -> bool:
        """True if the states differ in nothing but how their games were set up."""
        return one._replace(setup=None) == other._replace(setup=None)

    def view_scores(self, view: Json) -> list[int]:
        """The scores that a view shows, by seat."""
        return audit.view_scores(view)

    def game_row(self, state: State) -> Json:
        """The points of every pile."""
        return archive_columns.game_row(state)

    def conservation_fault(self, state: State) -> str | None:
        """The fault if, after the deal, any card of the deck list is not in exactly one place; None if all are."""
        if state.turn == 0 and not state.deck and not any(player.hand for player in state.players):
            return None  # nothing is dealt yet
        cards = [*state.deck, *state.discard_pile]
        for player in state.players:
            cards += player.hand
            for pile in (*player.columns, *player.arrivals):
                cards += pile
        return None if sorted(cards) == sorted(setup_of(state).rules.deck) else "cards were not conserved"

    def draw(self, view: Json, seat: int) -> str:
        """The table as plain text."""
        return draw(view, seat)

    def describe_move(self, move: Json, view: Json | None = None, language: str = ENGLISH) -> str:
        """A legal move in words."""
        return notation.move_said(move).in_language(language)


MIGRATO = Migrato()
