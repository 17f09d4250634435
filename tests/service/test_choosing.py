"""Bots as a service: a position in, a move out; nothing kept but the job, and that not for long."""

from datetime import UTC, datetime
from typing import Any

import orjson
import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from events.features.bots import questions as asking
from events.features.bots.queue import SLOT_BYTES
from events.features.bots.redis import questions as protocol
from events.runtime.adapters import app_store
from events.runtime.settings import Settings
from events.store.link import link_to
from events.store.queues.keys import DONE
from service.http.call import POSITION_LIMIT
from tests.service.table import (
    FIRST_MOVE,
    OURS,
    THEIRS,
    Json,
    Table,
    bearer,
    code_of,
    errors_of,
    json_of,
    new_game,
    parts_of,
)
from tests.service.thinking import Worker
from tests.support.sure import sure

SEED = "00000000000000a7"
ASYNC = {"Prefer": "respond-async"}


def described(table: Table, seat: int = 0) -> Json:
    """The position as the seat sees it, with all that it has seen."""
    history = json_of(table.get("/events?limit=1000", seat=seat))["events"]
    return {"view": json_of(table.get(seat=seat)), "history": history}


def seconds_until(at: str) -> float:
    return (datetime.fromisoformat(at) - datetime.now(UTC)).total_seconds()


def choose(client: FlaskClient, body: Any, bot: str = "greedy", **headers: str) -> TestResponse:
    return client.post(f"/v1/bots/{bot}/choose", json=body, headers=headers)


@pytest.fixture
def position(table: Table) -> Json:
    """The first turn of the known table, with a seed."""
    return described(table) | {"seed": SEED}


def test_a_running_game_that_counts_is_refused(client: FlaskClient) -> None:
    """By the id in the view, or in the history; not once it is over, nor where help is allowed."""
    for rated in (True, False):
        wanted: Json = {"seats": [{"kind": "human", "player": "ada"}, {"kind": "bot", "bot": "greedy"}]}
        wanted |= {"options": {"first_seat": "random"}} | ({} if rated else {"rated": False})
        created = new_game(client, **wanted)
        path, me = f"/v1/games/{created['id']}", bearer(created["seats"][0]["token"])

        def seen(path: str = path, me: Json = me) -> list[Json]:
            view, events = (json_of(client.get(f"{path}{what}", headers=me)) for what in ("", "/events"))
            return [{"view": view}, {"view": {"game": "migrato"}, "history": events["events"]}]

        refused = [json_of(choose(client, body)).get("code") == "rated-game" for body in seen()]
        assert refused == [rated] * 2
        assert client.post(f"{path}/moves", json={"type": "resign"}, headers=me).status_code == 201
        assert "rated-game" not in [json_of(choose(client, body)).get("code") for body in seen()]
    for unknown in ("0" * 22, "x", "0" * 4000, 7, None):
        assert code_of(choose(client, {"view": {"id": unknown}})) == (422, "validation-error")


def test_another_app_does_not_learn_that_a_game_counts(guarded: FlaskClient) -> None:
    """Another app gets the answer that it would get if the game did not exist."""
    seats = [{"kind": "human", "player": "ada"}, {"kind": "bot", "bot": "greedy"}]
    created = new_game(guarded, OURS, seats=seats, options={"first_seat": "random"})
    for caller, refused in ((OURS, (409, "rated-game")), (THEIRS, (422, "validation-error"))):
        assert code_of(choose(guarded, {"view": {"id": created["id"]}}, **caller)) == refused


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

    def test_a_table_without_history(self, table: Table) -> None:
        """The bot knows what lies on the table."""
        table.move(0, FIRST_MOVE)
        position = {"view": described(table, 1)["view"]}
        assert choose(table.client, position).status_code == 200

    def test_nothing_is_kept_of_it(self, table: Table, position: Json, settings: Settings) -> None:
        """Of the question nothing; of the answer what can be fetched, for two minutes."""
        link = link_to(settings.queue_url or "", 5.0)
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
        told = json_of(accepted)
        assert 170 < seconds_until(told.pop("expires_at")) <= 181
        assert told == {"id": job[-22:], "status": "waiting", "links": {"self": job}}
        waiting = table.client.get(job)
        assert (waiting.status_code, json_of(waiting)["id"]) == (202, told["id"])
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

    def test_a_long_search(self, table: Table, position: Json, worker: Worker) -> None:
        """Only for somebody who does not wait, and for a single position; its result is there for an hour."""
        worker.busy = True
        long = position | {"budget": {"milliseconds": 5001}}
        for body, headers in ((long, {}), ({"positions": [long]}, ASYNC)):
            refused = choose(table.client, body, **headers)
            assert errors_of(refused) == ["budget.milliseconds"]
            assert "Prefer: respond-async" in refused.text
        assert errors_of(choose(table.client, position | {"budget": {"milliseconds": 60_001}}, **ASYNC))
        assert worker.waiting == []
        accepted = choose(table.client, long, **ASYNC)
        assert 3500 < seconds_until(json_of(accepted)["expires_at"]) <= 3601
        worker.catch_up()
        assert json_of(table.client.get(accepted.headers["Location"]))["bot"] == "greedy"


