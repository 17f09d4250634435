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
from tests.service.table import (
    FIRST_MOVE,
    SECOND_MOVE,
    WITH_OPEN,
    Json,
    Table,
    bearer,
    code_of,
    errors_of,
    json_of,
    set_table,
)

MALFORMED = [
    b"",
    b"{",
    b'{"type": "exchange",}',
    b"{'type': 'exchange'}",
    b'{"type": "exchange"} {"type": "exchange"}',
    b"\xff\xfe",
    b'\xef\xbb\xbf{"type": "exchange"}',
    b'{"type": "\xff"}',
    b'{"type": "\\ud800"}',
    *(
        b'{"type": "abandon", "slot": %b}' % n
        for n in (b"NaN", b"Infinity", b"-Infinity", b"01", b"1.", b"0x1")
    ),
    # Nested beyond any sense, closed again or not.
    *(opening * 7_000 for opening in (b"[", b'{"a":', b'[{"a":')),
    *(a * 7_000 + b"1" + z * 7_000 for a, z in ((b"[", b"]"), (b'{"a":', b"}"), (b'[{"a":', b"}]"))),
    # A thing said twice: readers would differ about what it means.
    b'{"type": "danger", "card": "HUN", "target": {"slot": 1, "slot": 2}}',
]

NO_NAMES = [
    *("", " ", "a\nb", "ada\n", "\u009b31mada", "ada\u2028", "\u202eada", "x" * 65),
    *("\u3164", "\u2800", "\u115f", "\u034f", "\u3000 \xa0", "\ufe0f", "\u200d", "ada\u3164", "a\xadda"),
    *("ada\u200d", "\u200cada", "a\u200d\u200dda", "a \u200dda", " pl_" + "0" * 20),
]


def posted(table: Table, body: bytes, content_type: str = "application/json", **environ: Any) -> TestResponse:
    """Post bytes as a move of seat 0."""
    return table.client.post(
        f"{table.path}/moves", data=body, content_type=content_type, headers=table.bearer(0), **environ
    )


def named(errors: Any, field: str) -> bool:
    """True if that field is at fault, or something in it."""
    return any(name == field or name.startswith(f"{field}.") for name in errors)


class TestMalformedJson:
    """400 malformed-json."""

    def test_no_json(self, table: Table, refused: Refused) -> None:
        """A text that is no JSON in UTF-8 is refused; the refusal tells of a name that is given twice."""
        for body in MALFORMED:
            refused(posted(table, body), 400, "malformed-json")
        twice = b'{"type": "play", "card": "G5d", "card": "G4n", "slot": null}'
        assert "'card'" in refused(posted(table, twice), 400, "malformed-json")["detail"]

    def test_no_utf_8(self, table: Table, refused: Refused) -> None:
        """The first byte that is none is named, with its offset; a text that is none is no fault of the encoding."""
        for body, fault in (
            (b"\xff\xfe{\0}\0", "byte 0xFF at offset 0 "),
            (b'{"type": "\xe4h"}', "byte 0xE4 at offset 10 "),
            (b'{"type": "\xed\xa0\x80"}', "byte 0xED at offset 10 "),  # half of a surrogate pair
            (b'{"type": "\xc3\xa4", "card": "\xc3', "byte 0xC3 at offset 24 "),
        ):
            detail = refused(posted(table, body), 400, "malformed-json")["detail"]
            assert fault in detail, detail
        escaped = refused(posted(table, b'{"type": "\\ud800"}'), 400, "malformed-json")["detail"]
        assert "UTF-8: byte" not in escaped

    def test_no_body(self, table: Table, refused: Refused) -> None:
        """An operation that requires one says so in the refusal, and names its members."""
        waiting = set_table(table.client, table.application, seats=WITH_OPEN)
        seat, webhook = table.bearer(0), f"/v1/webhooks/{'x' * 22}"
        required: list[tuple[str, str, dict[str, str], str]] = [
            ("POST", f"{waiting.path}/seats/1", {}, "`player`"),
            ("POST", f"{table.path}/moves", seat, "`type`"),
            ("POST", f"{table.path}/fork", seat, "`version`"),
            ("POST", f"{table.path}/adjudication", {}, "`winner` or `loser` or `places`"),
            ("POST", f"{table.path}/seats/1/bot", {}, "`bot`"),
            ("POST", f"{table.path}/seats/1/hand-over", {}, "`player`"),
            ("POST", "/v1/quick-match", {}, "`player`"),
            ("POST", "/v1/invites/lookup", {}, "`code`"),
            ("POST", "/v1/webhooks", {}, "`url`"),
            ("POST", "/v1/bots/greedy/choose", {}, "`view`"),
            ("PATCH", webhook, {}, "`url`"),
        ]
        needy = {
            o.path for blueprint in BLUEPRINTS for o in blueprint.operations if o.body and o.body_required
        }
        assert len(needy) == len([*required, "/v1/apps"])

        def is_told(method: str, path: str, headers: dict[str, str], member: str) -> None:
            kinds: list[Json] = [{"content_type": "application/json"}, {"content_type": "text/plain"}]
            for kind in (*kinds, {}, {"data": b""}):
                answer = table.client.open(path, method=method, headers=headers, **kind)
                detail = refused(answer, 400, "malformed-json")["detail"]
                assert "A body is required" in detail, path
                assert member in detail, path

        for one in required:
            is_told(*one)
        ops = table.application.apps.create("ops", ["admin"])  # at last: with an app everybody needs a key
        is_told("POST", "/v1/apps", bearer(ops.text), "`name`")

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

    def test_of_every_optional_member(self, subtests: pytest.Subtests) -> None:
        """It counts as left out, unless it means something of its own; of a required one it is refused."""
        for kind, (schema, least, meaningful) in EVERY_MEMBER.items():
            for member, field in schema.fields.items():
                name = field.data_key or member
                nulled = least | {name: None}
                with subtests.test(kind, name=name):
                    if field.required:
                        with pytest.raises(ValidationError) as refused:
                            schema.load(nulled)
                        assert list(refused.value.messages_dict) == [name]
                    elif name not in meaningful:
                        assert schema.load(nulled) == schema.load(least)
                        assert schema.cleared(nulled) == least
                    else:
                        assert schema.cleared(nulled) == nulled

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
        assert errors_of(client.post("/v1/games", data="null", content_type="application/json")) == ["body"]


