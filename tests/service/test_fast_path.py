"""The fast path answers as Flask does, byte for byte; what it does not know is left to Flask."""

import re
import socket
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any
from wsgiref.types import StartResponse

import orjson
import pytest
from gunicorn.config import Config
from werkzeug.test import EnvironBuilder, run_wsgi_app

from benchmarks import http_load
from events.runtime import metrics
from events.runtime.settings import Settings
from events.use_cases.application import Application
from service.http.app import Service, create_app
from service.http.call import Call
from service.http.resources import BLUEPRINTS
from service.http.server.plain_connection import PlainConnection
from service.http.server.plain_requests import PlainRequests
from tests.service.recording import AllThere
from tests.service.table import FIRST_MOVE, SECOND_MOVE, Json, Table
from tests.service.test_origins import TABLE, Place, place

HOT = {
    ("POST", "/v1/games"),
    ("POST", "/v1/games/<game_id:game_id>/moves"),
    ("GET", "/v1/games/<game_id:game_id>/legal-moves"),
    ("GET", "/v1/games/<game_id:game_id>"),
    ("GET", "/v1/games/<game_id:game_id>/events"),
}


ONE_LESS = re.compile(r";r=\d+;t=\d+$")  # of RateLimit: the second of two requests is counted as well


__all__ = ["place"]


