"""Seats that somebody else's bot plays, as the HTTP interface shows them: not where it is, nor its secret."""

from typing import Any

import pytest
from flask.testing import FlaskClient

from events.runtime.settings import Settings
from events.use_cases.application import Application
from tests.service.table import json_of, new_game

URL = "https://bots.example.com:8443/hidden-path?key=hidden"
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
REMOTE = {"kind": "remote", "url": URL, "player": "deep goose"}
HUMAN = {"kind": "human"}
FORMS = ("application/json", "application/x-ndjson")


@pytest.fixture
def settings(redis_url: str) -> Settings:
    """Settings of an operator who allows that bot, whether or not its name can be looked up here."""
    return Settings(redis_url=redis_url, queue_url=redis_url, remote_allow=("bots.example.com",))


def test_a_new_secret_is_in_the_answer(client: FlaskClient) -> None:
    """Once, like a token."""
    game = new_game(client, seats=[HUMAN, REMOTE], visibility="public")
    secret = game["seats"][1].pop("secret")
    assert secret.startswith("whsec_")
    player_id = game["seats"][1].pop("player_id")
    assert player_id.startswith("pl_")
    assert game["seats"][1] == {"seat": 1, "kind": "remote", "player": "deep goose"}
    assert secret not in client.get(game["links"]["self"]).text


def test_a_secret_that_was_given_is_not_told_back(client: FlaskClient) -> None:
    game = new_game(client, seats=[{**REMOTE, "secret": SECRET}, HUMAN])
    assert "secret" not in game["seats"][0]


def test_two_remote_bots_may_play_each_other(client: FlaskClient) -> None:
    game = new_game(client, seats=[{"kind": "remote", "url": URL}, {**REMOTE, "secret": SECRET}])
    assert ["secret" in seat for seat in game["seats"]] == [True, False]
    assert game["status"] == "playing"


def test_nobody_is_shown_where_a_bot_is(client: FlaskClient) -> None:
    """Neither strangers nor the other seat nor the app, in no form."""
    game = new_game(client, seats=[HUMAN, {**REMOTE, "secret": SECRET}], visibility="public")
    path, token = game["links"]["self"], {"Authorization": f"Bearer {game['seats'][0]['token']}"}
    shown = [str(game), client.get("/v1/games").text]
    for headers in ({}, token):
        shown.append(client.get(path, headers=headers).text)
        shown += [client.get(f"{path}/events", headers={**headers, "Accept": form}).text for form in FORMS]
    client.post(f"{path}/moves", json={"type": "resign"}, headers=token)
    shown += [client.get(path).text, client.get(f"{path}/events").text]
    player_id = game["seats"][1]["player_id"]
    assert all(player_id in text for text in shown)
    assert all(("deep goose" in text) == ('"salt"' not in text) for text in shown)  # events hold the id alone
    assert not any("hidden" in text or SECRET in text or "bots.example.com" in text for text in shown)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "bots.example.com",
        "ftp://bots.example.com/",
        "https://user:word@bots.example.com/",
        "http://127.0.0.1/",
        "https://127.0.0.1/",
        "https://2130706433/",
        "https://10.0.0.1/",
        "https://169.254.169.254/latest/meta-data/",
        "https://[::1]/",
        "https://[::ffff:127.0.0.1]/",
        "http://93.184.216.34/",
        "https://localhost/",
        "https://bots.example.com/" + "x" * 2048,
        f"https://{'x' * 64}.example.com/",
        f"https://{'x.' * 127}com/",
        "https://bots..example.com/",
        7,
        None,
    ],
)
def test_a_url_that_may_not_be_called_is_refused(client: FlaskClient, url: Any) -> None:
    """The refusal names the field."""
    answer = client.post("/v1/games", json={"seats": [HUMAN, {"kind": "remote", "url": url}]})
    assert answer.status_code == 422
    assert (json_of(answer)["code"], list(json_of(answer)["errors"])) == ("validation-error", ["seats.1.url"])


@pytest.mark.parametrize("secret", ["", "geese", "whsec_c2hvcnQ=", SECRET[6:], 7])
def test_a_secret_must_be_one_of_standard_webhooks(client: FlaskClient, secret: Any) -> None:
    """The refusal names the field, and does not repeat what may be a secret."""
    answer = client.post("/v1/games", json={"seats": [HUMAN, {**REMOTE, "secret": secret}]})
    assert answer.status_code == 422
    assert list(json_of(answer)["errors"]) == ["seats.1.secret"]
    assert "geese" not in answer.text


@pytest.mark.parametrize("more", [{"bot": "greedy"}, {"token": "x"}, {"client_seed": "x"}])
def test_what_is_not_known_is_refused(client: FlaskClient, more: dict[str, str]) -> None:
    answer = client.post("/v1/games", json={"seats": [HUMAN, {**REMOTE, **more}]})
    assert answer.status_code == 422
    assert list(json_of(answer)["errors"]) == [f"seats.1.{next(iter(more))}"]


def test_a_remote_seat_cannot_be_taken(client: FlaskClient) -> None:
    game = new_game(client, seats=[HUMAN, REMOTE], visibility="public")
    answer = client.post(f"{game['links']['self']}/seats/1", json={"player": "eve"})
    assert json_of(answer)["code"] == "seat-taken"


def test_what_a_remote_bot_is_asked_can_be_passed_on(client: FlaskClient, application: Application) -> None:
    """A bot of ours takes the whole question, and its answer is one that would be played."""
    game = new_game(client, seats=[REMOTE, HUMAN])
    question = application.remote.question(game["id"], game["version"], 5.0)
    assert question is not None
    answer = client.post("/v1/bots/greedy/choose", json=question.position)
    assert answer.status_code == 200
    assert application.remote.play(game["id"], game["version"], json_of(answer)["move"]) is not None
