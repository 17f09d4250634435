"""The log of a real engine: every line in the same form, and nothing secret in any of them."""

import hashlib
import json
import re
import uuid
from typing import Any

import pytest
import requests

from tests.processes.conftest import NewEngine
from tests.processes.test_serving import apps
from tests.support.engine import ALL, Engine
from tests.support.players import Player, is_settled
from tests.support.waiting import LIMIT, until

Json = dict[str, Any]
ON_EVERY_LINE = {"time", "level", "logger", "process", "message"}
NAME = "Ada-Countess-of-Lovelace"
CLIENT_SEED = "a-seed-that-only-ada-has-chosen"
APP_KEY = "mgapp_the-key-of-the-app-in-this-test"
REQUEST_ID = "the-move-that-was-refused:1"


def lines(engine: Engine) -> list[Json]:
    """All lines of the log, each of which is a JSON object."""
    return [json.loads(line) for line in engine.log.read_text().splitlines()]


def strings(document: Any) -> set[str]:
    """All texts in a document, at any depth."""
    if isinstance(document, dict):
        document = list(document.values())
    if isinstance(document, list):
        return set().union(*map(strings, document))
    return {document} if isinstance(document, str) else set()


def hands(document: Any) -> list[Any]:
    """All that stands under the name "hand" in a document, at any depth."""
    if isinstance(document, list):
        return [hand for member in document for hand in hands(member)]
    if not isinstance(document, dict):
        return []
    inner = [hand for member in document.values() for hand in hands(member)]
    return [document["hand"], *inner] if "hand" in document else inner


def ask(
    engine: Engine, method: str, path: str, headers: dict[str, str] | None = None, **more: Any
) -> requests.Response:
    """The answer, whatever it is."""
    return requests.request(method, engine.url + path, headers=headers, timeout=LIMIT, **more)


def refused(engine: Engine, game_id: str, token: str) -> Json:
    """Requests that go wrong in every way, each with something secret in it; the problem of an illegal move."""
    headers, game = {"Authorization": f"Bearer {token}"}, f"/v1/games/{game_id}"
    moves = f"{game}/moves"
    ask(engine, "POST", moves, headers, data=f'{{"token": "{token}"')
    ask(engine, "POST", moves, headers, json={"type": token})
    ask(engine, "GET", f"/v1/games?token={token}", {"X-Request-Id": token})
    ask(engine, "GET", f"/v1/{token}")
    ask(engine, "GET", game, {"Authorization": f"Bearer {token}x"})
    ask(engine, "BREW", f"/{token}", headers)
    answer = ask(engine, "POST", moves, headers | {"X-Request-Id": REQUEST_ID}, json={"type": "draw"})
    assert answer.headers["X-Request-Id"] == REQUEST_ID
    problem: Json = answer.json()
    return problem


def everything_secret(engine: Engine) -> list[str]:
    """Secrets of every other kind, as they were given out; each was used, and also sent to a wrong place."""
    key = apps(engine.data_dir, "create", "shop")["key"]
    bearer = {"Authorization": f"Bearer {key}"}

    def post(path: str, body: Json, headers: dict[str, str] = bearer) -> Json:
        document: Json = ask(engine, "POST", path, headers, json=body).json()
        return document

    seats = [{"kind": "human", "player": NAME}, {"kind": "open"}]
    game = post("/v1/games", {"seats": seats, "joining": "invite"})
    path = f"/v1/games/{game['id']}"
    invite = post(f"{path}/seats/1/invites", {"short": True})
    ticket = post(f"{path}/tickets", {})["ticket"]
    match = post("/v1/quick-match", {"player": NAME})["ticket"]
    hook = post("/v1/webhooks", {"url": "http://127.0.0.1:9/secret-address"})
    secret, newer = hook["secret"], post(f"/v1/webhooks/{hook['id']}/secret", {})["secret"]
    post(f"/v1/webhooks/{hook['id']}/ping", {})
    post("/v1/invites/lookup", {"code": invite["join_code"]}, {})
    found = [key, invite["invite"], invite["join_code"], ticket, match, secret, newer]
    for one in found:
        ask(engine, "GET", f"/v1/quick-match/{one}?ticket={one}", bearer)
        ask(engine, "GET", f"{path}/events?ticket={one}")
        ask(engine, "GET", f"/v1/webhooks/{one}", {"Authorization": f"Bearer {one}"})
        post(f"{path}/seats/1", {"player": NAME, "invite": f"{one}x"}, {"Idempotency-Key": one})
        post("/v1/invites/lookup", {"code": f"{one}x"}, {"X-Request-Id": f"of_{one}"})
    dead = f"/v1/webhooks/{hook['id']}/deliveries"
    until(lambda: ask(engine, "GET", dead, bearer).json()["deliveries"], otherwise=engine.tail)
    return found