@pytest.fixture
def way() -> str:
    """Here a service takes both ways, one after the other."""
    return "both"


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer as it is handed to the server: status, headers in their order, body; what was counted of it."""

    status: str
    headers: list[tuple[str, str]]
    body: bytes
    counted: list[tuple[str, float]]


class BothWays:
    """A service, asked by the fast path and by Flask."""

    def __init__(self, service: Service, table: Table) -> None:
        self.service, self.table, self.path = service, table, table.path
        self.by_origin: bool = service.extensions["origins"].watched
        assert service.fast_path is not None
        self.fast_path = service.fast_path

    def takes(self, method: str, path: str, **options: Any) -> bool:
        """True if the fast path takes the request."""
        return self._fast(method, path, options)[0]

    def same(self, method: str, path: str, **options: Any) -> Answered:
        """The one answer that both give."""
        taken, fast = self._fast(method, path, options)
        assert taken, (method, path, options)
        assert fast == self._ask(None, method, path, options), (method, path, options)
        return fast

    def _fast(self, method: str, path: str, options: Json) -> tuple[bool, Answered]:
        taken: list[bool] = []

        def answer(call: Call, start_response: StartResponse) -> Any:
            body = self.fast_path.answer(call, start_response)
            taken.append(body is not None)
            return body

        answered = self._ask(SimpleNamespace(answer=answer), method, path, options)
        return taken == [True], answered

    def _ask(self, way: Any, method: str, path: str, options: Json) -> Answered:
        self.service.fast_path = way
        before = _counts()
        builder = EnvironBuilder(path=path, method=method, **options)
        builder.headers.setdefault("X-Request-Id", "the-same-for-both-ways")
        body, status, headers = run_wsgi_app(self.service.wsgi_app, builder.get_environ(), buffered=True)
        counted = [(name, count - before.get(name, 0)) for name, count in _counts().items()]
        named = [(name, ONE_LESS.sub("", value)) for name, value in headers]
        return Answered(status, named, b"".join(body), [(name, more) for name, more in counted if more])


def _counts() -> dict[str, float]:
    requests: dict[Any, Any] = dict(metrics.REQUESTS._metrics)
    seconds: dict[Any, Any] = dict(metrics.REQUEST_SECONDS._metrics)
    answered = {f"requests {labels}": child._value.get() for labels, child in requests.items()}
    timed = {f"seconds {labels}": sum(b.get() for b in child._buckets) for labels, child in seconds.items()}
    return answered | timed


@pytest.fixture(params=["no app keys", "app keys"])
def both(
    request: pytest.FixtureRequest, settings: Settings, application: Application, table: Table
) -> BothWays:
    """A service that watches whose page asks, and one that does not."""
    if request.param == "app keys":
        settings = replace(settings, app_keys={"app": "0" * 64})
    return BothWays(create_app(settings, application, AllThere()), table)


def test_the_hot_operations() -> None:
    """Moves and looks of players, and the start of their games."""
    hot = {(o.method, o.path) for blueprint in BLUEPRINTS for o in blueprint.operations if o.hot}
    assert hot == HOT


JSON = {"Content-Type": "application/json"}
PEOPLE: list[Json] = [{"kind": "human", "player": "ada"}, {"kind": "human"}]
NEW_GAMES: list[Json | None] = [
    None,
    {},
    {"seats": PEOPLE},
    {"seats": PEOPLE, "options": {"first_seat": "random", "turn_limit": None, "deck_list": None}},
    {"seats": [PEOPLE[0], {"kind": "bot", "bot": "greedy"}], "game": None, "setup": None},
    {"seats": [{"kind": "human", "client_seed": "x", "player": None}, {"kind": "open"}]},
    {"game": "migo", "seats": PEOPLE},
]
NO_GAMES = [
    b"{",
    b"[]",
    b"null",
    b'{"game": "chess"}',
    b'{"game": 5}',
    b'{"seats": []}',
    b'{"seats": {}}',
    b'{"seats": [{"kind": "human"}, {"kind": "ghost"}]}',
    b'{"seats": [{"kind": "human"}, {"kind": "bot"}]}',
    b'{"seats": [{"kind": "human"}, {"kind": "bot", "bot": "nobody"}]}',
    b'{"seats": [{"kind": "human", "player": "pl_00000000000000000000"}, {"kind": "open"}]}',
    b'{"seats": [{"kind": "human", "player": ""}, {"kind": "open", "player": "ada"}]}',
    b'{"seats": [{"kind": "human"}, {"kind": "human"}, {"kind": "human"}]}',
    b'{"seats": [{"kind": "human"}, {"kind": "remote", "url": "ftp://x"}]}',
    b'{"visibility": "secret"}',
    b'{"options": {"rules": "house"}}',
    b'{"options": {"speed": 2}}',
    b'{"options": 5}',
    b'{"setup": {"deck": ["G5d"]}}',
    b'{"setup": {"cards": []}}',
    b'{"players": 2}',
]

QUERIES = [
    "",
    "?version=3",
    "?seat=1",
    "?version=3&seat=0",
    "?version=x",
    "?nonsense=1",
    "?version=1&version=2",
    "?wait=0",
]
WHAT = [
    "",
    "/events",
    "/legal-moves",
    "/events?after=2",
    "/events?after=2&limit=1",
    "/events?after=99",
    "/events?wait=1",
]


PLACES = WHAT[:3]
OTHER_PAGES = [{"Origin": "https://elsewhere.example"}, {"Host": "elsewhere.example"}, {"Origin": "null"}]
ACCEPTED = [
    "*/*",
    "application/json",
    "application/x-ndjson",
    "text/html",
    "application/json;q=0, */*",
    "application/x-ndjson, */*",
]
TAGS = ['"6"', 'W/"6"', "*", '"5"', '"5", "6"', '"6-all"', "nonsense", ""]


def test_looks(both: BothWays) -> None:
    """Views, events and legal moves, with every query, for whoever asks; then of a game that is over."""
    for over in (False, True):
        if over:
            both.table.move(0, {"type": "resign"})
        for headers in ({}, both.table.bearer(0), both.table.bearer(1)):
            asked: list[tuple[str, dict[str, str]]] = [
                (what, {}) for what in dict.fromkeys([*WHAT, *(at + q for at in PLACES for q in QUERIES)])
            ]
            asked += [(what, page) for what in PLACES for page in OTHER_PAGES]
            for what, page in asked:
                answered = both.same("GET", both.path + what, headers=headers | page)
                assert answered.counted, "it is counted"
                assert ("X-Content-Type-Options", "nosniff") in answered.headers


def test_versions_and_forms(both: BothWays) -> None:
    """304 and its kin; pages and lines of events; a stream is answered past Flask as well."""
    seat = both.table.bearer(0)
    for tags in TAGS:
        for query in ("", "?wait=0", "?version=6"):
            both.same("GET", both.path + query, headers=seat | {"If-None-Match": tags})
    for accept in ACCEPTED:
        for query in ("", "?limit=1", "?after=1&limit=2&version=4"):
            both.same("GET", f"{both.path}/events{query}", headers=seat | {"Accept": accept})


def test_a_stream(both: BothWays) -> None:
    """One of a game that is over ends."""
    both.table.move(0, {"type": "resign"})
    both.table.application.bot_turns.score_game(both.table.id)
    headers = {"Accept": "text/event-stream"} | both.table.bearer(0)
    answered = both.same("GET", f"{both.path}/events", headers=headers)
    assert b"event: end" in answered.body
    assert not any("seconds" in name for name, _ in answered.counted)
    for last in ("1", "99", "x", "8"):
        both.same("GET", f"{both.path}/events", headers=headers | {"Last-Event-ID": last})


def test_moves_that_are_made(both: BothWays) -> None:
    """A repeat of a keyed move gets exactly the first answer, whichever way each takes."""
    for number, (seat, move) in enumerate([(0, FIRST_MOVE), (1, SECOND_MOVE)]):
        headers = both.table.bearer(seat) | {"Idempotency-Key": f"turn-{number}"}
        answered = both.same("POST", f"{both.path}/moves", json=move, headers=headers)
        assert answered.status == "201 CREATED"
        assert dict(answered.headers)["ETag"] == f'"{orjson.loads(answered.body)["version"]}"'
    with_nulls = SECOND_MOVE | {"on_arrival": None}
    assert answered == both.same("POST", f"{both.path}/moves", json=with_nulls, headers=headers)
    assert both.same("POST", f"{both.path}/moves", json={"type": "pass"}, headers=headers).status[:3] == "422"


NO_MOVES = [
    b"",
    b"{",
    b"[]",
    b"null",
    b'"play"',
    b'{"type": "play"}',
    b'{"type": "fly"}',
    b'{"type": ["play"]}',
    b'{"type": "play", "card": "G5d", "card": "G4n"}',
    b'{"type": "play", "card": "G5d", "slot": 7, "colour": "red"}',
    b'{"type": "play", "card": 5, "slot": null, "on_arrival": null}',
    b'{"type": "play", "card": "K3d"}',
    b'{"type": "play", "card": "G5d", "slot": 1}',
    b'{"type": "danger", "card": "G5d", "target": {"slot": 1}}',
    b'{"type": "danger", "card": "HUN", "target": 5}',
    b'{"type": "danger", "card": "HUN", "target": {"slot": 1, "pile": null}}',
    b'{"type": "danger", "card": "HUN", "target": {}}',
    b'{"type": "' + b"x" * 70_000 + b'"}',
    b"[" * 1000,
]
ODD_HEADERS: list[dict[str, str]] = [
    {"Authorization": ""},
    {"Authorization": "Basic YTpi"},
    {"Authorization": "Bearer nobody"},
    {"Authorization": f"Bearer {'x' * 600}"},
    {"Content-Type": "text/plain"},
    {"Content-Encoding": "gzip"},
    {"If-Match": '"1"'},
    {"If-Match": "six"},
    {"If-Match": '"1", "7"'},
    {"Idempotency-Key": ""},
    {"Idempotency-Key": "x" * 256},
    {"Origin": "https://elsewhere.example", "If-Match": '"1"'},
    {"Prefer": "respond-async", "X-Odd": "yes", "Cookie": "a=b", "If-Match": '"1"'},
]


def test_moves_that_are_refused(both: BothWays) -> None:
    """With the same words: of the schema, of the parser, of the rules, of headers. A dry run changes nothing."""
    path = f"{both.path}/moves"
    for seat in (both.table.bearer(0), both.table.bearer(1)):
        for query in ("?dry_run=true", "?dry_run=perhaps", "?dry_run=true&dry_run=true"):
            both.same("POST", path + query, json=FIRST_MOVE, headers=seat)
        for body in NO_MOVES:
            assert both.same("POST", path, data=body, headers=seat | JSON).status[0] == "4"
    for headers in ODD_HEADERS:
        sent = both.table.bearer(0) | JSON | headers
        assert both.same("POST", path, data=orjson.dumps(FIRST_MOVE), headers=sent).status[0] == "4", headers


def key(number: int) -> dict[str, str]:
    """The header with a key that nobody guesses."""
    return {"Idempotency-Key": f"0b1e8d9c-3f3a-4f0e-9a55-{number:012}"}


def test_games_that_are_created(both: BothWays) -> None:
    """With a key, so that both ways are answered with the same game, whichever of them creates it."""
    for number, body in enumerate(NEW_GAMES):
        for headers in (
            key(number),
            key(number) | {"X-Odd": "yes", "Cookie": "a=b", "Prefer": "respond-async"},
        ):
            sent = {} if body is None else {"json": body}
            answered = both.same("POST", "/v1/games", headers=headers, **sent)
            assert answered.status == "201 CREATED"
            assert dict(answered.headers)["Location"] == f"/v1/games/{orjson.loads(answered.body)['id']}"
        other = (body or {}) | {"visibility": "public"}
        assert both.same("POST", "/v1/games", headers=key(number), json=other).status[:3] == "422"


NOT_ADMITTED: list[dict[str, str]] = [
    {"Authorization": "Basic YTpi"},
    {"Authorization": "Bearer nobody"},
    {"Content-Type": "text/plain"},
    {"Content-Encoding": "gzip"},
    {"Idempotency-Key": "guessable"},
    {"Idempotency-Key": "x" * 256},
]


def test_games_that_are_refused(both: BothWays) -> None:
    """With the same words: of the schema, of the rules; of tokens, kinds of content, keys that can be guessed."""
    for body in NO_GAMES:
        assert both.same("POST", "/v1/games", data=body, headers=JSON).status[0] == "4", body
    for headers in NOT_ADMITTED:
        assert both.same("POST", "/v1/games", data=b"{}", headers=JSON | headers).status[0] == "4", headers
    assert both.same("POST", "/v1/games", headers=both.table.bearer(0)).status[:3] == "403"


def test_pages_of_other_sites_create_no_games(both: BothWays) -> None:
    """On an engine without app keys; whatever the request says, that is answered first."""
    for page in OTHER_PAGES:
        for sent in (page, page | both.table.bearer(0)):
            for body in (b"", b"{"):
                answered = both.same("POST", "/v1/games", data=body, headers=sent | key(0) | JSON)
                assert (b"foreign-origin" in answered.body) == both.by_origin


def test_a_game_that_is_not_there(both: BothWays) -> None:
    """Not found is counted by its route as well."""
    for what in ("", "/events", "/legal-moves"):
        both.same("GET", f"/v1/games/nothing{what}")
        both.same("GET", f"/v1/games/{'x' * 22}{what}", headers=both.table.bearer(0))
    both.same("POST", "/v1/games/nothing/moves", json=FIRST_MOVE)


@pytest.mark.plain
def test_a_crash(both: BothWays, monkeypatch: pytest.MonkeyPatch) -> None:
    """A crash is answered as a problem, and none of it is shown."""
    monkeypatch.setattr(type(both.table.application.views), "look", lambda *_: 1 // 0)
    answered = both.same("GET", both.path)
    assert answered.status[:3] == "500"
    assert b"ZeroDivision" not in answered.body


UNUSUAL: list[tuple[str, str, dict[str, str]]] = [
    ("HEAD", "", {}),
    ("OPTIONS", "/moves", {}),
    ("PUT", "/moves", {}),
    ("GET", "/moves", {}),
    ("GET", "/", {}),
    ("GET", "/moves/", {}),
    ("GET", "/replay", {}),
    ("GET", "", {"HTTP_HOST": "<b>"}),
    ("GET", "", {"HTTP_HOST": f"{'x' * 64}.example"}),
    ("GET", "", {"HTTP_HOST": "a..b"}),
    ("GET", "", {"HTTP_HOST": ""}),
    ("GET", "", {"HTTP_CONNECTION": "upgrade", "HTTP_UPGRADE": "websocket"}),
    ("GET", "", {"QUERY_STRING": "vers\xefon=1"}),
]


def test_reads_on_a_condition(both: BothWays) -> None:
    """A version that If-Match does not name is refused, and counted as refused."""
    for what in ("", "/legal-moves", "/events"):
        for tag, status in (('"other"', "412"), ("other", "422"), ("*", "200")):
            headers = both.table.bearer(0) | {"If-Match": tag}
            assert both.same("GET", both.path + what, headers=headers).status.startswith(status), (what, tag)


def test_hosts_of_all_kinds(both: BothWays) -> None:
    """Names and addresses, with a port and without."""
    for host in ("[::1]:8000", "[::1]", "a_b.localhost", "localhost.", "localhost:", "LOCALHOST:80"):
        both.same("GET", both.path, environ_overrides={"HTTP_HOST": host})


def test_unusual_requests_are_left_to_flask(both: BothWays) -> None:
    """By their method, path, host, connection or query."""
    for method, what, environ in UNUSUAL:
        assert not both.takes(method, both.path + what, environ_overrides=environ), (method, what, environ)


@pytest.mark.parametrize("bearer", ["nobody", "seat"])
def test_every_operation(both: BothWays, place: Place, bearer: str) -> None:
    """Both ways give one answer to a hot operation; every other one is left to Flask."""
    addresses = both.service.url_map.bind("localhost")
    hot = {f"{b.name}.{o.endpoint}" for b in BLUEPRINTS for o in b.operations if o.hot}
    for number, (ask, *_) in enumerate(TABLE.values()):
        method, path, body = ask(place)
        headers = key(number) | ({} if bearer == "nobody" else place.public.bearer(0))
        options: Json = {"headers": headers} | ({} if body is None else {"json": body})
        if addresses.match(path.partition("?")[0], method)[0] in hot:
            both.same(method, path, **options)
        else:
            assert not both.takes(method, path, **options), (method, path)


@dataclass
class Worker:
    """The part of gunicorn's worker that a connection needs."""

    wsgi: Service
    alive: bool = True
    nr: int = 0
    cfg: Config = field(default_factory=Config)


