"""The net of Migo: what it may not depend on, and how those who play by it move."""

from collections.abc import Iterator
from random import Random
from typing import Final

import pytest

from domain.bot import Budget
from domain.lifecycle import Json
from domain.migo.game import MIGO
from domain.migo.net.checked_in import trained
from domain.migo.net.judge import chances_after
from domain.migo.rules.decide import taken
from domain.migo.rules.legal import legal_moves
from domain.migo.rules.moves import RESIGN, Take
from domain.migo.rules.state import State, fold
from tests.domain.migo.table import after, game, laid, side, table

TABLES: Final[tuple[tuple[int, Json], ...]] = (
    (2, {}),
    (2, {"layout_size": "large", "turn_limit": 50}),
    (3, {"first_seat": 1}),
    (3, {"turn_limit": 33}),
    (4, {"round4_layout": "pyramids"}),
    (4, {}),
)


def positions(seats: int, options: Json, games: int) -> Iterator[tuple[State, State]]:
    """Positions of random games that wait for a take, some of whose seats resign; and another truth beside each."""
    for number in range(games):
        rng = Random(number)
        state = game(seats, [laid(seats=seats, **options)] if number % 2 else None, **options)
        while state.to_act is not None:
            yield state, _another(state, rng)
            move = RESIGN if seats > 2 and rng.random() < 0.005 else rng.choice(legal_moves(state))
            state = after(state, state.to_act, move)


def _another(state: State, rng: Random) -> State:
    """The same to every eye: other rounds to come, other faces in the box and among what was dismissed, other words."""
    boxed = [face ^ rng.randrange(2) for face in state.boxed]
    rng.shuffle(boxed)
    discarded = [face ^ rng.randrange(2) for face in state.discarded]
    rng.shuffle(discarded)
    dealt = [
        face if state.lying >> place & 1 else rng.randrange(50) for place, face in enumerate(state.dealt)
    ]
    prepared = tuple(tuple(rng.sample(range(50), 18)) for _ in range(2))
    players = tuple([player._replace(last=rng.randrange(state.takes + 1)) for player in state.players])
    other = state._replace(boxed=tuple(boxed), discarded=tuple(discarded), dealt=tuple(dealt))
    return other._replace(prepared=prepared, players=players)


@pytest.mark.parametrize(("seats", "options"), TABLES, ids=str)
def test_hidden_cards_change_nothing_and_chances_add_up(seats: int, options: Json) -> None:
    """Two truths that a seat cannot tell apart give the same move, in the same words, of every bot that weighs moves.

    Chances add up to 1, none below 0, none for who has resigned.
    """
    compared = 0
    for number, (state, other) in enumerate(positions(seats, options, 4)):
        assert other != state
        seat = state.to_act or 0
        one, two = MIGO.observe(state, seat), MIGO.observe(other, seat)
        assert MIGO.think(one, "net", 0) == MIGO.think(two, "net", 1)
        if number % 20 == 0:
            for bot in ("net", "net-search", "maxn"):
                choices = [
                    MIGO.think(seen, bot, seed, Budget(iterations=8)) for seed, seen in enumerate((one, two))
                ]
                assert choices[0] == choices[1]
                assert MIGO.explained(one, bot, choices[0]) == MIGO.explained(two, bot, choices[1])
        compared += 1
        move = legal_moves(state)[0]
        assert isinstance(move, Take)
        chances = chances_after(fold(state, taken(state, seat, move)), trained())
        assert sum(chances) == pytest.approx(1)
        assert min(chances) >= 0
        assert not any(chances[seat] for seat in state.resigned)
    assert compared > 100


def test_the_end_of_a_round_is_judged_by_the_flags() -> None:
    """Exactly: the net has no say in it."""
    state = table(side("E12a E13b", flags=1), side("E01a"), lying="E02a")
    (move,) = legal_moves(state)
    assert isinstance(move, Take)
    assert chances_after(fold(state, taken(state, 0, move)), trained()) == (1.0, 0.0)


@pytest.mark.parametrize(
    ("seats", "options"),
    [*((2, {"turn_limit": limit}) for limit in (18, 36, 35)), (3, {"turn_limit": 50}), (4, {})],
    ids=str,
)
def test_a_take_that_ends_the_game_is_judged_by_its_result(seats: int, options: Json) -> None:
    """Exactly: whether the turn limit cuts the round, falls on its last card, or the flags decide."""
    compared = 0
    for state, _ in positions(seats, options, 8):
        seat = state.to_act or 0
        for move in legal_moves(state):
            if not isinstance(move, Take):
                continue
            ended = after(state, seat, move)
            if ended.result is not None:
                first = [float(place == 1) / ended.result.places.count(1) for place in ended.result.places]
                assert list(chances_after(fold(state, taken(state, seat, move)), trained())) == first
                compared += 1
    assert compared > 5


def test_a_hint_lists_every_move() -> None:
    """The best first, with the chance of winning and the lead; the same as it plays."""
    for seats in (2, 3, 4):
        seen = MIGO.observe(game(seats), 0)
        choice = MIGO.think(seen, "net", 0)
        considered = MIGO.explained(seen, "net", choice)
        assert {one.move for one in considered} == set(seen.moves)
        assert considered[0].move == choice.move
        chances = [one.win_probability for one in considered]
        assert chances == sorted(chances, reverse=True)
        assert all(0 < chance < 1 for chance in chances)
