"""`Idempotency-Key` beyond moves: creating games, forking them, taking seats; and tokens issued anew."""

import threading
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from typing import Any

import pytest
import requests
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from events.runtime import bootstrap
from events.runtime.settings import Settings
from events.use_cases.application import Application
from events.use_cases.seats import REISSUES
from tests.service.conftest import NewService
from tests.service.recording import AllThere
from tests.service.table import FIRST_MOVE, SECOND_MOVE, Json, Table, code_of, json_of, new_game, set_table

KEY = {"Idempotency-Key": "3f0c8f5e-7d3b-4a53-9a36-4b8d1f1d6a10"}
SHORT = {"Idempotency-Key": "1"}
OURS, THEIRS = {"Authorization": "Bearer key-of-ours"}, {"Authorization": "Bearer key-of-theirs"}
OPEN: list[Json] = [{"kind": "human", "player": "ada"}, {"kind": "open"}]


@pytest.fixture
def guarded(settings: Settings, new_service: NewService) -> FlaskClient:
    """A service with app keys."""
    hashes = {app: sha256(f"key-of-{app}".encode()).hexdigest() for app in ("ours", "theirs")}
    url, allowed = settings.redis_url, ("127.0.0.1",)
    known = Settings(redis_url=url, queue_url=settings.queue_url, app_keys=hashes, remote_allow=allowed)
    service = new_service(known, bootstrap.application(known), AllThere())
    return service.test_client()


def same(one: TestResponse, other: TestResponse) -> bool:
    """Whether two answers are one, headers and all; what is left of a limit is another thing."""
    first, second = (
        (answer.status_code, answer.data, {**answer.headers, "RateLimit": ""}) for answer in (one, other)
    )
    return first == second


