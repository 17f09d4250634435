"""Random games over HTTP, in step with the rules told naively: every view, list of moves and result."""

from random import Random
from typing import Any

import pytest

from tests.service.migo.conftest import Seat
from tests.service.migo.naive import Naive
from tests.service.migo.table import MigoTable, random_rounds, round_sizes

Json = dict[str, Any]
OPTIONS: list[Json] = [
    {},
    {"first_seat": 1, "round4_layout": "pyramids"},
    {"layout_size": "large", "round4_layout": "pyramid"},
    {"turn_limit": 40, "first_seat": 1},
]


def in_order(moves: list[Json]) -> list[str]:
    """The moves, whatever their order."""
    return sorted(map(repr, (sorted(move.items()) for move in moves)))


def compare(table: MigoTable, model: Naive) -> None:
    """AssertionError unless everybody sees what the rules say."""
    view = table.get()
    for seat in range(model.seats):
        seen = table.get(seat=seat)
        assert seen | {"viewer": None} == view
        moves = table.moves(seat)
        assert in_order(moves) == in_order(model.legal(seat))
        choices = [move["place"] for move in moves]
        assert choices == sorted(choices)
        for first, move in zip([None, *moves], moves, strict=False):
            if "flip" in move and (first is None or first["place"] != move["place"]):
                assert move["flip"] is None
    result = view["result"]
    if model.result is None:
        assert (result, view["to_act"]) == (None, model.to_act)
        assert view["state"] == model.state()
    else:
        assert {name: result[name] for name in model.result} == model.result
        assert view["to_act"] is None
        assert view["state"]["rounds"] == model.ended


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("number", range(len(OPTIONS)))
def test_a_random_game(seat: Seat, seats: int, number: int) -> None:
    """With prepared rounds of any cards."""
    rng, options = Random(10 * seats + number), OPTIONS[number]
    sizes = round_sizes(seats, options.get("layout_size", "standard"), options.get("round4_layout", "ropes"))
    rounds = random_rounds(rng, sizes)
    table = seat(seats, options=options, setup={"rounds": rounds})
    model = Naive(seats, rounds, **options)
    compare(table, model)
    while model.result is None:
        to_act, move = model.to_act, rng.choice(model.legal(model.to_act))
        if seats > 2 and rng.random() < 0.02:
            to_act, move = rng.choice(model.playing()), {"type": "resign"}
        table.move(to_act, move)
        model.play(to_act, move)
        compare(table, model)
