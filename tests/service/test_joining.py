"""Watching and joining over HTTP: what a game lets in, and invites."""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import orjson
import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from events.redis.connections.client import RedisClient
from events.runtime import bootstrap
from events.runtime.settings import Settings
from tests.service.conftest import NewService
from tests.service.recording import AllThere
from tests.service.table import Json, code_of, json_of

KEYS = {"ours": "key-of-ours", "theirs": "key-of-theirs"}
OURS, THEIRS = ({"Authorization": f"Bearer {key}"} for key in KEYS.values())
SEATS = [{"kind": "human", "player": "ada"}, {"kind": "open"}]
PEOPLE = [{"kind": "human", "player": "ada"}, {"kind": "human", "player": "bo"}]
BO = {"player": "bo"}


@pytest.fixture
def guarded(settings: Settings, new_service: NewService) -> FlaskClient:
    """A service with app keys."""
    hashes = {app: sha256(key.encode()).hexdigest() for app, key in KEYS.items()}
    known = Settings(redis_url=settings.redis_url, queue_url=settings.queue_url, app_keys=hashes)
    app = new_service(known, bootstrap.application(known), AllThere())
    return app.test_client()


def created(client: FlaskClient, **wanted: Any) -> Json:
    """A new game of ours with an open seat."""
    answer = client.post("/v1/games", json={"seats": SEATS} | wanted, headers=OURS)
    assert answer.status_code == 201, answer.text
    return json_of(answer)


def invited(client: FlaskClient, path: str, **wanted: Any) -> Json:
    """A new invite to the open seat."""
    answer = client.post(f"{path}/seats/1/invites", json=wanted, headers=OURS)
    assert (answer.status_code, answer.headers["Cache-Control"]) == (201, "no-store"), answer.text
    return json_of(answer)


def test_a_private_game_by_invite(guarded: FlaskClient) -> None:
    """From the invite to the game: whoever has the code needs nothing else."""
    game = created(guarded, joining="invite")
    path = game["links"]["self"]
    assert game["joining"] == "invite"
    invite = invited(guarded, path)
    left = (datetime.fromisoformat(invite["expires_at"]) - datetime.now(UTC)).total_seconds()
    assert 86_000 < left <= 86_401
    listed = json_of(guarded.get(f"{path}/invites", headers=OURS))
    assert listed == {"invites": [{name: invite[name] for name in ("id", "seat", "expires_at")}]}
    seat = guarded.post(f"{path}/seats/1", json=BO | {"invite": invite["invite"]})
    assert (seat.status_code, json_of(seat)["status"]) == (201, "playing")
    bo = {"Authorization": f"Bearer {json_of(seat)['token']}"}
    view = json_of(guarded.get(path, headers=bo))
    assert (view["viewer"], view["joining"]) == (1, "invite")
    assert json_of(guarded.get(f"{path}/invites", headers=OURS)) == {"invites": []}


def found(client: FlaskClient, code: str) -> TestResponse:
    """What somebody gets who types a join code."""
    return client.post("/v1/invites/lookup", json={"code": code}, headers={"X-Request-Id": "one"})


def test_a_join_code(guarded: FlaskClient) -> None:
    """Eight letters that somebody reads out lead to the seat, however they are written."""
    game = created(guarded, joining="invite")
    path = game["links"]["self"]
    invite = invited(guarded, path, short=True)
    code = invite["join_code"]
    shown = {"game_id": game["id"], **{name: invite[name] for name in ("seat", "invite", "expires_at")}}
    for typed in (
        code,
        f"{code[:4]}-{code[4:]}",
        f" {code.lower()} ",
        code.replace("0", "o").replace("1", "l"),
    ):
        answer = found(guarded, typed)
        assert (answer.status_code, json_of(answer)) == (200, shown)
        assert answer.headers["Cache-Control"] == "no-store"
    assert "join_code" not in invited(guarded, path)
    seat = guarded.post(f"{path}/seats/1", json=BO | {"invite": json_of(found(guarded, code))["invite"]})
    assert seat.status_code == 201