class TestCreating:
    """POST /v1/games."""

    def test_a_repeat_is_the_first_answer(self, guarded: FlaskClient) -> None:
        """To the byte, tokens included, though the game has gone on; and there is one game."""
        body = {"seats": [*OPEN[:1], {"kind": "human", "player": "bo"}], "setup": None}
        first = guarded.post("/v1/games", json=body, headers=OURS | SHORT)
        game = json_of(first)
        token = {"Authorization": f"Bearer {game['seats'][0]['token']}"}
        moved = guarded.post(f"{game['links']['moves']}", json={"type": "exchange"}, headers=token)
        assert moved.status_code == 201
        assert same(guarded.post("/v1/games", json=body, headers=OURS | SHORT), first)
        assert len(json_of(guarded.get("/v1/games", headers=OURS))["games"]) == 1

    def test_secrets_of_remote_bots(self, guarded: FlaskClient) -> None:
        """They are in the answer again where the engine made them."""
        own = "whsec_" + "A" * 32
        remote = {"kind": "remote", "url": "http://127.0.0.1:9/"}
        body = {"seats": [remote, remote | {"secret": own}]}
        first = guarded.post("/v1/games", json=body, headers=OURS | SHORT)
        assert ["secret" in seat for seat in json_of(first)["seats"]] == [True, False]
        assert same(guarded.post("/v1/games", json=body, headers=OURS | SHORT), first)

    def test_another_body(self, guarded: FlaskClient) -> None:
        """Is refused, and changes nothing."""
        guarded.post("/v1/games", headers=OURS | SHORT)
        answer = guarded.post("/v1/games", json={"visibility": "public"}, headers=OURS | SHORT)
        assert code_of(answer) == (422, "idempotency-mismatch")
        assert len(json_of(guarded.get("/v1/games", headers=OURS))["games"]) == 1

    def test_a_key_is_the_apps_own(self, guarded: FlaskClient) -> None:
        """Another app's key of that name is another one."""
        ours = json_of(guarded.post("/v1/games", headers=OURS | SHORT))
        theirs = json_of(guarded.post("/v1/games", headers=THEIRS | SHORT))
        assert ours["id"] != theirs["id"]

    def test_where_everybody_is_the_app(self, client: FlaskClient) -> None:
        """Whoever guesses a key would get somebody else's tokens: it must be long, and the refusal says why."""
        refused = client.post("/v1/games", headers=SHORT)
        assert code_of(refused) == (422, "validation-error")
        assert "22 characters" in json_of(refused)["errors"]["Idempotency-Key"][0]
        assert json_of(client.get("/v1/games"))["games"] == []
        first = client.post("/v1/games", headers=KEY)
        assert same(client.post("/v1/games", headers=KEY), first)
        assert (
            json_of(client.post("/v1/games", headers={"Idempotency-Key": "x" * 22}))["id"] not in first.text
        )

    def test_until_a_seat_has_moved(self, client: FlaskClient) -> None:
        """Without a token a repeat is told the tokens of seats that have not, and all else as before."""
        body = {"seats": [{"kind": "human"}, {"kind": "human"}]}
        first = client.post("/v1/games", json=body, headers=KEY)
        game = json_of(first)
        tokens = [seat["token"] for seat in game["seats"]]
        for told, left in (({0, 1}, {1}), ({1}, set())):
            again = json_of(client.post("/v1/games", json=body, headers=KEY))
            assert {seat["seat"] for seat in again["seats"] if "token" in seat} == told
            assert [seat | {"token": None} for seat in again["seats"]] == [
                seat | {"token": None} for seat in game["seats"]
            ]
            mover = {"Authorization": f"Bearer {tokens[min(told)]}"}
            moved = client.post(game["links"]["moves"], json={"type": "exchange"}, headers=mover)
            assert moved.status_code == 201
            late = client.post("/v1/games", json=body, headers=KEY)
            assert late.status_code == 201
            assert {seat["seat"] for seat in json_of(late)["seats"] if "token" in seat} == left

    @pytest.mark.parametrize(
        "nulls",
        [
            {"visibility": None},
            {"options": None, "setup": None, "game": None},
            {"seats": None},
        ],
    )
    def test_null_is_left_out_here_too(self, client: FlaskClient, nulls: Json) -> None:
        """The key stands for what the request means, so both forms are one request."""
        first = client.post("/v1/games", json={}, headers=KEY)
        for body in (nulls, None, {}):
            assert same(client.post("/v1/games", json=body, headers=KEY), first)

    def test_null_deep_in_a_body(self, client: FlaskClient) -> None:
        """Is left out as well, wherever it means nothing of its own."""
        bot = {"kind": "bot", "bot": "greedy"}
        plain: Json = {"seats": [{"kind": "human"}, bot], "options": {"rules": "opla"}}
        nulls = {
            "seats": [{"kind": "human", "player": None, "client_seed": None}, bot],
            "options": {"rules": "opla", "memory_aid": None},
        }
        first = client.post("/v1/games", json=nulls, headers=KEY)
        assert same(client.post("/v1/games", json=plain, headers=KEY), first)
        other = plain | {"options": {"rules": "opla", "memory_aid": True}}
        answer = client.post("/v1/games", json=other, headers=KEY)
        assert code_of(answer) == (422, "idempotency-mismatch")

    @pytest.mark.parametrize("key", ["", "x" * 256])
    def test_a_key_of_no_use(self, guarded: FlaskClient, key: str) -> None:
        """Is refused by the header's name."""
        answer = guarded.post("/v1/games", headers=OURS | {"Idempotency-Key": key})
        assert code_of(answer) == (422, "validation-error")
        assert list(json_of(answer)["errors"]) == ["Idempotency-Key"]

    def test_numbers_beyond_all_measure(self, client: FlaskClient) -> None:
        """Are refused by name, with a key as without one."""
        body = {"options": {"deck_list": {"G5d": 2**63}}}
        for headers in ({}, KEY):
            assert client.post("/v1/games", json=body, headers=headers).status_code == 422

    def test_ten_at_once_on_a_real_service(self, web: str) -> None:
        """Two processes answer them: one game, one answer."""
        start = threading.Barrier(10)

        def create(_: int) -> tuple[int, bytes]:
            start.wait(30)
            answer = requests.post(f"{web}/v1/games", json={}, headers=KEY, timeout=30)
            return answer.status_code, answer.content

        with ThreadPoolExecutor(10) as pool:
            answers = set(pool.map(create, range(10)))
        assert [status for status, _ in answers] == [201]


