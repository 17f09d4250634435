"""Bad documents: what is no JSON, or says something meaningless, is refused by name and changes nothing."""

from typing import Any

import orjson
import pytest
from flask.testing import FlaskClient
from marshmallow import ValidationError
from werkzeug.test import TestResponse

from events.application import Application
from service.http.resources import BLUEPRINTS
from service.http.schemas.bots import Position
from service.http.schemas.common.fields import RequestDocument
from service.http.schemas.games.requests import SEAT_KINDS, NewFork, NewGame, TakenSeat
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


def test_a_number_without_a_fraction_is_whole(client: FlaskClient) -> None:
    """In each form of JSON, as JSON Schema has it; others are refused, and so are those that are not exact."""
    for number, shown in ((b"183.0", b"183"), (b"1.83e2", b"183"), (b"183.5", None), (b"1e300", None)):
        body = b'{"options": {"turn_limit": %b}}' % number
        answer = client.post("/v1/games", data=body, content_type="application/json")
        assert answer.status_code == (422 if shown is None else 201)
        assert shown is None or b'"turn_limit":%b,' % shown in answer.data


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
            detail = refused(posted(table, body), 400, "malformed-json")["detail"]
        assert "'slot'" in detail

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
            ("PATCH", table.path, {}, "`external_id`"),
            ("POST", f"{table.path}/embed-tickets", seat, "`parent`"),
            ("POST", "/v1/quick-match", {}, "`player`"),
            ("POST", "/v1/invites/lookup", {}, "`code`"),
            ("POST", "/v1/webhooks", {}, "`url`"),
            ("POST", "/v1/bots", {}, "`name`"),
            ("PATCH", "/v1/bots/my-bot", {}, "`current`"),
            ("POST", "/v1/bots/greedy/choose", {}, "`view`"),
            ("PATCH", webhook, {}, "`url`"),
            ("PATCH", f"/v1/players/pl_{'x' * 20}", {}, "`display_name`"),
        ]
        needy = {
            o.path for blueprint in BLUEPRINTS for o in blueprint.operations if o.body and o.body_required
        }
        assert len(needy) == len([*required, "/v1/apps", "/v1/apps/{name}"])

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
        is_told("PATCH", "/v1/apps/ops", bearer(ops.text), "`metadata`")

    def test_a_huge_number(self, table: Table, refused: Refused) -> None:
        """A number of thousands of digits is no slot, and costs nothing."""
        answer = posted(table, b'{"type": "abandon", "slot": 1' + b"0" * 60_000 + b"}")
        assert code_of(answer)[0] in {400, 422}
        refused(answer, *code_of(answer))


