"""Analyses: of finished games, by what each seat knew, made by workers in parts."""

from types import SimpleNamespace
from typing import Any

import pytest
import requests
from flask.testing import FlaskClient

from events.redis.connections.client import RedisClient
from events.redis.queues.analyses import KEPT, MOST_KEPT, RedisAnalyses
from events.redis.queues.bot_query_queue import RedisBotQueryQueue
from events.runtime.settings import Settings
from events.use_cases.application import Application
from events.use_cases.bots import analyses
from tests.domain.migo.table import laid
from tests.service.table import Json, code_of, deck, json_of, set_table
from tests.service.thinking import Worker

PEOPLE = [{"kind": "human", "player": "ada"}, {"kind": "human", "player": "bob"}]


def played(client: FlaskClient, **wanted: Any) -> Json:
    """A game that is over after some turns; each seat makes the first legal move of its list, now and then another."""
    body = {"seats": PEOPLE, "visibility": "public", "options": {"turn_limit": 8}}
    if "game" not in wanted:
        body["setup"] = {"deck": deck()}
    game = json_of(client.post("/v1/games", json=body | wanted))
    tokens = [{"Authorization": f"Bearer {seat['token']}"} for seat in game["seats"]]
    path = f"/v1/games/{game['id']}"
    for number in range(200):
        view = json_of(client.get(path))
        if view["status"] == "finished":
            return game | {"tokens": tokens, "path": path}
        seat = view["to_act"]
        moves = json_of(client.get(f"{path}/legal-moves", headers=tokens[seat]))["moves"]
        made = client.post(f"{path}/moves", json=moves[number % len(moves)], headers=tokens[seat])
        assert made.status_code == 201
    raise AssertionError("the game does not end")


def test_every_move_is_judged(client: FlaskClient) -> None:
    """Each decision once, in the order of the replay; nobody can do better than the best."""
    game = played(client)
    client.get(f"{game['path']}/analysis")
    answer = client.get(f"{game['path']}/analysis")
    assert answer.status_code == 200
    analysis = json_of(answer)
    assert (analysis["id"], analysis["game"], analysis["complete"]) == (game["id"], "migrato", True)
    assert analysis["judge"].startswith("net ")
    points = analysis["points"]
    steps = json_of(client.get(f"{game['path']}/replay?limit=100"))["items"]
    moves = [
        step
        for step in steps
        if step["events"][0]["type"] in ("bird_played", "cards_moved", "card_discarded", "hand_exchanged")
    ]
    shown = {point["version"]: point["seat"] for point in points}
    assert {step["events"][0]["version"]: step["seat"] for step in moves}.items() <= shown.items()
    assert [point["version"] for point in points] == sorted(shown)
    for point in points:
        assert 0 <= point["after"] <= point["before"] <= 1
        assert (point["better"] is None) == (point["after"] == point["before"])
        assert point["position"] == point["version"] - 1
        assert point["better"] is not None or point["reasons"] == []
    assert any(point["reasons"] for point in points)
    worst = max(points, key=lambda point: point["before"] - point["after"])
    assert worst["before"] - worst["after"] > 0
    lost = sorted((round(point["before"] - point["after"], 4) for point in points), reverse=True)
    assert sorted((swing["lost"] for swing in analysis["swings"]), reverse=True)[:5] == lost[:5]
    weights = [max(abs(swing["change"]), swing["lost"]) for swing in analysis["swings"]]
    assert weights == sorted(weights, reverse=True)


def test_the_better_move_can_be_played_in_a_fork(client: FlaskClient) -> None:
    """From the version before the mistake."""
    game = played(client)
    client.get(f"{game['path']}/analysis")
    points = json_of(client.get(f"{game['path']}/analysis"))["points"]
    wrong = next(point for point in points if point["better"] is not None)
    fork = json_of(client.post(f"{game['path']}/fork", json={"version": wrong["position"], "seats": PEOPLE}))
    token = {"Authorization": f"Bearer {fork['seats'][wrong['seat']]['token']}"}
    assert (
        client.post(f"/v1/games/{fork['id']}/moves", json=wrong["better"], headers=token).status_code == 201
    )