class TestForking:
    """POST /v1/games/{id}/fork."""

    def test_a_repeat_is_the_first_answer(self, table: Table) -> None:
        """The seat's own token stands behind the key; what has become of the game since does not matter."""
        body, headers = {"version": 2, "resample": True}, table.bearer(0) | SHORT
        first = table.client.post(f"{table.path}/fork", json=body, headers=headers)
        assert first.status_code == 201
        table.move(1, {"type": "resign"})
        assert same(table.client.post(f"{table.path}/fork", json=body, headers=headers), first)
        other = table.client.post(f"{table.path}/fork", json=body | {"resample": False}, headers=headers)
        assert code_of(other) == (422, "idempotency-mismatch")
        by_bob = table.client.post(f"{table.path}/fork", json={"version": 2}, headers=table.bearer(1) | SHORT)
        assert json_of(by_bob)["id"] != json_of(first)["id"]
        assert code_of(table.client.post(f"{table.path}/fork", json=body, headers=SHORT))[0] == 422
        assert code_of(table.client.post(f"{table.path}/fork", json=body, headers=KEY))[0] == 404

    def test_null_is_left_out_here_too(self, table: Table) -> None:
        """The key stands for what the request means."""
        headers = table.bearer(0) | SHORT
        first = table.client.post(
            f"{table.path}/fork", json={"version": 2, "resample": True}, headers=headers
        )
        nulls = {"version": 2, "resample": True, "visibility": None, "seats": None}
        assert same(table.client.post(f"{table.path}/fork", json=nulls, headers=headers), first)

    def test_without_a_token(self, client: FlaskClient, application: Application) -> None:
        """As for any game: a long key, and tokens until a seat has moved."""
        table = set_table(client, application, visibility="public")
        table.move(0, {"type": "resign"})
        body = {"version": 2}
        assert code_of(client.post(f"{table.path}/fork", json=body, headers=SHORT))[0] == 422
        first = client.post(f"{table.path}/fork", json=body, headers=KEY)
        assert first.status_code == 201
        assert same(client.post(f"{table.path}/fork", json=body, headers=KEY), first)
        forked = json_of(first)
        own = {"Authorization": f"Bearer {forked['seats'][0]['token']}"}
        assert client.post(forked["links"]["moves"], json={"type": "resign"}, headers=own).status_code == 201
        late = client.post(f"{table.path}/fork", json=body, headers=KEY)
        assert (late.status_code, "token" in json_of(late)["seats"][0]) == (201, False)


class TestTakingASeat:
    """POST /v1/games/{id}/seats/{seat}."""

    @pytest.fixture
    def waiting(self, client: FlaskClient, application: Application) -> Table:
        """A private game with an open seat."""
        return set_table(client, application, seats=OPEN)

    def test_a_repeat_is_the_first_answer(self, waiting: Table) -> None:
        """In a private game too, of which a stranger sees nothing."""
        path, body = f"{waiting.path}/seats/1", {"player": "bo", "client_seed": "mine"}
        first = waiting.client.post(path, json=body, headers=KEY)
        assert first.status_code == 201
        assert same(waiting.client.post(path, json=body, headers=KEY), first)
        assert code_of(waiting.client.post(path, json=body)) == (404, "not-found")
        mismatch = waiting.client.post(path, json=body | {"client_seed": "other"}, headers=KEY)
        assert code_of(mismatch) == (422, "idempotency-mismatch")
        token = {"Authorization": f"Bearer {json_of(first)['token']}"}
        assert json_of(waiting.client.get(waiting.path, headers=token))["viewer"] == 1

    def test_null_is_left_out_here_too(self, waiting: Table) -> None:
        """The key stands for what the request means."""
        path = f"{waiting.path}/seats/1"
        first = waiting.client.post(path, json={"player": "bo"}, headers=KEY)
        assert first.status_code == 201
        nulls = {"player": "bo", "client_seed": None}
        assert same(waiting.client.post(path, json=nulls, headers=KEY), first)

    def test_a_guessed_key_is_worth_nothing(self, client: FlaskClient, application: Application) -> None:
        """The body can be read off a public game; so a key that could be tried is refused, taken or not."""
        waiting = set_table(client, application, seats=OPEN, visibility="public")
        path, body = f"{waiting.path}/seats/1", {"player": "bo"}
        before = waiting.log()
        refused = client.post(path, json=body, headers={"Idempotency-Key": "x" * 21})
        assert code_of(refused) == (422, "validation-error")
        assert waiting.log() == before
        taken = json_of(client.post(path, json=body, headers=KEY))
        for key in (SHORT, {"Idempotency-Key": KEY["Idempotency-Key"][:-1] + "1"}):
            answer = client.post(path, json=body, headers=key)
            assert answer.status_code in (409, 422)
            assert taken["token"] not in answer.text

    def test_until_the_seat_has_moved(self, client: FlaskClient, application: Application) -> None:
        """Then the answer is known to have arrived, and the key is worth nothing any more."""
        waiting = set_table(client, application, seats=OPEN, visibility="public")
        path, body = f"{waiting.path}/seats/1", {"player": "bo"}
        first = client.post(path, json=body, headers=KEY)
        table = Table(client, application, waiting.id, (waiting.tokens[0], json_of(first)["token"]))
        assert table.move(0, FIRST_MOVE).status_code == 201
        assert same(client.post(path, json=body, headers=KEY), first)
        assert table.move(1, SECOND_MOVE).status_code == 201
        late = client.post(path, json=body, headers=KEY)
        assert code_of(late) == (409, "seat-taken")
        assert "moved" in json_of(late)["detail"]