def test_a_join_code_that_leads_nowhere(guarded: FlaskClient) -> None:
    """Used, revoked, made up, or none at all: the same answer, to the byte."""
    path, elsewhere = (created(guarded, joining="invite")["links"]["self"] for _ in range(2))
    used, revoked = invited(guarded, path, short=True), invited(guarded, elsewhere, short=True)
    assert guarded.delete(f"{elsewhere}/invites/{revoked['id']}", headers=OURS).status_code == 204
    assert guarded.post(f"{path}/seats/1", json=BO | {"invite": used["invite"]}).status_code == 201
    absent = found(guarded, "00000000")
    assert code_of(absent) == (404, "not-found")
    for code in (used["join_code"], revoked["join_code"], "UUUUUUUU", "0", used["invite"][:32]):
        assert found(guarded, code).data == absent.data


def test_a_join_code_is_not_for_long(guarded: FlaskClient) -> None:
    """A day is the most."""
    path = created(guarded, joining="invite")["links"]["self"]
    refused = guarded.post(
        f"{path}/seats/1/invites", json={"short": True, "expires_in": 86_401}, headers=OURS
    )
    assert code_of(refused) == (422, "validation-error")
    assert "expires_in" in json_of(refused)["errors"]
    assert "join_code" in invited(guarded, path, short=True, expires_in=86_400)


def test_an_open_game_says_nothing_of_joining(guarded: FlaskClient) -> None:
    """Its documents are as they were."""
    for wanted in ({}, {"joining": "open"}, {"joining": None}):
        game = created(guarded, **wanted)
        assert "joining" not in game
        assert "joining" not in json_of(guarded.get(game["links"]["self"], headers=OURS))


@pytest.mark.parametrize(
    ("joining", "visibility", "own", "others"),
    [
        ("open", "public", 201, 201),
        ("open", "private", 201, 404),
        ("app", "public", 201, 403),
        ("app", "private", 201, 404),
        ("invite", "public", 403, 403),
        ("invite", "private", 403, 404),
    ],
)
def test_who_sits_down_without_an_invite(
    guarded: FlaskClient, joining: str, visibility: str, own: int, others: int
) -> None:
    """What `joining` says, to whoever may see the game."""
    for headers, status in ((OURS, own), (THEIRS, others), ({}, others)):
        path = created(guarded, joining=joining, visibility=visibility)["links"]["self"]
        assert guarded.post(f"{path}/seats/1", json=BO, headers=headers).status_code == status


def test_an_invite_that_is_void_tells_nothing(guarded: FlaskClient) -> None:
    """Replayed, revoked, of another game, made up: as a game that is not there, to the byte."""
    path, elsewhere = (created(guarded, joining="invite")["links"]["self"] for _ in range(2))
    used, revoked, foreign = invited(guarded, path), invited(guarded, path), invited(guarded, elsewhere)
    assert guarded.delete(f"{path}/invites/{revoked['id']}", headers=OURS).status_code == 204
    void = [revoked["invite"], foreign["invite"], "mi_", used["invite"][:-1], "x" * 128]
    nowhere = "/v1/games/0123456789abcdefghijkl/seats/1"
    sitting: Callable[[str, str], TestResponse] = lambda seat, code: guarded.post(  # noqa: E731
        seat, json=BO | {"invite": code}, headers={"X-Request-Id": "one"}
    )
    absent = sitting(nowhere, used["invite"])
    assert code_of(absent) == (404, "not-found")
    for code in void:
        assert sitting(f"{path}/seats/1", code).data == absent.data
    assert sitting(f"{path}/seats/1", used["invite"]).status_code == 201
    assert sitting(f"{path}/seats/1", used["invite"]).data == absent.data


def test_an_invite_that_is_void_in_a_public_game(guarded: FlaskClient) -> None:
    """There everybody may read what is wrong."""
    path = created(guarded, joining="invite", visibility="public")["links"]["self"]
    answer = guarded.post(f"{path}/seats/1", json=BO | {"invite": "mi_x"})
    assert code_of(answer) == (403, "forbidden")
    assert "invite" in json_of(answer)["detail"]


