"""What is still to be laid out is hidden: two games that differ in nothing else look the same until then."""

import re
from random import Random
from typing import Any

import pytest

from tests.service.migo.conftest import Seat
from tests.service.migo.table import MigoTable, random_rounds, round_sizes

Json = dict[str, Any]
OWN = {
    "id",
    "created_at",
    "at",
    "commitment",
    "head",
    "salt",
    "fairness",
    "player_id",
}  # of each game and event

NAMED = re.compile(r"game [0-9A-Za-z]{22}")  # in the notation


def plain(document: Any) -> Any:
    """What is left of a document when a game's own identifiers, times and digests are taken away."""
    if isinstance(document, str):
        return NAMED.sub("game ID", document)
    if isinstance(document, dict):
        return {name: plain(value) for name, value in document.items() if name not in OWN}
    return [plain(value) for value in document] if isinstance(document, list) else document


def seen(table: MigoTable) -> Json:
    """All that anybody can ask for while the game runs."""
    viewers = [None, *range(len(table.tokens))]
    to_act = table.get()["to_act"]
    previews = [table.post("/moves?dry_run=true", to_act, move).json for move in table.moves(to_act)]
    everything: Json = plain(
        {
            "views": [table.get(seat=viewer) for viewer in viewers],
            "events": [table.events(viewer) for viewer in viewers],
            "replays": [table.get("/replay?limit=100", viewer) for viewer in viewers],
            "moves": [table.moves(seat) for seat in viewers if seat is not None],
            "previews": previews,
        }
    )
    return everything


@pytest.mark.parametrize(("seats", "seed"), [(2, 1), (3, 2), (4, 3)])
def test_later_rounds_leave_no_trace(seat: Seat, seats: int, seed: int) -> None:
    """Until the round is laid out: then the games differ."""
    rng = Random(seed)
    first, *later = random_rounds(rng, round_sizes(seats))
    other = random_rounds(rng, round_sizes(seats))[1:]
    one = seat(seats, setup={"rounds": [first, *later]})
    two = seat(seats, setup={"rounds": [first, *other]})
    three = seat(seats, setup={"rounds": [first]})  # nor whether there are more
    for turn in range(len(first)):
        if turn % 6 == 0 or turn == len(first) - 1:
            assert seen(one) == seen(two) == seen(three)
        (to_act,) = {table.get()["to_act"] for table in (one, two, three)}
        move = rng.choice(one.moves(to_act))
        for table in (one, two, three):
            table.move(to_act, move)
        if not one.state()["table"] or one.state()["round"] == 2:
            break
    if one.get()["status"] == "playing" and one.state()["round"] == 2:
        assert one.state()["rounds"] == two.state()["rounds"] == three.state()["rounds"]
        assert [card["card"] for card in one.state()["table"]] == [name[:3] for name in later[0]]
        assert [card["card"] for card in two.state()["table"]] == [name[:3] for name in other[0]]
    for viewer in (None, *range(seats)):
        (created,) = [event for event in one.events(viewer) if event["type"] == "game_created"]
        assert (created["data"]["rounds"], created["redacted"]) == (None, ["rounds"])
    one.finish(rng)
    (created,) = [event for event in one.events() if event["type"] == "game_created"]
    assert (created["data"]["rounds"], created["redacted"]) == ([first, *later], [])


def test_a_fair_game_hides_nothing_but_its_seed(seat: Seat) -> None:
    """What was laid out is public, and nothing is prepared."""
    table = seat(3)
    assert table.get()["fairness"]["server_seed"] is None
    hidden = {event["type"]: event["redacted"] for event in table.events() if event["redacted"]}
    assert hidden in ({}, {"game_created": ["rounds"]})
    table.finish(Random(1))
    assert not any(event["redacted"] for event in table.events())
    assert table.get()["fairness"]["server_seed"] is not None
