"""Apps over HTTP: who administers them, what each key is good for, and that every process knows."""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
import requests
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from events.apps.administration import LONGEST_LIFE, LONGEST_OVERLAP, Apps
from events.apps.scopes import ADMIN, CHOOSE, READ, SCOPES, WRITE
from events.runtime import bootstrap
from events.runtime.embedded import EmbeddedServer
from events.runtime.settings import Settings
from events.use_cases.application import Application
from service.http.app import Service
from service.http.blueprint import Operation
from service.http.resources import BLUEPRINTS
from service.http.resources.webhooks import app_stream
from tests.service.conftest import NewService, gunicorn
from tests.service.recording import AllThere
from tests.service.table import Json, code_of, json_of, new_game
from tests.waiting import until

NOTICED: Final = 2.0  # seconds within which every process knows
OPERATIONS = [o for blueprint in BLUEPRINTS for o in blueprint.operations]
SAMPLES = {
    "<game_id:game_id>": "0" * 22,
    "<game_id:job>": "0" * 22,
    "<seat:seat>": "0",
    "<bot:bot>": "greedy",
    "<invite:invite_id>": "0" * 16,
    "<match:ticket>": "mq_" + "x" * 43,
    "<player_id:player_id>": "pl_" + "0" * 20,
    "<app_name:name>": "nobody",
    "<app_key_id:key_id>": "0" * 12,
    "<webhook_id:webhook_id>": "x" * 22,
    "<delivery_id:delivery_id>": "1-0",
}


def bearer(token: str) -> dict[str, str]:
    """The header that lets somebody in."""
    return {"Authorization": f"Bearer {token}"}


@pytest.fixture
def apps(application: Application) -> Apps:
    """What the command line does."""
    return application.apps


@pytest.fixture
def admin(apps: Apps) -> dict[str, str]:
    """The header of an administrator, made on the command line."""
    return bearer(apps.create("ops", [ADMIN]).text)


def path_of(operation: Operation) -> str:
    """An address of the operation, of things that are not there."""
    path = operation.path
    for parameter, sample in SAMPLES.items():
        path = path.replace(parameter, sample)
    assert "<" not in path, f"add a sample of it for {path}"
    return path


