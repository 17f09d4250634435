"""Moves and their events."""

from typing import Any

import pytest

from tests.service.migo.conftest import Seat
from tests.service.migo.prepared import prepared, ropes
from tests.service.migo.table import MigoTable
from tests.service.table import json_of

Json = dict[str, Any]


def told(events: list[Json]) -> list[tuple[str, int | None, Json]]:
    """Type, seat and data."""
    return [(event["type"], event["seat"], event["data"]) for event in events]


@pytest.fixture
def table(seat: Seat) -> MigoTable:
    """Two people; bottles at 5 and 10, sherpas under both, a hat at 14."""
    at = {5: "E19a", 4: "E22b", 10: "E20b", 9: "E23b", 14: "E12a", 17: "E21a", 16: "E24b"}
    return seat(2, setup={"rounds": [ropes(at)]})


def test_a_climber(table: MigoTable) -> None:
    """Rules 3: it lies face up before the player, and counts at once."""
    events = table.take(0, 14)
    assert told(events) == [("card_taken", 0, {"place": 14, "card": "E12", "face": "a"})]
    player = table.player(0)
    hat, rope = {"kind": "hat", "count": 1}, {"kind": "rope", "count": 2}
    assert player["cards"] == [{"card": "E12", "face": "a", "up": hat, "down": rope}]
    assert (player["score"], table.get()["to_act"], table.get()["turn"]) == (2, 1, 2)
    lying = {card["place"]: card["free"] for card in table.state()["table"]}
    assert (14 in lying, lying[13], lying[12]) == (False, True, False)


def test_a_bottle_and_an_extra_turn(table: MigoTable) -> None:
    """Rules 3, rulings M6 and M12: got on an earlier turn, declared with the take, one token a turn."""
    assert told(table.take(0, 5)) == [
        ("card_taken", 0, {"place": 5, "card": "E19", "face": "a"}),
        ("bottle_gained", 0, {}),
    ]
    assert table.player(0)["bottles"] == {"full": 1, "empty": 0}
    assert table.state()["bottles"] == 2
    assert not any("drink" in move for move in table.moves(1))
    table.take(1, 14)
    assert [move["drink"] for move in table.moves(0) if move["place"] == 13] == [False, True]
    assert told(table.take(0, 13, drink=True))[1:] == [("bottle_drunk", 0, {})]
    assert (table.get()["to_act"], table.player(0)["bottles"]) == (0, {"full": 0, "empty": 1})
    assert not any("drink" in move for move in table.moves(0))
    table.take(0, 12)
    assert (table.get()["to_act"], table.state()["bottles"]) == (1, 2)


def test_a_sherpa(table: MigoTable) -> None:
    """Rules 3: it is dismissed, and its taker may turn an own card over."""
    table.take(0, 14)
    table.take(1, 5)
    flips = [move["flip"] for move in table.moves(0) if move["place"] == 4]
    assert flips == [None, "E12"]
    assert told(table.take(0, 4, flip="E12")) == [
        ("card_taken", 0, {"place": 4, "card": "E22", "face": "b"}),
        ("sherpa_dismissed", 0, {"card": "E22"}),
        ("card_flipped", 0, {"card": "E12", "face": "b"}),
    ]
    (card,) = table.player(0)["cards"]
    assert (card["face"], card["up"]) == ("b", {"kind": "rope", "count": 2})


def test_turning_bottles(table: MigoTable) -> None:
    """Rules 3 and ruling M5: away it returns no token, up it gives one while there are any."""
    table.take(0, 5)
    table.take(1, 10)
    events = table.take(0, 4, flip="E19")
    assert [event["type"] for event in events] == ["card_taken", "sherpa_dismissed", "card_flipped"]
    assert table.player(0)["bottles"] == {"full": 1, "empty": 0}
    table.take(1, 17)
    assert table.state()["bottles"] == 0
    table.take(0, 14)
    table.take(1, 3)
    events = table.take(0, 9, flip="E19")  # a bottle again: but no token is left
    assert [event["type"] for event in events] == ["card_taken", "sherpa_dismissed", "card_flipped"]
    assert table.player(0)["bottles"] == {"full": 1, "empty": 0}
    assert table.state()["bottles"] == 0


def test_a_turned_bottle_gives_a_token(seat: Seat) -> None:
    """Rules 3."""
    table = seat(2, setup={"rounds": [ropes({5: "E20a", 10: "E02a", 9: "E22b"})]})
    table.take(0, 5)
    table.take(1, 10)
    events = table.take(0, 9, flip="E20")
    assert [event["type"] for event in events][2:] == ["card_flipped", "bottle_gained"]
    assert table.player(0)["bottles"] == {"full": 1, "empty": 0}


