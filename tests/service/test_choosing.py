"""Bots as a service: a position in, a move out; nothing kept but the job, and that not for long."""

from dataclasses import replace
from typing import Any

import orjson
import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from domain.errors import DomainError
from domain.migrato.game import MIGRATO
from events.games.access import hash_of
from events.redis.connections.client import RedisClient
from events.redis.queues import bot_query_queue as protocol
from events.runtime import bootstrap
from events.runtime.settings import Settings
from events.use_cases.bots import queries
from service.http.limits import POSITION_LIMIT
from tests.service.conftest import NewService
from tests.service.recording import AllThere
from tests.service.table import FIRST_MOVE, SECOND_MOVE, Json, Table, code_of, errors_of, json_of, new_game
from tests.service.thinking import Worker

SEED = "00000000000000a7"
ASYNC = {"Prefer": "respond-async"}


def described(table: Table, seat: int = 0) -> Json:
    """The position as the seat sees it, with all that it has seen."""
    history = json_of(table.get("/events?limit=1000", seat=seat))["events"]
    return {"view": json_of(table.get(seat=seat)), "history": history}


def choose(client: FlaskClient, body: Any, bot: str = "greedy", **headers: str) -> TestResponse:
    return client.post(f"/v1/bots/{bot}/choose", json=body, headers=headers)


@pytest.fixture
def position(table: Table) -> Json:
    """The first turn of the known table, with a seed."""
    return described(table) | {"seed": SEED}


class TestAnswers:
    """The bot's move."""

    def test_a_move_that_can_be_made(self, table: Table, position: Json) -> None:
        """By bots that do not search: there are no alternatives to tell of."""
        for bot in ("random", "greedy", "heuristic"):
            answer = choose(table.client, position, bot)
            assert answer.status_code == 200
            told = json_of(answer)
            assert (told["bot"], told["seed"], told["iterations"], told["considered"]) == (bot, SEED, 0, [])
            assert table.move(0, told["move"], "?dry_run=true").status_code == 200
            assert answer.headers["Cache-Control"] == "no-store"
        assert table.move(0, told["move"]).status_code == 201

    def test_a_search_tells_what_it_weighed(self, table: Table, position: Json) -> None:
        """Legal moves with visits, value and win probability; the iterations that were asked for."""
        answer = choose(table.client, position | {"budget": {"iterations": 30}}, "ismcts")
        told = json_of(answer)
        assert told["iterations"] == 30
        legal = json_of(table.get("/legal-moves", seat=0))["moves"]
        assert told["move"] in legal
        assert all(one["move"] in legal for one in told["considered"])
        assert sum(one["visits"] for one in told["considered"]) <= 30

    def test_bots_with_a_net_tell_what_it_makes_of_every_move(self, table: Table, position: Json) -> None:
        """The best first, with reasons, whichever of them is chosen."""
        legal = json_of(table.get("/legal-moves", seat=0))["moves"]
        for bot in ("net", "level-1", "level-6", "thief"):
            told = json_of(choose(table.client, position, bot))
            assert told["move"] in legal, bot
            considered = told["considered"]
            assert len(considered) == len(legal)
            assert all(one["move"] in legal and one["visits"] == 0 for one in considered)
            chances = [one["win_probability"] for one in considered]
            assert chances == sorted(chances, reverse=True)
            assert any(one["reasons"] for one in considered)

    def test_the_same_question_has_the_same_answer(self, table: Table, position: Json) -> None:
        """With a seed and a budget of iterations, but for the time it took."""
        asked = position | {"budget": {"iterations": 20}}
        first, again = (json_of(choose(table.client, asked, "ismcts")) for _ in range(2))
        assert first | {"milliseconds": 0} == again | {"milliseconds": 0}

    def test_milliseconds(self, table: Table, position: Json) -> None:
        """The clock ends the search; the answer says how far it came."""
        told = json_of(choose(table.client, position | {"budget": {"milliseconds": 60}}, "ismcts"))
        assert told["iterations"] > 0
        assert told["milliseconds"] >= 50

    def test_a_table_without_history(self, table: Table) -> None:
        """The bot knows what lies on the table."""
        table.move(0, FIRST_MOVE)
        position = {"view": described(table, 1)["view"]}
        assert choose(table.client, position).status_code == 200

    def test_nothing_is_kept_of_it(self, table: Table, position: Json, settings: Settings) -> None:
        """Of the question nothing; of the answer what can be fetched, for two minutes."""
        link = RedisClient.to(settings.queue_url or "", 5.0)
        before = table.log()
        choose(table.client, position)
        assert table.log() == before
        (key,) = link.call("KEYS", "migrato:thinking:*")
        ((entry_id, fields),) = link.call("XRANGE", key, "-", "+")
        assert (entry_id, fields[2]) == (b"2-0", b"answer")
        assert 0 < link.call("TTL", key) <= protocol.ANSWER_TTL


