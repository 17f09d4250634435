"""Bad documents: what is no JSON, or says something meaningless, is refused by name and changes nothing."""

from typing import Any

import orjson
import pytest
from flask.testing import FlaskClient
from marshmallow import ValidationError
from werkzeug.test import TestResponse

from events.use_cases.application import Application
from service.http.resources import BLUEPRINTS
from service.http.schemas.bots import Position
from service.http.schemas.fields import RequestDocument
from service.http.schemas.games import SEAT_KINDS, NewFork, NewGame, TakenSeat
from service.http.schemas.migrato.moves import MOVES
from service.http.schemas.migrato.options import Options, SetUp
from tests.service.refusals import Refused
from tests.service.table import FIRST_MOVE, SECOND_MOVE, Json, Table, code_of, json_of, set_table


def posted(table: Table, body: bytes, content_type: str = "application/json", **environ: Any) -> TestResponse:
    """Post bytes as a move of seat 0."""
    return table.client.post(
        f"{table.path}/moves", data=body, content_type=content_type, headers=table.bearer(0), **environ
    )


Headers = dict[str, str]


class TestMalformedJson:
    """400 malformed-json."""

    @pytest.mark.parametrize(
        "body",
        [
            b"",
            b"{",
            b'{"type": "exchange",}',
            b"{'type': 'exchange'}",
            b'{"type": "exchange"} {"type": "exchange"}',
            b"\xff\xfe",
            b'\xef\xbb\xbf{"type": "exchange"}',
            b'{"type": "\xff"}',
            b'{"type": "\\ud800"}',
        ],
    )
    def test_no_json(self, table: Table, refused: Refused, body: bytes) -> None:
        """What is no JSON in UTF-8 is refused."""
        refused(posted(table, body), 400, "malformed-json")

    @pytest.mark.parametrize("content_type", ["", "application/json", "text/plain"])
    def test_no_body(self, table: Table, refused: Refused, content_type: str) -> None:
        """Where one is required the refusal says so, and what it must have; that goes for every operation."""
        waiting = set_table(table.client, table.application, seats=[{"kind": "human"}, {"kind": "open"}])
        required: dict[str, tuple[Headers, str]] = {
            f"{waiting.path}/seats/1": ({}, "`player`"),
            f"{table.path}/moves": (table.bearer(0), "`type`"),
            f"{table.path}/fork": (table.bearer(0), "`version`"),
            f"{table.path}/adjudication": ({}, "`winner` or `loser` or `places`"),
            f"{table.path}/seats/1/bot": ({}, "`bot`"),
            f"{table.path}/seats/1/hand-over": ({}, "`player`"),
            "/v1/quick-match": ({}, "`player`"),
            "/v1/invites/lookup": ({}, "`code`"),
            "/v1/webhooks": ({}, "`url`"),
            "/v1/bots/greedy/choose": ({}, "`view`"),
        }
        needy = {
            o.path for blueprint in BLUEPRINTS for o in blueprint.operations if o.body and o.body_required
        }
        webhook = f"/v1/webhooks/{'x' * 22}"
        assert len(needy) == len({*required, webhook, "/v1/apps"})
        for path, (headers, member) in required.items():
            self._is_told(table, refused, path, headers, member, content_type)
        self._is_told(table, refused, webhook, {}, "`url`", content_type, "PATCH")
        ops = table.application.apps.create("ops", ["admin"])  # at last: with an app everybody needs a key
        headers = {"Authorization": f"Bearer {ops.text}"}
        self._is_told(table, refused, "/v1/apps", headers, "`name`", content_type)

    @staticmethod
    def _is_told(
        table: Table,
        refused: Refused,
        path: str,
        headers: Headers,
        member: str,
        content_type: str,
        method: str = "POST",
    ) -> None:
        for kind in ({"content_type": content_type} if content_type else {}, {"data": b""}):
            answer = table.client.open(path, method=method, headers=headers, **kind)
            detail = refused(answer, 400, "malformed-json")["detail"]
            assert "A body is required" in detail, path
            assert member in detail, path

    def test_a_name_given_twice(self, table: Table, refused: Refused) -> None:
        """An object that says a thing twice is refused, for readers would differ about what it means."""
        twice = b'{"type": "play", "card": "G5d", "card": "G4n", "slot": null}'
        assert "'card'" in refused(posted(table, twice), 400, "malformed-json")["detail"]
        nested = b'{"type": "danger", "card": "HUN", "target": {"slot": 1, "slot": 2}}'
        refused(posted(table, nested), 400, "malformed-json")

    @pytest.mark.parametrize("number", [b"NaN", b"Infinity", b"-Infinity", b"01", b"1.", b"0x1"])
    def test_numbers_that_json_does_not_have(self, table: Table, refused: Refused, number: bytes) -> None:
        """NaN and its kin are refused."""
        refused(posted(table, b'{"type": "abandon", "slot": ' + number + b"}"), 400, "malformed-json")

    @pytest.mark.parametrize("opening", [b"[", b'{"a":', b'[{"a":'])
    def test_a_nested_bomb(self, table: Table, refused: Refused, opening: bytes) -> None:
        """Nesting beyond any sense is refused, whether it is closed again or not."""
        closing = {b"[": b"]", b'{"a":': b"}", b'[{"a":': b"}]"}[opening]
        deep = 7_000
        refused(posted(table, opening * deep), 400, "malformed-json")
        refused(posted(table, opening * deep + b"1" + closing * deep), 400, "malformed-json")

    def test_a_huge_number(self, table: Table, refused: Refused) -> None:
        """A number of thousands of digits is no slot, and costs nothing."""
        answer = posted(table, b'{"type": "abandon", "slot": 1' + b"0" * 60_000 + b"}")
        assert code_of(answer)[0] in {400, 422}
        refused(answer, *code_of(answer))


