"""Moves: posting one, trying one out, and asking which there are."""

from unittest.mock import Mock

import pytest
from flask.testing import FlaskClient

from events.application import Application
from events.errors import VersionConflict
from service.http.schemas.of_each_game import move_of
from tests.service.table import FIRST_MOVE, SECOND_MOVE, Table, code_of, errors_of, json_of, set_table

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
        shown = json_of(table.get(seat=0))
        for seat in shown["seats"]:
            del seat["connected"]  # of the present view alone
        assert played["game"] == shown
        assert played["game"]["to_act"] == 1
        assert (answer.headers["ETag"], answer.headers["Cache-Control"]) == ('"5"', "no-store")
        action = {name: value for name, value in SECOND_MOVE.items() if name != "discard"}
        assert json_of(table.move(1, action))["game"]["state"]["phase"] == "discard"
        discard = {"type": "discard", "card": SECOND_MOVE["discard"]}
        assert json_of(table.move(1, discard))["game"]["to_act"] == 0

    def test_its_events_in_words(self, table: Table) -> None:
        """A line for each in the languages that are asked for, as far as the seat sees the event."""
        played = json_of(table.move(0, FIRST_MOVE, "?languages=de,en,de"))
        assert played["notation"] == {
            "en": ["seat 0 plays G5d to column 1", "seat 0 discards HUN", "seat 0 draws G4d K4d"],
            "de": ["Platz 0 spielt G5d in Reihe 1", "Platz 0 legt HUN ab", "Platz 0 zieht G4d K4d"],
        }
        assert json_of(table.move(1, SECOND_MOVE))["notation"] == {}
        for wrong in ("xx", "en,", "EN"):
            assert errors_of(table.move(0, FIRST_MOVE, f"?languages={wrong}")) == ["languages"]

    def test_the_last_move(self, client: FlaskClient, application: Application) -> None:
        """Decisions of its seat since another had moved, as the viewer sees its events; null before the first."""
        table = set_table(client, application, visibility="public")
        assert json_of(table.get())["last_move"] is None
        table.move(0, FIRST_MOVE)
        table.move(1, {"type": "play", "card": "S3n", "slot": None})
        for seat, card in ((0, None), (1, "S3n"), (None, None)):
            played = {"version": 6, "type": "bird_played", "data": {"card": card, "slot": 1}}
            assert json_of(table.get(seat=seat))["last_move"] == {"seat": 1, "events": [played]}
        table.move(1, {"type": "discard", "card": "T5d"})
        table.client.post(f"{table.path}/seats/1/token")
        last = json_of(table.get(seat=0))["last_move"]
        assert [(event["version"], event["type"]) for event in last["events"]] == [
            (6, "bird_played"),
            (7, "card_discarded"),
        ]
        assert json_of(table.get("?version=5", seat=0))["last_move"]["seat"] == 0

    def test_a_repeat_gets_the_first_answer(self, table: Table) -> None:
        """Byte for byte, also after the game has gone on or is over: what was hidden then stays hidden."""
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
        """A move gets 409 `conflict` if the game keeps moving and no attempt gets through."""
        monkeypatch.setattr(table.application.moves, "play", Mock(side_effect=VersionConflict(7)))
        answer = table.move(0, FIRST_MOVE)
        assert code_of(answer) == (409, "conflict")
        assert json_of(answer)["version"] == 7


def test_a_move_for_a_position(table: Table) -> None:
    """`turn_version` stays where a new token raises the version; either is refused in the other's place, or where it is
    over. A repeat with a key gets the first answer.
    """
    assert table.client.post(f"{table.path}/seats/1/token").status_code == 201
    view, legal = json_of(table.get(seat=0)), json_of(table.get("/legal-moves", seat=0))
    assert (view["version"], view["turn_version"]) == (legal["version"], legal["turn_version"]) == (3, 2)
    before = table.log()
    for tags in (
        '"2"',
        '"turn_version=3"',
        'W/"turn_version=2"',
        '"2", "turn_version=1"',
        '"turn_version=02"',
    ):
        for query in ("", "?dry_run=true"):
            refusal = table.move(0, FIRST_MOVE, query, If_Match=tags)
            assert (code_of(refusal), json_of(refusal)["version"]) == ((412, "version-mismatch"), 3), tags
    assert table.log() == before
    assert table.move(0, FIRST_MOVE, "?dry_run=true", If_Match='"turn_version=2"').status_code == 200
    sent = {"If_Match": '"turn_version=1", "turn_version=2"', "Idempotency_Key": "one"}
    first = table.move(0, FIRST_MOVE, **sent)
    assert (first.status_code, json_of(first)["game"]["turn_version"]) == (201, 6)
    assert code_of(table.move(0, FIRST_MOVE, If_Match='"turn_version=2"')) == (412, "version-mismatch")
    assert table.move(0, FIRST_MOVE, **sent).data == first.data


def test_a_dry_run(table: Table) -> None:
    """It says what would happen, as far as the caller may know, and refuses what a move would; nothing happens."""
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
        assert json_of(table.get("/legal-moves", 1)) == {
            "version": 2,
            "turn_version": 2,
            "seat": 1,
            "moves": [],
            "labels": {"en": []},
        }
        table.move(0, {"type": "resign"})
        assert json_of(table.get("/legal-moves", 0))["moves"] == []
