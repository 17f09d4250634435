"""Quick match over HTTP."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from hashlib import sha256
from time import sleep
from typing import Any

import pytest
from flask.testing import FlaskClient

from events.runtime import bootstrap
from events.runtime.settings import Settings
from tests.service.conftest import NewService
from tests.service.recording import AllThere
from tests.service.table import Json, code_of, json_of

KEYS = {"ours": "key-of-ours", "theirs": "key-of-theirs"}
OURS, THEIRS = ({"Authorization": f"Bearer {key}"} for key in KEYS.values())
MATCH = "/v1/quick-match"


@pytest.fixture
def guarded(settings: Settings, new_service: NewService) -> FlaskClient:
    """A service with app keys."""
    hashes = {app: sha256(key.encode()).hexdigest() for app, key in KEYS.items()}
    known = Settings(redis_url=settings.redis_url, queue_url=settings.queue_url, app_keys=hashes)
    app = new_service(known, bootstrap.application(known), AllThere())
    return app.test_client()


def join(client: FlaskClient, player: str, headers: Any = OURS, **wanted: Any) -> Json:
    """Look for a partner."""
    answer = client.post(MATCH, json={"player": player} | wanted, headers=headers)
    assert (answer.status_code, answer.headers["Cache-Control"]) == (201, "no-store"), answer.text
    assert answer.headers["Location"] == f"{MATCH}/{json_of(answer)['ticket']}"
    return json_of(answer)


@pytest.mark.parametrize("game", ["migrato", "migo"])
def test_from_a_ticket_to_a_game(guarded: FlaskClient, game: str) -> None:
    """Both play by the tokens that their tickets tell; nothing else does."""
    first = join(guarded, "ada", game=game, rating=1480, range=200, client_seed="four geese")
    assert (first["status"], first["match"]) == ("waiting", None)
    second = join(guarded, "bo", game=game, rating=1555.5, range=100)
    first = json_of(guarded.get(f"{MATCH}/{first['ticket']}", headers=OURS))
    assert first["status"] == second["status"] == "matched"
    assert {first["match"]["seat"], second["match"]["seat"]} == {0, 1}
    for ticket, player in ((first, "ada"), (second, "bo")):
        path = ticket["match"]["links"]["self"]
        view = json_of(guarded.get(path, headers={"Authorization": f"Bearer {ticket['match']['token']}"}))
        assert (view["status"], view["rated"], view["visibility"]) == ("playing", True, "private")
        assert view["seats"][view["viewer"]]["player"] == player
    assert code_of(guarded.get(path)) == (404, "not-found")


def test_when_a_ticket_is_gone(guarded: FlaskClient) -> None:
    """Each request puts that off by a minute while it waits; matched, it is there for an hour, whoever asks."""
    at = f"{MATCH}/{join(guarded, 'ada')['ticket']}"
    waiting = [json_of(guarded.get(f"{at}?wait=1", headers=OURS)) for _ in range(2)]
    left = [
        (datetime.fromisoformat(one["expires_at"]) - datetime.now(UTC)).total_seconds() for one in waiting
    ]
    assert left[0] == pytest.approx(60, abs=5)
    assert waiting[0]["expires_at"] < waiting[1]["expires_at"]
    join(guarded, "bo")
    matched = [json_of(guarded.get(at, headers=OURS))]
    sleep(0.2)
    matched.append(json_of(guarded.get(at, headers=OURS)))
    left = [
        (datetime.fromisoformat(one["expires_at"]) - datetime.now(UTC)).total_seconds() for one in matched
    ]
    assert left == pytest.approx([3600, 3600], abs=5)
    first, second = (datetime.fromisoformat(one["expires_at"]).timestamp() for one in matched)
    assert first == pytest.approx(second, abs=0.02)


def test_a_bot_for_whom_nobody_comes(guarded: FlaskClient) -> None:
    """Once its time has come; a long poll waits for that."""
    ticket = join(guarded, "ada", bot="greedy", bot_after=1)
    answer = json_of(guarded.get(f"{MATCH}/{ticket['ticket']}?wait=5", headers=OURS))
    assert answer["status"] == "matched"
    view = json_of(guarded.get(answer["match"]["links"]["self"], headers=OURS))
    assert sorted(seat["kind"] for seat in view["seats"]) == ["bot", "human"]


def test_a_long_poll_is_woken(guarded: FlaskClient) -> None:
    """By the partner."""
    ticket = join(guarded, "ada")["ticket"]
    client = guarded.application.test_client()
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(client.get, f"{MATCH}/{ticket}?wait=20", headers=OURS)
        partner = join(guarded, "bo")
        assert json_of(waiting.result(timeout=10))["match"]["id"] == partner["match"]["id"]


def test_somebody_who_waits_already(guarded: FlaskClient) -> None:
    """409; the same request with its key gets its ticket."""
    keyed = OURS | {"Idempotency-Key": "order-17"}
    first = join(guarded, "ada", keyed)
    assert code_of(guarded.post(MATCH, json={"player": "ada"}, headers=OURS)) == (409, "already-waiting")
    again = join(guarded, "ada", keyed)
    assert again["expires_at"] >= first["expires_at"], "it is asked for, which keeps it"
    assert again | {"expires_at": first["expires_at"]} == first
    answer = guarded.post(MATCH, json={"player": "ada", "rating": 3}, headers=keyed)
    assert code_of(answer) == (422, "idempotency-mismatch")


def test_wait_no_longer(guarded: FlaskClient) -> None:
    """Nobody meets who has left; it is too late once somebody has."""
    first = join(guarded, "ada")["ticket"]
    assert guarded.delete(f"{MATCH}/{first}", headers=OURS).status_code == 204
    assert json_of(guarded.get(f"{MATCH}/{first}", headers=OURS))["status"] == "cancelled"
    second = join(guarded, "bo")
    assert second["status"] == "waiting"
    join(guarded, "ada")
    answer = guarded.delete(f"{MATCH}/{second['ticket']}", headers=OURS)
    assert code_of(answer) == (409, "already-matched")


def test_two_tenants(guarded: FlaskClient) -> None:
    """They never meet, and a foreign ticket is no other than one that is not there."""
    first = join(guarded, "ada")["ticket"]
    assert join(guarded, "ada", THEIRS)["status"] == "waiting"
    request = {"X-Request-Id": "one"}
    for method in (guarded.get, guarded.delete):
        absent = method(f"{MATCH}/mq_{'x' * 43}", headers=THEIRS | request)
        assert code_of(absent) == (404, "not-found")
        assert method(f"{MATCH}/{first}", headers=THEIRS | request).data == absent.data
        assert code_of(method(f"{MATCH}/{first}")) == (401, "unauthorized")
    assert code_of(guarded.post(MATCH, json={"player": "eve"})) == (401, "unauthorized")
    assert json_of(guarded.get(f"{MATCH}/{first}", headers=OURS))["status"] == "waiting"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "player"),
        ({"player": ""}, "player"),
        ({"player": "ada", "rating": "1500"}, "rating"),
        ({"player": "ada", "rating": True}, "rating"),
        ({"player": "ada", "rating": 1e9}, "rating"),
        ({"player": "ada", "rating": 1500, "range": -1}, "range"),
        ({"player": "ada", "range": 100}, "range"),
        ({"player": "ada", "bot": "greedy", "bot_after": -1}, "bot_after"),
        ({"player": "ada", "bot": "greedy", "bot_after": 3601}, "bot_after"),
        ({"player": "ada", "bot": "greedy", "bot_after": 1.5}, "bot_after"),
        ({"player": "ada", "bot_after": 10}, "bot_after"),
        ({"player": "ada", "options": {"first_seat": 7}}, "options.first_seat"),
        ({"player": "ada", "options": {"colour": "red"}}, "options.colour"),
        ({"player": "ada", "visibility": "secret"}, "visibility"),
        ({"player": "ada", "seats": []}, "seats"),
    ],
)
def test_a_bad_request(guarded: FlaskClient, body: Json, field: str) -> None:
    """The field at fault is named, and nobody waits."""
    answer = guarded.post(MATCH, json=body, headers=OURS)
    assert (answer.status_code, list(json_of(answer)["errors"])) == (422, [field])
    assert join(guarded, "ada")["status"] == "waiting"


@pytest.mark.parametrize(
    ("body", "code"),
    [({"game": "chess"}, "unknown-game"), ({"bot": "oracle"}, "unknown-bot")],
)
def test_what_is_not_known(guarded: FlaskClient, body: Json, code: str) -> None:
    """By its own code."""
    assert code_of(guarded.post(MATCH, json={"player": "ada"} | body, headers=OURS)) == (422, code)


@pytest.mark.parametrize("ticket", ["mq_", "x", "mq_" + "x" * 42, "mq_" + "x" * 44, "mq_" + "x" * 43])
def test_an_unknown_ticket(guarded: FlaskClient, ticket: str) -> None:
    """Is not found, whatever it looks like."""
    assert code_of(guarded.get(f"{MATCH}/{ticket}?wait=1", headers=OURS)) == (404, "not-found")
