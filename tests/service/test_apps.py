"""Apps over HTTP: who administers them, what each key is good for, and that every process knows."""

import runpy
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import islice

import pytest
from flask.testing import FlaskClient

from events.application import Application
from events.features.apps.administration import Apps
from events.features.apps.keys import FRESH
from events.features.apps.scopes import ADMIN, CHOOSE, READ, SCOPES, WRITE
from events.runtime.settings import Settings
from service.http.blueprint import Operation
from service.http.resources import BLUEPRINTS
from service.http.routing.path_parameters import example_of
from tests.service.conftest import NewService
from tests.service.table import KEYS, PEOPLE, bearer, code_of, json_of, new_game
from tests.support.recording import AllThere

OPERATIONS = [o for blueprint in BLUEPRINTS for o in blueprint.operations]


@pytest.fixture
def apps(application: Application) -> Apps:
    """The use-cases of apps on the service's store, for what the command line does."""
    return application.apps


@pytest.fixture
def admin(apps: Apps) -> dict[str, str]:
    """The header of an administrator, made on the command line."""
    return bearer(apps.create("ops", [ADMIN]).text)


def aged(application: Application) -> Callable[[], None]:
    """Makes all that the process has heard of keys so old that it asks again."""
    clock = [0.0]
    application.callers._app_keys._clock = lambda: time.monotonic() + clock[0]

    def age() -> None:
        clock[0] += FRESH

    return age


@pytest.fixture
def ages(application: Application) -> Callable[[], None]:
    return aged(application)


def path_of(operation: Operation) -> str:
    """An address of the operation, of things that are not there."""
    return example_of(operation.path)


class TestAdministering:
    """POST, GET and DELETE of /v1/apps and what is below."""

    def test_a_whole_life(
        self, client: FlaskClient, admin: dict[str, str], apps: Apps, caplog: pytest.LogCaptureFixture
    ) -> None:
        """Made, used, rotated, the former key revoked, the app revoked, let in again; its games stay."""
        caplog.set_level("INFO")
        made = client.post("/v1/apps", json={"name": "club", "scopes": [READ, WRITE]}, headers=admin)
        assert (made.status_code, made.headers["Location"]) == (201, "/v1/apps/club")
        assert made.headers["Cache-Control"] == "no-store"
        first = json_of(made)
        for path in ("/v1/apps", "/v1/apps/club"):
            text = client.get(path, headers=admin).text
            assert first["key"][16:] not in text
            assert apps.app("club").app.keys[0].digest not in text
        game = new_game(client, bearer(first["key"]))
        rotated = json_of(client.post("/v1/apps/club/keys", headers=admin))
        for key in (first["key"], rotated["key"]):
            assert client.get(game["links"]["self"], headers=bearer(key)).status_code == 200
        for path in (f"/v1/apps/club/keys/{first['key_id']}", "/v1/apps/club", "/v1/apps/club"):
            assert client.delete(path, headers=admin).status_code == 204
        assert json_of(client.get("/v1/apps/club", headers=admin))["status"] == "revoked"
        told = [record.getMessage() for record in caplog.records if record.name == "migrato.apps"]
        assert told[:4] == [
            f"ops made the app club for games:read games:write, with the key {first['key_id']}",
            f"ops gave the app club the key {rotated['key_id']}",
            f"ops revoked the key {first['key_id']} of the app club",
            "ops revoked all keys of the app club",
        ]
        assert not any(key[16:] in caplog.text for key in (first["key"], rotated["key"]))
        again = json_of(client.post("/v1/apps/club/keys", json={"overlap": 0}, headers=admin))
        listed = json_of(client.get("/v1/games", headers=bearer(again["key"])))["games"]
        assert [line["id"] for line in listed] == [game["id"]]

    def test_pages(self, client: FlaskClient, admin: dict[str, str], apps: Apps) -> None:
        """The pages list apps in the order of their names."""
        for name in ("b", "a", "c"):
            apps.create(name)
        for query, names, cursor in (("", ["a", "b", "c"], "c"), ("&cursor=c", ["ops"], None)):
            page = json_of(client.get(f"/v1/apps?limit=3{query}", headers=admin))
            assert ([app["name"] for app in page["apps"]], page["next"]) == (names, cursor)

    def test_refusals(self, client: FlaskClient, admin: dict[str, str], apps: Apps) -> None:
        """Apps and keys that are not there, keys of another app, a name that is taken, a third key."""
        other = apps.create("club").id
        for method, path in (
            ("GET", "/v1/apps/nobody"),
            ("DELETE", "/v1/apps/nobody"),
            ("POST", "/v1/apps/nobody/keys"),
            ("DELETE", f"/v1/apps/nobody/keys/{other}"),
            ("DELETE", f"/v1/apps/ops/keys/{other}"),
            ("DELETE", "/v1/apps/club/keys/000000000000"),
            ("GET", "/v1/apps/No"),
        ):
            assert code_of(client.open(path, method=method, headers=admin)) == (404, "not-found"), path
        assert len(apps.app("club").app.keys) == 1
        answer = client.post("/v1/apps", json={"name": "club"}, headers=admin)
        assert code_of(answer) == (409, "app-exists")
        apps.rotate("club")
        answer = client.post("/v1/apps/club/keys", headers=admin)
        assert code_of(answer) == (409, "too-many-keys")
        assert json_of(answer)["key_ids"] == [key.id for key in apps.app("club").app.keys]


