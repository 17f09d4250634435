"""Leaderboards over HTTP: who is on them, who may see them, and what is refused."""

import pytest
from flask.testing import FlaskClient

from domain.registry import GAMES
from events.application import Application
from tests.service.table import OURS, THEIRS, Json, bearer, code_of, json_of

LEADERBOARD = "/v1/leaderboard?game=migo"


def rated(
    client: FlaskClient, application: Application, by: dict[str, str] | None = None, **wanted: Json
) -> Json:
    """A game by quick match that bob has resigned, and that counts: its id, and the token of ada."""
    tickets = [
        json_of(client.post("/v1/quick-match", json={"game": "migo", "player": name, **wanted}, headers=by))
        for name in ("ada", "bob")
    ]
    game = tickets[1]["match"]
    ada = json_of(client.get(f"/v1/quick-match/{tickets[0]['ticket']}", headers=by))["match"]["token"]
    moves, resigning = f"/v1/games/{game['id']}/moves", bearer(game["token"])
    assert client.post(moves, json={"type": "resign"}, headers=resigning).status_code == 201
    application.bot_turns.score_game(game["id"])
    leaderboard = application.leaderboards.enter(game["id"])
    assert leaderboard is not None
    application.leaderboards.fold(*leaderboard)
    application.listing.update(game["id"])
    return {"id": game["id"], "ada": ada}


def test_a_leaderboard(client: FlaskClient, application: Application) -> None:
    """The best first, by pages; two decimals. Where nobody was rated yet it is an empty page."""
    assert json_of(client.get("/v1/leaderboard")) == {
        "game": "migrato",
        "time_class": "none",
        "time_classes": [],
        "entries": [],
        "next": None,
    }
    for _ in range(2):
        game = rated(client, application)
    first = json_of(client.get(f"{LEADERBOARD}&limit=1"))
    assert (first["game"], first["time_class"]) == ("migo", "none")
    rest = json_of(client.get(f"{LEADERBOARD}&limit=1&cursor={first['next']}"))
    assert rest["next"] is None
    ada, bob = first["entries"] + rest["entries"]
    assert (ada["rank"], ada["player"], ada["games"], ada["wins"]) == (1, "ada", 2, 2)
    assert (bob["rank"], bob["player"], bob["games"], bob["wins"]) == (2, "bob", 2, 0)
    assert ada["kind"] == "player"
    assert all(value == round(value, 2) for value in ada["rating"].values())
    elo = GAMES["migo"].strengths["heuristic"].elo  # the mean of a new player
    assert ada["rating"]["elo"] == pytest.approx(elo + 29.481 * (ada["rating"]["ordinal"] - 20.5), abs=1)
    assert ada["rating"]["elo_deviation"] == pytest.approx(29.481 * ada["rating"]["deviation"], abs=1)
    seen = json_of(client.get(f"/v1/players/{ada['player_id']}?limit=1"))
    assert seen["ratings"] == [
        {"game": "migo", "time_class": "none"}
        | {name: ada[name] for name in ("rating", "games", "wins", "rank")}
    ]
    assert seen["recent_games"]["game_ids"] == [game["id"]]
    assert seen["recent_games"]["next"] is not None


def test_around_somebody(client: FlaskClient, application: Application) -> None:
    """The player is in the middle of the page, whose cursor goes on; people are shown the name that is for them."""
    rated(client, application)
    bob = json_of(client.get("/v1/players?player=bob"))["players"][0]
    assert bob["ratings"][0]["rank"] == 2
    client.patch(f"/v1/players/{bob['player_id']}", json={"display_name": "Bob!"})
    for middle in ("bob", bob["player_id"]):
        found = json_of(client.get(f"{LEADERBOARD}&around={middle}&limit=1"))
        assert [(entry["rank"], entry["display_name"]) for entry in found["entries"]] == [(2, "Bob!")]
        assert found["next"] is None
    page = json_of(client.get(f"{LEADERBOARD}&around=ada&limit=1"))
    assert [entry["player"] for entry in page["entries"]] == ["ada"]
    rest = json_of(client.get(f"{LEADERBOARD}&around=ada&limit=1&cursor={page['next']}"))
    assert [entry["player"] for entry in rest["entries"]] == ["bob"]
    assert [e["player"] for e in json_of(client.get(f"{LEADERBOARD}&around=bob"))["entries"]] == [
        "ada",
        "bob",
    ]
    assert json_of(client.get(f"{LEADERBOARD}&around=nobody"))["entries"] == []