def sent(service: Service, data: bytes, *, alive: bool) -> bytes:
    """The worker's answer to so many bytes, without its date."""
    here, there = socket.socketpair()
    worker = Worker(service, alive)
    with here, there:
        here.sendall(data)
        here.shutdown(socket.SHUT_WR)
        addresses = ("127.0.0.1", 8000), ("127.0.0.1", 5555)
        connection = PlainConnection(
            worker, PlainRequests(worker.cfg), addresses[0], there, there, addresses[1]
        )
        assert connection.serve() is None
        there.shutdown(socket.SHUT_WR)
        return re.sub(rb"Date: [^\r]*\r\n", b"", here.makefile("rb").read())


@pytest.mark.parametrize("alive", [True, False])
def test_the_same_bytes_are_sent(both: BothWays, alive: bool) -> None:
    """By a worker that takes the fast path itself, and by one that leaves all to Flask."""
    token = both.table.tokens[0]
    for path, tag, status in (
        (both.path, "", b"200"),
        (both.path, "*", b"304"),
        (both.path + "/legal-moves", "", b"200"),
        (both.path + "/events", "", b"200"),
        (both.path + "?version=x", "", b"422"),
        ("/v1/games/unknown", "", b"403"),
    ):
        request = http_load.request("GET", path, token=token)
        more = ["X-Request-Id: the-same-for-both-ways", *([f"If-None-Match: {tag}"] if tag else [])]
        asked = request.replace(b"\r\n\r\n", "\r\n".join(["", *more, "", ""]).encode())
        both.service.fast_path = both.fast_path
        fast = sent(both.service, asked, alive=alive)
        both.service.fast_path = None
        assert fast == sent(both.service, asked, alive=alive)
        assert fast.startswith(b"HTTP/1.1 " + status)
