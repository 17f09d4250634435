"""Aborting, adjudicating and playing on for a player who left, over HTTP."""

from functools import partial

import pytest
import requests
from flask.testing import FlaskClient

from events.application import Application
from tests.service.table import (
    KEYS,
    OURS,
    PEOPLE,
    THEIRS,
    WITH_OPEN,
    Json,
    bearer,
    code_of,
    errors_of,
    json_of,
    new_game,
    people,
    set_table,
)
from tests.support.waiting import LIMIT

BODIES: dict[str, Json | None] = {
    "abort": None,
    "adjudication": {"winner": 0},
    "seats/0/bot": {"bot": "greedy"},
}
SOUND = ("passed", "remarks")  # verdicts of an audit that has nothing against a game

every_game = pytest.mark.parametrize(("name", "seats"), [("migrato", 2), ("migo", 3)])


@every_game
def test_an_aborted_game(client: FlaskClient, application: Application, name: str, seats: int) -> None:
    """It is `finished`, as any that is over, and `aborted` says why there is no result; nothing is hidden."""
    game = new_game(client, game=name, seats=people(seats), visibility="public")
    path = game["links"]["self"]
    answer = client.post(f"{path}/abort")
    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-store")
    view = json_of(answer)
    assert (view["status"], view["result"], view["aborted"], view["rated"]) == ("finished", None, True, False)
    assert answer.headers["ETag"] == f'"{view["version"]}"' == f'"{game["version"] + 1}"'
    assert view["fairness"]["server_seed"] is not None
    assert json_of(client.get(path)) == view
    *_, last = json_of(client.get(f"{path}/events"))["events"]
    assert (last["type"], last["seat"], last["data"]) == ("game_aborted", None, {"app": "anonymous"})
    token = bearer(game["seats"][0]["token"])
    assert code_of(client.post(f"{path}/moves", json={"type": "resign"}, headers=token)) == (409, "game-over")
    stream = client.get(f"{path}/events", headers={"Accept": "text/event-stream"})
    assert stream.text.rstrip().endswith("event: end\ndata: {}")
    assert "game_aborted" in client.get(f"{path}/replay?limit=100").text
    assert json_of(client.get(f"{path}/audit"))["verdict"] in SOUND
    application.listing.update(view["id"])
    (line,) = json_of(client.get("/v1/games?status=finished"))["games"]
    assert (line["aborted"], line["result"], line["rated"]) == (True, None, False)
    running = json_of(client.get(f"{path}?version={game['version']}"))
    assert (running["status"], "aborted" in running) == ("playing", False)
    forked = client.post(f"{path}/fork", json={"version": view["version"]})
    assert code_of(forked) == (409, "game-over")


def test_a_game_that_waits(client: FlaskClient) -> None:
    """It has no verdict, and no player to replace; aborted its table never was, and its open seat is nobody's."""
    game = new_game(client, seats=WITH_OPEN, visibility="public")
    at = game["links"]["self"]
    for path, body, refusal in (
        ("seats/0/bot", {"bot": "nobody"}, (422, "unknown-bot")),
        ("seats/0/bot", {}, (422, "validation-error")),
        ("seats/0/bot", {"bot": 1}, (422, "validation-error")),
        ("seats/2/bot", {"bot": "greedy"}, (404, "not-found")),
        ("seats/1/bot", {"bot": "greedy"}, (404, "not-found")),
        ("adjudication?now=1", {"winner": 0}, (422, "validation-error")),
        ("adjudication", {"winner": 0}, (409, "game-not-started")),
    ):
        assert code_of(client.post(f"{at}/{path}", json=body)) == refusal, path
    assert json_of(client.get(at))["version"] == game["version"]
    view = json_of(client.post(f"{at}/abort"))
    assert (view["status"], view["state"], view["turn"], view["to_act"]) == ("finished", None, 0, None)
    assert code_of(client.post(f"{at}/seats/1", json={"player": "zoe"})) == (409, "game-over")


@pytest.mark.parametrize(("name", "seats"), [("migrato", 2), ("migo", 4)])
def test_a_verdict(client: FlaskClient, application: Application, name: str, seats: int) -> None:
    """The seat that wins or loses, or all places; scored as any other result."""
    for body, places in (
        ({"winner": 1}, [2, 1, 2, 2][:seats]),
        ({"loser": 1}, [1, seats, 1, 1][:seats]),
        ({"places": [1] * seats}, [1] * seats),
        ({"places": list(range(seats, 0, -1)), "winner": None}, list(range(seats, 0, -1))),
    ):
        game = new_game(client, game=name, seats=people(seats))
        path, own = game["links"]["self"], bearer(game["seats"][0]["token"])
        view = json_of(client.post(f"{path}/adjudication", json=body))
        assert (view["status"], view["result"]["places"]) == ("finished", places)
        assert (view["result"]["reason"], view["result"]["scored"]) == ("adjudicated", False)
        assert "aborted" not in view
        events = json_of(client.get(f"{path}/events?after={game['version']}", headers=own))["events"]
        assert [event["type"] for event in events] == ["game_adjudicated", "game_ended"]
        assert events[0]["data"] == {"app": "anonymous", "places": places}
        application.bot_turns.score_game(game["id"])
        scored = json_of(client.get(path, headers=own))["result"]
        assert scored == view["result"] | {"scored": True}
        assert json_of(client.get(f"{path}/audit", headers=own))["verdict"] in SOUND