def test_the_class_that_is_meant(client: FlaskClient, application: Application) -> None:
    """The one without a clock; but where everybody plays with one, the fastest of those that there are."""
    rated(client, application, clock={"kind": "correspondence", "days": 3})
    rated(client, application, clock={"kind": "per-move", "seconds": 60})
    shown = json_of(client.get(LEADERBOARD))
    assert (shown["time_class"], shown["time_classes"]) == ("live", ["live", "correspondence"])
    assert len(shown["entries"]) == 2
    assert json_of(client.get(f"{LEADERBOARD}&time_class=none"))["entries"] == []
    assert json_of(client.get("/v1/leaderboard"))["time_classes"] == []
    rated(client, application)
    shown = json_of(client.get(LEADERBOARD))
    assert (shown["time_class"], shown["time_classes"]) == ("none", ["live", "correspondence", "none"])


def test_each_app_has_its_own(guarded: FlaskClient, application: Application) -> None:
    """Nobody learns of another app's players; strangers and seats learn nothing."""
    game = rated(guarded, application, OURS)
    ours, theirs = (json_of(guarded.get(LEADERBOARD, headers=app))["entries"] for app in (OURS, THEIRS))
    assert [entry["player"] for entry in ours] == ["ada", "bob"]
    assert theirs == []
    assert code_of(guarded.get("/v1/leaderboard")) == (401, "unauthorized")
    seat = bearer(game["ada"])
    assert code_of(guarded.get("/v1/leaderboard", headers=seat)) == (403, "forbidden")
    ada, bob = ours
    assert guarded.delete(f"/v1/players/{ada['player_id']}", headers=OURS).status_code == 204
    left = json_of(guarded.get(LEADERBOARD, headers=OURS))["entries"]
    assert left == [bob | {"rank": 1}]
    assert guarded.get(f"/v1/players/{ada['player_id']}", headers=OURS).status_code == 404


def test_a_game_says_how_it_moved_those_who_began(client: FlaskClient, application: Application) -> None:
    """Everybody where everybody is the app, a seat too; in present views alone, and once it is worked out."""
    first = rated(client, application)
    game = rated(client, application)
    seen = json_of(client.get(f"/v1/games/{game['id']}", headers=bearer(game["ada"])))
    board = {one["player"]: one["rating"] for one in json_of(client.get(LEADERBOARD))["entries"]}
    names = [seat["player"] for seat in seen["seats"]]
    assert [one["seat"] for one in seen["ratings"]] == [0, 1]
    for name, one in zip(names, seen["ratings"], strict=True):
        assert one["after"] == board[name]
        assert (one["after"]["elo"] > one["before"]["elo"]) == (name == "ada")
    at_first = json_of(client.get(f"/v1/games/{first['id']}", headers=bearer(first["ada"])))
    new = {"mean": 25.0, "deviation": 8.33, "ordinal": 0.0, "elo": 859, "elo_deviation": 246}
    assert [one["before"] for one in at_first["ratings"]] == [new, new]
    then = client.get(f"/v1/games/{game['id']}?version={seen['version']}", headers=bearer(game["ada"]))
    assert "ratings" not in json_of(then)
    application.leaderboards.wipe()
    assert "ratings" not in json_of(client.get(f"/v1/games/{game['id']}", headers=bearer(game["ada"])))


def test_an_app_alone_sees_how_a_game_moved_its_players(
    guarded: FlaskClient, application: Application
) -> None:
    """Nothing is left of who was erased; the other's change stays."""
    game = rated(guarded, application, OURS)
    at = f"/v1/games/{game['id']}"
    assert "ratings" not in json_of(guarded.get(at, headers=bearer(game["ada"])))
    seen = json_of(guarded.get(at, headers=OURS))
    assert len(seen["ratings"]) == 2
    ada = next(seat for seat in seen["seats"] if seat["player"] == "ada")
    assert guarded.delete(f"/v1/players/{ada['player_id']}", headers=OURS).status_code == 204
    left = [one for one in seen["ratings"] if one["seat"] != ada["seat"]]
    assert json_of(guarded.get(at, headers=OURS))["ratings"] == left