class TestAdministering:
    """POST, GET and DELETE of /v1/apps and what is below."""

    def test_a_whole_life(self, client: FlaskClient, admin: dict[str, str]) -> None:
        """Made, used, rotated, the former key revoked, the app revoked, let in again; its games stay."""
        made = client.post("/v1/apps", json={"name": "club"}, headers=admin)
        assert (made.status_code, made.headers["Location"]) == (201, "/v1/apps/club")
        assert made.headers["Cache-Control"] == "no-store"
        first = json_of(made)
        game = json_of(client.post("/v1/games", json={}, headers=bearer(first["key"])))
        rotated = json_of(client.post("/v1/apps/club/keys", headers=admin))
        for key in (first["key"], rotated["key"]):
            assert client.get(game["links"]["self"], headers=bearer(key)).status_code == 200
        assert client.delete(f"/v1/apps/club/keys/{first['key_id']}", headers=admin).status_code == 204
        assert client.delete("/v1/apps/club", headers=admin).status_code == 204
        assert client.delete("/v1/apps/club", headers=admin).status_code == 204
        assert json_of(client.get("/v1/apps/club", headers=admin))["status"] == "revoked"
        again = json_of(client.post("/v1/apps/club/keys", json={"overlap": 0}, headers=admin))
        listed = json_of(client.get("/v1/games", headers=bearer(again["key"])))["games"]
        assert [line["id"] for line in listed] == [game["id"]]

    def test_the_log_tells_who_did_what(
        self, client: FlaskClient, admin: dict[str, str], caplog: pytest.LogCaptureFixture
    ) -> None:
        """By names and ids; no key is in it."""
        caplog.set_level("INFO")
        first = json_of(client.post("/v1/apps", json={"name": "club", "scopes": [READ]}, headers=admin))
        second = json_of(client.post("/v1/apps/club/keys", headers=admin))
        client.delete(f"/v1/apps/club/keys/{first['key_id']}", headers=admin)
        client.delete("/v1/apps/club", headers=admin)
        told = [record.getMessage() for record in caplog.records if record.name == "migrato.apps"]
        assert told == [
            f"ops made the app club for games:read, with the key {first['key_id']}",
            f"ops gave the app club the key {second['key_id']}",
            f"ops revoked the key {first['key_id']} of the app club",
            "ops revoked all keys of the app club",
        ]
        assert not any(key in caplog.text for key in (first["key"][16:], second["key"][16:]))

    def test_a_key_is_shown_once(self, client: FlaskClient, admin: dict[str, str], apps: Apps) -> None:
        """And its hash never."""
        key = json_of(client.post("/v1/apps", json={"name": "club"}, headers=admin))["key"]
        digest = apps.app("club").app.keys[0].digest
        for path in ("/v1/apps", "/v1/apps/club"):
            text = client.get(path, headers=admin).text
            assert key not in text
            assert key[16:] not in text
            assert digest not in text

    def test_pages(self, client: FlaskClient, admin: dict[str, str], apps: Apps) -> None:
        """In the order of their names."""
        for name in ("b", "a", "c"):
            apps.create(name)
        first = json_of(client.get("/v1/apps?limit=3", headers=admin))
        assert ([app["name"] for app in first["apps"]], first["next"]) == (["a", "b", "c"], "c")
        rest = json_of(client.get("/v1/apps?limit=3&cursor=c", headers=admin))
        assert ([app["name"] for app in rest["apps"]], rest["next"]) == (["ops"], None)

    @pytest.mark.parametrize(
        ("body", "member"),
        [
            ({}, "name"),
            ({"name": "Club"}, "name"),
            ({"name": "-"}, "name"),
            ({"name": "club\n"}, "name"),
            ({"name": "a" * 65}, "name"),
            ({"name": 7}, "name"),
            ({"name": "club", "scopes": []}, "scopes"),
            ({"name": "club", "scopes": ["games:delete"]}, "scopes.0"),
            ({"name": "club", "scopes": "admin"}, "scopes"),
            ({"name": "club", "expires_in": 0}, "expires_in"),
            ({"name": "club", "expires_in": LONGEST_LIFE + 1}, "expires_in"),
            ({"name": "club", "expires_in": "90d"}, "expires_in"),
            ({"name": "club", "key": "mine"}, "key"),
        ],
    )
    def test_bad_input_is_named(
        self, client: FlaskClient, admin: dict[str, str], body: Json, member: str
    ) -> None:
        """And nothing is made."""
        answer = client.post("/v1/apps", json=body, headers=admin)
        assert code_of(answer) == (422, "validation-error")
        assert list(json_of(answer)["errors"]) == [member]
        assert [app["name"] for app in json_of(client.get("/v1/apps", headers=admin))["apps"]] == ["ops"]

    @pytest.mark.parametrize("overlap", [-1, LONGEST_OVERLAP + 1, 1.5, "1h"])
    def test_a_bad_rotation(
        self, client: FlaskClient, admin: dict[str, str], apps: Apps, overlap: Any
    ) -> None:
        """Leaves the key that there is."""
        apps.create("club")
        answer = client.post("/v1/apps/club/keys", json={"overlap": overlap}, headers=admin)
        assert (code_of(answer), list(json_of(answer)["errors"])) == ((422, "validation-error"), ["overlap"])
        assert len(apps.app("club").app.keys) == 1

    def test_what_is_not_there(self, client: FlaskClient, admin: dict[str, str], apps: Apps) -> None:
        """Apps, keys, and keys of another app."""
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

    def test_conflicts_are_named(self, client: FlaskClient, admin: dict[str, str], apps: Apps) -> None:
        """A name that is taken; a third key."""
        apps.create("club")
        answer = client.post("/v1/apps", json={"name": "club"}, headers=admin)
        assert code_of(answer) == (409, "app-exists")
        apps.rotate("club")
        answer = client.post("/v1/apps/club/keys", headers=admin)
        assert code_of(answer) == (409, "too-many-keys")
        assert json_of(answer)["key_ids"] == [key.id for key in apps.app("club").app.keys]