# Every document that can be posted: its schema, one that is valid, and what null means something of its own for.
EVERY_MEMBER: dict[str, tuple[RequestDocument, Json, set[str]]] = {
    "game": (NewGame(), {}, set()),
    "options": (Options(), {}, {"turn_limit"}),
    "setup": (SetUp(), {"deck": ["G5d"]}, set()),
    "fork": (NewFork(), {"version": 1}, set()),
    "seat": (TakenSeat(), {"player": "ada"}, set()),
    "position": (Position(), {"view": {}}, set()),
    "human": (SEAT_KINDS["human"], {"kind": "human"}, set()),
    "open": (SEAT_KINDS["open"], {"kind": "open"}, set()),
    "bot": (SEAT_KINDS["bot"], {"kind": "bot", "bot": "greedy"}, set()),
    "remote": (SEAT_KINDS["remote"], {"kind": "remote", "url": "https://bots.example.com"}, set()),
    "play": (MOVES["play"], {"type": "play", "card": "G5d"}, {"slot"}),
    "move_cards": (MOVES["move_cards"], {"type": "move_cards", "from": 1, "index": 0}, {"to"}),
    "danger": (MOVES["danger"], {"type": "danger", "card": "HUN", "target": {"slot": 1}}, set()),
}


class TestNull:
    """A JSON null is a document, and not an absent one; of an optional member it is an absent one."""

    @pytest.mark.parametrize("kind", EVERY_MEMBER)
    def test_of_every_optional_member(self, kind: str) -> None:
        """It counts as left out, unless it means something of its own; of a required one it is refused."""
        schema, least, meaningful = EVERY_MEMBER[kind]
        members = {field.data_key or name: field for name, field in schema.fields.items()}
        for name, field in members.items():
            if field.required:
                with pytest.raises(ValidationError) as refused:
                    schema.load(least | {name: None})
                assert list(refused.value.messages_dict) == [name]
            elif name not in meaningful:
                assert schema.load(least | {name: None}) == schema.load(least), name
                assert schema.cleared(least | {name: None}) == least
            else:
                assert schema.cleared(least | {name: None}) == least | {name: None}

    def test_of_a_move(self, table: Table) -> None:
        """The move is played as if the member were not there; the same key stands for both forms."""
        plain = {"type": "play", "card": "G5d", "slot": None}
        nulls = plain | {"on_arrival": None, "discard": None}
        first = table.move(0, nulls, Idempotency_Key="k")
        assert first.status_code == 201, first.text
        assert table.move(0, plain, Idempotency_Key="k").data == first.data
        assert table.move(0, {"type": "discard", "card": "HUN", "slot": None}).status_code == 422

    def test_inside_a_move(self, table: Table) -> None:
        """Of a target, too, of which one member must be there."""
        table.move(0, FIRST_MOVE)
        table.move(1, SECOND_MOVE)
        before = json_of(table.get(seat=0))["state"]["players"][0]["hand"]
        assert "HUN" not in before
        aim = {"type": "danger", "card": "HUN", "target": {"slot": None, "pile": None}}
        assert list(json_of(table.move(0, aim))["errors"]) == ["target"]
        aim["target"] = {"slot": 1, "pile": None}
        assert code_of(table.move(0, aim)) == (422, "illegal-move")  # understood, but the card is not in hand

    def test_inside_a_new_game(self, client: FlaskClient) -> None:
        """Of options, of a seat, of all there is."""
        nothing = {"game": None, "options": None, "seats": None, "visibility": None, "setup": None}
        assert client.post("/v1/games", json=nothing).status_code == 201
        seats = [{"kind": "human", "player": None, "client_seed": None}, {"kind": "bot", "bot": "greedy"}]
        options = {
            "rules": None,
            "first_seat": None,
            "deck_list": None,
            "turn_limit": None,
            "memory_aid": None,
        }
        answer = client.post("/v1/games", json={"seats": seats, "options": options})
        assert answer.status_code == 201, answer.text
        assert json_of(answer)["options"]["rules"] == "digital"

    def test_of_a_choice(self, client: FlaskClient, table: Table) -> None:
        """A bot is asked with its own budget, and any seed."""
        position = {"view": json_of(table.get(seat=0)), "history": None, "budget": None, "seed": None}
        assert client.post("/v1/bots/greedy/choose", json=position).status_code == 200

    def test_of_a_new_game(self, client: FlaskClient) -> None:
        """It is no object."""
        answer = client.post("/v1/games", data="null", content_type="application/json")
        assert code_of(answer) == (422, "validation-error")
        assert list(json_of(answer)["errors"]) == ["body"]


