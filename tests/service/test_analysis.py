"""Analyses: of finished games, by what each seat knew, made by workers in parts."""

from types import SimpleNamespace
from typing import Any

import pytest
from flask.testing import FlaskClient

from events.application import Application
from events.features.analyses import analyses
from events.features.analyses import redis as stored
from events.features.analyses.redis import KEPT, MOST_KEPT, RedisAnalyses
from events.features.bots.redis.questions import RedisQuestionQueue
from events.runtime.settings import Settings
from events.store.link import link_to
from tests.domain.migo.table import laid
from tests.service.table import (
    PEOPLE,
    Json,
    bearer,
    code_of,
    deck,
    errors_of,
    json_of,
    new_game,
    people,
    set_table,
)
from tests.service.thinking import Worker


class Played:
    """A public game that is over after some turns; each seat makes the first legal move, now and then another."""

    def __init__(self, client: FlaskClient, **wanted: Any) -> None:
        self.client = client
        body: Json = {"seats": PEOPLE, "visibility": "public", "options": {"turn_limit": 8}}
        if "game" not in wanted:
            body["setup"] = {"deck": deck()}
        self.seats = (body | wanted)["seats"]
        game = new_game(client, **(body | wanted))
        self.id: str = game["id"]
        self.path: str = game["links"]["self"]
        tokens = [bearer(seat["token"]) for seat in game["seats"]]
        for number in range(200):
            view = json_of(client.get(self.path))
            if view["status"] == "finished":
                return
            token = tokens[view["to_act"]]
            moves = json_of(client.get(f"{self.path}/legal-moves", headers=token))["moves"]
            made = client.post(f"{self.path}/moves", json=moves[number % len(moves)], headers=token)
            assert made.status_code == 201
        raise AssertionError("the game does not end")

    def ask(self) -> tuple[int, Json]:
        """Ask for the analysis."""
        answer = self.client.get(f"{self.path}/analysis")
        return answer.status_code, json_of(answer)

    def analysis(self) -> Json:
        """The analysis that is answered once a worker has made it."""
        self.ask()
        status, analysis = self.ask()
        assert (status, analysis["id"], analysis["complete"]) == (200, self.id, True)
        return analysis

    def steps(self) -> list[Json]:
        """The replay."""
        steps: list[Json] = json_of(self.client.get(f"{self.path}/replay?limit=100"))["items"]
        return steps

    def play_better(self, points: list[Json]) -> None:
        """A move that is better than one that was made can be made in a fork."""
        wrong = next(point for point in points if point["better"] is not None)
        wanted = {"version": wrong["position"], "seats": self.seats}
        fork = json_of(self.client.post(f"{self.path}/fork", json=wanted))
        token = bearer(fork["seats"][wrong["seat"]]["token"])
        made = self.client.post(fork["links"]["moves"], json=wrong["better"], headers=token)
        assert made.status_code == 201


def test_every_move_is_judged(client: FlaskClient, worker: Worker) -> None:
    """Each decision once, in the order of the replay; nobody can do better than the best."""
    game = Played(client)
    worker.busy = True
    waiting = client.get(f"{game.path}/analysis")
    assert (waiting.status_code, waiting.headers["Retry-After"]) == (202, "1")
    assert json_of(waiting) == {
        "id": game.id,
        "status": "waiting",
        "done": 0,
        "of": json_of(client.get(game.path))["version"],
        "links": {"self": f"{game.path}/analysis"},
    }
    assert game.ask()[0] == 202
    worker.catch_up()
    analysis = game.analysis()
    assert worker.waiting == []
    assert analysis["game"] == "migrato"
    assert analysis["judge"].startswith("net ")
    points = analysis["points"]
    kinds = ("bird_played", "cards_moved", "card_discarded", "hand_exchanged")
    first = {step["events"][0]["version"]: step for step in game.steps()}
    moves = {at: step["seat"] for at, step in first.items() if step["events"][0]["type"] in kinds}
    shown = {point["version"]: point["seat"] for point in points}
    assert moves.items() <= shown.items()
    assert [point["version"] for point in points] == sorted(shown)
    for point in points:
        assert 0 <= point["after"] <= point["before"] <= 1
        assert (point["better"] is None) == (point["after"] == point["before"])
        assert point["position"] == point["version"] - 1
        assert point["better"] is not None or point["reasons"] == []
    assert any(point["reasons"] for point in points)
    lost = sorted((round(point["before"] - point["after"], 4) for point in points), reverse=True)
    assert lost[0] > 0
    assert sorted((swing["lost"] for swing in analysis["swings"]), reverse=True)[:5] == lost[:5]
    weights = [max(abs(swing["change"]), swing["lost"]) for swing in analysis["swings"]]
    assert weights == sorted(weights, reverse=True)
    game.play_better(points)
    for wrong in ("wait=31", "wait=x", "part=1"):
        assert errors_of(client.get(f"{game.path}/analysis?{wrong}")) == [wrong.partition("=")[0]]


