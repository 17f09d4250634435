"""Any take that can be written is in the list of legal moves or is refused; anything else is refused by name."""

from itertools import product
from random import Random
from typing import Any

import pytest

from tests.service.migo.conftest import Seat
from tests.service.migo.naive import CARDS
from tests.service.migo.table import random_rounds, round_sizes
from tests.service.table import code_of

Json = dict[str, Any]
STRANGE: list[Any] = [
    None,
    True,
    False,
    -1,
    0,
    3,
    24,
    25,
    10**30,
    0.5,
    "",
    "E07",
    "E07a",
    "\x00",
    [],
    [3],
    {},
    {"place": 3},
]


@pytest.mark.parametrize("seats", [2, 4])
def test_what_is_legal_is_what_is_listed(seat: Seat, seats: int) -> None:
    """Every place, with every card and every choice to drink, at some moments of a game."""
    rng = Random(seats)
    table = seat(seats, setup={"rounds": random_rounds(rng, round_sizes(seats))})
    for _ in range(8):
        table.play(rng, rng.randint(1, 7))
        view = table.get()
        if view["status"] == "finished":
            break
        to_act = view["to_act"]
        owned = [card["card"] for card in view["state"]["players"][to_act]["cards"]]
        flips = [None, *owned, rng.choice(CARDS)]
        listed = {(m["place"], m.get("flip"), m.get("drink", False)) for m in table.moves(to_act)}
        places = [*{place for place, *_ in listed}, rng.randrange(26)]
        for place, flip, drink in product(places, flips, (False, True)):
            move = {"type": "take", "place": place, "flip": flip, "drink": drink}
            answer = table.post("/moves?dry_run=true", to_act, move)
            assert (answer.status_code == 200) == ((place, flip, drink) in listed), (move, answer.text)
        assert table.get() == view


def test_strange_documents(seat: Seat) -> None:
    """None is taken, none breaks anything, and the game is as it was."""
    rng, table = Random(1), seat(3)
    before = table.events()
    for _ in range(300):
        move: Any = {"type": rng.choice(["take", "take", "take", "resign", "flip", 7, None])}
        for name in ("place", "flip", "drink", "type", "seat"):
            if rng.random() < 0.5:
                move[name] = rng.choice(STRANGE)
        if rng.random() < 0.05:
            move = rng.choice(STRANGE)
        answer = table.post("/moves?dry_run=true", 0, move)
        if answer.status_code != 200:
            assert code_of(answer)[1] in ("validation-error", "illegal-move", "malformed-json"), move
    assert table.events() == before