def test_two_tenants(guarded: FlaskClient) -> None:
    """Another app neither invites nor lists nor revokes: it is told what it is told of a game that is not there."""
    path = created(guarded, joining="invite")["links"]["self"]
    invite = invited(guarded, path)
    for at in (path, "/v1/games/0123456789abcdefghijkl"):
        for headers in (THEIRS, {}):
            answers = [
                guarded.post(f"{at}/seats/1/invites", headers=headers),
                guarded.get(f"{at}/invites", headers=headers),
                guarded.delete(f"{at}/invites/{invite['id']}", headers=headers),
            ]
            for answer in answers:
                assert (answer.status_code, json_of(answer)["detail"]) == (404, "There is no such game.")
    assert len(json_of(guarded.get(f"{path}/invites", headers=OURS))["invites"]) == 1


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"expires_in": 0}, "expires_in"),
        ({"expires_in": 2_592_001}, "expires_in"),
        ({"expires_in": "60"}, "expires_in"),
        ({"expires_in": True}, "expires_in"),
        ({"for": "bo"}, "for"),
    ],
)
def test_a_bad_invite(guarded: FlaskClient, body: Json, field: str) -> None:
    """The field at fault is named, and there is no invite."""
    path = created(guarded)["links"]["self"]
    answer = guarded.post(f"{path}/seats/1/invites", json=body, headers=OURS)
    assert (answer.status_code, list(json_of(answer)["errors"])) == (422, [field])
    assert json_of(guarded.get(f"{path}/invites", headers=OURS)) == {"invites": []}


@pytest.mark.parametrize("joining", ["closed", 1, True, ["open"]])
def test_a_bad_joining(guarded: FlaskClient, joining: object) -> None:
    """There is no game."""
    answer = guarded.post("/v1/games", json={"seats": SEATS, "joining": joining}, headers=OURS)
    assert (answer.status_code, list(json_of(answer)["errors"])) == (422, ["joining"])
    assert json_of(guarded.get("/v1/games", headers=OURS))["games"] == []


def test_an_unknown_invite_is_not_revoked(guarded: FlaskClient) -> None:
    """It is not found, whatever the id looks like."""
    path = created(guarded)["links"]["self"]
    for name in ("0123456789abcdef", "0", "x" * 16, "0123456789ABCDEF"):
        assert code_of(guarded.delete(f"{path}/invites/{name}", headers=OURS)) == (404, "not-found")


class TestLobby:
    """What is shown there, to whom."""

    def test_what_can_be_joined(self, guarded: FlaskClient) -> None:
        """Newest first, with options and names; no game that has no open seat."""
        first = created(guarded, options={"turn_limit": 40})
        created(guarded, seats=[{"kind": "human", "player": "cy"}, {"kind": "bot", "bot": "greedy"}])
        aborted = created(guarded)
        guarded.post(f"{aborted['links']['self']}/abort", headers=OURS)
        taken = created(guarded)
        guarded.post(f"{taken['links']['self']}/seats/1", json=BO, headers=OURS)
        for game in (aborted, taken):  # as the dispatcher does
            guarded.application.extensions["use_cases"].listing.update(game["id"])
        last = created(guarded, visibility="public")
        games = json_of(guarded.get("/v1/lobby", headers=OURS))["games"]
        assert [game["id"] for game in games] == [last["id"], first["id"]]
        assert games[1]["options"] == first["options"]
        assert [game["joining"] for game in games] == ["open", "open"]
        assert games[0]["seats"][0]["player"] == "ada"
        assert games[0]["seats"][1] == {"seat": 1, "kind": "open"}

    def test_by_joining_and_game(self, guarded: FlaskClient) -> None:
        """`any` is all of them."""
        made = {}
        for joining in ("open", "invite", "app"):
            made[joining] = created(guarded, joining=joining)["id"]
            time.sleep(0.003)  # games of the same millisecond stand by their ids
        migo = created(guarded, game="migo")["id"]
        for query, ids in (
            ("", [migo, made["open"]]),
            ("?joining=invite", [made["invite"]]),
            ("?joining=app", [made["app"]]),
            ("?joining=any", [migo, made["app"], made["invite"], made["open"]]),
            ("?game=migo", [migo]),
        ):
            page = json_of(guarded.get(f"/v1/lobby{query}", headers=OURS))
            assert ([game["id"] for game in page["games"]], page["next"]) == (ids, None)

    def test_pages(self, guarded: FlaskClient) -> None:
        """By a cursor, each game once, the newest first."""
        made = []
        for _ in range(5):
            made.append(created(guarded)["id"])
            time.sleep(0.003)  # games of the same millisecond stand by their ids
        found, cursor = [], ""
        while True:
            page = json_of(guarded.get(f"/v1/lobby?limit=2{cursor}", headers=OURS))
            found += [game["id"] for game in page["games"]]
            if page["next"] is None:
                break
            cursor = f"&cursor={page['next']}"
        assert found == made[::-1]

    def test_two_tenants(self, guarded: FlaskClient) -> None:
        """Each sees its own games, public ones too; a stranger and a seat see none."""
        game = created(guarded, visibility="public")
        assert json_of(guarded.get("/v1/lobby?joining=any", headers=THEIRS)) == {"games": [], "next": None}
        assert code_of(guarded.get("/v1/lobby")) == (401, "unauthorized")
        seat = {"Authorization": f"Bearer {game['seats'][0]['token']}"}
        assert code_of(guarded.get("/v1/lobby", headers=seat)) == (403, "forbidden")

    @pytest.mark.parametrize(
        "query", ["joining=closed", "limit=0", "limit=101", "cursor=x", "status=waiting"]
    )
    def test_a_bad_query(self, guarded: FlaskClient, query: str) -> None:
        """The parameter is named."""
        answer = guarded.get(f"/v1/lobby?{query}", headers=OURS)
        assert (answer.status_code, list(json_of(answer)["errors"])) == (422, [query.partition("=")[0]])

    def test_a_line_of_a_former_release(self, guarded: FlaskClient, settings: Settings) -> None:
        """It has no options: they are looked up."""
        link, game = RedisClient.to(str(settings.redis_url), 5.0), created(guarded)
        key, name = "{app:ours}:lines", game["id"]
        version, _, line = link.call("HGET", key, name).partition(b":")
        former = {member: value for member, value in orjson.loads(line).items() if member != "options"}
        link.call("HSET", key, name, version + b":" + orjson.dumps(former))
        (shown,) = json_of(guarded.get("/v1/lobby", headers=OURS))["games"]
        assert shown["options"] == game["options"]