class TestScopes:
    """Every operation says what an app's key must be good for, and is refused without."""

    def test_a_key_without_the_scope(self, client: FlaskClient, apps: Apps) -> None:
        """Is refused by name before anything else is looked at; what takes no token takes any."""
        keys = {
            scope: apps.create(f"all-but-{at}", [other for other in SCOPES if other != scope]).text
            for at, scope in enumerate(SCOPES)
        }
        for operation in OPERATIONS:
            headers = bearer(keys[operation.scope])
            answer = client.open(path_of(operation), method=operation.method, headers=headers)
            if operation.token == "none":
                assert answer.status_code not in {401, 403}, operation.endpoint
                continue
            assert code_of(answer) == (403, "forbidden"), operation.endpoint
            document = json_of(answer)
            assert document.get("scope", operation.scope) == operation.scope
            if "scope" not in document:
                assert "token of the seat" in document["detail"]

    def test_a_key_with_the_scope_alone(self, client: FlaskClient, apps: Apps) -> None:
        """Is not refused for another one."""
        keys = {scope: apps.create(f"only-{at}", [scope]).text for at, scope in enumerate(SCOPES)}
        for operation in OPERATIONS:
            headers = bearer(keys[operation.scope])
            answer = client.open(path_of(operation), method=operation.method, headers=headers)
            assert "scope" not in (answer.json or {}), operation.endpoint

    def test_which_scope_it_is(self) -> None:
        """What reads needs the right to read and all else the right to write, unless it is said."""
        said = {o.endpoint: o.scope for o in OPERATIONS}
        assert {said[name] for name in ("list_games", "view_game", "game_events", "export_game")} == {READ}
        assert {said[name] for name in ("create_game", "abort_game", "fork_game", "erase_player")} == {WRITE}
        assert said["choose"] == said["bot_job"] == CHOOSE
        assert said["issue_ticket"] == READ
        assert all(o.scope == ADMIN for o in OPERATIONS if "/v1/apps" in o.path)
        assert not any(o.scope == ADMIN for o in OPERATIONS if "/v1/apps" not in o.path)

    def test_seats_have_none(self, client: FlaskClient, apps: Apps) -> None:
        """A seat's token plays as ever, whatever its game's app may do."""
        game = new_game(client)
        apps.create("club", [ADMIN])
        token = bearer(game["seats"][0]["token"])
        assert client.get(game["links"]["legal_moves"], headers=token).status_code == 200

    def test_nobody_administers_without_a_key_for_it(
        self, client: FlaskClient, settings: Settings, new_service: NewService
    ) -> None:
        """Not where there are no keys at all, not a seat, not a key of the settings, not an administrator's game."""
        seat = bearer(new_game(client)["seats"][0]["token"])
        for operation in OPERATIONS:
            if operation.scope == ADMIN:
                path = path_of(operation)
                assert code_of(client.open(path, method=operation.method)) == (401, "unauthorized")
                assert code_of(client.open(path, method=operation.method, headers=seat)) == (403, "forbidden")
        digest = "2c70e12b7a0646f92279f427c7b38e7334d8e5389cff167a1dc30e73f826b683"  # of "key"
        known = Settings(
            redis_url=settings.redis_url, queue_url=settings.queue_url, app_keys={"club": digest}
        )
        other = new_service(known, readiness=AllThere()).test_client()
        assert other.get("/v1/games", headers=bearer("key")).status_code == 200
        answer = other.get("/v1/apps", headers=bearer("key"))
        assert (code_of(answer), json_of(answer)["scope"]) == ((403, "forbidden"), ADMIN)

    def test_an_administrator_does_nothing_else(self, client: FlaskClient, admin: dict[str, str]) -> None:
        """Who may make keys has no need to see games."""
        assert json_of(client.get("/v1/games", headers=admin))["scope"] == READ
        assert json_of(client.post("/v1/games", json={}, headers=admin))["scope"] == WRITE


