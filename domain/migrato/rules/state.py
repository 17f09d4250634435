# compiled into rules
"""The state of a game of Migrato, and how events change it.

Plain tuples with structural sharing. What rules ask often is kept beside what it follows from: the shapes of the
columns (as everybody sees them) and the set of species that landed.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final, assert_never

from domain.lifecycle import Origin, Result, Seat, places_in_duel
from domain.migrato.rules.cards import BIRDS, SEEN, SPECIES
from domain.migrato.rules.columns import Column, Shape, shape_of
from domain.migrato.rules.events import (
    ArrivalFailed,
    BirdPlayed,
    BirdsArrived,
    CardDiscarded,
    CardsDrawn,
    CardsMoved,
    ColumnDiscarded,
    DangerPlayed,
    DeckReshuffled,
    Event,
    GameCreated,
    GameEnded,
    GameScored,
    GameStarted,
    HandExchanged,
    MovesTakenBack,
    PlayerResigned,
    PositionSet,
    ReturnFlightTaken,
    SeatTaken,
    TurnPassed,
)
from domain.migrato.rules.options import Rules
from domain.migrato.rules.rule_books import HAND_SIZE, SLOTS
from domain.value import Value


class Phase(Enum):
    """The act that the game waits for."""

    WAITING = "waiting"
    ACTION = "action"
    DISCARD = "discard"
    OVER = "over"


WAITING: Final = Phase.WAITING
ACTION: Final = Phase.ACTION
DISCARD: Final = Phase.DISCARD
OVER: Final = Phase.OVER


@dataclass(frozen=True, slots=True)
class Setup:
    """Facts that are settled before the first card; `deck` is an exact order, or None, `origin` that of a fork,
    `unrated` and `pairing` as in `Create`.
    """

    game_id: str
    commitment: str
    rules: Rules
    seats: tuple[Seat, ...]
    deck: tuple[int, ...] | None
    origin: Origin | None = None
    unrated: str | None = None
    pairing: str | None = None

    @property
    def client_seeds(self) -> tuple[str | None, ...]:
        """The seats' part of every shuffle."""
        return tuple(seat.client_seed for seat in self.seats)


class Player(Value):
    """One side of the table. `landed` and `flights` are bit sets of species; `shapes` follows from `columns`."""

    __match_args__ = ("hand", "columns", "shapes", "arrivals", "landed", "flights")

    def __init__(
        self,
        hand: tuple[int, ...],
        columns: tuple[Column, ...],
        shapes: tuple[Shape, ...],
        arrivals: tuple[tuple[int, ...], ...],
        landed: int,
        flights: int,
    ) -> None:
        self.hand = hand
        self.columns = columns
        self.shapes = shapes
        self.arrivals = arrivals
        self.landed = landed
        self.flights = flights


class State(Value):
    """A game of Migrato. `to_act` is None while nobody can act; `shuffles` counts those that have happened."""

    __match_args__ = (
        "setup",
        "phase",
        "to_act",
        "turn",
        "deck",
        "discard_pile",
        "players",
        "shuffles",
        "result",
    )

    def __init__(
        self,
        setup: Setup | None,
        phase: Phase,
        to_act: int | None,
        turn: int,
        deck: tuple[int, ...],
        discard_pile: tuple[int, ...],
        players: tuple[Player, ...],
        shuffles: int,
        result: Result | None,
    ) -> None:
        self.setup = setup
        self.phase = phase
        self.to_act = to_act
        self.turn = turn
        self.deck = deck
        self.discard_pile = discard_pile
        self.players = players
        self.shuffles = shuffles
        self.result = result


_EMPTY: Final = Player((), ((),) * SLOTS, ((),) * SLOTS, ((),) * len(SPECIES), 0, 0)
INITIAL: Final = State(None, WAITING, None, 0, (), (), (_EMPTY, _EMPTY), 0, None)


def with_setup(state: State, setup: Setup) -> State:
    """The same table in a game that was set up in another way."""
    return State(
        setup,
        state.phase,
        state.to_act,
        state.turn,
        state.deck,
        state.discard_pile,
        state.players,
        state.shuffles,
        state.result,
    )


def over(state: State, result: Result) -> State:
    """The same table in a game that has ended with that result."""
    return state._replace(phase=OVER, to_act=None, result=result)


def setup_of(state: State) -> Setup:
    """The setup of a game that has been created."""
    assert state.setup is not None, "the game has not been created"
    return state.setup


def flights_left(state: State) -> int:
    """Bit set of the Return Flight cards that still lie beside the table (rules 8)."""
    if state.setup is None or not state.setup.rules.return_flight:
        return 0
    return ~(state.players[0].flights | state.players[1].flights)


def score(player: Player, rules: Rules) -> int:
    """Rules 7: the birds on the top cards of the piles, and the Return Flight cards."""
    points = 0
    for pile in player.arrivals:
        if pile:
            points += BIRDS[pile[-1]]
    if player.flights:
        points += sum([worth for s, worth in enumerate(rules.flight_points) if player.flights >> s & 1])
    return points