class TestWrongTypes:
    """422 validation-error, with the field."""

    def test_of_a_move(self, table: Table, refused: Refused) -> None:
        """The field at fault is named."""
        wrong: list[tuple[Any, str]] = [
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
        ]
        for move, field in wrong:
            problem = refused(posted(table, orjson.dumps(move)), 422, "validation-error")
            assert named(problem["errors"], field), problem

    def test_of_a_new_game(self, client: FlaskClient) -> None:
        """The field at fault is named, and no game comes of it."""
        wrong: list[tuple[Any, str]] = [
            ([], "body"),
            ({"game": 1}, "game"),
            ({"seats": {}}, "seats"),
            ({"seats": []}, "seats"),
            ({"seats": ["human", "bot"]}, "seats.0"),
            ({"seats": [{"kind": "human"}]}, "seats"),
            ({"seats": [{"kind": "human"}] * 3}, "seats"),
            ({"seats": [{"kind": "human"}, {"kind": "robot"}]}, "seats.1.kind"),
            ({"seats": [{"kind": "human"}, {"kind": "bot"}]}, "seats.1.bot"),
            *(
                ({"seats": [{"kind": "human", "player": name}, {"kind": "open"}]}, "seats.0.player")
                for name in NO_NAMES
            ),
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
        ]
        for wanted, field in wrong:
            assert named(errors_of(client.post("/v1/games", json=wanted)), field), wanted
        assert json_of(client.get("/v1/games"))["games"] == []

    def test_of_a_seat(self, client: FlaskClient, application: Application) -> None:
        """A seat is not taken by nobody."""
        waiting = set_table(client, application, seats=WITH_OPEN)
        refused = Refused(waiting)
        nobody: list[Any] = [{}, {"player": 5}, {"player": None}, {"player": "bob", "client_seed": 5}, []]
        for who in nobody:
            answer = client.post(f"{waiting.path}/seats/1", json=who, headers=waiting.bearer(0))
            refused(answer, 422, "validation-error")


class TestUnknownFields:
    """422 validation-error, with the field."""

    def test_of_a_move(self, table: Table, refused: Refused) -> None:
        """An unknown field is refused and named, also inside."""
        problem = refused(table.move(0, FIRST_MOVE | {"colour": "red"}), 422, "validation-error")
        assert problem["errors"] == {"colour": ["Unknown field."]}
        inside = {"type": "danger", "card": "HUN", "target": {"slot": 1, "colour": "red"}}
        assert "target.colour" in refused(table.move(0, inside), 422, "validation-error")["errors"]

    def test_of_a_new_game(self, client: FlaskClient) -> None:
        """So it is there; of an option, or a member of `setup`, with the names of those that the game has."""
        other_seat = [{"kind": "open", "player": "ada"}, {"kind": "open"}]
        names = "rules, return_flight, memory_aid, first_seat, turn_limit, deck_list"
        unknown: list[tuple[Json, str, str]] = [
            ({"colour": "red"}, "colour", "Unknown field."),
            ({"seats": other_seat}, "seats.0.player", "Unknown field."),
            (
                {"options": {"speed": 2}},
                "options.speed",
                f"migrato has no such option; its options are: {names}. As `game` was not sent, it is migrato.",
            ),
            (
                {"game": "migrato", "setup": {"deck": ["G5d"], "hands": []}},
                "setup.hands",
                "migrato has no such member of `setup`; its members are: deck.",
            ),
        ]
        for wanted, field, message in unknown:
            answer = client.post("/v1/games", json=wanted)
            assert code_of(answer) == (422, "validation-error")
            assert json_of(answer)["errors"][field] == [message]

    def test_of_a_query(self, table: Table, refused: Refused) -> None:
        """An unknown parameter is refused and named, and so is one that is given twice."""
        problem = refused(table.move(0, FIRST_MOVE, "?dryrun=true"), 422, "validation-error")
        assert problem["errors"] == {"dryrun": ["Unknown field."]}
        problem = refused(table.move(0, FIRST_MOVE, "?dry_run=true&dry_run=false"), 422, "validation-error")
        assert list(problem["errors"]) == ["dry_run"]
        refused(table.move(0, FIRST_MOVE, "?dry_run=1"), 422, "validation-error")