class TestLater:
    """`Prefer: respond-async`."""

    def test_a_job_to_poll(self, table: Table, position: Json, worker: Worker) -> None:
        """202 until the bot has thought, then its move, as often as it is asked for."""
        worker.busy = True
        accepted = choose(table.client, position, **ASYNC)
        assert accepted.status_code == 202
        assert accepted.headers["Preference-Applied"] == "respond-async"
        job = accepted.headers["Location"]
        assert json_of(accepted) == {"id": job[-22:], "status": "waiting", "links": {"self": job}}
        waiting = table.client.get(job)
        assert (waiting.status_code, json_of(waiting)) == (202, json_of(accepted))
        assert waiting.headers["Retry-After"].isdigit()
        worker.catch_up()
        done = [table.client.get(job) for _ in range(2)]
        assert [answer.status_code for answer in done] == [200, 200]
        assert json_of(done[0]) == json_of(done[1])
        assert json_of(done[0])["seed"] == SEED

    def test_other_preferences(self, table: Table, position: Json) -> None:
        """An answer within the time that may be waited is given at once; others are ignored (RFC 7240)."""
        for prefer in ("respond-async, wait=2", "wait=2;x=y,Respond-Async", 'respond-async,wait="1"'):
            answer = choose(table.client, position, Prefer=prefer)
            assert answer.status_code == 200
            assert "Preference-Applied" not in answer.headers
        for prefer in ("wait=0", "handling=strict", "respond-asynchronously", ",,=", ""):
            assert choose(table.client, position, Prefer=prefer).status_code == 200, prefer

    def test_a_long_poll(self, table: Table, position: Json, worker: Worker) -> None:
        """`wait` holds the request until there is an answer, or the time is up."""
        worker.busy = True
        job = choose(table.client, position, **ASYNC).headers["Location"]
        assert table.client.get(f"{job}?wait=1").status_code == 202
        worker.catch_up()
        assert table.client.get(f"{job}?wait=1").status_code == 200

    def test_no_such_job(self, client: FlaskClient) -> None:
        """Unknown and expired ones look the same."""
        for job in ("0" * 22, "x", "hint-abc"):
            assert code_of(client.get(f"/v1/bots/jobs/{job}")) == (404, "not-found")

    def test_a_bot_that_failed(self, table: Table, position: Json, worker: Worker) -> None:
        """The job says so."""
        worker.busy = True
        job = choose(table.client, position, **ASYNC).headers["Location"]
        worker.bot_queries.give_up(worker.waiting.pop())
        assert code_of(table.client.get(job)) == (500, "bot-failed")