def scores(state: State) -> tuple[int, ...]:
    """Each seat's score as the table lies."""
    rules = setup_of(state).rules
    return tuple(score(player, rules) for player in state.players)


def fold(state: State, events: Iterable[Event]) -> State:
    """The state after all the events."""
    for event in events:
        state = evolve(state, event)
    return state


def evolve(state: State, event: Event) -> State:
    """The state after the event. It only assigns: what was recorded has happened."""
    if isinstance(event, CardsDrawn):
        return _drawn(state, event.seat, event.cards)
    if isinstance(event, CardDiscarded):
        player = state.players[event.seat]
        player = _with_hand(player, without(player.hand, event.card))
        return _next(state, event.seat, player, DISCARD, state.discard_pile + (event.card,))
    if isinstance(event, BirdPlayed):
        return _bird(state, event)
    if isinstance(event, HandExchanged):
        player = _with_hand(state.players[event.seat], ())
        return _next(state, event.seat, player, DISCARD, state.discard_pile + event.cards)
    if isinstance(event, CardsMoved):
        return _moved(state, event)
    if isinstance(event, ColumnDiscarded):
        return _discarded(state, event)
    if isinstance(event, DangerPlayed):
        return _danger(state, event)
    if isinstance(event, DeckReshuffled):
        return _reshuffled(state, event)
    if isinstance(event, ArrivalFailed):
        player = _without_column(state.players[event.seat], event.slot)
        return _next(state, event.seat, player, DISCARD, state.discard_pile + event.cards)
    if isinstance(event, BirdsArrived):
        player = _without_column(state.players[event.seat], event.slot)
        arrivals = _put(player.arrivals, event.species, event.cards)
        player = _with_arrivals(player, arrivals, player.landed | 1 << event.species, player.flights)
        return _next(state, event.seat, player, DISCARD, state.discard_pile)
    if isinstance(event, ReturnFlightTaken):
        player = _without_column(state.players[event.seat], event.slot)
        flights = player.flights | 1 << event.species
        player = _with_arrivals(player, player.arrivals, player.landed, flights)
        return _next(state, event.seat, player, DISCARD, state.discard_pile + event.cards)
    if isinstance(event, TurnPassed):
        return _turn_over(state)
    if isinstance(event, PlayerResigned):
        return state
    if isinstance(event, GameEnded):
        return over(state, Result(places_in_duel(event.winner), event.reason, event.scores))
    if isinstance(event, GameScored):
        reason = state.result.reason if state.result else ""
        return state._replace(result=Result(places_in_duel(event.winner), reason, event.scores, scored=True))
    if isinstance(event, GameCreated):
        game_id, commitment, rules, seats = event.game_id, event.commitment, event.rules, event.seats
        setup = Setup(
            game_id, commitment, rules, seats, event.deck, event.origin, event.unrated, event.pairing
        )
        return state._replace(setup=setup)
    if isinstance(event, SeatTaken):
        setup = setup_of(state)
        taken = Seat("human", event.player, None, event.client_seed)
        seats = setup.seats[: event.seat] + (taken,) + setup.seats[event.seat + 1 :]
        return state._replace(setup=replace(setup, seats=seats))
    if isinstance(event, GameStarted):
        return _started(state, event)
    if isinstance(event, PositionSet):
        return _positioned(state, event)
    if isinstance(event, MovesTakenBack):
        return _positioned(state, event.position)
    assert_never(event)


def _started(state: State, event: GameStarted) -> State:
    dealt = sum(len(hand) for hand in event.hands)
    players = tuple([_with_hand(_EMPTY, hand) for hand in event.hands])
    shuffles = 0 if setup_of(state).deck else 1
    return State(state.setup, ACTION, event.first_seat, 1, event.deck[dealt:], (), players, shuffles, None)


def _positioned(state: State, event: PositionSet) -> State:
    sides = zip(event.hands, event.columns, event.arrivals, event.landed, event.flights, strict=True)
    players = tuple(
        [
            Player(hand, columns, tuple([shape_of(column) for column in columns]), arrivals, landed, flights)
            for hand, columns, arrivals, landed, flights in sides
        ]
    )
    phase = DISCARD if event.discarding else ACTION
    return State(
        state.setup,
        phase,
        event.to_act,
        event.turn,
        event.deck,
        event.discard_pile,
        players,
        event.shuffles,
        None,
    )


def _bird(state: State, event: BirdPlayed) -> State:
    player, card, slot = state.players[event.seat], event.card, event.slot
    player = Player(
        without(player.hand, card),
        _put(player.columns, slot, player.columns[slot] + (card,)),
        _put(player.shapes, slot, player.shapes[slot] + (SEEN[card],)),
        player.arrivals,
        player.landed,
        player.flights,
    )
    return _next(state, event.seat, player, DISCARD, state.discard_pile)