class TestTenants:
    """Two apps learn nothing of each other."""

    def test_what_an_app_is_told_of_another(self, client: FlaskClient, apps: Apps) -> None:
        """Nothing: whether there is one, how many, what its keys may do, and of its private games."""
        ours = bearer(apps.create("ours").text)
        asked = ("/v1/apps", "/v1/apps/ours", "/v1/apps/theirs", "/v1/apps/theirs/keys/000000000000")

        def answers(method: str) -> list[tuple[int, bytes]]:
            found = [client.open(path, method=method, headers=ours) for path in asked]
            return [(answer.status_code, answer.data) for answer in found]

        methods = ("GET", "POST", "DELETE")
        before = [answers(method) for method in methods]
        theirs = bearer(apps.create("theirs").text)
        game = json_of(client.post("/v1/games", json={}, headers=theirs))["id"]
        assert [answers(method) for method in methods] == before
        hidden = client.get(f"/v1/games/{game}", headers=ours)
        nothing = client.get("/v1/games/" + "0" * 22, headers=ours)
        assert (hidden.status_code, hidden.data) == (nothing.status_code, nothing.data)
        assert client.get(f"/v1/games/{game}", headers=theirs).status_code == 200

    def test_a_thousand_guesses(self, service: Service, client: FlaskClient, apps: Apps) -> None:
        """All get the same answer: keys of no id, of an id that is there, of one that was, of no form.

        So do those whose address has reached the limit of wrong tokens, which is off here.
        """
        service.extensions["guesses"] = None
        there, gone = apps.create("club"), apps.create("former")
        apps.revoke("former")
        secret = "A" * 43
        guesses = [f"mk_{there.id}_{secret}", f"mk_{gone.id}_{secret}", gone.text]
        guesses += [f"mk_{number:012}_{secret}" for number in range(200)]
        guesses += [f"mk_{there.id}", "mk_", "mgapp_" + secret, there.text[:-1]]
        seen = {
            (answer.status_code, answer.data, answer.headers["WWW-Authenticate"])
            for answer in (client.get("/v1/games", headers=bearer(guess)) for guess in guesses)
        }
        assert len(seen) == 1


def test_the_first_app_ends_the_keyless_days(client: FlaskClient, apps: Apps) -> None:
    """A second later: its games are the app's of that name, and pages of other sites are judged by keys."""
    page = {"Origin": "https://elsewhere.example"}
    game = new_game(client)
    assert code_of(client.get("/v1/games", headers=page)) == (403, "foreign-origin")
    key = bearer(apps.create("anonymous").text)
    until(lambda: client.get("/v1/games").status_code == 401, NOTICED)
    assert code_of(client.post("/v1/games", json={})) == (401, "unauthorized")
    assert code_of(client.get("/v1/games", headers=page)) == (401, "unauthorized")
    listed = json_of(client.get("/v1/games", headers=key | page))["games"]
    assert [line["id"] for line in listed] == [game["id"]]


@pytest.mark.parametrize("first", ["revoked", "keyless"])
def test_no_rematch_without_a_key(client: FlaskClient, apps: Apps, first: str) -> None:
    """What seats agree on is a new game of the app's, and such an app gets none; one that has begun is played."""
    key = bearer(apps.create("club").text) if first == "revoked" else {}
    wanted = {"game": "migo", "seats": [{"kind": "human"}] * 2}
    made = [json_of(client.post("/v1/games", json=wanted, headers=key)) for _ in range(2)]
    for game in made:
        client.post(
            game["links"]["moves"], json={"type": "resign"}, headers=bearer(game["seats"][0]["token"])
        )
    (begun, other), path = made, "{links[self]}/rematch".format
    holders = [bearer(seat["token"]) for seat in begun["seats"]]
    answers = [json_of(client.post(path(**begun), headers=holder)) for holder in holders]
    apps.revoke("club") if first == "revoked" else apps.create("anonymous")
    holder = bearer(other["seats"][0]["token"])
    if first == "keyless":
        apps.revoke("anonymous")
    time.sleep(NOTICED / 2)
    assert code_of(client.post(path(**other), headers=holder)) == (403, "forbidden")
    assert json_of(client.post(path(**begun), headers=holders[1])) == answers[1]
    apps.rotate("club" if first == "revoked" else "anonymous", 0)
    time.sleep(NOTICED / 2)
    assert client.post(path(**other), headers=holder).status_code == 200


