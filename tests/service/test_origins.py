"""Pages of other sites where no app keys are configured: they may watch and play with a seat's token, nothing else."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse, create_environ, run_wsgi_app

from events.application import Application
from events.runtime.settings import Settings
from service.http.admission.origins import Origins
from service.http.app import Service
from service.http.resources import BLUEPRINTS
from tests.service.table import (
    FIRST_MOVE,
    OURS,
    WITH_OPEN,
    Json,
    Table,
    code_of,
    json_of,
    new_game,
    set_table,
)
from tests.service.thinking import Worker

OWN: list[Json] = [
    {},
    {"Origin": "http://localhost"},
    {"Origin": "HTTP://LOCALHOST"},
    {"Host": "127.0.0.1:8000", "Origin": "http://127.0.0.1:8000"},
    {"Host": "127.0.0.1:8000"},
    {"Host": "127.3.2.1:8000"},
    {"Host": "[::1]:8000", "Origin": "http://[::1]:8000"},
    {"Host": "[::1]"},
    {"Host": "games.localhost:8000", "Origin": "http://games.localhost:8000"},
    {"Host": "localhost:80", "Origin": "http://localhost"},
    {"Host": "localhost:443", "Origin": "https://localhost"},
    {"Host": "LocalHost.:8000", "Origin": "http://localhost.:8000"},
    {"Host": "localhost:"},
]
IMPOSSIBLE = [
    "", "]:[", "]x.localhost", "::1]:80", "::1", "[::1", "[127.0.0.1]", "[localhost]", "[]", "[:]",
    "[::1]x", "[::1]:x", "[::1%lo]", "evil.com/.localhost", "?.localhost", "#.localhost", "@.localhost",
    "a b.localhost", "evil.com@localhost", "localhost:80:80", "localhost:65536", ":80", "localhost..", ".localhost",
    "a..localhost", "localhost, localhost", "\xe9.localhost", "localhost\\.localhost", f"{'x' * 64}.localhost",
    f"{'x.' * 123}localhost", "<b>", "%6cocalhost",
]  # fmt: skip
FOREIGN: list[Json] = [
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": ""},
    {"Origin": "http://localhost:3000"},
    {"Origin": "http://localhost.evil.example"},
    {"Origin": "http://127.0.0.1"},
    {"Origin": "chrome-extension://abcdefghijklmnop"},
    {"Origin": "https://evil.example", "Host": "127.0.0.1:8000"},
    {"Host": "evil.example"},
    {"Host": "evil.example:8000", "Origin": "http://evil.example:8000"},
    {"Host": "127.0.0.1.evil.example"},
    {"Host": "localhost.evil.example"},
    {"Host": "192.168.1.7:8000"},
    {"Host": "0.0.0.0:8000"},
    {"Host": "[::ffff:10.0.0.1]:8000"},
    {"Host": "127.1"},
]
WEBHOOK = f"/v1/webhooks/{'x' * 22}"
STRANGE = {"Origin": "https://evil.example"}
DOCUMENTS = ("/", "/openapi.json", "/openapi.yaml", "/static/page.css")


@dataclass(frozen=True, slots=True)
class Place:
    """A service with a public game that is played and one that waits, the same in private, and one of bots alone."""

    client: FlaskClient
    public: Table
    waiting: Table
    private: Table
    hidden: Table
    bots: str
    player: str


@pytest.fixture
def place(client: FlaskClient, application: Application, worker: Worker) -> Place:
    """The games of somebody who sits at this machine."""
    public = set_table(client, application, visibility="public")
    waiting = set_table(client, application, visibility="public", seats=WITH_OPEN)
    private = set_table(client, application)
    hidden = set_table(client, application, seats=WITH_OPEN)
    bots = new_game(client, seats=[{"kind": "bot", "bot": "greedy"}, {"kind": "bot", "bot": "random"}])["id"]
    player = json_of(public.get())["seats"][0]["player_id"]
    return Place(client, public, waiting, private, hidden, f"/v1/games/{bots}", player)


Ask = Callable[[Place], tuple[str, str, Any]]
EMPTY = None
MATCH = "mq_" + "x" * 43
OTHERS = 0  # 403 "forbidden": the seat is one of another game

# What there is to ask for: what a page of another site is answered without a token, and with the token of seat 0 of
# the public game (None: as anybody else).
TABLE: dict[str, tuple[Ask, int | None, int | None]] = {
    "create": (lambda p: ("POST", "/v1/games", {}), 403, 403),
    "create, empty": (lambda p: ("POST", "/v1/games", EMPTY), 403, 403),
    "list": (lambda p: ("GET", "/v1/games", EMPTY), 403, 403),
    "quick match": (lambda p: ("POST", "/v1/quick-match", {"player": "eve"}), 403, 403),
    "a match": (lambda p: ("GET", f"/v1/quick-match/{MATCH}", EMPTY), 403, 403),
    "no match": (lambda p: ("DELETE", f"/v1/quick-match/{MATCH}", EMPTY), 403, 403),
    "leaderboard": (lambda p: ("GET", "/v1/leaderboard", EMPTY), 403, 403),
    "rematch": (lambda p: ("POST", f"{p.public.path}/rematch", EMPTY), 403, 409),
    "a private rematch": (lambda p: ("POST", f"{p.private.path}/rematch", EMPTY), 403, OTHERS),
    "how a rematch stands": (lambda p: ("GET", f"{p.public.path}/rematch", EMPTY), 409, 409),
    "no rematch": (lambda p: ("DELETE", f"{p.public.path}/rematch", EMPTY), 401, 409),
    "lobby": (lambda p: ("GET", "/v1/lobby", EMPTY), 403, 403),
    "player": (lambda p: ("GET", f"/v1/players/{p.player}", EMPTY), 403, 403),
    "find a player": (lambda _: ("GET", "/v1/players?player=ada", EMPTY), 403, 403),
    "change a player": (lambda p: ("PATCH", f"/v1/players/{p.player}", {"display_name": "x"}), 403, 403),
    "erase": (lambda p: ("DELETE", f"/v1/players/{p.player}", EMPTY), 403, 403),
    "choose": (lambda p: ("POST", "/v1/bots/greedy/choose", {"view": {}}), 403, 403),
    "job": (lambda p: ("GET", "/v1/bots/jobs/x", EMPTY), 403, 403),
    "metrics": (lambda p: ("GET", "/metrics", EMPTY), 403, 403),
    "app events": (lambda p: ("GET", "/v1/events", EMPTY), 403, 403),
    "webhooks": (lambda p: ("GET", "/v1/webhooks", EMPTY), 403, 403),
    "new webhook": (lambda p: ("POST", "/v1/webhooks", {"url": "https://198.41.0.4/"}), 403, 403),
    "webhook": (lambda p: ("GET", WEBHOOK, EMPTY), 403, 403),
    "change a webhook": (lambda p: ("PATCH", WEBHOOK, {}), 403, 403),
    "delete a webhook": (lambda p: ("DELETE", WEBHOOK, EMPTY), 403, 403),
    "ping": (lambda p: ("POST", f"{WEBHOOK}/ping", EMPTY), 403, 403),
    "secret": (lambda p: ("POST", f"{WEBHOOK}/secret", EMPTY), 403, 403),
    "deliveries": (lambda p: ("GET", f"{WEBHOOK}/deliveries", EMPTY), 403, 403),
    "resend": (lambda p: ("POST", f"{WEBHOOK}/deliveries/1-0/resend", EMPTY), 403, 403),
    "new bot": (lambda p: ("POST", "/v1/bots", {"name": "my-bot", "url": "https://198.41.0.4/"}), 403, 403),
    "change a bot": (lambda p: ("PATCH", "/v1/bots/my-bot", {"current": 1}), 403, 403),
    "secret of a bot": (lambda p: ("POST", "/v1/bots/my-bot/secret", EMPTY), 403, 403),
    "try a bot": (lambda p: ("POST", "/v1/bots/my-bot/try", EMPTY), 403, 403),
    "make an app": (lambda _: ("POST", "/v1/apps", {"name": "eve"}), 403, 403),
    "apps": (lambda _: ("GET", "/v1/apps", EMPTY), 403, 403),
    "an app": (lambda _: ("GET", "/v1/apps/club", EMPTY), 403, 403),
    "usage of an app": (lambda _: ("GET", "/v1/apps/club/usage", EMPTY), 403, 403),
    "change an app": (lambda _: ("PATCH", "/v1/apps/club", {"metadata": {}}), 403, 403),
    "rotate a key": (lambda _: ("POST", "/v1/apps/club/keys", {}), 403, 403),
    "revoke a key": (lambda _: ("DELETE", f"/v1/apps/club/keys/{'0' * 12}", EMPTY), 403, 403),
    "revoke an app": (lambda _: ("DELETE", "/v1/apps/club", EMPTY), 403, 403),
    "own data": (lambda p: ("PATCH", p.public.path, {"metadata": {"k": "v"}}), 403, 403),
    "own data of a private game": (lambda p: ("PATCH", p.private.path, {}), 403, 403),
    "see a seat": (lambda p: ("GET", f"{p.public.path}/seats/1", EMPTY), 200, 200),
    "see an open seat": (lambda p: ("GET", f"{p.waiting.path}/seats/1", EMPTY), 200, OTHERS),
    "a private seat": (lambda p: ("GET", f"{p.private.path}/seats/1", EMPTY), 404, OTHERS),
    "a private open seat": (lambda p: ("GET", f"{p.hidden.path}/seats/1", EMPTY), 404, OTHERS),
    "take a seat": (lambda p: ("POST", f"{p.waiting.path}/seats/1", {"player": "eve"}), 403, 403),
    "take a private seat": (lambda p: ("POST", f"{p.hidden.path}/seats/1", {"player": "eve"}), 403, 403),
    "invite": (lambda p: ("POST", f"{p.waiting.path}/seats/1/invites", EMPTY), 403, 403),
    "invite to a private game": (lambda p: ("POST", f"{p.hidden.path}/seats/1/invites", EMPTY), 403, 403),
    "invites": (lambda p: ("GET", f"{p.waiting.path}/invites", EMPTY), 403, 403),
    "find an invite": (lambda _: ("POST", "/v1/invites/lookup", {"code": "00000000"}), 403, 403),
    "revoke an invite": (lambda p: ("DELETE", f"{p.waiting.path}/invites/0123456789abcdef", EMPTY), 403, 403),
    "new token": (lambda p: ("POST", f"{p.public.path}/seats/0/token", EMPTY), 403, 403),
    "new private token": (lambda p: ("POST", f"{p.private.path}/seats/0/token", EMPTY), 403, 403),
    "hand over": (lambda p: ("POST", f"{p.public.path}/seats/0/hand-over", {"player": "eve"}), 403, 403),
    "claim": (lambda p: ("POST", f"{p.public.path}/claim", EMPTY), 401, 409),
    "abort": (lambda p: ("POST", f"{p.public.path}/abort", EMPTY), 403, 403),
    "abort a private game": (lambda p: ("POST", f"{p.private.path}/abort", EMPTY), 403, 403),
    "adjudicate": (lambda p: ("POST", f"{p.public.path}/adjudication", {"winner": 0}), 403, 403),
    "replace a player": (lambda p: ("POST", f"{p.public.path}/seats/1/bot", {"bot": "greedy"}), 403, 403),
    "fork": (lambda p: ("POST", f"{p.public.path}/fork", {"version": 2, "resample": True}), 403, 403),
    "look": (lambda p: ("GET", p.public.path, EMPTY), 200, 200),
    "events": (lambda p: ("GET", f"{p.public.path}/events", EMPTY), 200, 200),
    "ticket": (lambda p: ("POST", f"{p.public.path}/tickets", EMPTY), 201, 201),
    "private ticket": (lambda p: ("POST", f"{p.private.path}/tickets", EMPTY), 404, OTHERS),
    "ticket of bots": (lambda p: ("POST", f"{p.bots}/tickets", EMPTY), 404, OTHERS),
    "revoke": (lambda p: ("DELETE", f"{p.public.path}/tickets", EMPTY), 401, 204),
    "revoke in private": (lambda p: ("DELETE", f"{p.private.path}/tickets", EMPTY), 401, OTHERS),
    "embed ticket": (
        lambda p: ("POST", f"{p.public.path}/embed-tickets", {"parent": STRANGE["Origin"]}),
        401,
        422,
    ),
    "open a frame": (lambda p: ("POST", f"{p.public.path}/embed-tickets/redeem", EMPTY), 401, 401),
    "replay": (lambda p: ("GET", f"{p.public.path}/replay", EMPTY), 200, 200),
    "head": (lambda p: ("GET", f"{p.public.path}/head", EMPTY), 200, 200),
    "export": (lambda p: ("GET", f"{p.public.path}/export", EMPTY), 200, 200),
    "audit": (lambda p: ("GET", f"{p.public.path}/audit", EMPTY), 200, 200),
    "analysis": (lambda p: ("GET", f"{p.public.path}/analysis", EMPTY), 409, 409),
    "private analysis": (lambda p: ("GET", f"{p.private.path}/analysis", EMPTY), 404, OTHERS),
    "moves": (lambda p: ("GET", f"{p.public.path}/legal-moves", EMPTY), 401, 200),
    "hint": (lambda p: ("GET", f"{p.public.path}/hint?bot=greedy", EMPTY), 401, 200),
    "dry run": (lambda p: ("POST", f"{p.public.path}/moves?dry_run=true", FIRST_MOVE), 401, 200),
    "takeback": (lambda p: ("POST", f"{p.public.path}/takeback", EMPTY), 401, 409),
    "takebacks": (lambda p: ("GET", f"{p.public.path}/takeback", EMPTY), 200, 200),
    "a private game": (lambda p: ("GET", p.private.path, EMPTY), 404, OTHERS),
    "private events": (lambda p: ("GET", f"{p.private.path}/events", EMPTY), 404, OTHERS),
    "private bots": (lambda p: ("GET", p.bots, EMPTY), 404, OTHERS),
    "bots": (lambda p: ("GET", "/v1/bots", EMPTY), 200, 200),
    "keys": (lambda p: ("GET", "/.well-known/migrato-keys.json", EMPTY), 200, 200),
    "health": (lambda p: ("GET", "/healthz", EMPTY), 200, 200),
    "readiness": (lambda p: ("GET", "/readyz", EMPTY), 200, 200),
    "root": (lambda p: ("GET", "/", EMPTY), 200, 200),
    "docs": (lambda p: ("GET", "/docs", EMPTY), 200, 200),
    "description": (lambda p: ("GET", "/openapi.json", EMPTY), 200, 200),
    "script": (lambda p: ("GET", "/static/docs.js", EMPTY), 200, 200),
    # The last one: after it the game is another.
    "move": (lambda p: ("POST", f"{p.public.path}/moves", FIRST_MOVE), 401, 201),
}


def logs(place: Place) -> Any:
    """The event logs of all games of the place."""
    tables = (place.public, place.waiting, place.private, place.hidden)
    return [table.log() for table in tables], json_of(place.client.get("/v1/games"))


def test_a_page_of_another_site(place: Place, subtests: pytest.Subtests) -> None:
    """It watches, plays with a token, and gets at nothing else."""
    before = logs(place)
    for bearer, origin in (({}, FOREIGN[1]), (place.public.bearer(0), FOREIGN[9])):
        for name, (ask, nobody, seat) in TABLE.items():
            with subtests.test(name, seat=bool(bearer)):
                method, path, body = ask(place)
                answer = place.client.open(path, method=method, json=body, headers=origin | bearer)
                wanted = seat if bearer else nobody
                assert answer.status_code == (wanted or 403), answer.text
                if answer.status_code == 403:
                    assert code_of(answer) == (403, "foreign-origin" if wanted else "forbidden")
                    assert "MIGRATO_ORIGINS" in json_of(answer)["detail"] or not wanted
                    assert (
                        answer.headers["Access-Control-Allow-Origin"] == "*"
                    )  # the page's author reads that
                after = logs(place)
                assert after == before or name == "hint" or answer.status_code == 201
                before = after
    assert place.client.get(f"/v1/players/{place.player}").status_code == 200


def test_the_table_has_everything(service: Service, place: Place) -> None:
    """Every operation stands in it, and whoever adds one decides whether it is open to such pages."""
    addresses = service.url_map.bind("localhost")
    asked = [ask(place) for ask, *_ in TABLE.values()]
    found = {addresses.match(path.partition("?")[0], method)[0] for method, path, _ in asked}
    operations = {
        f"{blueprint.name}.{operation.endpoint}"
        for blueprint in BLUEPRINTS
        for operation in blueprint.operations
    }
    assert operations <= found


def test_conditions_on_whatever_changes_something(place: Place) -> None:
    """No request does as if it had not come with one (RFC 9110, 13.1): it is 412, and only moves know versions."""
    before = logs(place)
    for name, (ask, *_) in TABLE.items():
        method, path, body = ask(place)
        if method == "GET":
            continue
        for header, value in (("If-Match", '"1"'), ("If-Match", "1"), ("If-None-Match", "*")):
            sent = place.public.bearer(0) | {header: value}
            answer = place.client.open(path, method=method, json=body, headers=sent)
            if header == "If-Match" and name in ("dry run", "move"):
                assert answer.status_code == (412 if value == '"1"' else 422)
                continue
            assert code_of(answer) == (412, "precondition-failed"), name
            assert f"does not read {header}," in json_of(answer)["detail"]
    assert logs(place) == before
    anything = place.public.bearer(0) | {"If-Match": "*"}
    assert place.client.post(f"{place.public.path}/tickets", headers=anything).status_code == 201


def test_if_match_on_whatever_is_read(service: Service, place: Place) -> None:
    """A GET whose If-Match names another entity tag is 412 everywhere, and leaves nothing behind (RFC 9110, 13.1.1)."""
    seat = place.public.bearer(0)

    def conditional(path: str, tag: str, **more: str) -> TestResponse:
        return place.client.get(path, headers=seat | {"If-Match": tag} | more)

    gets = [path for ask, *_ in TABLE.values() for method, path, _ in [ask(place)] if method == "GET"]
    before = logs(place)
    for path in (*gets, "/learn", "/guide", *DOCUMENTS):
        status = 0 if "hint" in path else place.client.get(path, headers=seat).status_code
        if status in (0, 200):
            assert code_of(conditional(path, '"other"')) == (412, "precondition-failed"), path
            assert code_of(conditional(path, "other")) == (422, "validation-error"), path
        else:
            assert conditional(path, '"other"').status_code == status, path
    stream = conditional(f"{place.public.path}/events", '"other"', Accept="text/event-stream")
    assert code_of(stream) == (412, "precondition-failed")
    assert len(service.parts.concurrency) == 0
    assert logs(place) == before
    for path in (*(f"{place.public.path}{what}" for what in ("", "/head", "/replay")), *DOCUMENTS):
        there = place.client.get(path, headers=seat).headers["ETag"]
        for tag in (there, "*", f'"other", {there}'):
            assert conditional(path, tag).status_code == 200, path
            assert conditional(path, tag, Accept_Encoding="gzip").status_code == 200, path
        assert conditional(path, f"W/{there}").status_code == 412
        assert place.client.head(path, headers=seat | {"If-Match": '"other"'}).status_code == 412
        both = {"If-Match": there, "If-None-Match": there}
        known = place.client.get(path, headers=seat | both).status_code
        assert known == (200 if path.endswith("/head") else 304)


def test_other_callers(place: Place) -> None:
    """Another port of this machine is another site; a name that leads here is none of ours (DNS rebinding).

    Whatever is open to all, or not there, is answered as ever.
    """
    for headers in ({"Host": "127.3.2.1:8000"}, {"Host": "[::1]:8000", "Origin": "http://[::1]:8000"}):
        assert place.client.post("/v1/games", json={}, headers=headers).status_code == 201, headers
        assert place.client.get(place.bots, headers=headers).status_code == 200, headers
    for origin in (FOREIGN[0], {"Host": "evil.example"}):
        for method in ("GET", "POST"):
            refused = place.client.open("/v1/games", method=method, headers=origin)
            assert code_of(refused) == (403, "foreign-origin"), origin
        for path in (place.public.path, f"{place.public.path}/events", "/", "/docs"):
            assert place.client.get(path, headers=origin).status_code == 200, (path, origin)
        assert code_of(place.client.get("/v1/nothing", headers=origin)) == (404, "not-found")
        assert code_of(place.client.put("/v1/games", headers=origin)) == (405, "method-not-allowed")


def test_with_app_keys_nothing_is_restricted(guarded: FlaskClient, place: Place) -> None:
    """Keys tell who asks, whatever the page; so no answer depends on it."""
    for origin in (FOREIGN[0], {"Host": "evil.example"}):
        assert guarded.post("/v1/games", json={}, headers=OURS | origin).status_code == 201
        assert guarded.get("/v1/games", headers=OURS | origin).status_code == 200
        assert code_of(guarded.get("/v1/games", headers=origin)) == (401, "unauthorized")
    assert guarded.get(place.public.path).headers["Vary"] == "Authorization, Accept"


def test_a_host_that_is_none(client: FlaskClient, guarded: FlaskClient, place: Place) -> None:
    """RFC 9112, 3.2: 400, hot operations included, and also with keys; in HTTP/1.0 it may be left out."""
    for host in IMPOSSIBLE:
        for path in ("/v1/bots", place.public.path, "/", "/nowhere"):
            answer = client.get(path, headers={"Host": host})
            assert code_of(answer) == (400, "bad-request"), (host, path)
            assert "Host" in json_of(answer)["detail"]
        assert code_of(guarded.get("/v1/games", headers=OURS | {"Host": host})) == (400, "bad-request"), host
    assert guarded.get("/v1/games", headers=OURS | {"Host": "a_b.example.:8000"}).status_code == 200
    for protocol, status in (("HTTP/1.0", "200"), ("HTTP/1.1", "400")):
        for path in ("/v1/bots", place.public.path):
            environ = create_environ(path) | {"SERVER_PROTOCOL": protocol}
            del environ["HTTP_HOST"]
            assert run_wsgi_app(client.application.wsgi_app, environ)[1].startswith(status)


CONFIGURED: list[tuple[Json, Json, bool]] = [
    ({"origins": ("http://localhost:3000",)}, {"Origin": "http://localhost:3000"}, True),
    ({"origins": ("http://localhost:3000",)}, {"Origin": "http://localhost:3001"}, False),
    ({"origins": ("http://localhost:3000",)}, {"Origin": "https://localhost:3000"}, False),
    ({"origins": ("https://play.example:443",)}, {"Origin": "https://play.example"}, True),
    ({"origins": ("https://play.example",)}, {"Host": "play.example"}, True),
    ({"origins": ("*",)}, {"Origin": "https://evil.example", "Host": "evil.example"}, True),
    ({"public_url": "https://play.example/"}, {"Origin": "https://play.example"}, True),
    ({"public_url": "https://play.example/"}, {"Host": "play.example:443"}, True),
    ({"public_url": "https://play.example/"}, {"Host": "played.example"}, False),
    ({"host": "gamebox"}, {"Host": "gamebox:8000", "Origin": "http://gamebox:8000"}, True),
    ({}, {"Host": "gamebox:8000"}, False),
    ({"host": "::1"}, {"Host": "[::1]:8000", "Origin": "http://[::1]:8000"}, True),
]


def test_names_and_sites(subtests: pytest.Subtests) -> None:
    """The service's own names are this machine's, and those of MIGRATO_ORIGINS, MIGRATO_PUBLIC_URL and MIGRATO_HOST."""
    cases = [
        *CONFIGURED,
        *(({}, headers, True) for headers in OWN),
        *(({}, headers, False) for headers in FOREIGN),
    ]
    cases += [({}, {"Host": host}, False) for host in IMPOSSIBLE if host]
    for known, headers, ours in cases:
        with subtests.test(str((known, headers))):
            environ = {f"HTTP_{name.upper()}": value for name, value in headers.items()}
            environ = {"HTTP_HOST": "localhost"} | environ if "Origin" in headers else environ
            assert (Origins(Settings(**known)).objection(environ) is None) is ours


def test_caches_tell_pages_apart(place: Place) -> None:
    """Caches are told to tell pages apart where an answer depends on the page that asks."""
    for path in (place.public.path, f"{place.public.path}/events", place.private.path, "/v1/games"):
        for headers in ({}, STRANGE, {"If-None-Match": "*"}):
            assert "Origin" in place.client.get(path, headers=headers).headers["Vary"], (path, headers)
