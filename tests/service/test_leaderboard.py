"""Leaderboards over HTTP: who is on them, who may see them, and what is refused."""

from dataclasses import replace
from hashlib import sha256

import pytest
from flask.testing import FlaskClient

from events.runtime import bootstrap
from events.runtime.settings import Settings
from events.use_cases.application import Application
from tests.service.conftest import NewService
from tests.service.recording import AllThere
from tests.service.table import Json, code_of, json_of
from tests.service.thinking import Worker

KEYS = {"ours": "key-of-ours", "theirs": "key-of-theirs"}
SEATS = [{"kind": "human", "player": "ada"}, {"kind": "human", "player": "bo"}]


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def rated(
    client: FlaskClient, application: Application, headers: dict[str, str] | None = None, **wanted: Json
) -> Json:
    """A game that the second seat resigned, and that counts."""
    answer = client.post("/v1/games", json={"game": "migo", "seats": SEATS} | wanted, headers=headers)
    game = json_of(answer)
    token = game["seats"][1]["token"]
    answer = client.post(game["links"]["moves"], json={"type": "resign"}, headers=bearer(token))
    assert answer.status_code == 201
    application.bot_turns.score_game(game["id"])
    ladder = application.rankings.enter(game["id"])
    assert ladder is not None
    application.rankings.fold(*ladder)
    application.listing.update(game["id"])
    return game


def test_a_leaderboard(client: FlaskClient, application: Application) -> None:
    """The best first, by pages; two decimals."""
    for _ in range(2):
        game = rated(client, application)
    first = json_of(client.get("/v1/leaderboard?game=migo&limit=1"))
    assert (first["game"], first["time_class"]) == ("migo", "none")
    rest = json_of(client.get(f"/v1/leaderboard?game=migo&limit=1&cursor={first['next']}"))
    assert rest["next"] is None
    ada, bo = first["entries"] + rest["entries"]
    assert (ada["rank"], ada["player"], ada["games"], ada["wins"]) == (1, "ada", 2, 2)
    assert (bo["rank"], bo["player"], bo["games"], bo["wins"]) == (2, "bo", 2, 0)
    assert ada["kind"] == "player"
    assert all(value == round(value, 2) for value in ada["rating"].values())
    seen = json_of(client.get(f"/v1/players/{ada['player_id']}?limit=1"))
    assert seen["ratings"] == [
        {"game": "migo", "time_class": "none"} | {name: ada[name] for name in ("rating", "games", "wins")}
    ]
    assert seen["recent_games"]["game_ids"] == [game["id"]]
    assert seen["recent_games"]["next"] is not None


def test_nobody_was_rated_yet(client: FlaskClient) -> None:
    """An empty page."""
    assert json_of(client.get("/v1/leaderboard")) == {
        "game": "migrato",
        "time_class": "none",
        "time_classes": [],
        "entries": [],
        "next": None,
    }


def test_which_class_is_meant(client: FlaskClient, application: Application) -> None:
    """The one without a clock; but where everybody plays with one, the fastest of those that there are."""
    rated(client, application, clock={"kind": "correspondence", "days": 1})
    rated(client, application, clock={"kind": "per-move", "seconds": 60})
    shown = json_of(client.get("/v1/leaderboard?game=migo"))
    assert (shown["time_class"], shown["time_classes"]) == ("live", ["live", "correspondence"])
    assert len(shown["entries"]) == 2
    assert json_of(client.get("/v1/leaderboard?game=migo&time_class=none"))["entries"] == []
    assert json_of(client.get("/v1/leaderboard"))["time_classes"] == []
    rated(client, application)
    shown = json_of(client.get("/v1/leaderboard?game=migo"))
    assert (shown["time_class"], shown["time_classes"]) == ("none", ["live", "correspondence", "none"])


@pytest.mark.parametrize(
    ("asked", "code", "field"),
    [
        ("game=chess", "unknown-game", None),
        ("cursor=x", "validation-error", "cursor"),
        ("limit=0", "validation-error", "limit"),
        ("limit=101", "validation-error", "limit"),
        ("time_class=a:b", "validation-error", "time_class"),
        ("time_class=blitz", "validation-error", "time_class"),
        ("colour=red", "validation-error", "colour"),
    ],
)
def test_bad_input(client: FlaskClient, asked: str, code: str, field: str | None) -> None:
    """Names what is wrong."""
    answer = client.get(f"/v1/leaderboard?{asked}")
    assert code_of(answer) == (422, code)
    if field is not None:
        assert list(json_of(answer)["errors"]) == [field]


@pytest.fixture
def guarded(settings: Settings, worker: Worker, new_service: NewService) -> FlaskClient:
    """A service with two apps."""
    keys = {app: sha256(key.encode()).hexdigest() for app, key in KEYS.items()}
    settings = replace(settings, app_keys=keys)
    return new_service(
        settings, bootstrap.application(settings), AllThere(), worker.bot_queries
    ).test_client()


def test_each_app_has_its_own(guarded: FlaskClient, application: Application) -> None:
    """Nobody learns of another app's players; strangers and seats learn nothing."""
    game = rated(guarded, application, bearer(KEYS["ours"]))
    ours, theirs = (
        json_of(guarded.get("/v1/leaderboard?game=migo", headers=bearer(key))) for key in KEYS.values()
    )
    assert [entry["player"] for entry in ours["entries"]] == ["ada", "bo"]
    assert theirs["entries"] == []
    assert guarded.get("/v1/leaderboard").status_code == 401
    assert guarded.get("/v1/leaderboard", headers=bearer(game["seats"][0]["token"])).status_code == 403


def test_erasure(guarded: FlaskClient, application: Application) -> None:
    """Whoever was erased is on no leaderboard any more, and nothing of the others changes."""
    rated(guarded, application, bearer(KEYS["ours"]))
    ours = bearer(KEYS["ours"])
    ada, bo = json_of(guarded.get("/v1/leaderboard?game=migo", headers=ours))["entries"]
    assert guarded.delete(f"/v1/players/{ada['player_id']}", headers=ours).status_code == 204
    left = json_of(guarded.get("/v1/leaderboard?game=migo", headers=ours))["entries"]
    assert left == [bo | {"rank": 1}]
    assert guarded.get(f"/v1/players/{ada['player_id']}", headers=ours).status_code == 404
