"""Seats that somebody else's bot plays, as the HTTP interface shows them: not where it is, nor its secret."""

from dataclasses import replace
from typing import Any

import pytest
from flask.testing import FlaskClient

from events.application import Application
from events.runtime.settings import Settings
from tests.service.table import bearer, code_of, errors_of, json_of, new_game

URL = "https://bots.example.com:8443/hidden-path?key=hidden"
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
REMOTE = {"kind": "remote", "url": URL, "player": "deep goose"}
HUMAN = {"kind": "human"}
FORMS = ("application/json", "application/x-ndjson")


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """Settings of an operator who allows that bot, whether or not its name can be looked up here."""
    return replace(settings, remote_allow=("bots.example.com",))


def test_a_new_secret_is_in_the_answer(client: FlaskClient) -> None:
    """Once, like a token; one that was given is not told back. Two remote bots may play each other."""
    game = new_game(client, seats=[HUMAN, REMOTE], visibility="public")
    secret = game["seats"][1].pop("secret")
    assert secret.startswith("whsec_")
    assert game["seats"][1].pop("player_id").startswith("pl_")
    assert game["seats"][1] == {"seat": 1, "kind": "remote", "player": "deep goose"}
    assert secret not in client.get(game["links"]["self"]).text
    answer = client.post(f"{game['links']['self']}/seats/1", json={"player": "eve"})
    assert code_of(answer) == (409, "seat-taken")
    game = new_game(client, seats=[{"kind": "remote", "url": URL}, {**REMOTE, "secret": SECRET}])
    assert ["secret" in seat for seat in game["seats"]] == [True, False]
    assert game["status"] == "playing"


def test_nobody_is_shown_where_a_bot_is(client: FlaskClient) -> None:
    """Neither strangers nor the other seat nor the app, in no form."""
    game = new_game(client, seats=[HUMAN, {**REMOTE, "secret": SECRET}], visibility="public")
    path, token = game["links"]["self"], bearer(game["seats"][0]["token"])
    shown = [str(game), client.get("/v1/games").text]
    for headers in ({}, token):
        shown.append(client.get(path, headers=headers).text)
        shown += [client.get(f"{path}/events", headers={**headers, "Accept": form}).text for form in FORMS]
    client.post(f"{path}/moves", json={"type": "resign"}, headers=token)
    shown += [client.get(path).text, client.get(f"{path}/events").text]
    player_id = game["seats"][1]["player_id"]
    assert all(player_id in text for text in shown)
    assert all(
        ("deep goose" in text) == ('"sealed"' not in text) for text in shown
    )  # events hold the id alone
    assert not any("hidden" in text or SECRET in text or "bots.example.com" in text for text in shown)


def test_refusals_name_the_field(client: FlaskClient) -> None:
    """URLs that may not be called, secrets that are none of Standard Webhooks, and what is not known."""
    urls: list[Any] = ["", "bots.example.com", "https://bots..example.com/", 7, None]
    urls += [f"https://{host}/" for host in ("127.0.0.1", "2130706433", "10.0.0.1", "[::1]", "localhost")]
    urls += ["ftp://bots.example.com/", "https://user:word@bots.example.com/", "http://127.0.0.1/"]
    urls += ["https://169.254.169.254/latest/meta-data/", "https://[::ffff:127.0.0.1]/"]
    urls += ["http://93.184.216.34/", "https://bots.example.com/" + "x" * 2048]
    urls += [f"https://{'x' * 64}.example.com/", f"https://{'x.' * 127}com/"]
    secrets = ("", "geese", "whsec_c2hvcnQ=", SECRET[6:], 7)
    for field, wrong in (
        *(("url", url) for url in urls),
        *(("secret", secret) for secret in secrets),
        *((field, "x") for field in ("bot", "token", "client_seed")),
    ):
        answer = client.post("/v1/games", json={"seats": [HUMAN, REMOTE | {field: wrong}]})
        assert errors_of(answer) == [f"seats.1.{field}"], wrong
        assert "geese" not in answer.text


def test_the_question_can_be_passed_on(client: FlaskClient, application: Application) -> None:
    """A bot of ours takes the whole question, and its answer is one that would be played."""
    game = new_game(client, seats=[REMOTE, HUMAN])
    question = application.remote.question(game["id"], game["version"], 5.0)
    assert question is not None
    answer = client.post("/v1/bots/greedy/choose", json=question.position)
    assert answer.status_code == 200
    assert application.remote.play(game["id"], game["version"], json_of(answer)["move"]) is not None
