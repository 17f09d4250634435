"""`Idempotency-Key` beyond moves: creating games, forking them, taking seats; and tokens issued anew."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
import requests
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from events.application import Application
from events.runtime.settings import Settings
from tests.service.table import (
    FIRST_MOVE,
    OURS,
    PEOPLE,
    SECOND_MOVE,
    THEIRS,
    WITH_OPEN,
    Json,
    Table,
    bearer,
    code_of,
    errors_of,
    json_of,
    new_game,
    set_table,
)
from tests.support.waiting import LIMIT

KEY = {"Idempotency-Key": "3f0c8f5e-7d3b-4a53-9a36-4b8d1f1d6a10"}
SHORT = {"Idempotency-Key": "1"}
MISMATCH = (422, "idempotency-mismatch")


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """Settings that allow other people's bots on this machine."""
    return replace(settings, remote_allow=("127.0.0.1",))


def same(one: TestResponse, other: TestResponse) -> bool:
    """True if two answers are the same, headers and all; limits, and which is met first, are another thing."""
    first, second = (
        (answer.status_code, answer.data, {**answer.headers, "RateLimit": "", "RateLimit-Policy": ""})
        for answer in (one, other)
    )
    return first == second


class Asking:
    """Asks the same again and again."""

    def __init__(self, client: FlaskClient, path: str, headers: dict[str, str]) -> None:
        self.client, self.path, self.headers = client, path, headers

    def __call__(self, body: Json | None = None) -> TestResponse:
        return self.client.post(self.path, json=body, headers=self.headers)

    def first(self, body: Json | None = None) -> TestResponse:
        """The answer that every repeat is compared with."""
        answer = self(body)
        assert answer.status_code == 201, answer.text
        return answer


class TestCreating:
    """POST /v1/games."""

    def test_a_repeat_is_the_first_answer(self, guarded: FlaskClient) -> None:
        """To the byte, tokens and secrets of remote bots included, though the game has gone on; there is one game."""
        create = Asking(guarded, "/v1/games", OURS | SHORT)
        first = create.first({"seats": PEOPLE, "setup": None})
        game = json_of(first)
        token = bearer(game["seats"][0]["token"])
        moved = guarded.post(game["links"]["moves"], json={"type": "exchange"}, headers=token)
        assert moved.status_code == 201
        assert same(create({"seats": PEOPLE}), first)
        assert code_of(create({"seats": PEOPLE, "visibility": "public"})) == MISMATCH
        assert len(json_of(guarded.get("/v1/games", headers=OURS))["games"]) == 1
        assert code_of(guarded.post("/v1/games", headers=OURS | SHORT)) == MISMATCH
        assert guarded.post("/v1/games", headers=THEIRS | SHORT).status_code == 201
        remote = {"kind": "remote", "url": "http://127.0.0.1:9/"}
        body = {"seats": [remote, remote | {"secret": "whsec_" + "A" * 32}]}
        create = Asking(guarded, "/v1/games", OURS | {"Idempotency-Key": "2"})
        first = create.first(body)
        assert ["secret" in seat for seat in json_of(first)["seats"]] == [True, False]
        assert same(create(body), first)
        assert new_game(guarded, OURS)["id"] != new_game(guarded, OURS)["id"]  # without a key

    def test_an_engine_on_which_everybody_is_the_app(self, client: FlaskClient) -> None:
        """Somebody who guesses a key would get somebody else's tokens: it must be long, and the refusal says why."""
        refused = client.post("/v1/games", headers=SHORT)
        assert errors_of(refused) == ["Idempotency-Key"]
        assert "22 characters" in json_of(refused)["errors"]["Idempotency-Key"][0]
        for useless in ("", "x" * 256):
            refused = client.post("/v1/games", headers={"Idempotency-Key": useless})
            assert errors_of(refused) == ["Idempotency-Key"]
        beyond = {"options": {"deck_list": {"G5d": 2**63}}}  # all measure, with a key as without one
        for headers in ({}, KEY):
            assert client.post("/v1/games", json=beyond, headers=headers).status_code == 422
        assert json_of(client.get("/v1/games"))["games"] == []
        create = Asking(client, "/v1/games", KEY)
        first = create.first()
        assert same(create(), first)
        other = client.post("/v1/games", headers={"Idempotency-Key": "x" * 22})
        assert json_of(other)["id"] not in first.text

    def test_null_is_left_out_here_too(self, client: FlaskClient) -> None:
        """The key stands for what the request means, so both forms are one request, deep in a body as well."""
        bot = {"kind": "bot", "bot": "greedy"}
        plain: Json = {"seats": [{"kind": "human"}, bot], "options": {"rules": "opla"}}
        nulls = {
            "visibility": None,
            "seats": [{"kind": "human", "player": None, "client_seed": None}, bot],
            "options": {"rules": "opla", "memory_aid": None},
        }
        create = Asking(client, "/v1/games", KEY)
        assert same(create(plain), create.first(nulls))
        assert code_of(create(plain | {"options": {"rules": "opla", "memory_aid": True}})) == MISMATCH


