"""Clocks over HTTP: what can be asked for, what everybody sees, and what comes too late."""

import pytest
from flask.testing import FlaskClient

from domain.clocks.options import TIME_CLASSES
from events.application import Application
from events.runtime.settings import Settings
from events.times import milliseconds_of
from tests.events.timed import Time, timed
from tests.service.conftest import NewService
from tests.service.table import PEOPLE, WITH_OPEN, Json, bearer, code_of, json_of, new_game, people
from tests.support.recording import AllThere

MINUTE: Json = {"kind": "per-move", "seconds": 60}
CLOCKS: list[Json] = [
    MINUTE,
    {"kind": "bank", "seconds": 300, "increment": 5, "when_up": "bot", "bot": "greedy"},
    {"kind": "correspondence", "days": 3, "when_up": "replace"},
]


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def here(settings: Settings, time: Time) -> Application:
    return timed(str(settings.redis_url), time)


@pytest.fixture
def client(settings: Settings, here: Application, new_service: NewService) -> FlaskClient:
    """A service whose time a test tells."""
    return new_service(settings, here, AllThere()).test_client()


def first_move(client: FlaskClient, game: Json) -> tuple[Json, dict[str, str], str]:
    """A move of the seat that is to act, the header that lets it in, and where it goes."""
    view = json_of(client.get(game["links"]["self"]))
    token = bearer(game["seats"][view["to_act"]]["token"])
    (move, *_) = json_of(client.get(game["links"]["legal_moves"], headers=token))["moves"]
    return move, token, game["links"]["moves"]


@pytest.mark.parametrize(
    ("name", "seats", "clock"),
    [("migo", 3, CLOCKS[0]), ("migrato", 2, CLOCKS[1]), ("migrato", 2, CLOCKS[2])],
    ids=["per-move", "bank", "correspondence"],
)
def test_everybody_sees_the_clock(
    client: FlaskClient, time: Time, name: str, seats: int, clock: Json
) -> None:
    """In the game's view, a spectator too: what there is, whose time runs, until when, by whose clock."""
    game = new_game(client, game=name, seats=people(seats), visibility="public", clock=clock)
    shown = game["clock"]
    assert clock.items() <= shown.items()
    assert shown["time_class"] in TIME_CLASSES
    time.passes(7.25)
    response = client.get(game["links"]["self"])
    view, whole = json_of(response)["clock"], 1000 * (clock.get("seconds") or 86_400 * clock["days"])
    assert view["running_seat"] == json_of(response)["to_act"] == 0
    assert view["remaining_ms"] == [whole - 7250, *[whole] * (seats - 1)]
    assert milliseconds_of(view["deadline"]) - milliseconds_of(view["now"]) == whole - 7250
    assert response.headers["ETag"] == f'"{game["version"]}"'
    known = {"If-None-Match": response.headers["ETag"]}
    assert client.get(game["links"]["self"], headers=known).status_code == 304
    move, token, path = first_move(client, game)
    played = json_of(client.post(path, json=move, headers=token))["game"]
    assert played["clock"] == json_of(client.get(game["links"]["self"], headers=token))["clock"]
    stream = client.get(game["links"]["events"])
    assert [event["type"] for event in json_of(stream)["events"]].count("clock_set") == 1


def test_a_clock_of_former_times(client: FlaskClient, time: Time) -> None:
    """A view of a version shows the clock as it was then, byte for byte; so does the replay."""
    game = new_game(client, seats=PEOPLE, visibility="public", clock=MINUTE)
    path = f"{game['links']['self']}?version={game['version']}"
    before = client.get(path).text
    time.passes(30)
    assert client.get(path).text == before
    assert json_of(client.get(path))["clock"]["remaining_ms"] == [60_000, 60_000]
    replayed = client.get(f"{game['links']['self']}/replay").text
    time.passes(10)
    assert client.get(f"{game['links']['self']}/replay").text == replayed


def test_games_whose_clock_does_not_run(client: FlaskClient) -> None:
    """One without a clock says nothing of one, nor does null make one; an open seat shows it to who may take it."""
    for body in ({}, {"clock": None}):
        game = new_game(client, seats=PEOPLE, visibility="public", **body)
        assert "clock" not in game
        assert "clock" not in json_of(client.get(game["links"]["self"]))
    game = new_game(client, seats=WITH_OPEN, visibility="public", clock=MINUTE)
    assert json_of(client.get(f"{game['links']['self']}/seats/1"))["clock"]["deadline"] is None
    assert game["clock"]["running_seat"] is None


def test_a_move_that_was_made_in_time(client: FlaskClient, here: Application, time: Time) -> None:
    """It is answered again, however late the same request comes again; `state` frames show the clock."""
    game = new_game(client, seats=PEOPLE, visibility="public", clock=MINUTE)
    move, token, path = first_move(client, game)
    keyed = token | {"Idempotency-Key": "one"}
    first = json_of(client.post(path, json=move, headers=keyed))
    time.passes(3600)
    again = client.post(path, json=move, headers=keyed)
    assert again.status_code == 201
    assert json_of(again)["events"] == first["events"]
    other = bearer(game["seats"][1]["token"])
    assert code_of(client.post(path, json={"type": "resign"}, headers=other)) == (409, "time-is-up")
    here.bot_turns.score_game(game["id"])  # then the stream ends
    stream = client.get(f"{game['links']['events']}?views=true", headers={"Accept": "text/event-stream"})
    assert '"remaining_ms":[60000,60000]' in stream.text
    assert '"reason":"timeout"' in stream.text
