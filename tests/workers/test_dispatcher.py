"""The dispatcher: from recorded events to jobs and listings."""

from dataclasses import replace
from functools import partial

import pytest
from redis import Redis

from domain.lifecycle import Seat
from domain.registry import DEFAULT_GAME
from events.errors import CorruptStream, GameNotFound, StoreUnavailable
from events.games.access import Caller
from events.games.new_game import NewGame
from events.redis.feed import Feed
from events.redis.queues.keys import DISPATCHER_ALIVE
from events.runtime import bootstrap
from events.runtime.settings import Settings
from events.runtime.stores.store_check import StoreCheck, StoreWatch
from events.use_cases.application import Application
from events.use_cases.finished.rankings import Rankings
from tests.waiting import until
from tests.workers.conftest import BOTS, Run
from workers.bootstrap import client_of
from workers.dispatcher import ALIVE_SECONDS, CONSUMER, GROUP, SCORED_WITHIN, Dispatcher, Interval
from workers.job_queue.queue import JobQueue


def test_a_bots_turn_becomes_a_job(
    dispatcher: Dispatcher,
    feed: Feed,
    application: Application,
    queue: JobQueue,
    redis: Redis,
    bots_game: str,
) -> None:
    """A new game of bots is in the queue after one step, and seen by nobody again; a human's turn is nobody's work.

    The heartbeat, at which /readyz looks, expires by itself.
    """
    application.creation.create("club", NewGame())
    dispatcher.step()
    assert queue.rq.job_ids == [f"bot-{bots_game}-2"]
    assert feed.read(block_ms=1) == []
    assert feed.claim_stale(min_idle_ms=0) == []
    assert 0 < redis.ttl(DISPATCHER_ALIVE) <= ALIVE_SECONDS


