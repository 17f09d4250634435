"""Guesses: what is wrong, foreign, used or revoked takes the same requests to the store as what nobody ever issued.

Each kind of secret is guessed in each of the ways in which a guess may be near. Status, body and headers are the same,
and so is what is sent to the store: how often, and how many commands each time.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from events.runtime.settings import Settings
from tests.service.conftest import stopped
from tests.service.table import OURS, THEIRS, WITH_OPEN, Json, bearer, json_of, new_game, parts_of

NOWHERE = "x" * 22  # there is no such game
OWN = frozenset(("Date", "RateLimit"))
NO_FORM = "no such secret"  # what is none by its form alone: the store is not asked
Ways = dict[str, Callable[[], TestResponse]]


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """So many guesses are allowed here."""
    return replace(settings, limits="off")


def game_of(client: FlaskClient, headers: dict[str, str]) -> Json:
    """A private game of that app, with an open seat."""
    return new_game(client, headers, seats=WITH_OPEN, joining="invite")


def invite_of(client: FlaskClient, game_id: str, headers: dict[str, str]) -> Json:
    """A new invite, with a join code."""
    wanted, path = {"short": True}, f"/v1/games/{game_id}/seats/1/invites"
    return json_of(client.post(path, json=wanted, headers=headers))


def seated(client: FlaskClient, game_id: str, code: str) -> str:
    """Bo, who has used the invite: his token."""
    answer = client.post(f"/v1/games/{game_id}/seats/1", json={"player": "bo", "invite": code})
    assert answer.status_code == 201, answer.text
    return str(json_of(answer)["token"])


def other(text: str) -> str:
    """The same but for its last letter."""
    return text[:-1] + ("A" if text[-1] != "A" else "B")


def tickets(client: FlaskClient) -> Ways:
    """Of no game, of another tenant's, forged in each part, and void for the seat's new token."""
    game, theirs = game_of(client, OURS), game_of(client, THEIRS)
    at, token = f"/v1/games/{game['id']}", game["seats"][0]["token"]

    def opened(game_id: str, text: str) -> TestResponse:
        stream = {"Accept": "text/event-stream", "X-Request-Id": "one"}
        return client.get(f"/v1/games/{game_id}/events?ticket={text}", headers=stream)

    void = str(json_of(client.post(f"{at}/tickets", headers=bearer(token)))["ticket"])
    client.post(f"{at}/seats/0/token", headers=OURS)
    _, _, _, issued, seconds, seal = void.split("_", 5)
    by_app = void.replace("mt_0_seat", "mt_app_spectator")
    later = void.replace(issued, str(int(issued) + 1))
    forged = [
        other(void),
        by_app,
        later,
        void.replace(f"_{seconds}_", "_99999_"),
        void.replace(seal, "A" * 43),
    ]
    forged += [void.replace("mt_0_", f"mt_{seat}_") for seat in (1, 99)]
    return {
        "nowhere": lambda: opened(NOWHERE, void),
        "foreign": lambda: opened(theirs["id"], void),
        "void": lambda: opened(game["id"], void),
        "forged as the app of nothing": lambda: opened(NOWHERE, by_app),
        **{f"forged: {text}": partial(opened, game["id"], text) for text in forged},
        **{
            f"{NO_FORM}: {text}": partial(opened, game["id"], text) for text in (void[:-1], void + "A", token)
        },
    }


def seat_tokens(client: FlaskClient) -> Ways:
    """Of a game that does not exist, of one in a letter, and one that was reissued."""
    game = game_of(client, OURS)
    void = game["seats"][0]["token"]
    client.post(f"/v1/games/{game['id']}/seats/0/token", headers=OURS)

    def asked(token: str) -> TestResponse:
        return client.get("/v1/games", headers=bearer(token) | {"X-Request-Id": "one"})

    return {
        "nowhere": lambda: asked(void.replace(game["id"], NOWHERE)),
        "near": lambda: asked(other(void)),
        "void": lambda: asked(void),
        "another seat": lambda: asked(void.replace("_0_", "_1_")),
    }


def app_keys(client: FlaskClient) -> Ways:
    """Of no app, of one in a letter, of no form, and one that was revoked."""
    apps = parts_of(client).use_cases.apps
    kept, revoked = (apps.create(name, ["games:read"]).text for name in ("shop", "gone"))
    apps.revoke("gone")

    def asked(key: str) -> TestResponse:
        return client.get("/v1/games", headers=bearer(key) | {"X-Request-Id": "one"})

    assert asked(kept).status_code == 200
    prefix, key_id, _ = kept.split("_", 2)
    return {
        "nowhere": lambda: asked(f"{prefix}_{'0' * len(key_id)}_{kept.split('_', 2)[2]}"),
        "near": lambda: asked(other(kept)),
        "void": lambda: asked(revoked),
        **{
            f"{NO_FORM}: {text}": partial(asked, text)
            for text in (kept[:-44], "mk_", "mgapp_" + "A" * 43, kept[:-1])
        },
    }


def invites(client: FlaskClient) -> Ways:
    """To a game that does not exist, foreign, forged in a letter, revoked, and used."""
    game, theirs, played = game_of(client, OURS), game_of(client, THEIRS), game_of(client, OURS)
    good, gone = (invite_of(client, game["id"], OURS) for _ in range(2))
    client.delete(f"/v1/games/{game['id']}/invites/{gone['id']}", headers=OURS)
    used = invite_of(client, played["id"], OURS)["invite"]
    seated(client, played["id"], used)
    return {
        name: lambda game_id=game_id, code=code: client.post(  # type: ignore[misc]
            f"/v1/games/{game_id}/seats/1",
            json={"player": "eve", "invite": code},
            headers={"X-Request-Id": "one", "Idempotency-Key": "a-key-that-nobody-will-guess"},
        )
        for name, game_id, code in (
            ("nowhere", NOWHERE, good["invite"]),
            ("foreign", theirs["id"], good["invite"]),
            ("near", game["id"], other(good["invite"])),
            ("revoked", game["id"], gone["invite"]),
            ("used", played["id"], used),
        )
    }


def join_codes(client: FlaskClient) -> Ways:
    """Tokens that nobody was given, revoked and used ones, and one whose game is over."""
    game, played, over = game_of(client, OURS), game_of(client, OURS), game_of(client, OURS)
    revoked, used, late = (invite_of(client, one["id"], OURS) for one in (game, played, over))
    client.delete(f"/v1/games/{game['id']}/invites/{revoked['id']}", headers=OURS)
    seated(client, played["id"], used["invite"])
    client.post(f"/v1/games/{over['id']}/abort", headers=OURS)

    def typed(code: str) -> TestResponse:
        return client.post("/v1/invites/lookup", json={"code": code}, headers={"X-Request-Id": "one"})

    return {
        "nowhere": lambda: typed("00000000"),
        "revoked": lambda: typed(revoked["join_code"]),
        "used": lambda: typed(used["join_code"]),
        "of a game that is over": lambda: typed(late["join_code"]),
    }


@pytest.mark.plain
@pytest.mark.parametrize("kind", [tickets, seat_tokens, app_keys, invites, join_codes])
def test_a_guess_finds_nothing(
    guarded: FlaskClient, kind: Callable[[FlaskClient], Ways], sent: list[int]
) -> None:
    """By status, body, headers, or what is asked of the store, once whatever is remembered is in memory."""
    ways = kind(stopped(guarded))
    for ask in ways.values():
        ask()
    told, steps = {}, {}
    for name, ask in ways.items():
        sent.clear()
        answer = ask()
        headers = [(key, value) for key, value in answer.headers if key not in OWN]
        told[name] = answer.status_code, answer.text.replace(NOWHERE, "ID"), headers
        steps[name] = list(sent)
    assert told == dict.fromkeys(ways, told["nowhere"])
    assert told["nowhere"][0] in (401, 404)
    assert steps == {name: [] if name.startswith(NO_FORM) else steps["nowhere"] for name in ways}