def test_every_position_can_be_forked(client: FlaskClient, application: Application) -> None:
    """Where bots have moved, too: it is the version before their choice."""
    bots = [{"kind": "bot", "bot": "level-1"}, {"kind": "bot", "bot": "heuristic"}]
    body = {"seats": bots, "visibility": "public", "options": {"turn_limit": 6}}
    game = json_of(client.post("/v1/games", json=body))
    path = f"/v1/games/{game['id']}"
    while (view := json_of(client.get(path)))["status"] != "finished":
        assert application.bot_turns.bot_move(game["id"], view["version"]) is not None
    client.get(f"{path}/analysis")
    points = json_of(client.get(f"{path}/analysis"))["points"]
    steps = json_of(client.get(f"{path}/replay?limit=100"))["items"]
    chosen = [
        event["version"] for step in steps for event in step["events"] if event["type"] == "move_chosen"
    ]
    assert [point["position"] for point in points] == [version - 1 for version in chosen]
    for point in points:
        body = {"version": point["position"], "seats": PEOPLE}
        assert client.post(f"{path}/fork", json=body).status_code == 201


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The keys of the questions whose answers somebody waits for, as it happens."""
    answer, keys = RedisBotQueryQueue.answer, list[str]()

    def spying(queue: RedisBotQueryQueue, key: str, owner: str, seconds: float = 0.0) -> Json | None:
        keys.append(key)
        return answer(queue, key, owner, seconds)

    monkeypatch.setattr(RedisBotQueryQueue, "answer", spying)
    return keys


def test_whoever_comes_later_waits_for_the_part_that_is_under_way(
    client: FlaskClient, worker: Worker, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also once the worker has told how far it is."""
    game = played(client)
    worker.busy = True
    client.get(f"{game['path']}/analysis")
    (key,) = worker.waiting

    def later() -> None:
        waiting = client.get(f"{game['path']}/analysis")
        assert (waiting.status_code, json_of(waiting)["done"] > 0) == (202, True)

    asked.clear()
    monkeypatch.setattr(analyses, "TOLD_EVERY", 0.0)
    worker.bot_queries.carry_out(key, later)
    assert len(asked) > 5
    assert set(asked) == {key}
    assert client.get(f"{game['path']}/analysis").status_code == 200