class TestReissuing:
    """POST /v1/games/{id}/seats/{seat}/token."""

    @staticmethod
    def play(guarded: FlaskClient, **wanted: Any) -> Json:
        seats = [{"kind": "human", "player": name} for name in ("ada", "bo")]
        return json_of(guarded.post("/v1/games", json={"seats": seats} | wanted, headers=OURS))

    @staticmethod
    def bearer(token: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {token}"}

    def test_a_new_token(self, guarded: FlaskClient, application: Application) -> None:
        """Plays the seat; the former one nothing any more, in whichever process it is shown."""
        game = self.play(guarded)
        path, former = game["links"]["self"], self.bearer(game["seats"][0]["token"])
        assert guarded.get(path, headers=former).status_code == 200
        answer = guarded.post(f"{path}/seats/0/token", headers=OURS)
        assert (answer.status_code, answer.headers["Cache-Control"]) == (201, "no-store")
        seat = json_of(answer)
        assert (seat["seat"], seat["player"], seat["version"]) == (0, "ada", game["version"] + 1)
        assert answer.headers["ETag"] == f'"{seat["version"]}"'
        for method, what in (
            ("GET", ""), ("GET", "/events"), ("GET", "/legal-moves"), ("GET", "/export"), ("POST", "/moves"),
            ("POST", "/moves?dry_run=true"), ("GET", "/hint"),
        ):  # fmt: skip
            body = {"type": "exchange"} if method == "POST" else None
            refused = guarded.open(f"{path}{what}", method=method, json=body, headers=former)
            assert code_of(refused) == (401, "unauthorized"), what
        moved = guarded.post(f"{path}/moves", json={"type": "exchange"}, headers=self.bearer(seat["token"]))
        assert moved.status_code == 201

    def test_everybody_is_told(self, guarded: FlaskClient) -> None:
        """The player whose seat somebody else may hold now, and whoever watches."""
        game = self.play(guarded, visibility="public")
        guarded.post(f"{game['links']['self']}/seats/1/token", headers=OURS)
        for headers in ({}, self.bearer(game["seats"][0]["token"]), OURS):
            (event,) = json_of(
                guarded.get(f"{game['links']['events']}?after={game['version']}", headers=headers)
            )["events"]
            assert (event["type"], event["seat"], event["data"]) == ("seat_token_reissued", 1, {})
            assert (event["redacted"], "salt" in event) == ([], True)

    def test_who_may(self, guarded: FlaskClient) -> None:
        """The game's app and nobody else, seats included."""
        for visibility, theirs in (("public", (403, "forbidden")), ("private", (404, "not-found"))):
            game = self.play(guarded, visibility=visibility)
            path = f"{game['links']['self']}/seats/0/token"
            assert code_of(guarded.post(path)) == (401, "unauthorized")
            assert code_of(guarded.post(path, headers=THEIRS)) == theirs
            for seat in (0, 1):
                own = self.bearer(game["seats"][seat]["token"])
                assert code_of(guarded.post(path, headers=own)) == (403, "forbidden")
            assert json_of(guarded.get(game["links"]["self"], headers=own))["version"] == game["version"]

    def test_what_has_no_token(self, guarded: FlaskClient) -> None:
        """A bot's seat, an open one, one that there is not; and a game that is over needs none."""
        seats = [{"kind": "bot", "bot": "greedy"}, {"kind": "open"}]
        game = json_of(guarded.post("/v1/games", json={"seats": seats}, headers=OURS))
        for seat in (0, 1, 2):
            answer = guarded.post(f"{game['links']['self']}/seats/{seat}/token", headers=OURS)
            assert code_of(answer) == (404, "not-found")
        game = self.play(guarded)
        own = self.bearer(game["seats"][0]["token"])
        guarded.post(game["links"]["moves"], json={"type": "resign"}, headers=own)
        answer = guarded.post(f"{game['links']['self']}/seats/0/token", headers=OURS)
        assert code_of(answer) == (409, "game-over")

    def test_a_seat_gets_so_many(self, guarded: FlaskClient) -> None:
        """A refusal says so, changes nothing, and leaves the last one good."""
        game = self.play(guarded)
        path = game["links"]["self"]
        for _ in range(REISSUES):
            issued = guarded.post(f"{path}/seats/0/token", headers=OURS)
            assert issued.status_code == 201
        for _ in range(3):
            refused = guarded.post(f"{path}/seats/0/token", headers=OURS)
            assert code_of(refused) == (409, "no-more-tokens")
            assert str(REISSUES) in json_of(refused)["detail"]
        own = self.bearer(json_of(issued)["token"])
        assert json_of(guarded.get(path, headers=own))["version"] == game["version"] + REISSUES
        assert guarded.post(f"{path}/seats/1/token", headers=OURS).status_code == 201

    def test_streams_of_the_former_token_end(self, web: str) -> None:
        """A stream that was let in by it shows the seat's hand no longer, and cannot be resumed."""
        seats = [{"kind": "human"}, {"kind": "human"}]
        game = requests.post(f"{web}/v1/games", json={"seats": seats}, timeout=30).json()
        stream = {"Accept": "text/event-stream"} | self.bearer(game["seats"][0]["token"])
        url = f"{web}{game['links']['events']}"
        with requests.get(url, headers=stream, stream=True, timeout=30) as answer:
            lines = answer.iter_lines(decode_unicode=True)
            while next(lines) != f"id: {game['version']}":
                pass
            issued = requests.post(f"{web}{game['links']['self']}/seats/0/token", timeout=30)
            assert issued.status_code == 201
            rest = list(lines)  # it ends: else this would wait until the time is up
        assert "event: end" not in rest
        assert "event: seat_token_reissued" not in rest
        assert requests.get(url, headers=stream, timeout=30).status_code == 401

    def test_a_long_poll_of_the_former_token(self, web: str) -> None:
        """Is answered 401 once it is void."""
        seats = [{"kind": "human"}, {"kind": "human"}]
        game = requests.post(f"{web}/v1/games", json={"seats": seats}, timeout=30).json()
        own = self.bearer(game["seats"][0]["token"]) | {"If-None-Match": f'"{game["version"]}"'}
        url = f"{web}{game['links']['self']}"
        with ThreadPoolExecutor(1) as pool:
            polling = pool.submit(requests.get, f"{url}?wait=20", headers=own, timeout=30)
            assert requests.post(f"{url}/seats/0/token", timeout=30).status_code == 201
            assert polling.result().status_code == 401


def test_a_new_game_is_what_it_was(client: FlaskClient) -> None:
    """Without the header each request makes a game."""
    assert new_game(client)["id"] != new_game(client)["id"]
