"""Bad input is refused by name, with the rule that it breaks, and leaves the game as it was."""

from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.service.migo.conftest import Seat
from tests.service.migo.naive import CARDS
from tests.service.migo.prepared import ropes
from tests.service.migo.table import MigoTable, people
from tests.service.table import code_of, json_of

Json = dict[str, Any]


@pytest.fixture
def table(seat: Seat) -> MigoTable:
    """Two people; a bottle (5) and a climber (14) can be taken, a sherpa (4) and E22 lie under them."""
    rounds = [ropes({5: "E19a", 4: "E22b", 10: "E23a", 9: "E01a", 14: "E02a", 17: "E20b"})]
    return seat(2, setup={"rounds": rounds})


def refused(table: MigoTable, answer: TestResponse, status: int, code: str) -> Json:
    """The problem; nothing has happened."""
    assert code_of(answer) == (status, code), answer.text
    return json_of(answer)


def illegal(table: MigoTable, seat: int, move: Json, rule: str) -> None:
    """The move is refused, in earnest and as a dry run, by this rule; its link leads to the page."""
    before = table.events()
    for query in ("", "?dry_run=true"):
        problem = refused(table, table.post(f"/moves{query}", seat, move), 422, "illegal-move")
        assert problem["rule"] == rule
        link = problem["rule_url"]
        assert link == f"/guide/reference/rules-migo#{rule}"
        page = table.client.get(link.partition("#")[0])
        assert (page.status_code, f'id="{rule}"' in page.text) == (200, True)
    assert table.events() == before


def test_places_where_nothing_can_be_taken(table: MigoTable) -> None:
    """Beyond the layout, covered, and taken before."""
    for place in (18, 24, 25, 10**9):
        illegal(table, 0, {"type": "take", "place": place}, "6")
    for place in (0, 4, 9, 16):
        illegal(table, 0, {"type": "take", "place": place}, "3")
    table.take(0, 5)
    illegal(table, 1, {"type": "take", "place": 5}, "3")


def test_flips_that_cannot_be(table: MigoTable) -> None:
    """At a climber; of a card that is not the seat's own, or whose other face is a sherpa."""
    illegal(table, 0, {"type": "take", "place": 14, "flip": "E02"}, "3")
    table.take(0, 10)  # E23, with a sherpa on its back
    table.take(1, 5)  # uncovers the sherpa
    sherpa = {"type": "take", "place": 4}
    illegal(table, 0, sherpa | {"flip": "E23"}, "3")
    illegal(table, 0, sherpa | {"flip": "E19"}, "3")
    illegal(table, 0, sherpa | {"flip": "E22"}, "3")
    assert {"type": "take", "place": 4, "flip": None} in table.moves(0)
    table.take(0, 4)


def test_drinking_without_a_full_token(table: MigoTable) -> None:
    """With none at all, and with one that this very take brings."""
    illegal(table, 0, {"type": "take", "place": 14, "drink": True}, "M12")
    illegal(table, 0, {"type": "take", "place": 5, "drink": True}, "M12")
    table.take(0, 5)
    illegal(table, 1, {"type": "take", "place": 14, "drink": True}, "M12")
    table.take(1, 14)
    table.take(0, 17, drink=True)
    assert table.get()["to_act"] == 0
    table.take(0, 10, drink=True)  # the token of the take before
    table.take(0, 13)
    illegal(table, 1, {"type": "take", "place": 12, "drink": True}, "M12")


def test_drinking_with_the_last_card(seat: Seat) -> None:
    """Ruling M14."""
    table = seat(2, setup={"rounds": [ropes({5: "E19a"})]})
    table.take(0, 5)
    while len(table.state()["table"]) > 1:
        to_act = table.get()["to_act"]
        table.take(to_act, table.moves(to_act)[0]["place"])
    to_act = table.get()["to_act"]
    (card,) = table.state()["table"]
    if to_act == 1:
        illegal(table, 1, {"type": "take", "place": card["place"], "drink": True}, "M12")
    else:
        illegal(table, 0, {"type": "take", "place": card["place"], "drink": True}, "M14")