def test_a_later_part_is_waited_for_from_its_beginning(
    client: FlaskClient, worker: Worker, settings: Settings, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before its worker has told anything."""
    game = played(client)
    worker.busy = True
    monkeypatch.setattr(analyses, "PART", 0.0)
    client.get(f"{game['path']}/analysis")
    worker.catch_up()
    client.get(f"{game['path']}/analysis")
    (key,) = worker.waiting
    assert RedisAnalyses(RedisClient.to(settings.queue_url or "", 5.0)).claim(game["id"])
    asked.clear()
    assert client.get(f"{game['path']}/analysis").status_code == 202
    assert asked == [key]


def test_the_first_answer_says_how_far_it_is(client: FlaskClient, worker: Worker) -> None:
    """And so does every other one until a worker has done its work; then nobody need work again."""
    game = played(client)
    worker.busy = True
    waiting = client.get(f"{game['path']}/analysis")
    assert (waiting.status_code, waiting.headers["Retry-After"]) == (202, "1")
    version = json_of(client.get(game["path"]))["version"]
    assert json_of(waiting) == {
        "id": game["id"],
        "status": "waiting",
        "done": 0,
        "of": version,
        "links": {"self": f"{game['path']}/analysis"},
    }
    assert client.get(f"{game['path']}/analysis").status_code == 202
    worker.catch_up()
    assert client.get(f"{game['path']}/analysis").status_code == 200
    assert client.get(f"{game['path']}/analysis").status_code == 200
    assert worker.waiting == []


def test_it_is_made_in_parts(client: FlaskClient, worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each part begins where the one before it has ended, and all of them together are the same as one."""
    game = played(client)
    monkeypatch.setattr(analyses, "PART", 0.0)
    done = [0]
    for _ in range(100):
        answer = client.get(f"{game['path']}/analysis")
        if answer.status_code == 200:
            break
        done.append(json_of(answer)["done"])
        assert done[-1] > done[-2]
    assert len(done) > 5
    in_parts = json_of(client.get(f"{game['path']}/analysis"))
    monkeypatch.undo()
    link = RedisClient.to(worker.settings.queue_url or "", 5.0)
    link.call("DEL", f"migrato:analysis:{game['id']}")
    client.get(f"{game['path']}/analysis")
    assert json_of(client.get(f"{game['path']}/analysis")) == in_parts


def test_a_worker_that_is_at_it_is_left_alone(
    client: FlaskClient, worker: Worker, settings: Settings
) -> None:
    """Two workers do not do the same; one that dies leaves its part to another."""
    game = played(client)
    kept = RedisAnalyses(RedisClient.to(settings.queue_url or "", 5.0))
    assert kept.claim(game["id"])
    assert not kept.claim(game["id"])
    worker.busy = True
    for _ in range(3):
        assert client.get(f"{game['path']}/analysis").status_code == 202
    assert worker.waiting == []
    kept.release(game["id"])
    assert client.get(f"{game['path']}/analysis").status_code == 202
    worker.catch_up()
    assert client.get(f"{game['path']}/analysis").status_code == 200


def test_so_many_are_kept_for_a_day(settings: Settings) -> None:
    """Those that were kept longest go first."""
    link = RedisClient.to(settings.queue_url or "", 5.0)
    kept = RedisAnalyses(link)
    for number in range(MOST_KEPT + 3):
        kept.keep(f"game{number:04}", {"points": []})
    keys = [f"migrato:analysis:game{number:04}" for number in range(MOST_KEPT + 3)]
    assert link.call("EXISTS", *keys) == MOST_KEPT
    assert 0 < link.call("TTL", keys[-1]) <= KEPT


def test_a_running_game_is_not_analysed(client: FlaskClient, application: Application) -> None:
    """Not for its own seats either: it would tell what the opponent knew."""
    running = set_table(client, application, visibility="public")
    for seat in (None, 0, 1):
        assert code_of(running.get("/analysis", seat=seat)) == (409, "game-running")


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_takes_are_judged_at_any_table(client: FlaskClient, seats: int) -> None:
    """Every take of every seat once, in order; the better one can be made in a fork; swings reach to the result."""
    people = [{"kind": "human", "player": f"p{seat}"} for seat in range(seats)]
    setup, limit = {"rounds": [laid(seats=seats)]}, 16
    game = played(client, game="migo", seats=people, setup=setup, options={"turn_limit": limit})
    client.get(f"{game['path']}/analysis")
    analysis = json_of(client.get(f"{game['path']}/analysis"))
    assert (analysis["game"], analysis["complete"]) == ("migo", True)
    points = analysis["points"]
    steps = json_of(client.get(f"{game['path']}/replay?limit=100"))["items"]
    takes = [step["events"][0] for step in steps if step["events"][0]["type"] == "card_taken"]
    assert [(point["version"], point["seat"]) for point in points] == [
        (take["version"], take["seat"]) for take in takes
    ]
    assert {point["seat"] for point in points} == set(range(seats))
    assert all(0 <= point["after"] <= point["before"] <= 1 for point in points)
    assert any(point["reasons"] for point in points)
    last = {point["seat"]: point for point in points}
    result = json_of(client.get(game["path"]))["result"]
    found = 0
    for swing in analysis["swings"]:
        seat = swing["seat"]
        if swing["version"] == last[seat]["version"]:
            assert swing["change"] == pytest.approx(
                (seat == result["winner"]) - last[seat]["before"], abs=1e-4
            )
            found += 1
    assert found
    wrong = next(point for point in points if point["better"] is not None)
    wanted = {"version": wrong["position"], "seats": people}
    fork = json_of(client.post(f"{game['path']}/fork", json=wanted))
    token = {"Authorization": f"Bearer {fork['seats'][wrong['seat']]['token']}"}
    assert (
        client.post(f"/v1/games/{fork['id']}/moves", json=wrong["better"], headers=token).status_code == 201
    )


@pytest.mark.parametrize(("losing", "by_luck"), [(0, 10), (3, 7), (8, 5)])
def test_mistakes_and_luck_share_the_swings(losing: int, by_luck: int) -> None:
    """Up to five of the moves that lost something, however little; luck has the places that are left."""
    points = [
        {
            "version": n,
            "seat": 0,
            "before": 0.3 + n % 2 / 5,
            "after": 0.29 + n % 2 / 5 if n < losing else 0.3 + n % 2 / 5,
        }
        for n in range(30)
    ]
    unended: Any = SimpleNamespace(status=SimpleNamespace(result=None))
    swings = analyses._swings(unended, points)
    assert [swing["lost"] > 0 for swing in swings].count(False) == by_luck
    assert len({swing["version"] for swing in swings}) == len(swings) == 10


def test_a_game_that_is_not_there(client: FlaskClient) -> None:
    assert code_of(client.get(f"/v1/games/{'0' * 22}/analysis")) == (404, "not-found")


def test_what_is_wrong_with_the_question_is_named(client: FlaskClient) -> None:
    game = played(client)
    for wrong in ("wait=31", "wait=x", "part=1"):
        answer = client.get(f"{game['path']}/analysis?{wrong}")
        assert answer.status_code == 422
        assert list(json_of(answer)["errors"]) == [wrong.partition("=")[0]]


def test_a_game_that_nobody_played(client: FlaskClient) -> None:
    """Over before its first move: there is nothing to judge."""
    game = json_of(client.post("/v1/games", json={"seats": PEOPLE, "visibility": "public"}))
    token = {"Authorization": f"Bearer {game['seats'][0]['token']}"}
    client.post(f"/v1/games/{game['id']}/moves", json={"type": "resign"}, headers=token)
    client.get(f"/v1/games/{game['id']}/analysis")
    analysis = json_of(client.get(f"/v1/games/{game['id']}/analysis"))
    assert (analysis["points"], analysis["swings"], analysis["complete"]) == ([], [], True)


def test_real_workers_analyse(web: str, thinker: None) -> None:
    """Over HTTP: asked with patience, it is there."""
    del thinker
    body = {"seats": PEOPLE, "visibility": "public", "options": {"turn_limit": 4}}
    game = requests.post(f"{web}/v1/games", json=body, timeout=20).json()
    path = f"{web}/v1/games/{game['id']}"
    while True:
        view = requests.get(path, timeout=20).json()
        if view["status"] == "finished":
            break
        token = {"Authorization": f"Bearer {game['seats'][view['to_act']]['token']}"}
        moves = requests.get(f"{path}/legal-moves", headers=token, timeout=20).json()["moves"]
        requests.post(f"{path}/moves", json=moves[0], headers=token, timeout=20)
    for _ in range(60):
        answer = requests.get(f"{path}/analysis?wait=5", timeout=60)
        if answer.status_code == 200:
            break
    assert len(answer.json()["points"]) >= 4