MOST = 12 * 1024  # bytes of an answer to a body of 60 KB
TINY = b",".join(b'"%x":1' % number for number in range(7000))
HUGE = b",".join(b'"%d%b":1' % (number, b"\\u0001" * 200) for number in range(40))


class TestManyFaults:
    """422 validation-error that is short, however much is wrong, and however long its name is."""

    def test_of_any_document(self, table: Table, refused: Refused) -> None:
        """The first 50 members at fault are named, or fewer where their names are long, and it is said of how many."""
        seat = table.bearer(0)
        places: list[tuple[str, bytes, dict[str, str]]] = [
            (f"{table.path}/moves", b'{"type": "play", %b}', seat),
            (f"{table.path}/moves", b'{"type": "danger", "card": "HUN", "target": {%b}}', seat),
            (f"{table.path}/fork", b'{"version": 1, %b}', seat),
            ("/v1/games", b"{%b}", {}),
            ("/v1/games", b'{"options": {%b}}', {}),
            ("/v1/games", b'{"seats": [{"kind": "open", %b}, {"kind": "open"}]}', {}),
            ("/v1/bots/greedy/choose", b'{"view": {}, %b}', {}),
        ]
        for path, place, headers in places:
            for members in (TINY, HUGE):
                answer = table.client.post(
                    path, data=place % members, headers=headers, content_type="application/json"
                )
                named = refused(answer, 422, "validation-error")["errors"]
                assert len(answer.data) < MOST, place
                assert 1 <= len(named) <= 50
                assert f"`errors` names {len(named)} of " in json_of(answer)["detail"]
                assert (len(named) == 50) is (members == TINY and b"options" not in place), place

    def test_of_lists_and_queries(self, client: FlaskClient) -> None:
        """The same of items of a list, and of parameters; one name alone is cut as well."""
        answers = [
            client.post("/v1/games", json={"seats": [1] * 20_000}),
            client.post("/v1/games", json={"setup": {"deck": ["x"] * 12_000}}),
            client.post("/v1/games", json={"\x01" * 10_000: 1}),
            client.post("/v1/games", json={"options": {"\x01" * 10_000: 1}}),
            client.get("/v1/games?" + "&".join(f"{number:x}" for number in range(900))),
            client.get("/v1/games?" + "&".join(f"{number:x}&{number:x}" for number in range(900))),
            client.get("/v1/games?" + "%01" * 1300),
        ]
        for answer in answers:
            assert code_of(answer) == (422, "validation-error")
            assert len(answer.data) < MOST, answer.text[:300]

    def test_few_faults(self, client: FlaskClient) -> None:
        """All are named, and nothing is said of others."""
        answer = client.post("/v1/games", json={f"member{number}": 1 for number in range(50)})
        assert len(json_of(answer)["errors"]) == 50
        assert "names" not in json_of(answer)["detail"]


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

    def test_another_type(self, table: Table, refused: Refused) -> None:
        """A body of another media type is not read as JSON; bodies come as they are, and not compressed."""
        for content_type in (
            "",
            "text/plain",
            "application/x-www-form-urlencoded",
            "application/jsonp",
            "json",
        ):
            answer = posted(table, b'{"type": "exchange"}', content_type)
            refused(answer, 415, "unsupported-media-type")
        headers = table.bearer(0) | {"Content-Encoding": "gzip"}
        answer = table.client.post(f"{table.path}/moves", json={"type": "exchange"}, headers=headers)
        refused(answer, 415, "unsupported-media-type")

    def test_json_with_a_parameter(self, table: Table) -> None:
        """`application/json; charset=utf-8` is JSON."""
        assert posted(table, b'{"type": "exchange"}', "Application/JSON; charset=utf-8").status_code == 201