@pytest.mark.parametrize(
    ("move", "member"),
    [
        ({"type": "take"}, "place"),
        ({"type": "take", "place": -1}, "place"),
        ({"type": "take", "place": "3"}, "place"),
        ({"type": "take", "place": 3.5}, "place"),
        ({"type": "take", "place": True}, "place"),
        ({"type": "take", "place": None}, "place"),
        ({"type": "take", "place": 3, "flip": "E26"}, "flip"),
        ({"type": "take", "place": 3, "flip": "E07a"}, "flip"),
        ({"type": "take", "place": 3, "flip": 7}, "flip"),
        ({"type": "take", "place": 3, "drink": "true"}, "drink"),
        ({"type": "take", "place": 3, "drink": 1}, "drink"),
        ({"type": "take", "place": 3, "discard": "E07"}, "discard"),
        ({"type": "play", "card": "K3d"}, "type"),
        ({"type": "pass"}, "type"),
        ({}, "type"),
    ],
)
def test_moves_that_are_none(table: MigoTable, move: Json, member: str) -> None:
    """Each names the member."""
    before = table.events()
    problem = refused(table, table.post("/moves", 0, move), 422, "validation-error")
    assert member in problem["errors"]
    assert table.events() == before


def test_null_means_nothing(table: MigoTable) -> None:
    """For both choices, where there is none to make."""
    table.take(0, 14, flip=None, drink=None)
    table.take(1, 13, flip=None, drink=False)


def test_whose_turn_it_is(table: MigoTable) -> None:
    """The other seat waits, a spectator plays nothing, and nobody plays when the game is over."""
    take = {"type": "take", "place": 14}
    assert refused(table, table.post("/moves", 1, take), 409, "not-your-turn")["to_act"] == 0
    refused(table, table.post("/moves", None, take), 401, "unauthorized")
    table.move(1, {"type": "resign"})
    refused(table, table.post("/moves", 0, take), 409, "game-over")
    refused(table, table.post("/moves", 0, {"type": "resign"}), 409, "game-over")


def test_resigning_twice(seat: Seat) -> None:
    """Ruling M8."""
    table = seat(3)
    table.move(1, {"type": "resign"})
    illegal(table, 1, {"type": "resign"}, "M8")


@pytest.mark.parametrize(
    ("wanted", "rule"),
    [
        ({"seats": people(1)}, "2"),
        ({"options": {"speed": 2}}, "options"),
        ({"options": {"first_seat": 3}}, "options"),
        ({"setup": {"rounds": [["E01a", "E02a"]]}}, "prepared-rounds"),
        ({"setup": {"deck": []}}, "prepared-rounds"),
    ],
)
def test_what_a_game_cannot_be_created_with(client: FlaskClient, wanted: Json, rule: str) -> None:
    """Seats, options and rounds lead to the part of the rules that says what they may be."""
    answer = client.post("/v1/games", json={"game": "migo", "seats": people(2)} | wanted)
    assert code_of(answer) == (422, "validation-error")
    problem = json_of(answer)
    assert (problem["rule"], problem["rule_url"]) == (rule, f"/guide/reference/rules-migo#{rule}")
    assert f'id="{rule}"' in client.get("/guide/reference/rules-migo").text


def test_a_prepared_round_of_another_length(client: FlaskClient) -> None:
    """Names the layout and the number of players."""
    body = {"game": "migo", "seats": people(2), "setup": {"rounds": [["E01a", "E02a"]]}}
    (message,) = json_of(client.post("/v1/games", json=body))["errors"]["setup.rounds.0"]
    assert message == "The layout `ropes` has 18 cards in this game of 2, not 2."


