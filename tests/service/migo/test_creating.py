"""Creating games: seats, options and prepared rounds."""

import pytest
from flask.testing import FlaskClient

from tests.service.migo.conftest import Seat
from tests.service.migo.prepared import CARDS, FACES, prepared
from tests.service.table import Json, json_of, new_game, people

TABLE = {card: {side: FACES[card + side] for side in "ab"} for card in CARDS}
DEFAULTS = {
    "layout_size": "standard",
    "first_seat": 0,
    "round4_layout": "ropes",
    "turn_limit": None,
    "card_table": TABLE,
}


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_fair_game(seat: Seat, seats: int) -> None:
    """Rules 1 and 2: every option has its default, and round 1 is laid out without a free sherpa."""
    table = seat(seats, options={"first_seat": "random"})
    view = table.get()
    assert (view["unrated_because"], view["setup"], view["options"]) == (
        "arranged",
        False,
        {**DEFAULTS, "first_seat": "random"},
    )
    state = view["state"]
    assert (state["round"], state["layout"], state["starter"]) == (1, "ropes", view["to_act"])
    assert (state["bottles"], state["rounds"]) == (3, [])
    places = 18 if seats == 2 else 25
    assert [card["place"] for card in state["table"]] == list(range(places))
    ends = {5, 10, 14, 17} if seats == 2 else {6, 12, 17, 21, 24}
    assert {card["place"] for card in state["table"] if card["free"]} == ends
    assert all(card["up"]["kind"] != "sherpa" for card in state["table"] if card["free"])
    assert len({card["card"] for card in state["table"]}) == places
    assert [player["seat"] for player in state["players"]] == list(range(seats))
    (started,) = table.rounds()
    assert sorted(name[:3] for name in (*started["cards"], *started["boxed"])) == CARDS
    assert started["cards"] == [card["card"] + card["face"] for card in state["table"]]


def test_the_table_of_cards_is_the_pages(seat: Seat) -> None:
    """Rules 1; tests/domain/migo/test_cards.py counts its faces."""
    assert seat(2).get()["options"]["card_table"] == TABLE


def test_every_option(seat: Seat, client: FlaskClient) -> None:
    """Each is answered as it was asked for, and the answer can be posted again; null and left out are the default."""
    cards = TABLE | {"E01": {"a": {"kind": "hat", "count": 9}, "b": {"kind": "sherpa", "count": 0}}}
    asked = {
        "layout_size": "large",
        "first_seat": 1,
        "round4_layout": "pyramid",
        "turn_limit": 1000,
        "card_table": cards,
    }
    table = seat(2, options=asked, setup={"rounds": [prepared("ropes", 4, {24: "E01a"})]})
    view = table.get()
    assert view["options"] == asked
    assert (len(view["state"]["table"]), view["to_act"]) == (25, 1)
    assert view["state"]["table"][24]["up"] == {"kind": "hat", "count": 9}
    for options, resolved in (
        (view["options"], asked),
        (dict.fromkeys(asked), DEFAULTS),
        ({"card_table": "standard"}, DEFAULTS),
    ):
        assert new_game(client, game="migo", seats=people(2), options=options)["options"] == resolved
    seats = new_game(client, game="migo")["seats"]  # nobody says who plays: the usual bots
    assert [seat["kind"] for seat in seats] == ["human"] + ["bot"] * (len(seats) - 1)


def test_everything_is_described(client: FlaskClient) -> None:
    """The rules have their page, with an anchor for every section and ruling; the index lists it."""
    page = client.get("/guide/reference/rules-migo")
    assert page.status_code == 200
    anchors = [str(section) for section in range(1, 8)] + [f"M{number}" for number in range(1, 17)]
    assert [anchor for anchor in anchors if f'id="{anchor}"' not in page.text] == []
    assert "/guide/reference/rules-migo" in client.get("/guide").text
    described: Json = json_of(client.get("/openapi.json"))["components"]["schemas"]
    assert {"MigoMove", "MigoEvent", "MigoTable", "MigoResult", "MigoOptions", "MigoSetUp"} <= set(described)
