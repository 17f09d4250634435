"""Moves: posting one, trying one out, and asking which there are."""

import pytest
from flask.testing import FlaskClient

from events.errors import VersionConflict
from events.use_cases.application import Application
from service.http.schemas.registry import move_of
from tests.service.table import FIRST_MOVE, SECOND_MOVE, Table, code_of, json_of, set_table

CAUSED = ["bird_played", "card_discarded", "cards_drawn"]


class TestPlaying:
    """POST /v1/games/{id}/moves."""

    def test_the_answer(self, table: Table) -> None:
        """Version, events and view right after the move; the discard may follow the action."""
        answer = table.move(0, FIRST_MOVE)
        assert answer.status_code == 201
        played = json_of(answer)
        assert [event["type"] for event in played["events"]] == CAUSED
        assert played["version"] == played["game"]["version"] == played["events"][-1]["version"] == 5
        assert played["game"] == json_of(table.get(seat=0))
        assert played["game"]["to_act"] == 1
        assert (answer.headers["ETag"], answer.headers["Cache-Control"]) == ('"5"', "no-store")
        action = {name: value for name, value in SECOND_MOVE.items() if name != "discard"}
        assert json_of(table.move(1, action))["game"]["state"]["phase"] == "discard"
        discard = {"type": "discard", "card": SECOND_MOVE["discard"]}
        assert json_of(table.move(1, discard))["game"]["to_act"] == 0

    def test_a_repeat_gets_the_first_answer(self, table: Table) -> None:
        """Byte for byte, also after the game has gone on or is over: what was hidden then stays hidden.

        A key is the seat's own, and a refusal, which has no events, does not use it up.
        """
        assert code_of(table.move(1, SECOND_MOVE, Idempotency_Key="one")) == (409, "not-your-turn")
        first = table.move(0, FIRST_MOVE, Idempotency_Key="one", If_Match='"2"')
        second = table.move(1, SECOND_MOVE, Idempotency_Key="one")
        assert (second.status_code, json_of(second)["game"]["to_act"]) == (201, 0)
        before = table.log()
        assert [version for version, _, _ in before] == [*range(1, json_of(second)["version"] + 1)]
        for _ in range(2):
            again = table.move(0, FIRST_MOVE, Idempotency_Key="one", If_Match='"2"')
            assert (again.status_code, again.data) == (first.status_code, first.data)
            assert again.headers["ETag"] == first.headers["ETag"]
            assert table.log()[: len(before)] == before
            table.move(1, {"type": "resign"}, Idempotency_Key="two")

    @pytest.mark.plain
    def test_a_game_that_keeps_moving(self, table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
        """409 conflict when no attempt gets through."""

        def overtaken(*_: object, **__: object) -> None:
            raise VersionConflict(7)

        monkeypatch.setattr(table.application.moves, "play", overtaken)
        answer = table.move(0, FIRST_MOVE)
        assert code_of(answer) == (409, "conflict")
        assert json_of(answer)["version"] == 7


def test_a_dry_run(table: Table) -> None:
    """It says what would happen, as far as the caller may know, and refuses what a move would; nothing happens.

    If-Match holds for it as for the move, and the answer says which version it looked at. `dry_run=false` plays.
    """
    before = table.log()
    answer = table.move(0, FIRST_MOVE, "?dry_run=true")
    preview = json_of(answer)
    assert (answer.status_code, preview["version"]) == (200, 2)
    assert [event["type"] for event in preview["events"]] == CAUSED
    assert preview["events"][-1]["data"]["cards"] is None
    assert (preview["dry_run"], preview["complete"]) == (True, True)
    for seat, move, headers, refusal in (
        (0, FIRST_MOVE, {"If-Match": '"1"'}, (412, "version-mismatch")),
        (1, SECOND_MOVE, {}, (409, "not-your-turn")),
        (0, SECOND_MOVE, {}, (422, "illegal-move")),
    ):
        assert code_of(table.move(seat, move, "?dry_run=true", **headers)) == refusal
    assert table.log() == before
    assert table.move(0, FIRST_MOVE, "?dry_run=false").status_code == 201
    assert len(table.log()) > len(before)


class TestLegalMoves:
    """GET /v1/games/{id}/legal-moves."""

    def test_each_can_be_posted(self, client: FlaskClient, application: Application) -> None:
        """Every entry is a document that the service takes, and a move that the game takes."""
        moves = json_of(set_table(client, application).get("/legal-moves", 0))["moves"]
        assert moves
        for move in moves:
            assert move_of("migrato").load(move) == move
            table = set_table(client, application)
            assert table.move(0, move).status_code == 201, move

    def test_none(self, table: Table) -> None:
        """An empty list, which tells nothing: when it is not the seat's turn, and when the game is over."""
        assert json_of(table.get("/legal-moves", 1)) == {"version": 2, "seat": 1, "moves": []}
        table.move(0, {"type": "resign"})
        assert json_of(table.get("/legal-moves", 0))["moves"] == []