class TestForking:
    """POST /v1/games/{id}/fork."""

    def test_a_repeat_is_the_first_answer(self, table: Table) -> None:
        """The seat's own token stands behind the key; what has become of the game since does not matter."""
        path, body = f"{table.path}/fork", {"version": 2, "resample": True}
        fork = Asking(table.client, path, table.bearer(0) | SHORT)
        first = fork.first(body)
        table.move(1, {"type": "resign"})
        assert same(fork(body), first)
        assert same(fork(body | {"visibility": None, "seats": None}), first)
        assert code_of(fork(body | {"resample": False})) == MISMATCH
        by_bob = table.client.post(path, json={"version": 2}, headers=table.bearer(1) | SHORT)
        assert json_of(by_bob)["id"] != json_of(first)["id"]
        assert errors_of(table.client.post(path, json=body, headers=SHORT)) == ["Idempotency-Key"]
        assert code_of(table.client.post(path, json=body, headers=KEY)) == (404, "not-found")

    def test_without_a_token(self, client: FlaskClient, application: Application) -> None:
        """As for any game: a long key, and tokens until a seat has moved."""
        table = set_table(client, application, visibility="public")
        table.move(0, {"type": "resign"})
        body = {"version": 2}
        short = client.post(f"{table.path}/fork", json=body, headers=SHORT)
        assert errors_of(short) == ["Idempotency-Key"]
        fork = Asking(client, f"{table.path}/fork", KEY)
        first = fork.first(body)
        assert same(fork(body), first)
        forked = json_of(first)
        own = bearer(forked["seats"][0]["token"])
        assert client.post(forked["links"]["moves"], json={"type": "resign"}, headers=own).status_code == 201
        assert "token" not in json_of(fork.first(body))["seats"][0]


class TestTakingASeat:
    """POST /v1/games/{id}/seats/{seat}."""

    def test_a_repeat_is_the_first_answer(self, client: FlaskClient, application: Application) -> None:
        """In a private game too, of which a stranger sees nothing."""
        waiting, body = set_table(client, application, seats=WITH_OPEN), {"player": "bo"}
        take = Asking(client, f"{waiting.path}/seats/1", KEY)
        first = take.first(body)
        for again in (body, body | {"client_seed": None}):
            assert same(take(again), first)
        assert code_of(client.post(take.path, json=body)) == (404, "not-found")
        assert code_of(take(body | {"client_seed": "other"})) == MISMATCH
        token = bearer(json_of(first)["token"])
        assert json_of(client.get(waiting.path, headers=token))["viewer"] == 1

    def test_until_the_seat_has_moved(self, client: FlaskClient, application: Application) -> None:
        """Once the seat has moved, the answer is known to have arrived, and its key is good for nothing any more."""
        waiting = set_table(client, application, seats=WITH_OPEN, visibility="public")
        take, body = Asking(client, f"{waiting.path}/seats/1", KEY), {"player": "bo"}
        before = waiting.log()
        refused = client.post(take.path, json=body, headers={"Idempotency-Key": "x" * 21})
        assert errors_of(refused) == ["Idempotency-Key"]
        assert waiting.log() == before
        first = take.first(body)
        token = json_of(first)["token"]
        near = {"Idempotency-Key": KEY["Idempotency-Key"][:-1] + "1"}
        for key, status in ((SHORT, 422), (near, 409)):
            answer = client.post(take.path, json=body, headers=key)
            assert answer.status_code == status
            assert token not in answer.text
        table = Table(client, application, waiting.id, (waiting.tokens[0], token))
        assert table.move(0, FIRST_MOVE).status_code == 201
        assert same(take(body), first)
        assert table.move(1, SECOND_MOVE).status_code == 201
        late = take(body)
        assert code_of(late) == (409, "seat-taken")
        assert "moved" in json_of(late)["detail"]