def test_a_dry_run(table: MigoTable) -> None:
    """Foresees the whole move, and nothing happens."""
    table.take(0, 5)
    table.take(1, 14)
    version = table.get()["version"]
    move = {"type": "take", "place": 4, "flip": "E19", "drink": True}
    answer = table.post("/moves?dry_run=true", 0, move)
    assert answer.status_code == 200, answer.text
    document = json_of(answer)
    assert [event["type"] for event in document["events"]] == [
        "card_taken",
        "sherpa_dismissed",
        "card_flipped",
        "bottle_drunk",
    ]
    assert table.get()["version"] == version
    events = table.take(0, 4, flip="E19", drink=True)
    assert told(events) == told(document["events"])


def test_a_dry_run_of_the_last_take(seat: Seat) -> None:
    """The end of the round is foreseen, the next round is not."""
    table = seat(2, setup={"rounds": [ropes({}), prepared("pyramid", 2, {})]})
    while len(table.state()["table"]) > 1:
        to_act = table.get()["to_act"]
        table.take(to_act, table.moves(to_act)[0]["place"])
    to_act = table.get()["to_act"]
    (move,) = table.moves(to_act)
    document = json_of(table.post("/moves?dry_run=true", to_act, move))
    assert [event["type"] for event in document["events"]] == ["card_taken", "round_ended"]
    assert document["complete"] is False
    events = table.take(to_act, move["place"])
    assert [event["type"] for event in events] == ["card_taken", "round_ended", "round_started"]
    assert told(events)[:2] == told(document["events"])


def test_resigning_out_of_turn(seat: Seat) -> None:
    """Ruling M8: the others play on, the seat's cards are discarded and its turns skipped."""
    table = seat(3)
    table.take(0, 6)
    assert [event["type"] for event in table.move(0, {"type": "resign"})["events"]] == ["player_resigned"]
    assert (table.player(0)["resigned"], table.player(0)["cards"]) == (True, [])
    table.take(1, table.moves(1)[0]["place"])
    table.take(2, table.moves(2)[0]["place"])
    assert table.get()["to_act"] == 1
    assert table.moves(0) == []
    events = table.move(1, {"type": "resign"})["events"]
    assert [event["type"] for event in events] == ["player_resigned", "game_ended"]
    result = table.get()["result"]
    assert (result["winner"], result["reason"], result["places"]) == (2, "resigned", [3, 2, 1])
    assert result["flags"] == [0, 0, 0]


def test_resigning_on_turn(seat: Seat) -> None:
    """The next seat acts."""
    table = seat(4)
    table.move(0, {"type": "resign"})
    assert table.get()["to_act"] == 1


def test_resigning_in_a_game_of_two(table: MigoTable) -> None:
    """Ruling M8: the other wins."""
    table.take(0, 14)
    events = table.move(0, {"type": "resign"})["events"]
    assert [event["type"] for event in events] == ["player_resigned", "game_ended"]
    result = table.get()["result"]
    assert (result["winner"], result["places"], result["reason"]) == (1, [2, 1], "resigned")
    assert events[-1]["data"]["flags"] == result["flags"] == [0, 0]


def test_the_turn_limit(seat: Seat) -> None:
    """Ruling M9: takes are counted; who still ties shares the place, and then nobody has won."""
    at = {5: "E01a", 10: "E02b", 14: "E07a", 17: "E04b"}
    table = seat(2, setup={"rounds": [ropes(at)]}, options={"turn_limit": 2})
    table.take(0, 5)
    events = table.take(1, 10)
    assert [event["type"] for event in events] == ["card_taken", "game_ended"]
    result = table.get()["result"]
    assert (result["winner"], result["places"], result["scores"]) == (None, [1, 1], [5, 5])
    assert (result["reason"], result["flags"]) == ("turn_limit", [0, 0])


def test_a_round_and_the_next(seat: Seat) -> None:
    """Rules 2 and 4, rulings M1 and M13: flags and scores stay, tokens and cards go back; the lowest score starts."""
    table = seat(2, setup={"rounds": [ropes({5: "E19a"}), prepared("pyramid", 2, {})]})
    while table.state()["round"] == 1:
        to_act = table.get()["to_act"]
        table.take(to_act, table.moves(to_act)[0]["place"])
    state = table.state()
    (ended,) = state["rounds"]
    assert (ended["round"], ended["layout"], state["layout"], state["bottles"]) == (1, "ropes", "pyramid", 3)
    assert [player["flags"] for player in state["players"]] == [int(ended["winner"] == s) for s in (0, 1)]
    assert all(not player["cards"] and player["score"] == 0 for player in state["players"])
    assert all(player["bottles"] == {"full": 0, "empty": 0} for player in state["players"])
    assert state["starter"] == table.get()["to_act"]
    if ended["scores"][0] != ended["scores"][1]:
        assert state["starter"] == ended["scores"].index(min(ended["scores"]))
    assert [card["place"] for card in state["table"] if card["free"]] == [15, 16, 17]
