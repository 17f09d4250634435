# compiled into rules
"""Commands become events (rules 4 to 8). All judgement sits here and in `legal`; nothing changes when it refuses."""

from collections.abc import Sequence
from typing import Final

from domain.chance import Chance
from domain.errors import DomainError, game_not_started, game_over, illegal_move, invalid, not_your_turn
from domain.lifecycle import Create, Fork, Score, TakeSeat, check_open_seat, check_seats
from domain.migrato.rules.cards import FACE, LONGEST_COLUMN
from domain.migrato.rules.columns import (
    Column,
    arriving_species,
    checked_after_move,
    checked_after_play,
    ends_game,
    swept,
)
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
    PlayerResigned,
    ReturnFlightTaken,
    SeatTaken,
    TurnPassed,
)
from domain.migrato.rules.fork import fork
from domain.migrato.rules.legal import outcome_is_known, refusal
from domain.migrato.rules.moves import (
    RETURN,
    Abandon,
    Action,
    Discard,
    Exchange,
    Move,
    MoveCards,
    Pass,
    Play,
    PlayDanger,
    Resign,
    without_discard,
)
from domain.migrato.rules.options import check_deck, resolve
from domain.migrato.rules.rule_books import HAND_SIZE, SEATS
from domain.migrato.rules.state import (
    OVER,
    WAITING,
    Player,
    Setup,
    State,
    flights_left,
    fold,
    scores,
    setup_of,
)

Command = Move | Create | Fork | TakeSeat | Score


def decide(state: State, seat: int | None, command: Command, chance: Chance) -> list[Event]:
    """The events that the command causes; `seat` makes it if it is a move.

    Raises DomainError: "not-your-turn", "game-not-started", "game-over", "seat-taken", "illegal-move" (with the rule),
    "validation-error", "bad-deck".
    """
    if isinstance(command, (Create, Fork, TakeSeat, Score)):
        return _lifecycle(state, command, chance)
    if seat is None or seat != state.to_act:
        return _out_of_turn(state, seat, command)
    refused = refusal(state, seat, command)
    if refused:
        raise illegal_move(*refused)
    return _move(state, seat, command, chance)


def _lifecycle(state: State, command: Create | Fork | TakeSeat | Score, chance: Chance) -> list[Event]:
    match command:
        case Create():
            return _create(command, chance)
        case Fork():
            return fork(command)
        case TakeSeat():
            return _take_seat(state, command, chance)
        case Score():
            return _score(state)


def _out_of_turn(state: State, seat: int | None, move: Move) -> list[Event]:
    """A move of a seat that is not to act: only resigning is possible."""
    if state.phase is WAITING:
        raise game_not_started()
    if state.phase is OVER:
        raise game_over()
    if seat is not None and isinstance(move, Resign):
        return _resign(state, seat)
    raise not_your_turn(state.to_act)


def _resign(state: State, seat: int) -> list[Event]:
    return [PlayerResigned(seat), GameEnded(1 - seat, "resigned", scores(state))]


def _move(state: State, seat: int, move: Move, chance: Chance) -> list[Event]:
    """A move known to be legal."""
    if isinstance(move, Discard):
        return _discard(state, seat, move.card, chance)
    if isinstance(move, (Play, MoveCards, PlayDanger)):
        return _action(state, seat, move, chance)
    if isinstance(move, Exchange):
        return _then_draw(state, seat, [HandExchanged(seat, state.players[seat].hand)], HAND_SIZE, chance)
    if isinstance(move, Abandon):
        column = state.players[seat].columns[move.slot]
        gone = ColumnDiscarded(seat, move.slot, column, _PLACES[len(column)], abandoned=True)
        return _ending_turn(state, [gone])
    if isinstance(move, Pass):
        return _ending_turn(state, [TurnPassed(seat)])
    return _resign(state, seat)


# --- a turn ---------------------------------------------------------------------------------------------------------


def _discard(state: State, seat: int, card: int, chance: Chance) -> list[Event]:
    missing = HAND_SIZE + 1 - len(state.players[seat].hand)
    return _then_draw(state, seat, [CardDiscarded(seat, card)], missing, chance)