def test_takes_are_judged_at_any_table(client: FlaskClient) -> None:
    """Every take of every seat once, in order; the better one can be made in a fork; swings reach to the result."""
    setup = {"rounds": [laid(seats=3)]}
    game = Played(client, game="migo", seats=people(3), setup=setup, options={"turn_limit": 16})
    analysis = game.analysis()
    assert analysis["game"] == "migo"
    points = analysis["points"]
    first = [step["events"][0] for step in game.steps()]
    takes = [(event["version"], event["seat"]) for event in first if event["type"] == "card_taken"]
    assert [(point["version"], point["seat"]) for point in points] == takes
    assert {point["seat"] for point in points} == {0, 1, 2}
    assert all(0 <= point["after"] <= point["before"] <= 1 for point in points)
    assert any(point["reasons"] for point in points)
    last = {point["seat"]: point for point in points}
    winner = json_of(client.get(game.path))["result"]["winner"]
    final = [swing for swing in analysis["swings"] if swing["version"] == last[swing["seat"]]["version"]]
    assert final
    for swing in final:
        seat = swing["seat"]
        assert swing["change"] == pytest.approx((seat == winner) - last[seat]["before"], abs=1e-4)
    game.play_better(points)


def test_a_move_that_was_taken_back_is_not_judged(client: FlaskClient) -> None:
    """A move that was taken back is no decision of the game that stands: it gives neither a point nor a swing."""
    setup = {"rounds": [laid(seats=2)]}
    table = new_game(client, game="migo", seats=people(2), visibility="public", setup=setup,
                     options={"turn_limit": 6, "first_seat": 0})  # fmt: skip
    path, held = table["links"]["self"], [bearer(seat["token"]) for seat in table["seats"]]

    def post(seat: int, what: str, body: Json | None = None) -> None:
        assert client.post(f"{path}/{what}", json=body, headers=held[seat]).status_code in (200, 201)

    def move(seat: int, number: int) -> None:
        legal = json_of(client.get(f"{path}/legal-moves", headers=held[seat]))["moves"]
        post(seat, "moves", legal[number])

    move(0, -1)
    post(0, "takeback")
    post(1, "takeback", {"agree": True})
    while (view := json_of(client.get(path)))["status"] != "finished":
        move(view["to_act"], 0)
    client.get(f"{path}/analysis")
    analysis = json_of(client.get(f"{path}/analysis"))
    events = json_of(client.get(f"{path}/events?limit=100"))["events"]
    taken = [event["version"] for event in events if event["type"] == "card_taken"]
    (back,) = (event["version"] for event in events if event["type"] == "moves_taken_back")
    assert taken[0] < back < taken[1]
    assert [point["version"] for point in analysis["points"]] == taken[1:]
    assert {swing["version"] for swing in analysis["swings"]} <= set(taken[1:])


def test_every_position_can_be_forked(client: FlaskClient, application: Application) -> None:
    """Also those in which bots have moved: it is the version before their choice."""
    bots = [{"kind": "bot", "bot": "level-1"}, {"kind": "bot", "bot": "heuristic"}]
    game = new_game(client, seats=bots, visibility="public", options={"turn_limit": 6})
    path = game["links"]["self"]
    while (view := json_of(client.get(path)))["status"] != "finished":
        assert application.bot_turns.bot_move(game["id"], view["version"]) is not None
    client.get(f"{path}/analysis")
    points = json_of(client.get(f"{path}/analysis"))["points"]
    events = json_of(client.get(f"{path}/events?limit=1000"))["events"]
    chosen = [event["version"] for event in events if event["type"] == "move_chosen"]
    assert [point["position"] for point in points] == [version - 1 for version in chosen]
    for point in points:
        body = {"version": point["position"], "seats": PEOPLE}
        assert client.post(f"{path}/fork", json=body).status_code == 201


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The keys of the questions whose answers somebody waits for, as it happens."""
    answer, keys = RedisQuestionQueue.answer, list[str]()

    def spying(queue: RedisQuestionQueue, key: str, owner: str, seconds: float = 0.0) -> Json | None:
        keys.append(key)
        return answer(queue, key, owner, seconds)

    monkeypatch.setattr(RedisQuestionQueue, "answer", spying)
    return keys


def test_later_callers_wait_for_the_part_that_is_under_way(
    client: FlaskClient, worker: Worker, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A later caller waits for the part under way, also once the worker has told how far it is."""
    game = Played(client)
    worker.busy = True
    game.ask()
    (key,) = worker.waiting

    def later() -> None:
        status, waiting = game.ask()
        assert (status, waiting["done"] > 0) == (202, True)

    asked.clear()
    monkeypatch.setattr(analyses, "TOLD_EVERY", 0.0)
    worker.bot_questions.for_workers.carry_out(key, later)
    assert len(asked) > 5
    assert set(asked) == {key}
    assert game.ask()[0] == 200