def test_a_verdict_that_is_none(client: FlaskClient, application: Application) -> None:
    """The problem names the field, and nothing changes."""
    table = set_table(client, application)
    before = table.log()
    for body, fields in (
        ({}, {"winner", "loser", "places"}),
        ({"winner": 0, "loser": 1}, {"winner", "loser"}),
        ({"winner": 2}, {"winner"}),
        ({"winner": -1}, {"winner"}),
        ({"winner": True}, {"winner"}),
        ({"loser": "1"}, {"loser"}),
        ({"places": []}, {"places"}),
        ({"places": [1]}, {"places"}),
        ({"places": [2, 2]}, {"places.0"}),
        ({"places": [1, 3]}, {"places.1"}),
        ({"places": [1, 99]}, {"places.1"}),
        ({"winner": 0, "reason": "he left"}, {"reason"}),
    ):
        assert set(errors_of(client.post(f"{table.path}/adjudication", json=body))) == fields, body
    assert table.log() == before


@every_game
def test_a_bot_for_a_player(client: FlaskClient, application: Application, name: str, seats: int) -> None:
    """The seat is the bot's, its token is void, and on its turn the bot moves; everybody sees who did it."""
    game = new_game(client, game=name, seats=people(seats))
    path = game["links"]["self"]
    seat = json_of(client.get(path, headers=bearer(game["seats"][0]["token"])))["to_act"]
    answer = client.post(f"{path}/seats/{seat}/bot", json={"bot": "greedy"})
    view = json_of(answer)
    assert answer.status_code == 200
    assert (view["status"], view["to_act"], view["rated"], view["viewer"]) == ("playing", seat, False, None)
    assert view["seats"][seat] == {"seat": seat, "kind": "bot", "bot": "greedy"}
    left, stays = bearer(game["seats"][seat]["token"]), bearer(game["seats"][seat - 1]["token"])
    for what in ("", "/events", "/legal-moves", "/export", "/hint"):
        assert code_of(client.get(f"{path}{what}", headers=left)) == (401, "unauthorized")
    moved = client.post(f"{path}/moves", json={"type": "resign"}, headers=left)
    assert code_of(moved) == (401, "unauthorized")
    (event,) = json_of(client.get(f"{path}/events?after={game['version']}", headers=stays))["events"]
    assert (event["type"], event["seat"], event["redacted"]) == ("player_replaced", seat, [])
    assert event["data"] == {"app": "anonymous", "bot": "greedy"}
    played = application.bot_turns.bot_move(game["id"], view["version"])
    assert played is not None
    assert played.snapshot.status.to_act != seat
    application.listing.update(game["id"])
    (line,) = json_of(client.get("/v1/games"))["games"]
    assert line["seats"][seat]["kind"] == "bot"


@pytest.mark.parametrize("what", BODIES)
def test_only_the_games_own_app_may(guarded: FlaskClient, what: str) -> None:
    """Nobody else, its seats included; its event names the app and not its key."""
    for visibility, theirs in (("public", (403, "forbidden")), ("private", (404, "not-found"))):
        game = new_game(guarded, OURS, seats=PEOPLE, visibility=visibility)
        path, own = game["links"]["self"], bearer(game["seats"][1]["token"])
        at = f"{path}/{what}"
        for headers, refusal in (({}, (401, "unauthorized")), (THEIRS, theirs), (own, (403, "forbidden"))):
            assert code_of(guarded.post(at, json=BODIES[what], headers=headers)) == refusal
        assert json_of(guarded.get(path, headers=own))["version"] == game["version"]
        keyed = OURS | {"Idempotency-Key": "once"}
        done = guarded.post(at, json=BODIES[what], headers=keyed)
        assert done.status_code == 200
        again = guarded.post(at, json=BODIES[what], headers=keyed)
        assert (again.status_code, again.data) == (done.status_code, done.data)
        events = guarded.get(f"{path}/events?after={game['version']}", headers=own)
        assert json_of(events)["events"][0]["data"]["app"] == "ours"
        assert KEYS["ours"] not in done.text + events.text
        if BODIES[what] is not None:
            other = {"bot": "random"} if "bot" in what else {"winner": 1}
            answer = guarded.post(at, json=other, headers=keyed)
            assert code_of(answer) == (422, "idempotency-mismatch")
        late = guarded.post(at, json=BODIES[what], headers=OURS)
        assert code_of(late) == ((404, "not-found") if "bot" in what else (409, "game-over"))


def test_streams_hear_of_it(web: str) -> None:
    """A replaced player's ends without a word more; spectators see the replacement and the end."""
    body = {"seats": PEOPLE, "visibility": "public"}
    created = requests.post(f"{web}/v1/games", json=body, timeout=LIMIT).json()
    url, stream = f"{web}{created['links']['self']}", {"Accept": "text/event-stream"}
    left = stream | bearer(created["seats"][0]["token"])
    watching = partial(requests.get, f"{url}/events", stream=True, timeout=LIMIT)
    with watching(headers=left) as player, watching(headers=stream) as spectator:
        lines = [answer.iter_lines(decode_unicode=True) for answer in (player, spectator)]
        for read in lines:
            while next(read) != f"id: {created['version']}":
                pass
        assert requests.post(f"{url}/seats/0/bot", json={"bot": "greedy"}, timeout=LIMIT).status_code == 200
        rest = list(lines[0])  # it ends: else this would wait until the time is up
        assert not [line for line in rest if line.startswith(("id: ", "event: player"))]
        assert requests.post(f"{url}/abort", timeout=LIMIT).status_code == 200
        told = [line for line in lines[1] if line.startswith("event: ")]
    assert told[1:] == ["event: player_replaced", "event: game_aborted", "event: end"]
    assert requests.get(f"{url}/events", headers=left, timeout=LIMIT).status_code == 401