def _then_draw(state: State, seat: int, events: list[Event], missing: int, chance: Chance) -> list[Event]:
    """The events, the draw of as many cards as are `missing` after them, and the turn's end."""
    if missing <= len(state.deck):
        events.append(CardsDrawn(seat, state.deck[:missing]))
        return _ending_turn(state, events)
    return events + _draw(fold(state, events), seat, chance)


def _draw(state: State, seat: int, chance: Chance) -> list[Event]:
    """Draw up to a full hand and end the turn; reshuffle when the deck is empty and a card needed (rules 4.4)."""
    events: list[Event] = []
    before = state
    while True:
        missing = HAND_SIZE - len(state.players[seat].hand)
        if state.deck or not state.discard_pile:
            events.append(CardsDrawn(seat, state.deck[:missing]))
        else:
            number = state.shuffles
            events.append(
                DeckReshuffled(chance.shuffled(number, state.discard_pile, setup_of(state).client_seeds))
            )
        state = fold(state, events[-1:])
        if state.turn != before.turn:  # the last draw ended it
            return _ending_turn(before, events)


def _ending_turn(state: State, events: list[Event]) -> list[Event]:
    """The events that end a turn, and the game's end where the turn was its last (rulings R10, R20)."""
    if state.turn == setup_of(state).rules.last_turn:
        events.append(_ended(fold(state, events), "turn_limit"))
    return events


def _action(state: State, seat: int, move: Action, chance: Chance) -> list[Event]:
    """The action, and the discard and draw that follow it in the same request or because the hand is empty."""
    events = _outcome(state, seat, without_discard(move))
    over = isinstance(events[-1], GameEnded)
    held = len(state.players[seat].hand)
    if isinstance(move, Play):  # a danger is replaced by the card that it takes
        held -= 1
    if move.discard is not None:
        # An outcome that depends on face-down cards must not be learnt by naming a discard that would be refused.
        if not over or not outcome_is_known(state, seat, move):
            _require_known_card(state, seat, move)
        if not over:
            events.append(CardDiscarded(seat, move.discard))
            return _then_draw(state, seat, events, HAND_SIZE + 1 - held, chance)
    return events if over or held else _then_draw(state, seat, events, HAND_SIZE, chance)


def _require_known_card(state: State, seat: int, move: Action) -> None:
    """The discard must be a card that the player knows to hold after the action (ruling R17)."""
    hand = list(state.players[seat].hand)
    if not isinstance(move, MoveCards):
        hand.remove(move.card)
    if isinstance(move, PlayDanger) and outcome_is_known(state, seat, move):
        hand.append(_target(state, seat, move))
    if move.discard not in hand:
        raise illegal_move("The card to discard is not known to be in the hand after the action.", "R17")


def _target(state: State, seat: int, move: PlayDanger) -> int:
    other = state.players[1 - seat]
    if move.slot is not None:
        return other.columns[move.slot][-1]
    assert move.pile is not None
    return other.arrivals[move.pile][-1]


def _outcome(state: State, seat: int, move: Action) -> list[Event]:
    """Events of the action itself, an arrival and the game's end included."""
    me = state.players[seat]
    if isinstance(move, Play):
        return _play(state, seat, me, move)
    if isinstance(move, MoveCards):
        return _move_cards(state, seat, me, move)
    return [DangerPlayed(seat, move.card, move.slot, move.pile, _target(state, seat, move))]


def _play(state: State, seat: int, me: Player, move: Play) -> list[Event]:
    slot = _free_slot(me) if move.slot is None else move.slot
    played = BirdPlayed(seat, move.card, slot)
    column = me.columns[slot] + (move.card,)
    if not checked_after_play(column):
        return [played]
    returns = move.on_arrival == RETURN
    return [played, *_check(state, played, slot, column, after_move=False, returns=returns)]


def _free_slot(me: Player) -> int:
    """The lowest, which a new column takes."""
    for slot, column in enumerate(me.columns):
        if not column:
            return slot
    raise AssertionError("judged to be there")


