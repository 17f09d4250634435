"""Remote seats, from the creation of their game to the moves of their bots."""

import time
from typing import NoReturn

import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks import Webhook

from domain.errors import DomainError
from domain.lifecycle import Json, Seat
from domain.registry import game_named
from events.application import Application
from events.engine.new_game import Created, NewGame
from events.errors import StoreUnavailable
from events.log.serialisers import event_document
from events.runtime import bootstrap
from events.runtime.settings import Settings
from tests.support.bot_server import answer, be_silent, bot_server, hang_up
from tests.support.clock import Clock
from tests.support.sure import sure
from tests.workers.conftest import Place
from workers import jobs
from workers.job_queue.queue import JobQueue, JobState, Task
from workers.reactions.sweeper import PATIENCE, Sweeper
from workers.remote import job
from workers.remote.client import RemoteBotClient

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
LOCAL = ("127.0.0.1",)
SECONDS = 20.0
EXCHANGE = answer({"move": {"type": "exchange"}})
NOWHERE = "http://127.0.0.1:9/"


@pytest.fixture
def settings(redis_url: str) -> Settings:
    """Settings of an operator who allows bots on this machine."""
    return Settings(redis_url=redis_url, queue_url=redis_url, remote_allow=LOCAL, remote_seconds=SECONDS)


@pytest.fixture(autouse=True)
def _in_this_process(application: Application, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job, "application", lambda: application)
    call_for(SECONDS, settings, monkeypatch)


def call_for(seconds: float, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls take so long at the most, and do not pause between two repeats."""
    caller = RemoteBotClient(bootstrap.guard(settings), seconds, lambda _: None)
    monkeypatch.setattr(job, "caller", lambda: caller)


def fails(*_: object) -> NoReturn:
    raise ZeroDivisionError("a mistake")


def new_game(application: Application, url: str = NOWHERE, secret: str | None = SECRET) -> str:
    """A game of a remote bot against a human; its id."""
    seats = (Seat("remote", player="deep goose"), Seat("human"))
    return application.creation.create(
        "club", NewGame(seats=seats, remotes={0: (url, secret)})
    ).snapshot.game_id


def two_bots(application: Application, app: str, *bots: tuple[str, str | None]) -> Created:
    new = NewGame(seats=(Seat("remote"), Seat("remote")), remotes=dict(enumerate(bots)))
    return application.creation.create(app, new)


def events_of(application: Application, game_id: str, after: int = 2) -> list[Json]:
    """The events after a version as everybody can see them."""
    now = application.views.snapshot(game_id)
    return [event_document(now, event, None) for event in application.views.history(game_id, after)]


def test_a_remote_bot_is_asked_and_moves(application: Application) -> None:
    """It gets its seat's position, and no more, and its answer is played like anybody's move."""
    with bot_server(EXCHANGE) as server:
        game_id = new_game(application, f"{server.url}/move")
        before = application.views.snapshot(game_id)
        job.play(game_id, before.version)
        (asked,) = server.received
    assert Webhook(SECRET).verify(asked.body, asked.headers) == asked.document
    assert asked.headers["webhook-id"] == f"{game_id}-{before.version}"
    history = [event_document(before, event, 0) for event in application.views.history(game_id, limit=2)]
    view = application.views.game_document(before, 0)
    assert view["seats"][0]["player"] == "deep goose"
    view["seats"][0]["player"] = None  # a bot of somebody else is told ids only
    assert asked.document | {"deadline": None} == {
        "game": "migrato",
        "view": view,
        "history": history,
        "legal_moves": application.views.legal_moves(before, 0),
        "deadline": None,
    }
    assert [player["hand"] is None for player in view["state"]["players"]] == [False, True]
    started = next(event for event in history if event["type"] == "game_started")
    assert (started["data"]["deck"], started["data"]["hands"][1]) == (None, None)
    assert event_document(before, application.views.history(game_id)[0], 0)["at"] < asked.document["deadline"]
    assert [event["type"] for event in events_of(application, game_id)] == ["hand_exchanged", "cards_drawn"]


def test_the_address_of_a_bot_survives_a_restart(place: Place) -> None:
    game_id = new_game(place.application, "http://127.0.0.1:9/a", None)
    question = sure(bootstrap.application(place.settings).remote.question(game_id, 2, 5.0))
    known = place.application.views.snapshot(game_id).secrets.remotes[0]
    assert question.remote == known
    assert known.url == "http://127.0.0.1:9/a"


def test_a_bot_that_gives_no_move_is_replaced(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everybody can see by whom, and why. A wrong answer is one; nothing is learnt where nobody was asked."""
    abandon = '{"move": {"type": "abandon", "slot": %s}}'
    bad_answers = (
        answer(status=404),
        answer({"move": {}}),
        answer({"move": {"type": "play"}}),
        answer({"move": {"type": ["play"], "card": {}}}),
        answer((abandon % "1e400").encode()),
        answer((abandon % 10**30).encode()),
        answer({"move": {"type": "play", "card": "no such", "slot": 1}}),
    )
    illegal = (answer((abandon % "1").encode()), answer({"move": {"type": "pass"}}))
    silent = (hang_up, answer(status=500), answer(status=503))
    for script, why, told in (
        *((script, "bad-answer", "answered") for script in bad_answers),
        *((script, "illegal-move", "answered") for script in illegal),
        *((script, "unreachable", "silent") for script in silent),
        (be_silent, "timeout", "silent"),
    ):
        if script is be_silent:
            call_for(0.1, place.settings, monkeypatch)
        with bot_server(script) as server:
            game_id = new_game(place.application, server.url)
            assert [job.play(game_id, 2), job.play(game_id, 2)] == [told, ""]
        chosen, *rest = events_of(place.application, game_id)
        assert (chosen["type"], chosen["seat"]) == ("move_chosen", 0)
        names = ("bot", "budget", "seed", "fallback", "replaces")
        assert [chosen["data"][name] for name in names] == ["greedy", None, None, why, "remote"]
        assert rest


WORDS = st.sampled_from(["G5d", "HUN", "teal", "return"])
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | WORDS,
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["slot", "pile", "x"]), inner, max_size=2)
    ),
    max_leaves=3,
)
FIELDS = ["card", "slot", "on_arrival", "discard", "from", "to", "index", "uncover", "target", "x"]
KINDS = ["play", "move_cards", "danger", "discard", "exchange", "abandon", "pass", "resign"]