def _moved(state: State, event: CardsMoved) -> State:
    player = state.players[event.seat]
    columns = _joined(player.columns, event.source, event.index, event.target)
    shapes = _joined(player.shapes, event.source, event.index, event.target)
    player = _with_columns(player, columns, shapes)
    return _next(state, event.seat, player, DISCARD, state.discard_pile)


def _joined(columns: tuple[Column, ...], source: int, index: int, target: int) -> tuple[Column, ...]:
    """The columns (or their shapes) after the cards of one from `index` on went to another."""
    cards = columns[source]
    columns = _put(columns, source, cards[:index])
    return _put(columns, target, columns[target] + cards[index:])


def _discarded(state: State, event: ColumnDiscarded) -> State:
    player, slot = state.players[event.seat], event.slot
    if len(event.places) == len(player.columns[slot]):
        player = _without_column(player, slot)
    else:
        column = [card for place, card in enumerate(player.columns[slot]) if place not in event.places]
        kept = tuple(column)
        columns, shapes = _put(player.columns, slot, kept), _put(player.shapes, slot, shape_of(kept))
        player = _with_columns(player, columns, shapes)
    state = _next(state, event.seat, player, state.phase, state.discard_pile + event.cards)
    return _turn_over(state) if event.abandoned else state


def _danger(state: State, event: DangerPlayed) -> State:
    thief, victim = state.players[event.seat], state.players[1 - event.seat]
    if event.slot is not None:
        columns = _put(victim.columns, event.slot, victim.columns[event.slot][:-1])
        shapes = _put(victim.shapes, event.slot, victim.shapes[event.slot][:-1])
        victim = _with_columns(victim, columns, shapes)
    elif event.pile is not None:
        arrivals = _put(victim.arrivals, event.pile, victim.arrivals[event.pile][:-1])
        victim = _with_arrivals(victim, arrivals, victim.landed, victim.flights)
    thief = _with_hand(thief, without(thief.hand, event.danger) + (event.card,))
    state = _next(state, 1 - event.seat, victim, DISCARD, state.discard_pile + (event.danger,))
    return _next(state, event.seat, thief, DISCARD, state.discard_pile)


def _drawn(state: State, seat: int, cards: tuple[int, ...]) -> State:
    player, deck = state.players[seat], state.deck[len(cards) :]
    hand = player.hand + cards
    players = _seated(state.players, seat, _with_hand(player, hand))
    phase, to_act, turn = DISCARD, seat, state.turn
    if len(hand) >= HAND_SIZE or not (deck or state.discard_pile):  # ruling R4
        phase, to_act, turn = ACTION, 1 - seat, state.turn + 1
    return State(
        state.setup, phase, to_act, turn, deck, state.discard_pile, players, state.shuffles, state.result
    )


def _reshuffled(state: State, event: DeckReshuffled) -> State:
    deck, shuffles = state.deck + event.deck, state.shuffles + 1
    return State(
        state.setup, state.phase, state.to_act, state.turn, deck, (), state.players, shuffles, state.result
    )


def _turn_over(state: State) -> State:
    assert state.to_act is not None
    return State(
        state.setup,
        ACTION,
        1 - state.to_act,
        state.turn + 1,
        state.deck,
        state.discard_pile,
        state.players,
        state.shuffles,
        state.result,
    )


def _next(state: State, seat: int, player: Player, phase: Phase, discard_pile: tuple[int, ...]) -> State:
    """The state with one player's side, the phase and the discard pile changed."""
    players = _seated(state.players, seat, player)
    return State(
        state.setup,
        phase,
        state.to_act,
        state.turn,
        state.deck,
        discard_pile,
        players,
        state.shuffles,
        state.result,
    )


def _seated(players: tuple[Player, ...], seat: int, player: Player) -> tuple[Player, ...]:
    return (player, players[1]) if seat == 0 else (players[0], player)


def _with_hand(player: Player, hand: tuple[int, ...]) -> Player:
    return Player(hand, player.columns, player.shapes, player.arrivals, player.landed, player.flights)


def _with_columns(player: Player, columns: tuple[Column, ...], shapes: tuple[Shape, ...]) -> Player:
    return Player(player.hand, columns, shapes, player.arrivals, player.landed, player.flights)


def _with_arrivals(
    player: Player, arrivals: tuple[tuple[int, ...], ...], landed: int, flights: int
) -> Player:
    return Player(player.hand, player.columns, player.shapes, arrivals, landed, flights)


def _without_column(player: Player, slot: int) -> Player:
    return _with_columns(player, _put(player.columns, slot, ()), _put(player.shapes, slot, ()))


def _put(piles: tuple[tuple[int, ...], ...], at: int, pile: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """The piles with another one at that place."""
    changed = list(piles)
    changed[at] = pile
    return tuple(changed)


def without(hand: tuple[int, ...], card: int) -> tuple[int, ...]:
    """The hand with one card of that face less."""
    for at, held in enumerate(hand):
        if held == card:
            return hand[:at] + hand[at + 1 :]
    raise ValueError(f"{card} is not in {hand}")
