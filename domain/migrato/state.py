"""The state of a game of Migrato, and how events change it.

Plain tuples with structural sharing. What rules ask often is kept beside what it follows from: the shapes of the
columns (as everybody sees them) and the set of species that landed.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final, NamedTuple, assert_never

from domain.lifecycle import Result, Seat
from domain.migrato.cards import BIRDS, SPECIES
from domain.migrato.columns import Column, Shape, shape_of
from domain.migrato.events import (
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
    PlayerResigned,
    ReturnFlightTaken,
    SeatTaken,
    TurnPassed,
)
from domain.migrato.rules import HAND_SIZE, SLOTS, Rules


class Phase(Enum):
    """What the game waits for."""

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
    """What is settled before the first card; `deck` is an exact order, or None."""

    game_id: str
    commitment: str
    rules: Rules
    seats: tuple[Seat, ...]
    deck: tuple[int, ...] | None

    @property
    def client_seeds(self) -> tuple[str | None, ...]:
        """What the seats throw into every shuffle."""
        return tuple(seat.client_seed for seat in self.seats)


class Player(NamedTuple):
    """One side of the table. `landed` and `flights` are bit sets of species; `shapes` follows from `columns`."""

    hand: tuple[int, ...]
    columns: tuple[Column, ...]
    shapes: tuple[Shape, ...]
    arrivals: tuple[tuple[int, ...], ...]
    landed: int
    flights: int


class State(NamedTuple):
    """A game of Migrato. `to_act` is None while nobody can act; `shuffles` counts those that have happened."""

    setup: Setup | None
    phase: Phase
    to_act: int | None
    turn: int
    deck: tuple[int, ...]
    discard_pile: tuple[int, ...]
    players: tuple[Player, Player]
    shuffles: int
    result: Result | None


_EMPTY: Final = Player((), ((),) * SLOTS, ((),) * SLOTS, ((),) * len(SPECIES), 0, 0)
INITIAL: Final = State(None, WAITING, None, 0, (), (), (_EMPTY, _EMPTY), 0, None)


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
    tops = sum(BIRDS[pile[-1]] for pile in player.arrivals if pile)
    return tops + sum(points for s, points in enumerate(rules.flight_points) if player.flights >> s & 1)


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
    match event:
        case CardDiscarded(seat, card):
            player = state.players[seat]
            player = _with_hand(player, _without(player.hand, card))
            return _next(state, seat, player, DISCARD, (*state.discard_pile, card))
        case CardsDrawn(seat, cards):
            return _drawn(state, seat, cards)
        case BirdPlayed(seat, card, slot):
            player = state.players[seat]
            player = _with_column(player, slot, player.columns[slot] + (card,), _without(player.hand, card))
            return _next(state, seat, player, DISCARD, state.discard_pile)
        case CardsMoved(seat, source, index, target):
            player = state.players[seat]
            stay, go = player.columns[source][:index], player.columns[source][index:]
            player = _with_column(player, source, stay, player.hand)
            player = _with_column(player, target, player.columns[target] + go, player.hand)
            return _next(state, seat, player, DISCARD, state.discard_pile)
        case DangerPlayed():
            return _danger(state, event)
        case HandExchanged(seat, cards):
            player = _with_hand(state.players[seat], ())
            return _next(state, seat, player, DISCARD, state.discard_pile + cards)
        case ColumnDiscarded(seat, slot, cards, places, abandoned):
            player = state.players[seat]
            kept = tuple(card for place, card in enumerate(player.columns[slot]) if place not in places)
            player = _with_column(player, slot, kept, player.hand)
            state = _next(state, seat, player, state.phase, state.discard_pile + cards)
            return _turn_over(state) if abandoned else state
        case BirdsArrived(seat, slot, species, cards):
            player = _with_column(state.players[seat], slot, (), state.players[seat].hand)
            arrivals = player.arrivals[:species] + (cards,) + player.arrivals[species + 1 :]
            player = player._replace(arrivals=arrivals, landed=player.landed | 1 << species)
            return _next(state, seat, player, DISCARD, state.discard_pile)
        case ArrivalFailed(seat, slot, cards):
            player = _with_column(state.players[seat], slot, (), state.players[seat].hand)
            return _next(state, seat, player, DISCARD, state.discard_pile + cards)
        case ReturnFlightTaken(seat, slot, species, cards):
            player = _with_column(state.players[seat], slot, (), state.players[seat].hand)
            player = player._replace(flights=player.flights | 1 << species)
            return _next(state, seat, player, DISCARD, state.discard_pile + cards)
        case DeckReshuffled(deck):
            return state._replace(deck=state.deck + deck, discard_pile=(), shuffles=state.shuffles + 1)
        case TurnPassed():
            return _turn_over(state)
        case PlayerResigned():
            return state
        case GameEnded(winner, reason, points):
            return state._replace(phase=OVER, to_act=None, result=Result(winner, reason, points))
        case GameScored(winner, points):
            reason = state.result.reason if state.result else ""
            return state._replace(result=Result(winner, reason, points, scored=True))
        case GameCreated(game_id, commitment, rules, seats, deck):
            return state._replace(setup=Setup(game_id, commitment, rules, seats, deck))
        case SeatTaken(number, player_name, client_seed):
            setup = setup_of(state)
            taken = Seat("human", player_name, None, client_seed)
            seats = setup.seats[:number] + (taken,) + setup.seats[number + 1 :]
            return state._replace(setup=replace(setup, seats=seats))
        case GameStarted(first_seat, deck, hands):
            dealt = sum(len(hand) for hand in hands)
            players = (_EMPTY._replace(hand=hands[0]), _EMPTY._replace(hand=hands[1]))
            shuffles = 0 if setup_of(state).deck else 1
            return State(state.setup, ACTION, first_seat, 1, deck[dealt:], (), players, shuffles, None)
        case _:
            assert_never(event)


# As State(...) and Player(...), but without a call of the Python function behind them: bots fold millions.
_new = tuple.__new__


def _next(state: State, seat: int, player: Player, phase: Phase, discard_pile: tuple[int, ...]) -> State:
    """The state with one player's side, the phase and the discard pile changed."""
    setup, _, to_act, turn, deck, _, players, shuffles, result = state
    players = (player, players[1]) if seat == 0 else (players[0], player)
    return _new(State, (setup, phase, to_act, turn, deck, discard_pile, players, shuffles, result))