def test_a_clock_that_was_ahead_hides_nothing(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that claimed an analysis then may have died; what is kept now is kept later than what was kept then."""
    link = link_to(redis_url, 5.0)
    kept = RedisAnalyses(link)
    assert kept.claim("g")
    link.call("EXPIRE", "migrato:analysis:g:claimed", 7_200)
    assert [kept.is_claimed("g"), kept.claim("g"), kept.is_claimed("g"), kept.claim("g")] == [
        False,
        True,
        True,
        False,
    ]
    monkeypatch.setattr(stored, "MOST_KEPT", 2)
    for game in ("a", "b"):
        kept.keep(game, {})
        link.call("ZADD", stored.INDEX, 10**10, stored.PREFIX + game)
    kept.keep("c", {})
    assert [kept.kept(game) for game in ("a", "b", "c")] == [None, {}, {}]


def test_it_is_made_in_parts(
    client: FlaskClient, worker: Worker, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each begins where the one before it has ended, and is waited for before its worker has told anything."""
    game, kept = Played(client), RedisAnalyses(link_to(worker.settings.queue_url or "", 5.0))
    monkeypatch.setattr(analyses, "PART", 0.0)
    worker.busy = True
    assert kept.claim(game.id)
    assert not kept.claim(game.id)
    for _ in range(3):
        assert game.ask()[0] == 202
    assert worker.waiting == []
    kept.release(game.id)
    game.ask()
    worker.catch_up()
    game.ask()
    (key,) = worker.waiting
    assert kept.claim(game.id)
    asked.clear()
    assert game.ask()[0] == 202
    assert asked == [key]
    kept.release(game.id)
    worker.busy = False
    worker.catch_up()
    done = [0]
    while (answer := game.ask())[0] != 200:
        done.append(answer[1]["done"])
        assert done[-1] > done[-2]
    assert len(done) > 5
    in_parts = answer[1]
    monkeypatch.undo()
    link_to(worker.settings.queue_url or "", 5.0).call("DEL", f"migrato:analysis:{game.id}")
    assert game.analysis() == in_parts


def test_so_many_are_kept_for_a_day(settings: Settings) -> None:
    """At most so many analyses are kept, each for a day; those that were kept longest go first."""
    link = link_to(settings.queue_url or "", 5.0)
    kept = RedisAnalyses(link)
    for number in range(MOST_KEPT + 3):
        kept.keep(f"game{number:04}", {"points": []})
    keys = [f"migrato:analysis:game{number:04}" for number in range(MOST_KEPT + 3)]
    assert link.call("EXISTS", *keys) == MOST_KEPT
    assert 0 < link.call("TTL", keys[-1]) <= KEPT


@pytest.mark.parametrize(("losing", "by_luck"), [(0, 10), (3, 7), (8, 5)])
def test_mistakes_and_luck_share_the_swings(losing: int, by_luck: int) -> None:
    """Up to five of the moves that lost something, however little; luck has the places that are left."""
    points = [
        {"version": n, "seat": 0, "before": before, "after": before - 0.01 if n < losing else before}
        for n in range(30)
        for before in [0.3 + n % 2 / 5]
    ]
    unended: Any = SimpleNamespace(status=SimpleNamespace(result=None))
    swings = analyses._swings(unended, points)
    assert [swing["lost"] > 0 for swing in swings].count(False) == by_luck
    assert len({swing["version"] for swing in swings}) == len(swings) == 10


def test_games_without_an_analysis(client: FlaskClient, application: Application) -> None:
    """One that runs has none, not for its own seats either: it would tell what the opponent knew."""
    table = set_table(client, application, visibility="public")
    for seat in (None, 0, 1):
        assert code_of(table.get("/analysis", seat=seat)) == (409, "game-running")
    assert code_of(client.get(f"/v1/games/{'0' * 22}/analysis")) == (404, "not-found")
    table.move(0, {"type": "resign"})
    table.get("/analysis")
    analysis = json_of(table.get("/analysis"))
    assert (analysis["points"], analysis["swings"], analysis["complete"]) == ([], [], True)