class TestNoAnswer:
    """There are only so many workers."""

    def test_no_worker_in_time(
        self, table: Table, position: Json, worker: Worker, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """503 with Retry-After; nobody thinks about it any more."""
        monkeypatch.setattr(queries, "MARGIN", 0.05)
        worker.busy = True
        answer = choose(table.client, position)
        assert code_of(answer) == (503, "no-answer")
        assert answer.headers["Retry-After"].isdigit()
        (job,) = worker.waiting
        assert worker.bot_queries._queue.question(job) is None

    def test_too_many_questions(self, table: Table, position: Json, worker: Worker) -> None:
        """503 with Retry-After; a hint is still given."""
        worker.busy = True
        for number in range(protocol.SHARE):
            worker.bot_queries._queue.ask(f"q{number}", "anonymous", {"choose": {}})
        worker.busy, worker.waiting = False, []
        answer = choose(table.client, position)
        assert code_of(answer) == (503, "queue-full")
        assert answer.headers["Retry-After"].isdigit()
        assert table.get("/hint?bot=greedy", seat=0).status_code == 200


class TestWhoMayAsk:
    """An app, which everybody is where no app keys are."""

    def test_app_keys(
        self, table: Table, position: Json, settings: Settings, worker: Worker, new_service: NewService
    ) -> None:
        """An engine with keys asks for one; a job belongs to the app that asked."""
        keys = {"club": hash_of("one"), "rival": hash_of("two")}
        keyed = bootstrap.application(replace(settings, app_keys=keys))
        client = new_service(settings, keyed, AllThere(), worker.bot_queries).test_client()
        assert code_of(choose(client, position)) == (401, "unauthorized")
        seat = f"Bearer {table.tokens[0]}"
        assert code_of(choose(client, position, Authorization=seat)) == (403, "forbidden")
        worker.busy = True
        asked = choose(client, position, Authorization="Bearer one", **ASYNC)
        assert asked.status_code == 202
        worker.catch_up()
        job = asked.headers["Location"]
        found = [
            client.get(job, headers={"Authorization": f"Bearer {key}"}).status_code for key in ("one", "two")
        ]
        assert found == [200, 404]
        assert code_of(client.get(job)) == (401, "unauthorized")


class TestRefusals:
    """A fault is told before anybody thinks."""

    def test_a_malformed_question(self, table: Table, position: Json, worker: Worker) -> None:
        """Each field at fault is named."""
        worker.busy = True
        wrong: list[tuple[Json, str]] = [
            ({"budget": {}}, "budget"),
            ({"budget": {"iterations": 5, "milliseconds": 5}}, "budget"),
            ({"budget": {"iterations": 0}}, "budget.iterations"),
            ({"budget": {"iterations": 10**7}}, "budget.iterations"),
            ({"budget": {"milliseconds": 5001}}, "budget.milliseconds"),
            ({"budget": {"seconds": 1}}, "budget.seconds"),
            ({"budget": 3}, "budget"),
            ({"seed": 7}, "seed"),
            ({"seed": "A7"}, "seed"),
            ({"seed": SEED + "0"}, "seed"),
            ({"view": None}, "view"),
            ({"view": []}, "view"),
            ({"history": {}}, "history"),
            ({"history": [1]}, "history.0"),
            ({"think": "hard"}, "think"),
        ]
        for change, field in wrong:
            assert field in errors_of(choose(table.client, position | change))
        assert worker.waiting == []

    def test_a_bot_or_game_that_is_not_there(self, table: Table, position: Json) -> None:
        """The bot is part of the address, the game is not."""
        assert code_of(choose(table.client, position, "oracle")) == (404, "not-found")
        assert code_of(choose(table.client, position, "Greedy!")) == (404, "not-found")
        assert code_of(choose(table.client, position | {"game": "chess"})) == (422, "unknown-game")

    def test_the_view_names_the_game(self, table: Table, position: Json) -> None:
        """So `game` may be left out; but it must not name another game."""
        created = new_game(table.client, game="migo")
        headers = {"Authorization": f"Bearer {created['seats'][0]['token']}"}
        view = json_of(table.client.get(created["links"]["self"], headers=headers))
        assert json_of(choose(table.client, {"view": view}, "maxn-easy"))["bot"] == "maxn-easy"
        answer = choose(table.client, {"view": view | {"game": "chess"}})
        assert code_of(answer) == (422, "unknown-game")
        answer = choose(table.client, position | {"game": "migo"})
        assert code_of(answer) == (422, "validation-error")
        (message,) = json_of(answer)["errors"]["game"]
        assert message == "Is migo, but the view is of migrato: `view.game` says so."

    def test_a_bot_of_another_game(self, table: Table, position: Json) -> None:
        """The refusal says which game has one."""
        answer = choose(table.client, position, "maxn")
        assert code_of(answer) == (404, "not-found")
        assert "migrato has no bot 'maxn'; migo has one: send `game`" in json_of(answer)["detail"]

    def test_ignored_members_are_not_nested_deeply(self, table: Table, position: Json) -> None:
        """Members of the view that the bot ignores may be anything that the API could send."""
        for levels, status in ((20, 200), (40, 400), (300, 400), (900, 400)):
            nested: Any = 0
            for _ in range(levels):
                nested = [nested]
            body = position | {"view": position["view"] | {"more": nested}}
            answer = choose(table.client, body)
            assert answer.status_code == status
            if status == 400:
                assert code_of(answer) == (400, "malformed-json")

    def test_a_body_of_a_megabyte_will_do_here(self, table: Table, position: Json) -> None:
        """And no more; elsewhere it stays at 64 KiB."""
        path, json_type = "/v1/bots/greedy/choose", {"Content-Type": "application/json"}
        body = orjson.dumps(position)
        padded = body + b" " * (POSITION_LIMIT - len(body))
        assert table.client.post(path, data=padded, headers=json_type).status_code == 200
        assert code_of(table.client.post(path, data=padded + b" ", headers=json_type)) == (413, "too-large")
        moves = table.client.post(f"{table.path}/moves", data=padded, headers=json_type | table.bearer(0))
        assert code_of(moves) == (413, "too-large")


def _cards(view: Json) -> Json:
    view["state"]["deck"] += 1
    return view


def _twice(view: Json) -> Json:
    view["state"]["discard_pile"] = ["G5d"] * 4
    view["state"]["deck"] -= 4
    return view


def _big_hand(view: Json) -> Json:
    view["state"]["players"][0]["hand"] += ["T4n", "T4n"]
    view["state"]["players"][0]["hand_size"] = 5
    view["state"]["deck"] -= 2
    return view


def _other_hand(view: Json) -> Json:
    view["state"]["players"][0]["hand"][0] = "T4n"
    return view


IMPOSSIBLE: dict[str, tuple[Any, str, str]] = {
    "55 cards": (_cards, "impossible-position", "55"),
    "a face too often": (_twice, "impossible-position", "G5d"),
    "a hand of five": (_big_hand, "impossible-position", "hand"),
    "another hand than was dealt": (_other_hand, "impossible-position", "hand"),
    "a spectator's view": (lambda view: view | {"viewer": None}, "impossible-position", "spectator"),
    "the other seat is to act": (lambda view: view | {"to_act": 1}, "impossible-position", "to act"),
    "the game is over": (lambda view: view | {"status": "finished"}, "impossible-position", "status"),
    "a version that the history has not": (
        lambda view: view | {"version": 9},
        "impossible-position",
        "events",
    ),
    "no rules": (lambda view: view | {"options": {"rules": "chess"}}, "validation-error", "rules"),
    "no table": (lambda view: view | {"state": 3}, "validation-error", "state"),
}


UNDENIED = ("another hand than was dealt", "a version that the history has not")  # without the history


def test_a_position_that_contradicts_itself(
    table: Table, position: Json, worker: Worker, subtests: pytest.Subtests
) -> None:
    """It is refused with what is wrong, and no worker hears of it."""
    worker.busy = True
    for what, (change, code, words) in IMPOSSIBLE.items():
        asked = position | {"view": change(orjson.loads(orjson.dumps(position["view"])))}
        bare = {name: value for name, value in asked.items() if name != "history"}
        for question in (asked,) if what in UNDENIED else (asked, bare):
            with subtests.test(what, history="history" in question):
                refused = choose(table.client, question)
                assert code_of(refused) == (422, code), refused.text
                told = json_of(refused)
                assert words in told["detail"] + str(told.get("errors")), told
    assert worker.waiting == []


@pytest.mark.parametrize("what", ["view", "history"])
def test_no_position_is_an_error_of_the_service(table: Table, what: str) -> None:
    """Every part of it replaced by things that do not belong there, or left out: fine, or refused."""
    table.move(0, FIRST_MOVE)
    table.move(1, SECOND_MOVE)
    position, codes = described(table), list[str]()
    for path in paths(position[what]):
        for odd in (None, [], {}, "x", -1, 2**60, 1.5, True, [[]], LEFT_OUT):
            codes.append(refusal_of(position | {what: changed(position[what], path, odd)}))
    assert len(codes) > 500
    assert set(codes) == {"", "validation-error", "impossible-position"}


def refusal_of(position: Json) -> str:
    """The code with which the game refuses the position; "" if it takes it."""
    try:
        MIGRATO.position(position)
    except DomainError as refusal:
        return refusal.code
    return ""


LEFT_OUT = object()


def paths(document: Any, above: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Place of something in the document."""
    inner = (
        document.items()
        if isinstance(document, dict)
        else enumerate(document)
        if isinstance(document, list)
        else ()
    )
    return [path for name, part in inner for path in ((*above, name), *paths(part, (*above, name)))]


def changed(document: Any, path: tuple[Any, ...], to: Any) -> Any:
    """The document with something else at a place."""
    copied = orjson.loads(orjson.dumps(document))
    within = copied
    for name in path[:-1]:
        within = within[name]
    if to is not LEFT_OUT:
        within[path[-1]] = to
    else:
        del within[path[-1]]
    return copied