class TestReissuing:
    """POST /v1/games/{id}/seats/{seat}/token."""

    def test_a_new_token(self, guarded: FlaskClient) -> None:
        """The new token plays the seat; the former one is void in every process."""
        game = new_game(guarded, OURS, seats=PEOPLE, visibility="public")
        path, former = game["links"]["self"], bearer(game["seats"][0]["token"])
        assert guarded.get(path, headers=former).status_code == 200
        answer = guarded.post(f"{path}/seats/0/token", headers=OURS)
        assert (answer.status_code, answer.headers["Cache-Control"]) == (201, "no-store")
        seat = json_of(answer)
        assert (seat["seat"], seat["player"], seat["version"]) == (0, "ada", game["version"] + 1)
        assert answer.headers["ETag"] == f'"{seat["version"]}"'
        for what in ("", "/events", "/legal-moves", "/export", "/hint"):
            assert code_of(guarded.get(f"{path}{what}", headers=former)) == (401, "unauthorized"), what
        move = {"type": "exchange"}
        for what in ("/moves", "/moves?dry_run=true"):
            refused = guarded.post(f"{path}{what}", json=move, headers=former)
            assert code_of(refused) == (401, "unauthorized"), what
        for headers in ({}, bearer(game["seats"][1]["token"]), OURS):
            page = guarded.get(f"{path}/events?after={game['version']}", headers=headers)
            (event,) = json_of(page)["events"]
            assert (event["type"], event["seat"], event["data"]) == ("seat_token_reissued", 0, {})
            assert (event["redacted"], event["sealed"], event["salts"]) == ([], {}, {})
        moved = guarded.post(f"{path}/moves", json=move, headers=bearer(seat["token"]))
        assert moved.status_code == 201

    def test_refusals(self, guarded: FlaskClient) -> None:
        """The game's app has them and nobody else, seats included; a game that is over needs none."""
        for visibility, theirs in (("public", (403, "forbidden")), ("private", (404, "not-found"))):
            game = new_game(guarded, OURS, seats=PEOPLE, visibility=visibility)
            path = f"{game['links']['self']}/seats/0/token"
            assert code_of(guarded.post(path)) == (401, "unauthorized")
            assert code_of(guarded.post(path, headers=THEIRS)) == theirs
            for seat in game["seats"]:
                assert code_of(guarded.post(path, headers=bearer(seat["token"]))) == (403, "forbidden")
            view = guarded.get(game["links"]["self"], headers=OURS)
            assert json_of(view)["version"] == game["version"]
        own = bearer(game["seats"][0]["token"])
        guarded.post(game["links"]["moves"], json={"type": "resign"}, headers=own)
        assert code_of(guarded.post(path, headers=OURS)) == (409, "game-over")
        game = new_game(guarded, OURS, seats=[{"kind": "bot", "bot": "greedy"}, {"kind": "open"}])
        for number in (0, 1, 2):
            answer = guarded.post(f"{game['links']['self']}/seats/{number}/token", headers=OURS)
            assert code_of(answer) == (404, "not-found")

    def test_connections_by_the_former_token_end(self, web: str) -> None:
        """A stream shows the seat's hand no longer, and cannot be resumed; a long poll is answered 401."""
        game = requests.post(f"{web}/v1/games", json={"seats": PEOPLE}, timeout=LIMIT).json()
        own, url = bearer(game["seats"][0]["token"]), f"{web}{game['links']['self']}"
        stream = {"Accept": "text/event-stream"} | own
        known = own | {"If-None-Match": f'"{game["version"]}"'}
        opened: Any = requests.get(f"{url}/events", headers=stream, stream=True, timeout=LIMIT)
        with ThreadPoolExecutor(1) as pool, opened as answer:
            lines = answer.iter_lines(decode_unicode=True)
            while next(lines) != f"id: {game['version']}":
                pass
            polling = pool.submit(requests.get, f"{url}?wait=20", headers=known, timeout=LIMIT)
            assert requests.post(f"{url}/seats/0/token", timeout=LIMIT).status_code == 201
            rest = list(lines)  # it ends: else this would wait until the time is up
            assert polling.result().status_code == 401
        assert "event: end" not in rest
        assert "event: seat_token_reissued" not in rest
        assert requests.get(f"{url}/events", headers=stream, timeout=LIMIT).status_code == 401