@pytest.mark.nightly("a secret in a line of a whole engine's log")
@pytest.mark.parametrize("form", ["json", "text"])
def test_a_whole_game_leaves_nothing_secret_in_the_log(new_engine: NewEngine, form: str) -> None:
    """At the level debug, with errors, a killed worker and the servers' own lines."""
    key = f"app={hashlib.sha256(APP_KEY.encode()).hexdigest()}"
    settings = {"FORMAT": form, "LEVEL": "debug"}
    environ = {f"MIGRATO_LOG_{name}": value for name, value in settings.items()}
    environ |= {"MIGRATO_ACCESS_LOG": "1", "MIGRATO_APP_KEYS": key, "MIGRATO_REMOTE_ALLOW": "127.0.0.1"}
    engine = new_engine(**ALL, **environ).start()
    seats = [
        {"kind": "human", "player": NAME, "client_seed": CLIENT_SEED},
        {"kind": "remote", "url": "https://127.0.0.2:9/secret-address", "secret": "whsec_" + "c2VjcmV0" * 6},
    ]
    app = Player(engine.url, APP_KEY)
    bearer = {"Authorization": f"Bearer {APP_KEY}"}
    assert ask(engine, "POST", "/v1/games", bearer, json={"seats": seats}).status_code == 422
    seats[1] = {"kind": "bot", "bot": "greedy"}
    created = app.ask("POST", "/v1/games", {"seats": seats, "options": {"turn_limit": 40}}, str(uuid.uuid4()))
    game_id, token = created["id"], created["seats"][0]["token"]
    problem = refused(engine, game_id, token)
    others = everything_secret(engine)
    assert [one[:3] for one in others if "_" in one] == ["mk_", "mi_", "mt_", "mq_", "whs", "whs"]
    player = Player(engine.url, token)
    cards = set[str]()
    engine.kill("bot worker")
    engine.kill("web worker")
    while not is_settled(view := player.view(game_id)):
        cards |= strings(hands(view))
        moves = player.ask("GET", f"/v1/games/{game_id}/legal-moves")
        if view["to_act"] == 0 and moves["moves"]:
            player.ask("POST", f"/v1/games/{game_id}/moves", moves["moves"][0], str(uuid.uuid4()))
        else:
            player.ask("GET", f"/v1/games/{game_id}?wait=1")
    player.ask("GET", f"/v1/games/{game_id}/audit")
    export = ask(engine, "GET", f"/v1/games/{game_id}/export", {"Authorization": f"Bearer {token}"})
    engine.stop()

    text = engine.log.read_text()
    shown = strings([json.loads(line) for line in export.text.splitlines()])
    seeds = {value for value in shown if len(value) == 64}
    assert seeds
    assert len(cards) > 5
    own = [token, token.removeprefix("mg_"), APP_KEY, NAME, CLIENT_SEED, "secret-address", "whsec_"]
    for secret in (*own, *others, *(one.split("_", 1)[-1] for one in others), *seeds):
        assert secret not in text, [line for line in text.splitlines() if secret in line][:3]
    for card in cards:
        assert re.search(rf"\b{card}\b", text) is None
    assert problem["request_id"] == REQUEST_ID
    assert REQUEST_ID in text
    if form == "json":
        check_form(lines(engine), game_id)


def check_form(told: list[Json], game_id: str) -> None:
    """Every process has logged something, and every line has the same form."""
    assert [line for line in told if not line.keys() >= ON_EVERY_LINE] == []
    assert {line["level"] for line in told} <= {"debug", "info", "warning", "error", "critical"}
    processes = ("migrato", "web", "dispatcher", "bots", "thinker", "remote", "webhooks", "archiver")
    assert {line["process"] for line in told} >= {*processes}
    asked = [line for line in told if line.get("request_id") == REQUEST_ID]
    (move,) = [line for line in asked if line["logger"] == "migrato.access"]
    assert (move["method"], move["route"], move["game_id"]) == ("POST", "/v1/games/{game_id}/moves", game_id)
    assert (move["status"], move["process"]) == (422, "web")
    assert move["duration_ms"] > 0


def test_the_access_log_is_off_unless_it_is_asked_for(engine: Engine) -> None:
    """The access log is off by default, because a line for each request takes time and disk."""
    ask(engine, "GET", "/v1/bots", {"X-Request-Id": REQUEST_ID})
    until(lambda: "dispatching" in engine.log.read_text())
    log = engine.log.read_text()
    assert "migrato.access" not in log
    assert "/v1/bots" not in log
    assert REQUEST_ID not in log
