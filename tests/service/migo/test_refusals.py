"""Bad input is refused by name, with the rule that it breaks, and leaves the game as it was."""

import pytest
from flask.testing import FlaskClient

from tests.service.migo.conftest import Seat
from tests.service.migo.prepared import ropes
from tests.service.migo.table import MigoTable
from tests.service.table import Json, code_of, errors_of, json_of, people


@pytest.fixture
def table(seat: Seat) -> MigoTable:
    """Two people; a bottle (5) and a climber (14) can be taken, a sherpa (4) and E22 lie under them."""
    rounds = [ropes({5: "E19a", 4: "E22b", 10: "E23a", 9: "E01a", 14: "E02a", 17: "E20b"})]
    return seat(2, setup={"rounds": rounds})


def illegal(table: MigoTable, seat: int, move: Json, rule: str) -> None:
    """The move is refused, in earnest and as a dry run, by this rule; its link leads to the page."""
    before = table.events()
    for query in ("", "?dry_run=true"):
        answer = table.post(f"/moves{query}", seat, move)
        assert code_of(answer) == (422, "illegal-move"), answer.text
        problem = json_of(answer)
        assert (problem["rule"], problem["rule_url"]) == (rule, f"/guide/reference/rules-migo#{rule}")
    assert table.events() == before


def test_illegal_moves(table: MigoTable) -> None:
    """In earnest and as a dry run, by the rule, with a link to it; tests/domain/migo has every reason."""
    illegal(table, 0, {"type": "take", "place": 18}, "6")
    illegal(table, 0, {"type": "take", "place": 4}, "3")
    illegal(table, 0, {"type": "take", "place": 14, "flip": "E02"}, "3")
    illegal(table, 0, {"type": "take", "place": 5, "drink": True}, "M12")


def test_seats_options_and_rounds(client: FlaskClient) -> None:
    """Their refusals link to the part of the rules on what is allowed; the words name game, layout and numbers."""
    page = client.get("/guide/reference/rules-migo").text
    round_of_two = {"rounds": [["E01a", "E02a"]]}
    for wanted, rule, member, words in (
        ({"seats": people(1)}, "2", "seats", "2, 3 or 4 seats, not 1"),
        ({"seats": [{"kind": "human"}] * 5}, "2", "seats", "2, 3 or 4 seats, not 5"),
        ({"options": {"speed": 2}}, "options", "options.speed", ""),
        ({"options": {"first_seat": 3}}, "options", "options.first_seat", ""),
        (
            {"setup": round_of_two},
            "prepared-rounds",
            "setup.rounds.0",
            "`ropes` has 18 cards in this game of 2",
        ),
        ({"setup": {"deck": []}}, "prepared-rounds", "setup.deck", ""),
    ):
        answer = client.post("/v1/games", json={"game": "migo", "seats": people(2)} | wanted)
        assert member in errors_of(answer), answer.text
        problem = json_of(answer)
        assert words in problem["errors"][member][0]
        assert (problem["rule"], problem["rule_url"]) == (rule, f"/guide/reference/rules-migo#{rule}")
        assert f'id="{rule}"' in page
    for number in (0, 6, 17):
        answer = client.post("/v1/games", json={"game": "migo", "seats": [{"kind": "human"}] * number})
        assert "2, 3 or 4" in (errors_of(answer) and json_of(answer)["errors"]["seats"][0])