class TestHandOver:
    """A seat given to another player, over HTTP."""

    def test_by_the_seat(self, guarded: FlaskClient) -> None:
        """The former token is of no use from then on, and everybody reads who sits there."""
        game = created(guarded, seats=PEOPLE, visibility="public")
        path, former = game["links"]["self"], {"Authorization": f"Bearer {game['seats'][0]['token']}"}
        answer = guarded.post(f"{path}/seats/0/hand-over", json={"player": "zoe"}, headers=former)
        assert (answer.status_code, answer.headers["Cache-Control"]) == (201, "no-store")
        seat = json_of(answer)
        assert (seat["player"], seat["kind"]) == ("zoe", "human")
        assert code_of(guarded.get(path, headers=former)) == (401, "unauthorized")
        view = json_of(guarded.get(path, headers={"Authorization": f"Bearer {seat['token']}"}))
        assert (view["viewer"], view["rated"], view["seats"][0]["player"]) == (0, True, "zoe")
        event = json_of(guarded.get(f"{path}/events"))["events"][-1]
        assert (event["type"], event["seat"], event["redacted"]) == ("seat_handed_over", 0, [])
        assert event["data"] == {"app": None, "player": seat["player_id"]}

    def test_by_the_app(self, guarded: FlaskClient) -> None:
        """Which the event names."""
        path = created(guarded, seats=PEOPLE)["links"]["self"]
        answer = guarded.post(f"{path}/seats/1/hand-over", json={"player": "zoe"}, headers=OURS)
        zoe = {"Authorization": f"Bearer {json_of(answer)['token']}"}
        event = json_of(guarded.get(f"{path}/events", headers=zoe))["events"][-1]
        assert event["data"]["app"] == "ours"

    def test_who_may_not(self, guarded: FlaskClient) -> None:
        """Another seat is forbidden to; another app and a stranger find no game."""
        game = created(guarded, seats=PEOPLE)
        path, bo = game["links"]["self"], {"Authorization": f"Bearer {game['seats'][1]['token']}"}
        for headers, status in ((bo, 403), (THEIRS, 404), ({}, 404)):
            answer = guarded.post(f"{path}/seats/0/hand-over", json={"player": "eve"}, headers=headers)
            assert answer.status_code == status
        for body in ({}, {"player": ""}, {"player": "eve", "seat": 1}, {"player": "ada"}):
            answer = guarded.post(f"{path}/seats/0/hand-over", json=body, headers=OURS)
            assert answer.status_code == 422
        assert json_of(guarded.get(path, headers=OURS))["version"] == game["version"]
