"""Going on from a position of another game; also what no position can be, wherever it is read from."""

from collections import Counter

from domain.errors import DomainError
from domain.lifecycle import Fork, check_fork_seats, check_seats
from domain.migrato.rules.cards import FIRST_DANGER
from domain.migrato.rules.columns import could_have_arrived, ends_game
from domain.migrato.rules.events import Event, GameCreated, MovesTakenBack, PositionSet
from domain.migrato.rules.rule_books import HAND_SIZE, SEATS
from domain.migrato.rules.state import ACTION, DISCARD, OVER, WAITING, State, setup_of


def fork(command: Fork) -> list[Event]:
    """The first events of a game that goes on from a state of another.

    DomainError "validation-error" for seats that will not do, "game-not-started" and "game-over" for a state in which
    there is nothing to go on with.
    """
    state: State = command.position
    check_seats("Migrato", (SEATS,), command.seats)
    check_fork_seats(command.seats)
    if state.phase is WAITING:
        raise DomainError("game-not-started", "The cards had not been dealt yet.")
    if state.phase is OVER:
        raise DomainError("game-over", "The game was over.")
    rules = setup_of(state).rules
    created = GameCreated(
        command.game_id, command.commitment, rules, command.seats, None, origin=command.origin
    )
    return [created, position_set(state)]


def position_set(state: State) -> PositionSet:
    """The state of a game in which a seat is to act, as an event that has all of it."""
    assert state.to_act is not None, "nobody is to act"
    one, two = state.players
    return PositionSet(
        discarding=state.phase is DISCARD,
        to_act=state.to_act,
        turn=state.turn,
        shuffles=state.shuffles,
        deck=state.deck,
        discard_pile=state.discard_pile,
        hands=(one.hand, two.hand),
        columns=(one.columns, two.columns),
        arrivals=(one.arrivals, two.arrivals),
        landed=(one.landed, two.landed),
        flights=(one.flights, two.flights),
    )


def taken_back(former: State, seat: int, to_version: int) -> MovesTakenBack:
    """The event that takes the seat's last move back, to the `former` state, in which the seat was to act."""
    return MovesTakenBack(seat, to_version, position_set(former))


def impossible(state: State) -> str | None:
    """The reason for which no game can come to the position, in a sentence; None if one may.

    The state may have been read from anywhere: what it holds that is not even of its type raises what that leads to, as
    ArithmeticError, AttributeError, LookupError, TypeError and ValueError.
    """
    rules = setup_of(state).rules
    cards = Counter([*state.deck, *state.discard_pile])
    for player in state.players:
        cards.update(player.hand)
        for pile in (*player.columns, *player.arrivals):
            cards.update(pile)
    if cards != Counter(rules.deck):
        return "It does not hold every card of the deck once."
    if type(state.to_act) is not int or not 0 <= state.to_act < SEATS or state.phase not in (ACTION, DISCARD):
        return "Nobody is to act."
    if type(state.turn) is not int or not 1 <= state.turn <= rules.last_turn:
        return "There is no such turn."
    if type(state.shuffles) is not int or state.shuffles < 0:
        return "The deck cannot have been shuffled as often."
    for player in state.players:
        if len(player.hand) > HAND_SIZE:
            return f"A hand has more than {HAND_SIZE} cards."
        for column, shape in zip(player.columns, player.shapes, strict=True):
            if column and (max(column) >= FIRST_DANGER or not rules.placement.possible[shape]):
                return "No flock of this deck could fill a column."
        piles = [(species, pile) for species, pile in enumerate(player.arrivals) if pile]
        if not all(could_have_arrived(species, pile) for species, pile in piles):
            return "A pile of birds cannot have arrived like that."
        if player.landed != sum(1 << species for species, _ in piles):
            return "Birds have landed without a pile, or the other way round."
        if player.flights and not rules.return_flight:
            return "There are no Return Flight cards in this game."
    one, two = state.players
    if one.flights & two.flights:
        return "Both have the same Return Flight card."
    return "The game would be over." if ends_game((one.landed, two.landed)) else None