class TestWrongTypes:
    """422 validation-error, with the field."""

    @pytest.mark.parametrize(
        ("move", "field"),
        [
            ([], "body"),
            ("exchange", "body"),
            (7, "body"),
            ({}, "type"),
            ({"type": None}, "type"),
            ({"type": ["play"]}, "type"),
            ({"type": "fly"}, "type"),
            ({"type": "play", "card": 5, "slot": 1}, "card"),
            ({"type": "play", "card": None, "slot": 1}, "card"),
            ({"type": "play", "slot": 1}, "card"),
            ({"type": "play", "card": "G5d", "slot": "1"}, "slot"),
            ({"type": "play", "card": "G5d", "slot": 1.5}, "slot"),
            ({"type": "play", "card": "G5d", "slot": True}, "slot"),
            ({"type": "play", "card": "G5d", "slot": [1]}, "slot"),
            ({"type": "play", "card": "G5d", "slot": None, "discard": 1}, "discard"),
            ({"type": "play", "card": "G5d", "slot": None, "on_arrival": "land"}, "on_arrival"),
            ({"type": "move_cards", "from": None, "index": 0, "to": None}, "from"),
            ({"type": "move_cards", "from": 1, "index": -1, "to": None}, "index"),
            ({"type": "move_cards", "from": 1, "index": 0, "to": 2, "uncover": 1}, "uncover"),
            ({"type": "move_cards", "from": 1, "index": 0, "to": 2, "uncover": "true"}, "uncover"),
            ({"type": "danger", "card": "HUN", "target": "teal"}, "target"),
            ({"type": "danger", "card": "HUN", "target": {}}, "target"),
            ({"type": "danger", "card": "HUN", "target": {"slot": 1, "pile": "teal"}}, "target"),
            ({"type": "danger", "card": "HUN", "target": {"pile": "swan"}}, "target.pile"),
        ],
    )
    def test_of_a_move(self, table: Table, refused: Refused, move: Any, field: str) -> None:
        """The field at fault is named."""
        problem = refused(posted(table, orjson.dumps(move)), 422, "validation-error")
        assert any(name == field or name.startswith(f"{field}.") for name in problem["errors"]), problem

    @pytest.mark.parametrize(
        ("wanted", "field"),
        [
            ([], "body"),
            ({"game": 1}, "game"),
            ({"seats": {}}, "seats"),
            ({"seats": []}, "seats"),
            ({"seats": ["human", "bot"]}, "seats.0"),
            ({"seats": [{"kind": "human"}]}, "seats"),
            ({"seats": [{"kind": "human"}] * 3}, "seats"),
            ({"seats": [{"kind": "human"}, {"kind": "robot"}]}, "seats.1.kind"),
            ({"seats": [{"kind": "human"}, {"kind": "bot"}]}, "seats.1.bot"),
            ({"seats": [{"kind": "human", "player": ""}, {"kind": "open"}]}, "seats.0.player"),
            ({"seats": [{"kind": "human", "player": "a\nb"}, {"kind": "open"}]}, "seats.0.player"),
            ({"seats": [{"kind": "human", "player": "ada\n"}, {"kind": "open"}]}, "seats.0.player"),
            ({"seats": [{"kind": "human", "player": "\u009b31mada"}, {"kind": "open"}]}, "seats.0.player"),
            ({"seats": [{"kind": "human", "player": "ada\u2028"}, {"kind": "open"}]}, "seats.0.player"),
            ({"seats": [{"kind": "human", "player": "\u202eada"}, {"kind": "open"}]}, "seats.0.player"),
            ({"seats": [{"kind": "human", "player": " "}, {"kind": "open"}]}, "seats.0.player"),
            ({"seats": [{"kind": "human", "player": "x" * 65}, {"kind": "open"}]}, "seats.0.player"),
            ({"options": []}, "options"),
            ({"options": {"rules": "chess"}}, "options.rules"),
            ({"options": {"return_flight": "yes"}}, "options.return_flight"),
            ({"options": {"memory_aid": 1}}, "options.memory_aid"),
            ({"options": {"first_seat": 2}}, "options.first_seat"),
            ({"options": {"first_seat": True}}, "options.first_seat"),
            ({"options": {"turn_limit": 0}}, "options.turn_limit"),
            ({"options": {"turn_limit": 2.5}}, "options.turn_limit"),
            ({"options": {"deck_list": "huge"}}, "options.deck_list"),
            ({"options": {"deck_list": {"G5d": "many"}}}, "options.deck_list"),
            ({"visibility": "secret"}, "visibility"),
            ({"setup": {}}, "setup.deck"),
            ({"setup": {"deck": "G5d"}}, "setup.deck"),
            ({"setup": {"deck": [5]}}, "setup.deck.0"),
        ],
    )
    def test_of_a_new_game(self, client: FlaskClient, wanted: Any, field: str) -> None:
        """The field at fault is named, and no game comes of it."""
        answer = client.post("/v1/games", json=wanted)
        assert code_of(answer) == (422, "validation-error"), answer.text
        assert any(name == field or name.startswith(f"{field}.") for name in json_of(answer)["errors"]), (
            answer.text
        )
        assert json_of(client.get("/v1/games"))["games"] == []

    @pytest.mark.parametrize(
        "who", [{}, {"player": 5}, {"player": None}, {"player": "bob", "client_seed": 5}, []]
    )
    def test_of_a_seat(self, client: FlaskClient, application: Application, who: Any) -> None:
        """A seat is not taken by nobody."""
        waiting = set_table(client, application, seats=[{"kind": "human"}, {"kind": "open"}])
        before = waiting.log()
        answer = client.post(f"{waiting.path}/seats/1", json=who, headers=waiting.bearer(0))
        assert code_of(answer) == (422, "validation-error")
        assert waiting.log() == before