class TestScopes:
    """Every operation says what an app's key must be good for, and is refused without."""

    def test_keys_with_and_without_the_scope(self, client: FlaskClient, apps: Apps) -> None:
        """Without the scope each operation refuses by its name, before all else; what takes no token takes any key."""
        without, alone = (
            {
                scope: bearer(apps.create(f"{name}-{at}", [o for o in SCOPES if (o == scope) == is_it]).text)
                for at, scope in enumerate(SCOPES)
            }
            for name, is_it in (("without", False), ("alone", True))
        )
        for operation in OPERATIONS:
            path, name = path_of(operation), operation.endpoint
            answer = client.open(path, method=operation.method, headers=alone[operation.scope])
            assert "scope" not in (answer.json or {}), name
            answer = client.open(path, method=operation.method, headers=without[operation.scope])
            if operation.token == "none":
                assert answer.status_code not in {401, 403}, name
                continue
            if name == "redeem_embed_ticket":  # for a ticket in place of a token
                assert code_of(answer) == (401, "unauthorized")
                continue
            assert code_of(answer) == (403, "forbidden"), name
            document = json_of(answer)
            assert document.get("scope", operation.scope) == operation.scope
            assert "scope" in document or "token of the seat" in document["detail"]

    def test_reading_needs_the_right_to_read_and_all_else_that_to_write(self) -> None:
        """Unless it is said."""
        said = {o.endpoint: o.scope for o in OPERATIONS}
        assert {said[name] for name in ("list_games", "view_game", "game_events", "export_game")} == {READ}
        assert {said[name] for name in ("create_game", "abort_game", "fork_game", "erase_player")} == {WRITE}
        assert said["choose"] == said["bot_job"] == CHOOSE
        assert said["issue_ticket"] == READ
        assert all((o.scope == ADMIN) == ("/v1/apps" in o.path) for o in OPERATIONS)

    def test_only_a_key_for_it_administers(
        self, client: FlaskClient, apps: Apps, guarded: FlaskClient
    ) -> None:
        """Not where there are no keys at all, not a seat, not a key of the settings; and it does nothing else."""
        game = new_game(client)
        seat = bearer(game["seats"][0]["token"])
        for operation in OPERATIONS:
            if operation.scope == ADMIN:
                path = path_of(operation)
                assert code_of(client.open(path, method=operation.method)) == (401, "unauthorized")
                assert code_of(client.open(path, method=operation.method, headers=seat)) == (403, "forbidden")
        ours = bearer(KEYS["ours"])
        assert guarded.get("/v1/games", headers=ours).status_code == 200
        answer = guarded.get("/v1/apps", headers=ours)
        assert (code_of(answer), json_of(answer)["scope"]) == ((403, "forbidden"), ADMIN)
        admin = bearer(apps.create("club", [ADMIN]).text)
        assert json_of(client.get("/v1/games", headers=admin))["scope"] == READ
        assert json_of(client.post("/v1/games", json={}, headers=admin))["scope"] == WRITE
        assert client.get(game["links"]["legal_moves"], headers=seat).status_code == 200