# Every document that can be posted: its schema, one that is valid, and what null means something of its own for.
EVERY_MEMBER: dict[str, tuple[RequestDocument, Json, set[str]]] = {
    "game": (NewGame(), {}, set()),
    "options": (Options(), {}, {"turn_limit", "claim_after"}),
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
        """Played as if the member were not there, and the same key stands for both; so it is inside of a target."""
        plain = {"type": "play", "card": "G5d", "slot": None}
        first = table.move(0, plain | {"on_arrival": None, "discard": None}, Idempotency_Key="k")
        assert first.status_code == 201, first.text
        assert table.move(0, plain, Idempotency_Key="k").data == first.data
        assert table.move(0, {"type": "discard", "card": "HUN", "slot": None}).status_code == 422
        table.move(0, {"type": "discard", "card": "HUN"})
        table.move(1, SECOND_MOVE)
        aim = {"type": "danger", "card": "LIG", "target": {"slot": None, "pile": None}}
        assert list(json_of(table.move(0, aim))["errors"]) == ["target"]
        aim["target"] = {"slot": 1, "pile": None}
        assert code_of(table.move(0, aim)) == (422, "illegal-move")  # understood, but the card is not in hand


WRONG_MOVES: dict[str, list[Any]] = {
    "body": [[], "exchange", 7],
    "type": [{}, {"type": None}, {"type": ["play"]}, {"type": "fly"}],
    "card": [{"card": 5}, {"card": None}, {"type": "play", "slot": 1}],
    "slot": [{"slot": slot} for slot in ("1", 1.5, True, [1], 0, 5, -1, 10**18)],
    "discard": [{"discard": 1}],
    "on_arrival": [{"on_arrival": "land"}],
    "from": [{"type": "move_cards", "from": None, "index": 0, "to": None}],
    "index": [{"type": "move_cards", "from": 1, "index": -1, "to": None}],
    "uncover": [
        {"type": "move_cards", "from": 1, "index": 0, "to": 2, "uncover": odd} for odd in (1, "true")
    ],
    "target": [
        {"type": "danger", "card": "HUN", "target": odd} for odd in ("teal", {}, {"slot": 1, "pile": "teal"})
    ],
    "target.pile": [{"type": "danger", "card": "HUN", "target": {"pile": "swan"}}],
    "target.colour": [{"type": "danger", "card": "HUN", "target": {"slot": 1, "colour": "red"}}],
}
WRONG_OPTIONS: Json = {
    "rules": ["chess"],
    "return_flight": ["yes"],
    "memory_aid": [1],
    "first_seat": [2, True],
    "turn_limit": [0, 2.5],
    "deck_list": ["huge", {"G5d": "many"}],
}
HUMAN, OPEN = {"kind": "human"}, {"kind": "open"}
WRONG_GAMES: dict[str, list[Any]] = {
    "body": [[]],
    "game": [{"game": 1}],
    "seats": [{"seats": {}}, {"seats": []}, {"seats": [HUMAN]}, {"seats": [HUMAN] * 3}],
    "seats.0": [{"seats": ["human", "bot"]}],
    "seats.1.kind": [{"seats": [HUMAN, {"kind": "robot"}]}],
    "seats.1.bot": [{"seats": [HUMAN, {"kind": "bot"}]}],
    "seats.0.player": [{"seats": [HUMAN | {"player": name}, OPEN]} for name in NO_NAMES]
    + [{"seats": [OPEN | {"player": "ada"}, OPEN]}],
    "options": [{"options": []}],
    **{
        f"options.{name}": [{"options": {name: odd}} for odd in values]
        for name, values in WRONG_OPTIONS.items()
    },
    "visibility": [{"visibility": "secret"}],
    "setup.deck": [{"setup": {}}, {"setup": {"deck": "G5d"}}],
    "setup.deck.0": [{"setup": {"deck": [5]}}],
    "colour": [{"colour": "red"}],
}


class TestFieldsAtFault:
    """422 validation-error: of a wrong type, meaningless, or unknown."""

    def test_of_a_move(self, table: Table, refused: Refused) -> None:
        """The field is named, also inside."""
        usual = {"type": "play", "card": "G5d", "slot": None}
        for field, moves in WRONG_MOVES.items():
            for move in moves:
                move = (
                    move if not isinstance(move, dict) or "type" in move or field == "type" else usual | move
                )
                problem = refused(posted(table, orjson.dumps(move)), 422, "validation-error")
                assert named(problem["errors"], field), (move, problem)
        problem = refused(table.move(0, FIRST_MOVE | {"colour": "red"}), 422, "validation-error")
        assert problem["errors"] == {
            "colour": ["Unknown field; there are: card, discard, on_arrival, slot, type."]
        }

    def test_of_a_new_game(self, client: FlaskClient) -> None:
        """The field is named, and no game comes of it; of options, and of `setup`, with the names that there are."""
        for field, bodies in WRONG_GAMES.items():
            for body in bodies:
                assert named(errors_of(client.post("/v1/games", json=body)), field), body
        names = "rules, return_flight, memory_aid, first_seat, turn_limit, deck_list, claim_after"
        for body, field, message in (
            (
                {"seats": [{"kind": "human", "name": "ada"}]},
                "seats.0.name",
                "Unknown field; there are: client_seed, kind, metadata, player.",
            ),
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
        ):
            assert json_of(client.post("/v1/games", json=body))["errors"][field] == [message]
        assert json_of(client.get("/v1/games"))["games"] == []

    def test_of_a_seat(self, client: FlaskClient, application: Application) -> None:
        """A seat is not taken by nobody."""
        waiting = set_table(client, application, seats=WITH_OPEN)
        refused = Refused(waiting)
        nobody: list[Any] = [{}, {"player": 5}, {"player": None}, {"player": "bob", "client_seed": 5}, []]
        for who in nobody:
            answer = client.post(f"{waiting.path}/seats/1", json=who, headers=waiting.bearer(0))
            refused(answer, 422, "validation-error")

    def test_of_a_query(self, table: Table, refused: Refused) -> None:
        """An unknown parameter is refused and named, and so is one that is given twice, or is none of its values."""
        for query in ("dryrun=true", "dry_run=true&dry_run=false", "dry_run=1"):
            problem = refused(table.move(0, FIRST_MOVE, f"?{query}"), 422, "validation-error")
            assert list(problem["errors"]) == [query.partition("=")[0]]


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

    def test_sizes(self, table: Table, refused: Refused) -> None:
        """64 KiB are read; more is refused without being read."""

        class Untouched:
            def read(self, *_: object) -> bytes:
                raise AssertionError("the body was read")

        refused(posted(table, b'{"type": "%b"}' % (b"x" * (65_536 - 12))), 422, "validation-error")
        environ = {"wsgi.input": Untouched(), "CONTENT_LENGTH": "65537"}
        refused(posted(table, b"", environ_overrides=environ), 413, "too-large")

    def test_types(self, table: Table, refused: Refused) -> None:
        """A body of another media type is not read as JSON; bodies come as they are, and not compressed."""
        form = "application/x-www-form-urlencoded"
        for content_type in ("", "text/plain", form, "application/jsonp", "json"):
            refused(posted(table, b'{"type": "exchange"}', content_type), 415, "unsupported-media-type")
        answer = table.move(0, {"type": "exchange"}, Content_Encoding="gzip")
        refused(answer, 415, "unsupported-media-type")
        assert posted(table, b'{"type": "exchange"}', "Application/JSON; charset=utf-8").status_code == 201