class TestUnknownFields:
    """422 validation-error, with the field."""

    def test_of_a_move(self, table: Table, refused: Refused) -> None:
        """An unknown field is refused and named, also inside."""
        problem = refused(table.move(0, FIRST_MOVE | {"colour": "red"}), 422, "validation-error")
        assert problem["errors"] == {"colour": ["Unknown field."]}
        inside = {"type": "danger", "card": "HUN", "target": {"slot": 1, "colour": "red"}}
        assert "target.colour" in refused(table.move(0, inside), 422, "validation-error")["errors"]

    @pytest.mark.parametrize(
        ("wanted", "field"),
        [
            ({"colour": "red"}, "colour"),
            ({"seats": [{"kind": "open", "player": "ada"}, {"kind": "open"}]}, "seats.0.player"),
        ],
    )
    def test_of_a_new_game(self, client: FlaskClient, wanted: Any, field: str) -> None:
        """An unknown field is refused and named."""
        answer = client.post("/v1/games", json=wanted)
        assert code_of(answer) == (422, "validation-error")
        assert json_of(answer)["errors"][field] == ["Unknown field."]

    def test_of_an_option(self, client: FlaskClient) -> None:
        """An option that the game does not have is refused with the names of those that it has."""
        answer = client.post("/v1/games", json={"options": {"speed": 2}})
        assert code_of(answer) == (422, "validation-error")
        (message,) = json_of(answer)["errors"]["options.speed"]
        names = ("rules", "return_flight", "memory_aid", "first_seat", "turn_limit", "deck_list")
        assert message == (
            f"migrato has no such option; its options are: {', '.join(names)}."
            " As `game` was not sent, it is migrato."
        )

    def test_of_a_setup(self, client: FlaskClient) -> None:
        """So is a member of `setup`."""
        answer = client.post("/v1/games", json={"game": "migrato", "setup": {"deck": ["G5d"], "hands": []}})
        assert code_of(answer) == (422, "validation-error")
        (message,) = json_of(answer)["errors"]["setup.hands"]
        assert message == "migrato has no such member of `setup`; its members are: deck."

    def test_of_a_query(self, table: Table, refused: Refused) -> None:
        """An unknown parameter is refused and named, and so is one that is given twice."""
        problem = refused(table.move(0, FIRST_MOVE, "?dryrun=true"), 422, "validation-error")
        assert problem["errors"] == {"dryrun": ["Unknown field."]}
        problem = refused(table.move(0, FIRST_MOVE, "?dry_run=true&dry_run=false"), 422, "validation-error")
        assert list(problem["errors"]) == ["dry_run"]
        refused(table.move(0, FIRST_MOVE, "?dry_run=1"), 422, "validation-error")


