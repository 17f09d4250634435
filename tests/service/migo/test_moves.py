"""Moves, their events and what views show after them; every rule is tried in tests/domain/migo."""

from random import Random

from tests.service.migo.conftest import Seat
from tests.service.migo.prepared import prepared, ropes
from tests.service.table import Json, json_of


def told(events: list[Json]) -> list[tuple[str, int | None, Json]]:
    """Type, seat and data."""
    return [(event["type"], event["seat"], event["data"]) for event in events]


def types(events: list[Json]) -> list[str]:
    return [event["type"] for event in events]


def test_a_dry_run(seat: Seat) -> None:
    """A dry run foresees the whole move and the end of the round, but not the next round, and changes nothing."""
    table = seat(2, setup={"rounds": [ropes({5: "E19a", 4: "E22b"}), prepared("pyramid", 2, {})]})
    table.take(0, 5)
    table.take(1, 14)
    version = table.get()["version"]
    answer = table.post("/moves?dry_run=true", 0, {"type": "take", "place": 4, "flip": "E19", "drink": True})
    assert answer.status_code == 200, answer.text
    foreseen = json_of(answer)["events"]
    assert types(foreseen) == ["card_taken", "sherpa_dismissed", "card_flipped", "bottle_drunk"]
    assert table.get()["version"] == version
    assert told(table.take(0, 4, flip="E19", drink=True)) == told(foreseen)
    while len(table.state()["table"]) > 1:
        table.play(Random(1), 1)
    to_act = table.get()["to_act"]
    move = table.moves(to_act)[0]
    last = json_of(table.post("/moves?dry_run=true", to_act, move))
    assert (types(last["events"]), last["complete"]) == (["card_taken", "round_ended"], False)
    events = table.move(to_act, move)["events"]
    assert types(events) == ["card_taken", "round_ended", "round_started"]
    assert told(events)[:2] == told(last["events"])
    # Rules 2 and 4, rulings M1 and M13: flags and scores stay, tokens and cards go back.
    state = table.state()
    (ended,) = state["rounds"]
    assert (ended["round"], ended["layout"], state["layout"], state["bottles"]) == (1, "ropes", "pyramid", 3)
    assert [player["flags"] for player in state["players"]] == [int(ended["winner"] == s) for s in (0, 1)]
    assert all(not player["cards"] and player["score"] == 0 for player in state["players"])
    assert all(player["bottles"] == {"full": 0, "empty": 0} for player in state["players"])
    assert state["starter"] == table.get()["to_act"]
    assert [card["place"] for card in state["table"] if card["free"]] == [15, 16, 17]