def test_a_stream_ends_with_its_key(client: FlaskClient, apps: Apps, monkeypatch: pytest.MonkeyPatch) -> None:
    """It gets no event any more, and no heartbeat for long."""
    monkeypatch.setattr("service.http.streaming.HEARTBEAT", 0.2)
    key = bearer(apps.create("club").text)
    game = json_of(client.post("/v1/games", json={}, headers=key))
    headers = key | {"Accept": "text/event-stream"}
    stream = client.get(game["links"]["events"], headers=headers)
    pieces = stream.iter_encoded()
    assert any(b"game_created" in next(pieces) for _ in range(3))
    apps.revoke("club")
    began = time.monotonic()
    left = list(pieces)
    assert time.monotonic() - began < NOTICED
    assert not any(b"data" in piece for piece in left)


@pytest.mark.parametrize("first", ["revoked", "keyless"])
def test_an_apps_events_end_with_its_key(
    client: FlaskClient, apps: Apps, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    """So they do for everybody who needed no key before the first app was made."""
    monkeypatch.setattr(app_stream, "HEARTBEAT", 0.2)
    key = bearer(apps.create("club").text) if first == "revoked" else {}
    pieces = client.get("/v1/events", headers=key | {"Accept": "text/event-stream"}).iter_encoded()
    next(pieces)
    if first == "revoked":
        apps.revoke("club")
    else:
        apps.create("anonymous")
    began = time.monotonic()
    assert not any(b"data" in piece for piece in pieces)
    assert time.monotonic() - began < NOTICED + 1


class TestProcesses:
    """Two real services on one store."""

    def test_what_one_makes_the_other_knows(
        self, server: EmbeddedServer, tmp_path: Path, redis_url: str
    ) -> None:
        """Made in one and used at once in the other; revoked there, and refused here, by both workers, within 2 s."""
        settings = Settings(redis_url=redis_url, queue_url=redis_url)
        ops = bearer(bootstrap.apps(settings).create("ops", [ADMIN]).text)
        guessed = {
            "MIGRATO_LIMITS": "guesses=off"
        }  # a revoked key is a wrong token, however often it is sent
        with (
            gunicorn(server.url, tmp_path / "a.log", **guessed) as a,
            gunicorn(server.url, tmp_path / "b.log") as b,
        ):
            for number in range(5):
                made = requests.post(f"{a}/v1/apps", json={"name": f"club-{number}"}, headers=ops, timeout=10)
                key = bearer(made.json()["key"])
                assert requests.get(f"{b}/v1/games", headers=key, timeout=10).status_code == 200
            stop, statuses = threading.Event(), list[tuple[float, int]]()
            users = [threading.Thread(target=use, args=(a, key, stop, statuses)) for _ in range(4)]
            for user in users:
                user.start()
            until(lambda: len(statuses) > 20, 10)
            asked = time.monotonic()
            answer = requests.delete(f"{b}/v1/apps/club-4", headers=ops, timeout=10)
            revoked = time.monotonic()
            assert answer.status_code == 204
            time.sleep(NOTICED + 1)
            stop.set()
            for user in users:
                user.join()
        assert 200 in {status for _, status in statuses}
        late = [status for at, status in statuses if at > revoked + NOTICED]
        assert late
        assert set(late) == {401}
        assert {status for at, status in statuses if at < asked - 0.5} <= {200}


def use(url: str, key: dict[str, str], stop: threading.Event, statuses: list[tuple[float, int]]) -> None:
    """Ask for games all the time, over new connections, so that every process is asked."""
    while not stop.is_set():
        began = time.monotonic()
        statuses.append((began, requests.get(f"{url}/v1/games", headers=key, timeout=10).status_code))


def test_twenty_at_once(client: FlaskClient, admin: dict[str, str]) -> None:
    """Of twenty who make the same app at once, one does; others in between make theirs."""
    outcomes = list[TestResponse]()

    def make(name: str) -> Callable[[], None]:
        return lambda: outcomes.append(client.post("/v1/apps", json={"name": name}, headers=admin))

    threads = [threading.Thread(target=make("club" if at % 2 else f"own-{at}")) for at in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    statuses = sorted(answer.status_code for answer in outcomes)
    assert statuses == [201] * 11 + [409] * 9