def test_a_store_that_locks_the_engine_out_is_waited_for(
    dispatcher: Dispatcher, redis: Redis, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A password set while the engine runs: one line says what the store refuses, one that it is over."""
    caplog.set_level("INFO", "migrato.dispatcher")
    monkeypatch.setattr("workers.dispatcher.STORE_PAUSE", 0)
    monkeypatch.setattr("workers.dispatcher.BLOCK_MS", 1)
    redis.ping()  # this connection is let in already
    rounds = iter(range(9))

    def stopping() -> bool:
        turn = next(rounds)
        if turn == 2:
            redis.config_set("requirepass", "secret")
            redis.client_kill_filter(_type="normal", skipme=True)
        elif turn == 5:
            redis.config_set("requirepass", "")
        return turn == 8

    try:
        dispatcher.run(stopping)
    finally:
        redis.config_set("requirepass", "")
    told = [message for message in caplog.messages if "event store" in message or "failed" in message]
    assert ["refuses: NOAUTH" in message for message in told] == [True, False]
    assert told[1] == "the event store answers again"


def test_the_store_is_looked_at_as_soon_as_it_answers(
    feed: Feed, application: Application, queue: JobQueue, redis: Redis, settings: Settings
) -> None:
    """And again while it runs."""
    looks: list[str] = []
    watch = StoreWatch(StoreCheck(settings))
    watch.begin, watch.look = lambda: looks.append("begin"), lambda: looks.append("look")  # type: ignore[method-assign]
    dispatcher = Dispatcher(feed, application, queue, redis, store_watch=watch)
    dispatcher.start()
    dispatcher.step()
    assert looks == ["begin", "look"]


def test_garbage_in_the_store_stops_no_game(
    dispatcher: Dispatcher, queue: JobQueue, redis: Redis, bots_game: str
) -> None:
    """In every place that the dispatcher reads: the index of due games, the feed, listings, the counts of erasures."""
    for key in ("{p000}:due", "{app:club}:lines"):
        redis.hset(key, bots_game, "garbage")
    redis.xadd("{p000}:feed", {"hello": "world"})
    redis.set("{app:club}:games", "garbage")
    redis.sadd("{p000}:erasures", "garbage")
    redis.set("{p000}:seat-forks", "garbage")
    redis.zadd("{p001}:seat-forks", {"garbage": 1})
    dispatcher.start()
    dispatcher.step()
    assert queue.rq.job_ids == [f"bot-{bots_game}-2"]


def test_a_game_of_bots_is_rated(
    dispatcher: Dispatcher,
    application: Application,
    run_jobs: Run,
    feed: Feed,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Once, though the feed tells of it again, and though a dispatcher died after it had entered the result."""
    application.creation.create("club", replace(SHORT, options={"first_seat": "random"}))
    with monkeypatch.context() as dying:
        dying.setattr(Rankings, "fold", _die)
        with pytest.raises(Died):
            _work(dispatcher, run_jobs)
    board = partial(application.rankings.leaderboard, "club", DEFAULT_GAME, "none", 10)
    assert board() == ([], None)
    dispatcher.start()
    entries, _ = board()
    assert sorted((entry["bot"], entry["games"]) for entry in entries) == [("greedy", 1), ("random", 1)]
    assert sum(entry["wins"] for entry in entries) <= 1
    application.rankings.wipe()
    (game,) = application.listing.page("club").games
    ladder = application.rankings.enter(game["id"])
    assert ladder is not None
    application.rankings.fold(*ladder)
    assert board() == (entries, None)


def test_ratings_that_others_wrote_over_stop_no_game(
    dispatcher: Dispatcher, application: Application, redis: Redis, run_jobs: Run
) -> None:
    """The game runs to its end, feed, job, feed, job ..., until its result is confirmed; and is listed."""
    for key in ("results", "ladders", "results:migrato:none", "ratings:migrato:none"):
        redis.set(f"{{app:club}}:{key}", "garbage")
    game_id = application.creation.create("club", SHORT).snapshot.game_id
    _work(dispatcher, run_jobs)
    result = application.views.snapshot(game_id).status.result
    assert result is not None
    assert result.scored
    assert statuses(application) == ["finished"]


SHORT = NewGame(seats=(Seat("bot", bot="greedy"), Seat("bot", bot="random")), options={"turn_limit": 4})


class Died(BaseException):
    """The process died here."""


def _work(dispatcher: Dispatcher, run_jobs: Run) -> None:
    """Until there is nothing left to do."""
    idle = 0
    while idle < 2:
        dispatcher.step()
        idle = 0 if run_jobs() else idle + 1


def statuses(application: Application) -> list[str]:
    """The statuses of the games in the list."""
    return [game["status"] for game in application.listing.page("club").games]


def resigned(application: Application) -> str:
    """A game that has ended, and waits for its score."""
    game_id = application.creation.create("club", NewGame()).snapshot.game_id
    application.moves.play(game_id, 0, {"type": "resign"})
    return game_id


def _die(*_: object) -> None:
    raise Died


def test_only_the_latest_turn_is_enqueued(
    dispatcher: Dispatcher, queue: JobQueue, application: Application, bots_game: str
) -> None:
    """Turns that the game has left behind meanwhile are no work any more."""
    application.bot_turns.bot_move(bots_game, 2)
    version = application.views.snapshot(bots_game).version
    dispatcher.step()
    assert queue.rq.job_ids == [f"bot-{bots_game}-{version}"]


def test_two_dispatchers_do_no_harm(
    dispatcher: Dispatcher, settings: Settings, queue: JobQueue, redis: Redis, bots_game: str
) -> None:
    """The same entries handled by both make the same jobs once.

    Handled, acknowledged, and then the queue's server lost everything: a start finds it in the index.
    """
    feed = bootstrap.feed(settings, GROUP, CONSUMER)
    other = Dispatcher(feed, bootstrap.application(settings), queue, redis)
    entries = feed.read(block_ms=1)
    for each in (dispatcher, other):
        each.handle(entries)
    for _ in range(2):
        for each in (other, dispatcher):
            each.start()
        assert queue.rq.job_ids == [f"bot-{bots_game}-2"]
        redis.delete(queue.rq.key, f"rq:job:bot-{bots_game}-2")


def test_entries_that_another_dispatcher_read_are_taken_over(
    dispatcher: Dispatcher,
    feed: Feed,
    application: Application,
    queue: JobQueue,
    bots_game: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Read and not acknowledged: the next one to start handles them at once, one that runs does so after a while."""
    assert len(feed.read(block_ms=1)) == 1
    dispatcher.start()
    assert queue.rq.job_ids == [f"bot-{bots_game}-2"]
    other = application.creation.create("club", NewGame(seats=BOTS)).snapshot.game_id
    assert len(feed.read(block_ms=1)) == 1
    monkeypatch.setattr("workers.dispatcher.CLAIM_AFTER", 0.0)
    dispatcher.step()
    assert queue.rq.job_ids == [f"bot-{game_id}-2" for game_id in (bots_game, other)]


def test_the_scorer_of_a_game_lists_it(
    dispatcher: Dispatcher, application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mere move changes nothing in the list; where the scorer died before that, the feed tells of the score, too."""
    one, two = resigned(application), resigned(application)
    dispatcher.step()
    assert statuses(application) == ["playing"] * 2
    application.bot_turns.score_game(one)
    lines = {line["id"]: line for line in application.listing.page("club").games}
    assert (lines[one]["status"], lines[one]["result"]["scored"]) == ("finished", True)
    with monkeypatch.context() as dying:
        dying.setattr("events.projections.listings.Listings.update", lambda *_: None)
        application.bot_turns.score_game(two)
    assert sorted(statuses(application)) == ["finished", "playing"]
    dispatcher.step()
    assert statuses(application) == ["finished"] * 2


def test_a_game_that_nobody_scores_is_listed(
    feed: Feed, application: Application, queue: JobQueue, redis: Redis
) -> None:
    """After a while."""
    now = [1000.0]
    dispatcher = Dispatcher(feed, application, queue, redis, lambda: now[0])
    resigned(application)
    dispatcher.step()
    assert feed.claim_stale(min_idle_ms=0) == []
    assert statuses(application) == ["playing"]
    now[0] += SCORED_WITHIN

    def listed() -> bool:
        dispatcher.step()
        return bool(application.listing.page("club").games[0]["status"] == "finished")

    until(listed)


def test_the_last_event_of_a_game_is_noted(dispatcher: Dispatcher, application: Application) -> None:
    """With every move, though the game's line shows none."""
    seats = (Seat("human", "ada"), Seat("human", "bo"))
    created = application.creation.create("club", NewGame("migo", seats=seats)).snapshot
    seat = created.status.to_act
    assert seat is not None
    dispatcher.step()
    played = application.moves.play(created.game_id, seat, created.game.legal_moves(created.state, seat)[0])
    dispatcher.step()
    (line,) = application.listing.page("club").games
    assert line["updated_at"] == played.snapshot.updated_at


def test_a_game_that_its_creator_could_not_list_is_listed(
    dispatcher: Dispatcher, application: Application, redis: Redis
) -> None:
    """It may have died between the game and its line."""
    application.creation.create("club", NewGame())
    redis.delete(*redis.keys("{app:club}:*"))
    assert application.listing.page("club").games == []
    dispatcher.step()
    assert statuses(application) == ["playing"]


def test_a_game_that_is_listed_as_it_is_is_not_read(
    dispatcher: Dispatcher, application: Application, redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its creator did that, and its scorer; a line is brought up to date once for all that happened meanwhile."""
    updated: list[str] = []
    monkeypatch.setattr(application.listing, "update", updated.append)
    game_id = application.creation.create("club", NewGame()).snapshot.game_id
    dispatcher.step()
    assert updated == []
    application.moves.play(game_id, 0, {"type": "resign"})
    application.bot_turns.score_game(game_id)
    dispatcher.step()
    assert updated == []
    other = resigned(application)
    application.bot_turns.score_game(other)
    redis.delete("{app:club}:lines")
    dispatcher.step()
    assert updated == [other]


def test_one_broken_game_does_not_stop_the_others(
    dispatcher: Dispatcher,
    feed: Feed,
    application: Application,
    monkeypatch: pytest.MonkeyPatch,
    redis: Redis,
) -> None:
    """An entry that can never be handled is logged and left behind."""
    failed: list[str] = []
    errors = [CorruptStream("x"), GameNotFound("x")]

    def fail(game_id: str) -> None:
        failed.append(game_id)
        raise errors[-1]

    monkeypatch.setattr(application.listing, "update", fail)
    while errors:
        game_id = application.creation.create("club", NewGame(seats=BOTS)).snapshot.game_id
        redis.delete("{app:club}:lines")
        dispatcher.step()
        assert failed[-1] == game_id
        assert feed.claim_stale(min_idle_ms=0) == []
        errors.pop()
    assert len(failed) == 2


def test_a_silent_store_is_waited_for(
    dispatcher: Dispatcher, feed: Feed, queue: JobQueue, bots_game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The dispatcher goes on when the store does; what it could not acknowledge it handles again."""
    ack, failures = feed.ack, iter([StoreUnavailable("gone"), StoreUnavailable("gone")])

    def silent_at_first(entries: list[object]) -> None:
        for failure in failures:
            raise failure
        ack(entries)  # type: ignore[arg-type]

    monkeypatch.setattr(feed, "ack", silent_at_first)
    monkeypatch.setattr("workers.dispatcher.STORE_PAUSE", 0.0)
    monkeypatch.setattr("workers.dispatcher.BLOCK_MS", 1)
    rounds = iter([False] * 6 + [True])
    dispatcher.run(lambda: next(rounds))
    assert queue.rq.job_ids == [f"bot-{bots_game}-2"]
    assert feed.claim_stale(min_idle_ms=0) == []


def test_a_queue_that_does_not_answer_does_not_stop_the_dispatcher(
    feed: Feed, application: Application, bots_game: str
) -> None:
    """The entries are acknowledged: the index of due games remembers, and the sweeper will play."""

    gone = client_of("unix:///nonexistent/redis.sock")
    Dispatcher(feed, application, JobQueue(gone), gone).step()
    assert feed.claim_stale(min_idle_ms=0) == []


def test_every_says_yes_once_in_a_while() -> None:
    """The first time at once."""
    now = [0.0]
    every = Interval(2.0, lambda: now[0])
    assert [every.due(), every.due()] == [True, False]
    now[0] = 2.5
    assert [every.due(), every.due()] == [True, False]


def test_an_aborted_game_makes_no_jobs_and_is_listed(
    dispatcher: Dispatcher, application: Application, bots_game: str, run_jobs: Run, queue: JobQueue
) -> None:
    """The job that waits for its bot ends quietly; nothing is scored."""
    dispatcher.step()
    assert queue.rq.job_ids == [f"bot-{bots_game}-2"]
    application.interventions.abort(bots_game, Caller("app", app="club"))
    dispatcher.step()
    (line,) = application.listing.page("club").games
    assert (line["status"], line["result"], line["aborted"]) == ("finished", None, True)
    assert run_jobs() == 1
    dispatcher.step()
    assert queue.rq.job_ids == []
    assert application.views.history(bots_game)[-1].type == "game_aborted"


def test_a_bot_in_a_players_place_gets_its_job(
    dispatcher: Dispatcher, application: Application, run_jobs: Run
) -> None:
    """On the seat's turn at once; the listing shows who plays."""
    game_id = application.creation.create("club", NewGame()).snapshot.game_id
    dispatcher.step()
    after = application.interventions.replace_player(game_id, 0, "greedy", Caller("app", app="club"))
    dispatcher.step()
    assert run_jobs() == 1
    assert application.views.snapshot(game_id).version > after.version
    (line,) = application.listing.page("club").games
    assert [seat.get("bot") for seat in line["seats"]] == ["greedy", "greedy"]