class TestBatches:
    """Several positions in one request."""

    def test_each_has_its_answer(self, table: Table, position: Json, worker: Worker) -> None:
        """In order, or its problem, in the words of a single question; and once for its key."""
        view = position["view"]
        wrong = {"view": view | {"state": view["state"] | {"deck": view["state"]["deck"] + 1}}}
        asked = [position, wrong, position | {"seed": "0" * 16}, {"view": {"game": "chess"}}]
        body, key = {"positions": asked[:3]}, {"Idempotency-Key": "mine"}
        first, again = (choose(table.client, body, "random", **key) for _ in range(2))
        told = json_of(first)["answers"]
        assert told == json_of(again)["answers"]
        assert [one["answer"] and one["answer"]["seed"] for one in told] == [SEED, None, "0" * 16]
        assert told[0]["answer"] == json_of(choose(table.client, position, "random")) | {
            "milliseconds": told[0]["answer"]["milliseconds"]
        }
        single = json_of(choose(table.client, wrong, "random"))
        assert told[1]["problem"] | {"request_id": 0} == single | {"request_id": 0}
        other = choose(table.client, {"positions": asked[:2]}, "random", **key)
        assert code_of(other) == (422, "idempotency-mismatch")
        refused = choose(table.client, {"positions": asked})
        assert code_of(refused) == (422, "unknown-game")
        assert "chess" in json_of(refused)["detail"]

    def test_later(
        self, table: Table, position: Json, worker: Worker, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A batch that takes long is a job, asked for or not, and says when it is gone."""
        monkeypatch.setattr("service.http.resources.bots.MOST", 0.05)
        worker.busy = True
        for headers in (ASYNC, {}):
            accepted = choose(table.client, {"positions": [position] * 3}, **headers)
            assert (accepted.status_code, "Preference-Applied" in accepted.headers) == (202, bool(headers))
            assert 3500 < seconds_until(json_of(accepted)["expires_at"]) <= 3601
        job = accepted.headers["Location"]
        assert table.client.get(job).status_code == 202
        worker.catch_up()
        assert [one["answer"]["bot"] for one in json_of(table.client.get(job))["answers"]] == ["greedy"] * 3

    def test_it_counts_as_so_many_questions(self, table: Table, position: Json) -> None:
        """A batch counts in the limit as that many questions; it may hold a hundred of them."""

        def left(body: Json) -> int:
            return int(choose(table.client, body).headers["RateLimit"].partition("r=")[2].partition(";")[0])

        assert left(position) - left({"positions": [position] * 5}) == 5
        for positions in ([], [position] * 101):
            assert "positions" in errors_of(choose(table.client, {"positions": positions}))
        long = position | {"view": position["view"] | {"said": "x" * SLOT_BYTES}}
        assert "positions.1" in errors_of(choose(table.client, {"positions": [position, long]}))
        assert "positions.1.seed" in errors_of(
            choose(table.client, {"positions": [position, position | {"seed": "x"}]})
        )

    def test_it_lets_others_pass(self, table: Table, position: Json, worker: Worker) -> None:
        """A position of a batch is in the queue behind what was asked meanwhile, and takes no room there."""
        worker.busy = True
        jobs = [choose(table.client, {"positions": [position] * 3}, **ASYNC).headers["Location"]]
        jobs += [choose(table.client, position, **ASYNC).headers["Location"] for _ in range(2)]
        batch, *singles = (job.rpartition("/")[2] for job in jobs)
        taken = [worker.bot_questions.for_workers.next() for _ in range(6)]
        assert taken == [f"{batch}_0", *singles, f"{batch}_1", f"{batch}_2", None]

    def test_an_app_may_have_so_many(self, table: Table, position: Json, worker: Worker) -> None:
        """An app may have so many batches; further ones are refused until some are answered."""
        worker.busy = True
        many = {"positions": [{"view": position["view"]}] * 100}
        asked = [choose(table.client, many, **ASYNC) for _ in range(4)]
        assert [one.status_code for one in asked] == [202, 202, 503, 503]

    def test_a_position_is_answered_once_though_its_worker_dies(
        self, table: Table, position: Json, worker: Worker
    ) -> None:
        """The position is put back; what the dead one may have said after all changes nothing."""
        worker.busy = True
        job = choose(table.client, {"positions": [position] * 2}, **ASYNC).headers["Location"]
        first = sure(worker.bot_questions.for_workers.next(worker="dead"))
        worker.bot_questions.for_workers.put_back("dead".__eq__)
        assert worker.bot_questions.for_workers.next() == first
        worker.bot_questions.for_workers.carry_out(first)
        worker.bot_questions.for_workers.give_up(first)
        worker.catch_up()
        assert [one["problem"] for one in json_of(table.client.get(job))["answers"]] == [None, None]

    def test_batches_of_an_app_go_with_it(
        self, table: Table, position: Json, worker: Worker, settings: Settings
    ) -> None:
        """They are dropped as a worker comes to them, if the app was deleted."""
        worker.busy = True
        job = choose(table.client, {"positions": [position] * 3}, **ASYNC).headers["Location"]
        worker.bot_questions.for_workers._is_gone = parts_of(table.client).use_cases.callers.is_gone
        app_store(settings).delete("anonymous")
        worker.catch_up()
        assert code_of(table.client.get(job)) == (404, "not-found")
        assert worker.bot_questions.for_workers.next() is None


class TestNoAnswer:
    """There are only so many workers."""

    def test_no_worker_in_time(
        self, table: Table, position: Json, worker: Worker, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """503 with Retry-After; nobody thinks about it any more."""
        monkeypatch.setattr(asking, "MARGIN", 0.05)
        worker.busy = True
        answer = choose(table.client, position)
        assert code_of(answer) == (503, "no-answer")
        assert answer.headers["Retry-After"].isdigit()
        (job,) = worker.waiting
        assert worker.bot_questions._queue.question(job) is None

    def test_too_many_questions(self, table: Table, position: Json, worker: Worker) -> None:
        """503 with Retry-After, and right away again without a look at the body; a hint is still given.

        With a key the turn is reserved, and the question is put once.
        """
        worker.busy = True
        slow = position | {"budget": {"milliseconds": 2900}}
        asked = [choose(table.client, slow, "ismcts", **ASYNC) for _ in range(3)]
        assert [answer.status_code for answer in asked] == [202, 202, 503]
        full = choose(table.client, position)
        for answer in (asked[2], full, choose(table.client, {})):
            assert code_of(answer) == (503, "queue-full")
            assert 3 <= int(answer.headers["Retry-After"]) <= 11
        assert "place" not in json_of(full)["detail"]
        key = {"Idempotency-Key": "mine"} | ASYNC
        refused = choose(table.client, slow, "ismcts", **key)
        assert "Your turn is reserved" in json_of(refused)["detail"]
        assert json_of(choose(table.client, {}, **key))["code"] == "queue-full"
        worker.busy, worker.waiting = False, []
        assert table.get("/hint?bot=greedy", seat=0).status_code == 200

    def test_a_key_is_one_question(self, table: Table, position: Json, worker: Worker) -> None:
        """Sent again it has the same answer, whether there was one in time or not; another question is refused."""
        key = {"Idempotency-Key": "mine"}
        worker.busy = True
        jobs = [json_of(choose(table.client, position, **key, **ASYNC))["id"] for _ in range(2)]
        assert len(set(jobs)) == 1
        worker.catch_up()
        first, again = (json_of(choose(table.client, position, **key)) for _ in range(2))
        assert first == again == json_of(table.client.get(f"/v1/bots/jobs/{jobs[0]}"))
        other = choose(table.client, {"view": position["view"]}, **key)
        assert code_of(other) == (422, "idempotency-mismatch")


def test_only_an_app_may_ask(table: Table, position: Json, guarded: FlaskClient, worker: Worker) -> None:
    """An engine with keys asks for one; a job belongs to the app that asked."""
    assert code_of(choose(guarded, position)) == (401, "unauthorized")
    assert code_of(choose(guarded, position, **table.bearer(0))) == (403, "forbidden")
    worker.busy = True
    job = choose(guarded, position, **OURS, **ASYNC).headers["Location"]
    worker.catch_up()
    for headers, status in ((OURS, 200), (THEIRS, 404), ({}, 401)):
        assert guarded.get(job, headers=headers).status_code == status


def test_the_app_is_told_when_it_is_done(
    table: Table, position: Json, guarded: FlaskClient, worker: Worker
) -> None:
    """The app that was answered 202, of single questions and batches; nobody who has the answer, nor everybody."""
    link = link_to(worker.settings.queue_url or "", 5.0)
    worker.busy = True
    choose(table.client, position, **ASYNC)  # of everybody: there are no apps
    asked = [choose(guarded, position, **OURS, **ASYNC)]
    asked.append(choose(guarded, {"positions": [position] * 2}, **OURS, **ASYNC))
    worker.catch_up()
    worker.busy = False
    assert choose(guarded, position, **OURS, Prefer="respond-async, wait=2").status_code == 200
    entries = [flat for _, flat in link.call("XRANGE", DONE, "-", "+")]
    assert [(flat[1], flat[3]) for flat in entries] == [
        (b"ours", json_of(one)["id"].encode()) for one in asked
    ]


class TestRefusals:
    """A fault is told before anybody thinks."""

    def test_a_malformed_question(self, table: Table, position: Json, worker: Worker) -> None:
        """Each field at fault is named."""
        worker.busy = True
        wrong: dict[str, list[Json]] = {
            "budget": [{"budget": budget} for budget in ({}, {"iterations": 5, "milliseconds": 5}, 3)],
            "budget.iterations": [{"budget": {"iterations": number}} for number in (0, 10**7)],
            "budget.milliseconds": [{"budget": {"milliseconds": 5001}}],
            "budget.seconds": [{"budget": {"seconds": 1}}],
            "seed": [{"seed": seed} for seed in (7, "A7", SEED + "0")],
            "view": [{"view": None}, {"view": []}],
            "history": [{"history": {}}],
            "history.0": [{"history": [1]}],
            "think": [{"think": "hard"}],
        }
        for field, changes in wrong.items():
            for change in changes:
                assert field in errors_of(choose(table.client, position | change)), change
        assert worker.waiting == []

    def test_the_view_names_the_game(self, table: Table, position: Json) -> None:
        """The view names its game, so `game` may be left out; but `game` must not name another one."""
        created = new_game(table.client, game="migo")
        view = json_of(
            table.client.get(created["links"]["self"], headers=bearer(created["seats"][0]["token"]))
        )
        assert json_of(choose(table.client, {"view": view}, "maxn-easy"))["bot"] == "maxn-easy"
        assert code_of(choose(table.client, {"view": view | {"game": "chess"}})) == (422, "unknown-game")
        (message,) = json_of(choose(table.client, position | {"game": "migo"}))["errors"]["game"]
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
            answer = choose(table.client, position | {"view": position["view"] | {"more": nested}})
            assert answer.status_code == status

    def test_a_body_of_a_megabyte_will_do_here(self, table: Table, position: Json) -> None:
        """A larger body is refused; elsewhere the limit stays at 64 KiB."""
        path, json_type = "/v1/bots/greedy/choose", {"Content-Type": "application/json"}
        body = orjson.dumps(position)
        padded = body + b" " * (POSITION_LIMIT - len(body))
        assert table.client.post(path, data=padded, headers=json_type).status_code == 200
        assert code_of(table.client.post(path, data=padded + b" ", headers=json_type)) == (413, "too-large")
        moves = table.client.post(f"{table.path}/moves", data=padded, headers=json_type | table.bearer(0))
        assert code_of(moves) == (413, "too-large")


def test_a_position_that_contradicts_itself(table: Table, position: Json, worker: Worker) -> None:
    """It is refused with what is wrong, and no worker hears of it; tests/domain/test_position.py has every mistake."""
    worker.busy = True
    view = position["view"]
    too_many = view | {"state": view["state"] | {"deck": view["state"]["deck"] + 1}}
    for told, code, words in (
        ({"view": too_many}, "impossible-position", "55"),
        (position | {"view": view | {"version": 9}}, "impossible-position", "events"),
        (position | {"view": view | {"options": {"rules": "chess"}}}, "validation-error", "rules"),
    ):
        refused = choose(table.client, told)
        assert code_of(refused) == (422, code), refused.text
        assert words in json_of(refused)["detail"] + str(json_of(refused).get("errors"))
    assert worker.waiting == []
