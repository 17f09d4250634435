"""Moves: posting one, trying one out, and asking which there are."""

import pytest
from flask.testing import FlaskClient

from events.errors import VersionConflict
from events.use_cases.application import Application
from service.http.schemas.registry import move_of
from tests.service.table import FIRST_MOVE, SECOND_MOVE, Table, code_of, json_of, set_table


class TestPlaying:
    """POST /v1/games/{id}/moves."""

    def test_the_answer(self, table: Table) -> None:
        """Version, events and view right after the move."""
        answer = table.move(0, FIRST_MOVE)
        assert answer.status_code == 201
        played = json_of(answer)
        assert [event["type"] for event in played["events"]] == [
            "bird_played",
            "card_discarded",
            "cards_drawn",
        ]
        assert played["version"] == played["game"]["version"] == played["events"][-1]["version"] == 5
        assert played["game"] == json_of(table.get(seat=0))
        assert answer.headers["ETag"] == '"5"'
        assert answer.headers["Cache-Control"] == "no-store"

    def test_turns_alternate(self, table: Table) -> None:
        """Each seat moves with its own token."""
        assert json_of(table.move(0, FIRST_MOVE))["game"]["to_act"] == 1
        assert json_of(table.move(1, SECOND_MOVE))["game"]["to_act"] == 0

    def test_in_two_requests(self, table: Table) -> None:
        """The discard may follow the action."""
        action = {name: value for name, value in FIRST_MOVE.items() if name != "discard"}
        assert json_of(table.move(0, action))["game"]["state"]["phase"] == "discard"
        discard = {"type": "discard", "card": FIRST_MOVE["discard"]}
        assert json_of(table.move(0, discard))["game"]["to_act"] == 1

    def test_a_repeat_gets_the_first_answer(self, table: Table) -> None:
        """Byte for byte, also after the game has gone on, and nothing is played twice."""
        first = table.move(0, FIRST_MOVE, Idempotency_Key="one", If_Match='"2"')
        table.move(1, SECOND_MOVE)
        before = table.log()
        again = table.move(0, FIRST_MOVE, Idempotency_Key="one", If_Match='"2"')
        assert (again.status_code, again.data) == (first.status_code, first.data)
        assert again.headers["ETag"] == first.headers["ETag"]
        assert table.log() == before

    def test_a_repeat_after_the_end_tells_no_more_than_then(self, table: Table) -> None:
        """What was hidden when the move was made stays hidden in its answer."""
        first = table.move(0, FIRST_MOVE, Idempotency_Key="one")
        table.move(1, {"type": "resign"})
        assert table.move(0, FIRST_MOVE, Idempotency_Key="one").data == first.data

    def test_a_key_is_the_seats_own(self, table: Table) -> None:
        """Two seats may use the same key."""
        table.move(0, FIRST_MOVE, Idempotency_Key="one")
        before = table.application.views.snapshot(table.id)
        assert table.move(1, SECOND_MOVE, Idempotency_Key="one").status_code == 201
        after = table.application.views.snapshot(table.id)
        assert (before.status.to_act, after.status.to_act) == (1, 0)
        assert after.version > before.version

    def test_a_refused_move_does_not_use_up_its_key(self, table: Table) -> None:
        """The key is recorded with the events of a move, and a refusal has none."""
        assert table.move(1, SECOND_MOVE, Idempotency_Key="one").status_code == 409
        table.move(0, FIRST_MOVE)
        assert table.move(1, SECOND_MOVE, Idempotency_Key="one").status_code == 201

    def test_events_of_others_are_redacted(self, table: Table) -> None:
        """A seat that moved does not learn what the other one drew."""
        table.move(0, FIRST_MOVE)
        drawn = json_of(table.get("/events?after=4", 1))["events"][0]
        assert (drawn["type"], drawn["data"]["cards"], drawn["redacted"]) == ("cards_drawn", None, ["cards"])

    def test_a_game_that_keeps_moving(self, table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
        """409 conflict when no attempt gets through."""

        def overtaken(*_: object, **__: object) -> None:
            raise VersionConflict(7)

        monkeypatch.setattr(table.application.moves, "play", overtaken)
        answer = table.move(0, FIRST_MOVE)
        assert code_of(answer) == (409, "conflict")
        assert json_of(answer)["version"] == 7


class TestDryRun:
    """POST /v1/games/{id}/moves?dry_run=true."""

    def test_it_is_about_the_version_it_names(self, table: Table) -> None:
        """If-Match holds for it as for the move, and the answer says which version it looked at."""
        assert json_of(table.move(0, FIRST_MOVE, "?dry_run=true"))["version"] == 2
        stale = table.move(0, FIRST_MOVE, "?dry_run=true", **{"If-Match": '"1"'})
        assert code_of(stale) == (412, "version-mismatch")

    def test_nothing_happens(self, table: Table) -> None:
        """It says what would, as far as the caller may know; the log stays as it is."""
        before = table.log()
        answer = table.move(0, FIRST_MOVE, "?dry_run=true")
        assert answer.status_code == 200
        preview = json_of(answer)
        assert [event["type"] for event in preview["events"]] == [
            "bird_played",
            "card_discarded",
            "cards_drawn",
        ]
        assert preview["events"][-1]["data"]["cards"] is None
        assert (preview["dry_run"], preview["complete"]) == (True, True)
        assert table.log() == before

    def test_it_refuses_what_a_move_would(self, table: Table) -> None:
        """With the same problems."""
        assert code_of(table.move(1, SECOND_MOVE, "?dry_run=true")) == (409, "not-your-turn")
        assert code_of(table.move(0, SECOND_MOVE, "?dry_run=true")) == (422, "illegal-move")

    def test_false_is_a_move(self, table: Table) -> None:
        """`dry_run=false` plays."""
        assert table.move(0, FIRST_MOVE, "?dry_run=false").status_code == 201
        assert table.application.views.snapshot(table.id).version > 2


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

    def test_none_when_it_is_not_the_seats_turn(self, table: Table) -> None:
        """An empty list, which tells nothing."""
        assert json_of(table.get("/legal-moves", 1)) == {"version": 2, "seat": 1, "moves": []}

    def test_none_when_the_game_is_over(self, table: Table) -> None:
        """Nor then."""
        table.move(0, {"type": "resign"})
        assert json_of(table.get("/legal-moves", 0))["moves"] == []