@hypothesis.settings(deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
@given(st.dictionaries(st.sampled_from(FIELDS), ANY_JSON, max_size=5), st.sampled_from(KINDS) | ANY_JSON)
def test_every_answer_is_a_move_or_refused(fields: Json, kind: object) -> None:
    """Nobody has looked at the answer before the game does: it means what it says, or the refusal names a field."""
    answered = {**fields, "type": kind}
    move, refusal = understood(answered)
    if refusal is None:
        assert chosen(move) == chosen(answered)
    else:
        named = {field.partition(".")[0] for field in refusal.data["errors"]}
        assert (refusal.code, bool(named)) == ("validation-error", True)
        assert named <= {*FIELDS, "type"}


def understood(answered: Json) -> tuple[Json, DomainError | None]:
    """The move as the game understands it, written as a document again, or why it is none."""
    game = game_named("migrato")
    try:
        return game.move_document(game.parse_move(answered)), None
    except DomainError as refusal:
        return {}, refusal


def chosen(move: Json) -> Json:
    """A move's document without the members that stand for no choice."""
    kept = {name: value for name, value in move.items() if value is not None and value is not False}
    return kept if "target" not in kept else kept | {"target": chosen(kept["target"])}


def test_members_that_stand_for_no_choice_may_be_there_or_not() -> None:
    """A move chooses what was answered, and nothing else."""
    play = {"type": "play", "card": "G5d", "slot": 3, "on_arrival": "return", "discard": "HUN"}
    move_cards = {"type": "move_cards", "from": 1, "index": 0}
    for answered, wrong in (
        ({"type": "exchange"}, []),
        ({"type": "play", "card": "G5d", "slot": None}, []),
        (play, []),
        (move_cards, []),
        (move_cards | {"to": 2, "uncover": True}, []),
        (move_cards | {"uncover": 1}, ["uncover"]),
        ({"type": "danger", "card": "HUN", "target": {"slot": 2, "pile": None}}, []),
        ({"type": "danger", "card": "HUN", "target": 7}, ["target"]),
        ({"type": "exchange", "x": 1}, ["x"]),
        ({"type": "play", "card": ["G5d"]}, ["card"]),
        ({"type": ["play"]}, ["type"]),
    ):
        move, refusal = understood(answered)
        assert refusal is not None or chosen(move) == chosen(answered)
        assert list(refusal.data["errors"] if refusal else ()) == wrong


def test_a_bot_that_is_not_called_is_replaced_too(application: Application) -> None:
    """Everybody can see that it was not asked."""
    with bot_server(EXCHANGE) as server:
        game_id = new_game(application, server.url)
        job.stand_in(game_id, 2)
        job.stand_in(game_id, 2)
        assert server.received == []
    chosen = events_of(application, game_id)[0]["data"]
    assert (chosen["bot"], chosen["fallback"], chosen["replaces"]) == ("greedy", "suspended", "remote")
    assert application.views.snapshot(game_id).version == 2 + len(events_of(application, game_id))


def test_the_bot_to_call_is_the_one_to_move(application: Application) -> None:
    """The remote bot that is to move is called, also in a game of two of them."""
    one, two = "http://127.0.0.1:1/", "http://127.0.0.1:2/"
    assert application.remote.remote_bot_to_move(new_game(application, one)) == ("club", one)
    game_id = two_bots(application, "other", (one, None), (two, None)).snapshot.game_id
    assert application.remote.remote_bot_to_move(game_id) == ("other", one)
    application.remote.play(game_id, 2, {"type": "exchange"})
    assert application.remote.remote_bot_to_move(game_id) == ("other", two)
    people = application.creation.create("club", NewGame()).snapshot.game_id
    assert application.remote.remote_bot_to_move(people) is None
    assert application.remote.question(people, 2, 5.0) is None
    assert application.remote.play(people, 2, {"type": "exchange"}) is None


def test_a_name_that_nobody_can_look_up_is_no_mistake_of_ours(
    application: Application, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A game of a former release may have one."""
    monkeypatch.setattr(application.creation._guard, "check", lambda url: None)
    game_id = new_game(application, f"https://{'b' * 64}.example.com/")
    job.play(game_id, 2)
    assert events_of(application, game_id)[0]["data"]["fallback"] == "unreachable"
    assert "Traceback" not in caplog.text


def test_a_bots_words_stay_out_of_the_log(application: Application, caplog: pytest.LogCaptureFixture) -> None:
    """A bot's words stay out of the log, where they might pretend to be a line of the engine's."""
    caplog.set_level("DEBUG")
    for move in ({"type": "pass", "\nERROR": 1}, {"type": "\nERROR"}):
        with bot_server(answer({"move": move})) as server:
            job.play(new_game(application, server.url), 2)
    assert "bad-answer" not in caplog.text
    assert "validation-error" in caplog.text
    assert "ERROR" not in caplog.text


def test_our_own_mistakes_do_not_stop_a_game(
    application: Application, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A mistake of the engine's own does not stop a game, and counts against no bot."""
    monkeypatch.setattr(RemoteBotClient, "move", fails)
    game_id = new_game(application)
    assert job.play(game_id, 2) == ""
    assert events_of(application, game_id)[0]["data"]["fallback"] == "failed"
    assert "a mistake" in caplog.text


def test_a_bot_may_resign(application: Application) -> None:
    with bot_server(answer({"move": {"type": "resign"}})) as server:
        game_id = new_game(application, server.url)
        job.play(game_id, 2)
    result = sure(application.views.snapshot(game_id).status.result)
    assert (result.winner, result.reason) == (1, "resigned")


def test_a_job_that_comes_late_or_twice_asks_nobody(application: Application) -> None:
    with bot_server(EXCHANGE) as server:
        game_id = new_game(application, server.url)
        for version in (1, 2, 2, 3, 100):
            job.play(game_id, version)
        assert len(server.received) == 1


def test_an_answer_after_the_fallback_changes_nothing(application: Application) -> None:
    """Only one of the two moves can happen: the sweeper may have lost patience meanwhile."""
    game_id = new_game(application)
    assert application.bot_turns.fallback_move(game_id, 2, "timeout") is not None
    after = application.views.snapshot(game_id).version
    assert application.remote.play(game_id, 2, {"type": "exchange"}) is None
    assert application.views.snapshot(game_id).version == after


def test_a_store_that_stays_silent_fails_the_job(
    application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No fallback move could be recorded either: the sweeper has the job tried again."""

    def silent(*_: object) -> None:
        raise StoreUnavailable("gone")

    monkeypatch.setattr(jobs, "STORE_PATIENCE", 0.01)
    with bot_server(EXCHANGE) as server:
        game_id = new_game(application, server.url)
        monkeypatch.setattr(application.remote, "play", silent)
        with pytest.raises(StoreUnavailable):
            job.play(game_id, 2)
    assert application.views.snapshot(game_id).version == 2


def test_a_remote_turn_becomes_a_job_of_its_own_queue(place: Place) -> None:
    """Bots of ours never wait behind it."""
    game_id = new_game(place.application)
    place.step()
    assert (place.queue.remote.job_ids, place.queue.rq.job_ids) == ([f"remote-{game_id}-2"], [])
    assert place.queue.state(Task("remote", game_id, 2)) is JobState.WAITING


def test_the_sweeper_plays_where_no_remote_worker_does(place: Place, sweeper: Sweeper, clock: Clock) -> None:
    """A job that got lost is asked for again first; one that waits too long is done without, too."""
    lost, waits = new_game(place.application), new_game(place.application)
    place.queue.enqueue(Task("remote", waits, 2))
    sweeper.sweep()
    assert place.queue.remote.job_ids == [f"remote-{waits}-2", f"remote-{lost}-2"]
    place.queue.remote.remove(f"remote-{lost}-2")
    clock.now += 5
    sweeper.sweep()
    assert events_of(place.application, lost)[0]["data"]["fallback"] == "timeout"
    clock.now += PATIENCE - 6
    sweeper.sweep()
    assert place.version(waits) == 2
    clock.now += 3
    sweeper.sweep()
    assert events_of(place.application, waits)[0]["data"]["fallback"] == "timeout"


def test_a_call_under_way_is_left_alone(place: Place, sweeper: Sweeper, clock: Clock) -> None:
    """Even if it takes longer than a bot of ours may: its job has a time limit of its own."""
    queue = JobQueue(place.redis, remote_seconds=60.0)
    game_id = new_game(place.application)
    queue.enqueue(Task("remote", game_id, 2))
    job = sure(queue.remote.fetch_job(f"remote-{game_id}-2"))
    assert job.timeout == 63
    queue.remote.connection.lrem(queue.remote.key, 1, job.id)
    with place.redis.pipeline() as pipeline:
        job.prepare_for_execution("somebody", pipeline)
        pipeline.execute()
    place.redis.hset(job.key, "started_at", "2026-11-21T12:00:00.000000Z")
    assert queue.state(Task("remote", game_id, 2)) is JobState.ABSENT
    place.redis.hset(
        job.key, "started_at", time.strftime("%Y-%m-%dT%H:%M:%S.000000Z", time.gmtime(time.time() - 30))
    )
    assert queue.state(Task("remote", game_id, 2)) is JobState.RUNNING
    clock.now += 60
    sweeper.sweep()
    assert place.version(game_id) == 2