def _turn_over(state: State) -> State:
    setup, _, to_act, turn, deck, discard_pile, players, shuffles, result = state
    assert to_act is not None
    return _new(State, (setup, ACTION, 1 - to_act, turn + 1, deck, discard_pile, players, shuffles, result))


def _drawn(state: State, seat: int, cards: tuple[int, ...]) -> State:
    setup, _, _, turn, deck, discard_pile, players, shuffles, result = state
    hand = players[seat].hand + cards
    player = _with_hand(players[seat], hand)
    players = (player, players[1]) if seat == 0 else (players[0], player)
    deck = deck[len(cards) :]
    over = len(hand) >= HAND_SIZE or not (deck or discard_pile)  # ruling R4
    phase, to_act, turn = (ACTION, 1 - seat, turn + 1) if over else (DISCARD, seat, turn)
    return _new(State, (setup, phase, to_act, turn, deck, discard_pile, players, shuffles, result))


def _danger(state: State, event: DangerPlayed) -> State:
    thief, victim = state.players[event.seat], state.players[1 - event.seat]
    if event.slot is not None:
        victim = _with_column(victim, event.slot, victim.columns[event.slot][:-1], victim.hand)
    elif event.pile is not None:
        pile = victim.arrivals[event.pile][:-1]
        arrivals = victim.arrivals[: event.pile] + (pile,) + victim.arrivals[event.pile + 1 :]
        victim = victim._replace(arrivals=arrivals)
    thief = thief._replace(hand=_without(thief.hand, event.danger) + (event.card,))
    state = _next(state, 1 - event.seat, victim, DISCARD, state.discard_pile + (event.danger,))
    return _next(state, event.seat, thief, DISCARD, state.discard_pile)


def _with_hand(player: Player, hand: tuple[int, ...]) -> Player:
    _, columns, shapes, arrivals, landed, flights = player
    return _new(Player, (hand, columns, shapes, arrivals, landed, flights))


def _with_column(player: Player, slot: int, column: Column, hand: tuple[int, ...]) -> Player:
    columns = player.columns[:slot] + (column,) + player.columns[slot + 1 :]
    shapes = player.shapes[:slot] + (shape_of(column),) + player.shapes[slot + 1 :]
    return _new(Player, (hand, columns, shapes, player.arrivals, player.landed, player.flights))


def _without(hand: tuple[int, ...], card: int) -> tuple[int, ...]:
    at = hand.index(card)
    return hand[:at] + hand[at + 1 :]