def test_a_game_that_was_not_named(client: FlaskClient) -> None:
    """The refusal says which one was assumed."""
    seats = {"seats": people(3)}
    (message,) = json_of(client.post("/v1/games", json=seats))["errors"]["seats"]
    assert message == "The game migrato has 2 seats, not 3. As `game` was not sent, it is migrato."
    (message,) = json_of(client.post("/v1/games", json=seats | {"game": "migrato"}))["errors"]["seats"]
    assert message == "The game migrato has 2 seats, not 3."


@pytest.mark.parametrize("number", [0, 1, 5, 6, 17])
def test_a_wrong_number_of_seats(client: FlaskClient, number: int) -> None:
    """Says which numbers the game allows."""
    seats = [{"kind": "human"}] * number
    answer = client.post("/v1/games", json={"game": "migo", "seats": seats})
    assert code_of(answer) == (422, "validation-error")
    assert "2, 3 or 4" in json_of(answer)["errors"]["seats"][0]


@pytest.mark.parametrize(
    ("options", "member"),
    [
        ({"return_flight": True}, "return_flight"),
        ({"deck_list": "standard"}, "deck_list"),
        ({"rules": "opla"}, "rules"),
        ({"layout_size": "huge"}, "layout_size"),
        ({"first_seat": 3}, "first_seat"),
        ({"first_seat": -1}, "first_seat"),
        ({"first_seat": 4}, "first_seat"),
        ({"first_seat": True}, "first_seat"),
        ({"first_seat": "youngest"}, "first_seat"),
        ({"round4_layout": "rope"}, "round4_layout"),
        ({"turn_limit": 0}, "turn_limit"),
        ({"turn_limit": 1001}, "turn_limit"),
        ({"turn_limit": "30"}, "turn_limit"),
        ({"card_table": "deluxe"}, "card_table"),
        ({"card_table": 7}, "card_table"),
        ({"card_table": {}}, "card_table"),
        ({"card_table": {"E01": {}}}, "card_table"),
        ({"card_table": {"E26": {"a": {"kind": "rope", "count": 1}}}}, "card_table"),
    ],
)
def test_options_that_are_none(client: FlaskClient, options: Json, member: str) -> None:
    """Another game's, and values that there are not; each names the option."""
    body = {"game": "migo", "seats": people(3), "options": options}
    answer = client.post("/v1/games", json=body)
    assert code_of(answer) == (422, "validation-error"), answer.text
    assert f"options.{member}" in answer.text or member in json_of(answer)["errors"].get("options", {})


def test_migos_options_are_no_others(client: FlaskClient) -> None:
    """Migrato has none of them, and no rounds to prepare."""
    for body in ({"options": {"round4_layout": "ropes"}}, {"setup": {"rounds": [["E01a"]]}}):
        assert code_of(client.post("/v1/games", json=body)) == (422, "validation-error")


@pytest.mark.parametrize(
    "rounds",
    [
        [],
        [[]],
        [ropes({})[:-1]],
        [[*ropes({}), "E25a"]],
        [["E01a"] * 18],
        [["E01a", "E01b", *ropes({})[2:]]],
        [["E26a", *ropes({})[1:]]],
        [["E01", *ropes({})[1:]]],
        [["e01a", *ropes({})[1:]]],
        [[None, *ropes({})[1:]]],
        [[1] * 18],
        [ropes({})] * 4,
        ropes({}),
        "E01a",
        None,
    ],
)
def test_rounds_that_cannot_be(client: FlaskClient, rounds: Any) -> None:
    """Too few or too many cards, a card twice, cards that there are not, more rounds than a game of two has."""
    body = {"game": "migo", "seats": people(2), "setup": {"rounds": rounds}}
    answer = client.post("/v1/games", json=body)
    assert code_of(answer) == (422, "validation-error"), answer.text
    assert "rounds" in answer.text


def test_no_deck_can_be_prepared(client: FlaskClient) -> None:
    """That is another game's."""
    answer = client.post("/v1/games", json={"game": "migo", "setup": {"deck": CARDS}})
    assert code_of(answer) == (422, "validation-error")