def _move_cards(state: State, seat: int, me: Player, move: MoveCards) -> list[Event]:
    target = _free_slot(me) if move.target is None else move.target
    moved = CardsMoved(seat, move.source, move.index, target, move.uncover)
    if move.target is None:
        return [moved]
    column = me.columns[target] + me.columns[move.source][move.index :]
    shape = me.shapes[target] + me.shapes[move.source][move.index :]
    if not checked_after_move(shape, move.uncover):
        return [moved]
    returns = move.on_arrival == RETURN
    return [moved, *_check(state, moved, target, column, after_move=True, returns=returns)]


# --- arrival --------------------------------------------------------------------------------------------------------


def _check(
    state: State,
    added: BirdPlayed | CardsMoved,
    slot: int,
    column: Column,
    *,
    after_move: bool,
    returns: bool,
) -> list[Event]:
    """Turn the column in `slot` face up and judge it (rules 6, 8)."""
    seat = added.seat
    species = arriving_species(column, state.players[seat].landed, after_move)
    if species is None:
        return [ArrivalFailed(seat, slot, column)]
    if returns and flights_left(state) >> species & 1:
        return [ReturnFlightTaken(seat, slot, species, column)]
    events: list[Event] = [BirdsArrived(seat, slot, species, column)]
    after = fold(state, [added, *events])
    sweep = setup_of(state).rules.sweep
    for number, other in enumerate(after.players[seat].columns):
        places = swept(sweep, other, species)
        if places:
            cards = tuple(other[place] for place in places)
            events.append(ColumnDiscarded(seat, number, cards, places, abandoned=False))
    if ends_game(tuple(player.landed for player in after.players)):
        events.append(_ended(fold(after, events[1:]), "all_arrived"))
    return events


_PLACES: Final = tuple(tuple(range(length)) for length in range(LONGEST_COLUMN + 1))


def _ended(state: State, reason: str) -> GameEnded:
    """Rules 7: the higher score wins, equal scores are a draw (ruling R9)."""
    points = scores(state)
    return GameEnded(_winner(points), reason, points)


def _winner(points: tuple[int, ...]) -> int | None:
    return None if points[0] == points[1] else points.index(max(points))


# --- lifecycle ------------------------------------------------------------------------------------------------------


def _create(command: Create, chance: Chance) -> list[Event]:
    rules = resolve(command.options)
    check_seats("Migrato", (SEATS,), command.seats)
    deck = None
    if command.setup is not None:
        prepared: Sequence[str] = command.setup["deck"]
        for at, name in enumerate(prepared):
            if name not in FACE:
                raise invalid(f"setup.deck.{at}", f"There is no face {name!r}.")
        check_deck(prepared, rules)
        deck = tuple(FACE[name] for name in prepared)
    created = GameCreated(
        command.game_id,
        command.commitment,
        rules,
        command.seats,
        deck,
        unrated=command.unrated,
        pairing=command.pairing,
    )
    return [
        created,
        *_start_if_full(Setup(command.game_id, command.commitment, rules, command.seats, deck), chance),
    ]


def _take_seat(state: State, command: TakeSeat, chance: Chance) -> list[Event]:
    setup = setup_of(state)
    check_open_seat(setup.seats, command.seat, state.result)
    taken = SeatTaken(command.seat, command.player, command.client_seed)
    return [taken, *_start_if_full(setup_of(fold(state, [taken])), chance)]


def _start_if_full(setup: Setup, chance: Chance) -> list[Event]:
    """Rules 2: shuffle, deal one at a time, the first player first; once no seat is open."""
    if any(seat.kind == "open" for seat in setup.seats):
        return []
    seeds, first = setup.client_seeds, setup.rules.first_seat
    first_seat = chance.first_seat(SEATS, seeds) if isinstance(first, str) else first  # ruling R1
    deck = setup.deck or chance.shuffled(0, setup.rules.deck, seeds)
    dealt = deck[: SEATS * HAND_SIZE]
    hands = (dealt[0::2], dealt[1::2])
    return [GameStarted(first_seat, deck, hands if first_seat == 0 else hands[::-1])]


def _score(state: State) -> list[Event]:
    """Confirm the result, once."""
    if state.result is None:
        raise DomainError("conflict", "The game has not ended yet.")
    if state.result.scored:
        return []
    return [GameScored(state.result.winner, scores(state))]
