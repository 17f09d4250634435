"""Faults of positions from any source: cards, seats, tokens and rounds that do not exist."""

from domain.migo.positions.reachable import unreachable, unreachable_aside
from domain.migo.rules.cards import CARDS
from domain.migo.rules.layouts import Layout
from domain.migo.rules.options import FLAGS_TO_WIN, TOKENS, last_round, round_layout
from domain.migo.rules.state import GONE, NEVER, State, layout_of, setup_of


def impossible(state: State) -> str | None:
    """The reason for which no game can come to the position, in a sentence; None if one may."""
    return impossible_as_seen(state) or unreachable_aside(state)


def impossible_as_seen(state: State) -> str | None:
    """The reason in what everybody sees: neither the cards in the box matter, nor which seat took which card last.

    The state may come from any source. A part that does not even have its type raises the error that it leads to, such
    as ArithmeticError, AttributeError, LookupError, TypeError or ValueError.
    """
    setup, seats = setup_of(state), len(state.players)
    if seats != len(setup.seats):
        return "It does not have the seats of the game."
    if sorted(face >> 1 for face in faces_in(state)) != list(range(CARDS)):
        return "It does not hold every card once."
    last = last_round(seats)
    if not _is_in(state.number, 1, last) or len(state.rounds) != state.number - 1:
        return "There is no such round."
    return (
        _impossible_table(state)
        or _impossible_seats(state, seats)
        or _impossible_history(state, seats)
        or _impossible_preparation(state, seats, last)
        or unreachable(state)
    )


def faces_in(state: State) -> list[int]:
    """The faces of all cards, wherever they are."""
    faces = [face for face in state.table if face != GONE] + [*state.discarded, *state.boxed]
    for player in state.players:
        faces += player.cards
    return faces


def _is_in(number: object, least: int, most: int) -> bool:
    return type(number) is int and least <= number <= most


def _impossible_table(state: State) -> str | None:
    layout = layout_of(state)
    if len(state.table) != layout.size:
        return "The layout has other places."
    if not state.left:
        return "The round would be over."
    return None if _is_dug_from_the_end(state, layout) else "A card was taken that was covered."


def _is_dug_from_the_end(state: State, layout: Layout) -> bool:
    """True if nothing lies over a place whose card has been taken."""
    return all(
        state.table[place] != GONE or all(state.table[covering] == GONE for covering in over)
        for place, over in enumerate(layout.covers)
    )


def _impossible_seats(state: State, seats: int) -> str | None:
    if any(not _is_in(seat, 0, seats - 1) for seat in (*state.resigned, state.starter, state.to_act)):
        return "There is no such seat."
    if len(set(state.resigned)) != len(state.resigned) or len(state.resigned) > seats - 2:
        return "So many seats cannot have resigned."
    if state.to_act in state.resigned:
        return "The seat to act has resigned."
    if any(state.players[seat].cards for seat in state.resigned):
        return "A seat that resigned has cards."
    tokens = 0
    for player in state.players:
        if not (_is_in(player.full, 0, TOKENS) and _is_in(player.empty, 0, TOKENS)):
            return "There are no such bottle tokens."
        if not _is_in(player.last, NEVER, state.takes):
            return "A player has made a take that was not made."
        tokens += player.full + player.empty
    return None if tokens <= TOKENS else "There are more bottle tokens than the game has."


def _impossible_history(state: State, seats: int) -> str | None:
    setup, taken = setup_of(state), layout_of(state).size - state.left
    limit = setup.options.turn_limit
    earlier = sum([round_layout(setup.options, seats, number).size for number in range(1, state.number)])
    if state.takes != earlier + taken or (limit is not None and state.takes >= limit):
        return "There cannot have been so many takes."
    for ended in state.rounds:
        if len(ended.scores) != seats or any(type(points) is not int for points in ended.scores):
            return "A round has other scores than one a seat."
        if not _is_in(ended.winner, 0, seats - 1):
            return "A round was won by no seat."
    for seat, player in enumerate(state.players):
        won = sum([ended.winner == seat for ended in state.rounds])
        if type(player.flags) is not int or player.flags != won:
            return "The flags are not those of the rounds."
        if player.flags >= FLAGS_TO_WIN:
            return "The game would be over."
    return None


def _impossible_preparation(state: State, seats: int, last: int) -> str | None:
    options = setup_of(state).options
    if len(state.prepared) > last - state.number:
        return "More rounds are prepared than can come."
    for at, cards in enumerate(state.prepared):
        size = round_layout(options, seats, state.number + 1 + at).size
        if len(cards) != size or len({face >> 1 for face in cards}) != size:
            return "A round is prepared that cannot be laid out."
    return None
