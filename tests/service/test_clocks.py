"""Clocks over HTTP: what can be asked for, what everybody sees, and what comes too late."""

from typing import Any

import pytest
from flask.testing import FlaskClient

from domain.clocks.options import TIME_CLASSES
from events.runtime.settings import Settings
from events.times import milliseconds_of
from events.use_cases.application import Application
from tests.events.timed import Time, timed
from tests.service.conftest import NewService
from tests.service.recording import AllThere
from tests.service.table import code_of, json_of, new_game

Json = dict[str, Any]
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


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def people(number: int) -> list[Json]:
    return [{"kind": "human", "player": f"p{seat}"} for seat in range(number)]


def first_move(client: FlaskClient, game: Json) -> tuple[Json, dict[str, str], str]:
    """A move of whoever is to act, the header that lets it in, and where it goes."""
    view = json_of(client.get(game["links"]["self"]))
    token = bearer(game["seats"][view["to_act"]]["token"])
    (move, *_) = json_of(client.get(game["links"]["legal_moves"], headers=token))["moves"]
    return move, token, game["links"]["moves"]


@pytest.mark.parametrize(("name", "seats"), [("migrato", 2), ("migo", 3)])
@pytest.mark.parametrize("clock", CLOCKS, ids=lambda clock: str(clock["kind"]))
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
    game = new_game(client, seats=people(2), visibility="public", clock=MINUTE)
    path = f"{game['links']['self']}?version={game['version']}"
    before = client.get(path).text
    time.passes(30)
    assert client.get(path).text == before
    assert json_of(client.get(path))["clock"]["remaining_ms"] == [60_000, 60_000]
    replayed = client.get(f"{game['links']['self']}/replay").text
    time.passes(10)
    assert client.get(f"{game['links']['self']}/replay").text == replayed


def test_a_game_without_a_clock_says_nothing_of_one(client: FlaskClient) -> None:
    """Nor does null make one."""
    for body in ({}, {"clock": None}):
        game = new_game(client, seats=people(2), visibility="public", **body)
        assert "clock" not in game
        assert "clock" not in json_of(client.get(game["links"]["self"]))


def test_a_move_that_comes_too_late(client: FlaskClient, time: Time) -> None:
    """409, with the deadline that was missed; the turn is over, and it stays refused."""
    game = new_game(client, seats=people(2), visibility="public", clock=MINUTE | {"when_up": "bot"})
    move, token, path = first_move(client, game)
    time.passes(60)
    keyed = token | {"Idempotency-Key": "one"}
    late = client.post(path, json=move, headers=keyed)
    assert code_of(late) == (409, "time-is-up")
    assert json_of(late)["deadline"] == json_of(client.get(game["links"]["self"]))["clock"]["now"]
    assert json_of(client.get(game["links"]["self"]))["to_act"] == 1
    assert code_of(client.post(path, json=move, headers=keyed)) == (409, "not-your-turn")
    types = [event["type"] for event in json_of(client.get(game["links"]["events"]))["events"]]
    assert types[3:5] == ["turn_timed_out", "move_chosen"]


def test_a_move_that_was_made_in_time_is_answered_again(client: FlaskClient, time: Time) -> None:
    """However late the same request comes again."""
    game = new_game(client, seats=people(2), visibility="public", clock=MINUTE)
    move, token, path = first_move(client, game)
    keyed = token | {"Idempotency-Key": "one"}
    first = json_of(client.post(path, json=move, headers=keyed))
    time.passes(3600)
    again = client.post(path, json=move, headers=keyed)
    assert again.status_code == 201
    assert json_of(again)["events"] == first["events"]


def test_a_seat_that_is_open_shows_the_clock(client: FlaskClient) -> None:
    """To whoever thinks about taking it."""
    seats = [{"kind": "human"}, {"kind": "open"}]
    game = new_game(client, seats=seats, visibility="public", clock=MINUTE)
    assert json_of(client.get(f"{game['links']['self']}/seats/1"))["clock"]["deadline"] is None
    assert game["clock"]["running_seat"] is None


@pytest.mark.parametrize(
    ("clock", "member"),
    [
        ("fast", "clock"),
        ([], "clock"),
        ({}, "clock.kind"),
        ({"kind": "sundial"}, "clock.kind"),
        ({"kind": "per-move"}, "clock.seconds"),
        ({"kind": "per-move", "seconds": 0}, "clock.seconds"),
        ({"kind": "per-move", "seconds": 86_401}, "clock.seconds"),
        ({"kind": "per-move", "seconds": 60.5}, "clock.seconds"),
        ({"kind": "per-move", "seconds": "60"}, "clock.seconds"),
        ({"kind": "per-move", "seconds": 10**15}, "clock.seconds"),
        ({"kind": "per-move", "seconds": 60, "minutes": 1}, "clock.minutes"),
        ({"kind": "bank", "seconds": 60, "increment": 3601}, "clock.increment"),
        ({"kind": "bank", "seconds": 60, "increment": -1}, "clock.increment"),
        ({"kind": "correspondence", "days": 31}, "clock.days"),
        ({"kind": "correspondence", "days": 3, "seconds": 1}, "clock.seconds"),
        ({"kind": "per-move", "seconds": 60, "when_up": "explode"}, "clock.when_up"),
        ({"kind": "per-move", "seconds": 60, "bot": "greedy"}, "clock.bot"),
        ({"kind": "per-move", "seconds": 60, "when_up": "bot", "bot": "ismcts"}, "clock.bot"),
    ],
)
def test_what_cannot_be_is_refused_with_its_name(client: FlaskClient, clock: Any, member: str) -> None:
    """And no game is there."""
    response = client.post("/v1/games", json={"clock": clock})
    assert code_of(response) == (422, "validation-error")
    assert list(json_of(response)["errors"]) == [member]
    assert json_of(client.get("/v1/games"))["games"] == []


def test_a_bot_that_is_not_there(client: FlaskClient) -> None:
    """As everywhere."""
    clock = MINUTE | {"when_up": "replace", "bot": "nobody"}
    assert code_of(client.post("/v1/games", json={"clock": clock})) == (422, "unknown-bot")


def test_the_stream_shows_the_clock(client: FlaskClient, here: Application, time: Time) -> None:
    """In its `state` frames."""
    game = new_game(client, seats=people(2), visibility="public", clock=MINUTE)
    move, token, path = first_move(client, game)
    time.passes(60)
    client.post(path, json=move, headers=token)
    here.bot_turns.score_game(game["id"])  # then the stream ends
    stream = client.get(f"{game['links']['events']}?views=true", headers={"Accept": "text/event-stream"})
    assert '"remaining_ms":[60000,60000]' in stream.text
    assert '"reason":"timeout"' in stream.text