def test_the_first_app_ends_the_keyless_days(
    client: FlaskClient, apps: Apps, ages: Callable[[], None]
) -> None:
    """A second later: its games are the app's of that name, and pages of other sites are judged by keys."""
    page = {"Origin": "https://elsewhere.example"}
    game = new_game(client)
    assert code_of(client.get("/v1/games", headers=page)) == (403, "foreign-origin")
    key = bearer(apps.create("anonymous").text)
    ages()
    for headers in ({}, page):
        assert code_of(client.get("/v1/games", headers=headers)) == (401, "unauthorized")
    assert code_of(client.post("/v1/games", json={})) == (401, "unauthorized")
    listed = json_of(client.get("/v1/games", headers=key | page))["games"]
    assert [line["id"] for line in listed] == [game["id"]]


@pytest.mark.parametrize("setting", [{"TRUSTED_PROXIES": "127.0.0.1/32"}, {"HOST": "0.0.0.0"}])
def test_an_engine_that_requires_apps_is_closed_while_it_has_none(
    redis_url: str, setting: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when it starts again on an empty store, behind a proxy: nobody is served as the app."""
    for name, value in ({"REDIS_URL": redis_url} | setting).items():
        monkeypatch.setenv(f"MIGRATO_{name}", value)
    client = runpy.run_module("service.http.server.wsgi")["application"].test_client()
    for method, path in (("GET", "/v1/games"), ("POST", "/v1/games"), ("GET", "/metrics")):
        answer = client.open(path, method=method, json={} if method == "POST" else None)
        assert code_of(answer) == (401, "unauthorized")


@pytest.mark.parametrize("first", ["revoked", "keyless"])
def test_no_rematch_without_a_key(
    client: FlaskClient, apps: Apps, ages: Callable[[], None], first: str
) -> None:
    """A rematch is a new game of the app's, and such an app gets none; one that has begun is played."""
    name = "club" if first == "revoked" else "anonymous"
    key = bearer(apps.create("club").text) if first == "revoked" else {}
    begun, other = (new_game(client, key, game="migo", seats=PEOPLE) for _ in range(2))
    for game in (begun, other):
        resigning = bearer(game["seats"][0]["token"])
        client.post(game["links"]["moves"], json={"type": "resign"}, headers=resigning)
    path = "{links[self]}/rematch".format
    holders = [bearer(seat["token"]) for seat in begun["seats"]]
    answers = [json_of(client.post(path(**begun), headers=holder)) for holder in holders]
    if first == "keyless":
        apps.create(name)
    apps.revoke(name)
    ages()
    holder = bearer(other["seats"][0]["token"])
    assert code_of(client.post(path(**other), headers=holder)) == (403, "forbidden")
    assert json_of(client.post(path(**begun), headers=holders[1])) == answers[1]
    apps.rotate(name, 0)
    ages()
    assert client.post(path(**other), headers=holder).status_code == 200


@pytest.mark.parametrize("first", ["revoked", "keyless"])
def test_streams_end_with_their_key(
    settings: Settings,
    application: Application,
    new_service: NewService,
    apps: Apps,
    ages: Callable[[], None],
    first: str,
) -> None:
    """A stream ends when its key is revoked or, for callers without a key, when the first app is made."""
    client = new_service(replace(settings, stream_heartbeat=0.1), application, AllThere()).test_client()
    key = bearer(apps.create("club").text) if first == "revoked" else {}
    paths = [new_game(client, key)["links"]["events"], "/v1/events"] if key else ["/v1/events"]
    streams = [client.get(path, headers=key | {"Accept": "text/event-stream"}) for path in paths]
    pieces = [stream.iter_encoded() for stream in streams]
    assert [next(stream) for stream in pieces]
    if key:
        assert b"game_created" in next(pieces[0])
        apps.revoke("club")
    else:
        apps.create("anonymous")
    ages()
    for stream in pieces:
        left = list(islice(stream, 50))
        assert len(left) < 50
        assert not any(b"data" in piece for piece in left)