class TestBodies:
    """413 and 415."""

    def test_a_huge_body(self, table: Table, refused: Refused) -> None:
        """More than 64 KiB is refused without being read."""

        class Untouched:
            def read(self, *_: object) -> bytes:
                raise AssertionError("the body was read")

        environ = {"wsgi.input": Untouched(), "CONTENT_LENGTH": "65537"}
        answer = posted(table, b"", environ_overrides=environ)
        refused(answer, 413, "too-large")

    def test_a_body_of_just_the_limit(self, table: Table, refused: Refused) -> None:
        """64 KiB are read."""
        move = b'{"type": "play", "card": "%s"}'
        body = move.replace(b"%s", b"x" * (65_536 - len(move) + 2))
        assert len(body) == 65_536
        refused(posted(table, body), 422, "validation-error")

    @pytest.mark.parametrize(
        "content_type", ["", "text/plain", "application/x-www-form-urlencoded", "application/jsonp", "json"]
    )
    def test_another_type(self, table: Table, refused: Refused, content_type: str) -> None:
        """What does not say that it is JSON is not read as such."""
        refused(posted(table, b'{"type": "exchange"}', content_type), 415, "unsupported-media-type")

    def test_a_compressed_body(self, table: Table, refused: Refused) -> None:
        """Bodies come as they are."""
        headers = table.bearer(0) | {"Content-Encoding": "gzip"}
        answer = table.client.post(f"{table.path}/moves", json={"type": "exchange"}, headers=headers)
        refused(answer, 415, "unsupported-media-type")

    def test_json_with_a_parameter(self, table: Table) -> None:
        """`application/json; charset=utf-8` is JSON."""
        assert posted(table, b'{"type": "exchange"}', "Application/JSON; charset=utf-8").status_code == 201
