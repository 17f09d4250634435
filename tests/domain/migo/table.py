"""Games of Migo to test rules with: prepared rounds, moves as documents, events in notation."""

from collections.abc import Callable, Iterator
from functools import reduce
from random import Random
from typing import Any

from domain.chance import SeededChance
from domain.lifecycle import Create, Json, Seat
from domain.migo.game import MIGO
from domain.migo.rules.cards import IDS
from domain.migo.rules.moves import RESIGN
from domain.migo.rules.options import resolve, round_layout
from domain.migo.rules.state import Player, State, layout_of, setup_of
from tests.domain.table import CHANCE, When


def people(seats: int) -> tuple[Seat, ...]:
    """Seats for this many people."""
    return tuple(Seat("human", f"p{seat}") for seat in range(seats))


def after(state: State, seat: int | None, command: Any) -> State:
    """The state after the command's events."""
    return reduce(MIGO.evolve, MIGO.decide(state, seat, command, CHANCE), state)


def played(
    create: Create,
    rng: Random,
    chance: SeededChance,
    leaver: Callable[[State], int | None] = lambda state: None,
) -> Iterator[tuple[State, list[Any], State]]:
    """A random game: the events of every command, and the states around. `leaver`: who resigns then, if anybody."""
    state: State = MIGO.initial()
    seat: int | None = None
    command: Any = create
    while True:
        before, events = state, list(MIGO.decide(state, seat, command, chance))
        state = reduce(MIGO.evolve, events, state)
        yield before, events, state
        if state.to_act is None:
            return
        seat, command = state.to_act, MIGO.parse_move(rng.choice(MIGO.legal_moves(state, state.to_act)))
        if (resigning := leaver(state)) is not None:
            seat, command = resigning, RESIGN


def game(seats: int = 2, rounds: list[list[str]] | None = None, **options: Any) -> State:
    """A new game."""
    setup = None if rounds is None else {"rounds": rounds}
    return after(MIGO.initial(), None, Create("test", "c", options, people(seats), setup))


def laid(top: str = "", seats: int = 2, number: int = 1, **options: Any) -> list[str]:
    """A round for `setup.rounds` that begins with these faces and goes on with what is left, fronts up."""
    first = top.split()
    rest = [card for card in IDS if card not in {face[:3] for face in first}]
    size = round_layout(resolve(options, seats), seats, number).size
    return (first + [card + "a" for card in rest])[:size]


def ropes(ends: str, seats: int = 2) -> list[str]:
    """Round 1 with these faces at the ends of the ropes, from left to right; fronts of other cards elsewhere."""
    state, given = game(seats), ends.split()
    ends_at = layout_of(state).start
    rest = iter([card + "a" for card in IDS if card not in {face[:3] for face in given}])
    at = dict(zip(ends_at, given, strict=False))
    return [at[place] if place in at else next(rest) for place in range(len(state.table))]


def side(cards: str = "", full: int = 0, empty: int = 0, flags: int = 0, last: int = 0) -> Player:
    """The cards and tokens before a player."""
    faces = cards.split()
    numbers = tuple([2 * IDS.index(face[:3]) + (face[3] == "b") for face in faces])
    return Player(numbers, full, empty, flags, last)


def table(*players: Player, lying: str = "", number: int = 1, starter: int = 0, **more: Any) -> State:
    """A round of so many players, of which only the faces `lying` are left, from place 0 on; seat 0 is to act.

    Everything else is discarded, but for a full layout that the round does not use.
    """
    options = {name: more.pop(name) for name in list(more) if name in ("turn_limit", "round4_layout")}
    state = game(len(players), **options)
    layout = round_layout(setup_of(state).options, len(players), number)
    faces = side(lying).cards
    used = {face >> 1 for face in faces} | {face >> 1 for player in players for face in player.cards}
    others = [2 * card for card in range(25) if card not in used]
    boxed = len(IDS) - layout.size
    return state._replace(
        to_act=0,
        number=number,
        starter=starter,
        layout=layout,
        takes=10,
        dealt=faces + (-1,) * (layout.size - len(faces)),
        lying=(1 << len(faces)) - 1,
        players=players,
        boxed=tuple(others[:boxed]),
        discarded=tuple(others[boxed:]),
        **more,
    )


def take(state: State, place: int, seat: int | None = None, **more: Any) -> When:
    """Take the card at a place, by default by the seat to act."""
    return When(
        MIGO, state, {"type": "take", "place": place, **more}, (state.to_act or 0) if seat is None else seat
    )


def resign(state: State, seat: int) -> When:
    """Give up."""
    return When(MIGO, state, {"type": "resign"}, seat)


def view(state: State) -> Json:
    """The table as everybody sees it."""
    seen = MIGO.view(state, None)
    assert seen is not None
    return seen


def finish_round(state: State, seed: int = 1) -> State:
    """Make any legal moves until the round has ended."""
    rng, number = Random(seed), state.number
    while state.number == number and state.to_act is not None:
        state = after(state, state.to_act, MIGO.parse_move(rng.choice(MIGO.legal_moves(state, state.to_act))))
    return state


__all__ = ["CHANCE", "When"]
