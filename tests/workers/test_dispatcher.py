"""The dispatcher: from recorded events to jobs and listings."""

from dataclasses import replace
from functools import partial

import pytest

from domain.lifecycle import Seat
from domain.registry import DEFAULT_GAME
from events.application import Application
from events.engine.new_game import NewGame
from events.errors import CorruptStream, GameNotFound, StoreUnavailable
from events.features.ratings.leaderboards import Leaderboards
from events.runtime import adapters, bootstrap
from events.runtime.stores.store_check import StoreCheck, StoreWatch
from events.store.queues.keys import DISPATCHER_ALIVE
from tests.support.sure import sure
from tests.support.waiting import until
from tests.workers.conftest import BOTS, Place, Run
from workers.bootstrap import client_of
from workers.dispatcher import CONSUMER, GROUP, Dispatcher, Interval
from workers.job_queue.queue import JobQueue
from workers.reactions.alive import ALIVE_SECONDS
from workers.reactions.listings import SCORED_WITHIN


def test_a_bots_turn_becomes_a_job(place: Place, bots_game: str) -> None:
    """A new game of bots is in the queue after one step, and seen by nobody again; a human's turn is nobody's work.

    The heartbeat, at which /readyz looks, expires by itself.
    """
    place.new_game()
    place.step()
    assert place.queue.rq.job_ids == [f"bot-{bots_game}-2"]
    assert place.feed.read(block_ms=1) == []
    assert place.feed.claim_stale(min_idle_ms=0) == []
    assert 0 < place.redis.ttl(DISPATCHER_ALIVE) <= ALIVE_SECONDS


def test_a_store_that_locks_the_engine_out_is_waited_for(
    place: Place, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A password set while the engine runs: one line says what the store refuses, one that it is over."""
    caplog.set_level("INFO", "migrato.dispatcher")
    monkeypatch.setattr("workers.dispatcher.STORE_PAUSE", 0)
    place.redis.ping()  # this connection is let in already
    rounds = iter(range(9))

    def stopping() -> bool:
        turn = next(rounds)
        if turn == 2:
            place.redis.config_set("requirepass", "secret")
            place.redis.client_kill_filter(_type="normal", skipme=True)
        elif turn == 5:
            place.redis.config_set("requirepass", "")
        return turn == 8

    try:
        place.dispatcher.run(stopping)
    finally:
        place.redis.config_set("requirepass", "")
    told = [message for message in caplog.messages if "event store" in message or "failed" in message]
    assert ["refuses: NOAUTH" in message for message in told] == [True, False]
    assert told[1] == "the event store answers again"


def test_the_store_is_looked_at_as_soon_as_it_answers(place: Place) -> None:
    """It is looked at again while the dispatcher runs."""
    looks: list[str] = []
    watch = StoreWatch(StoreCheck(place.settings))
    watch.begin, watch.look = lambda: looks.append("begin"), lambda: looks.append("look")  # type: ignore[method-assign]
    dispatcher = Dispatcher(place.feed, place.application, place.queue, place.redis, store_watch=watch)
    dispatcher.start()
    dispatcher.step()
    assert looks == ["begin", "look"]


def test_garbage_in_the_store_stops_no_game(place: Place, bots_game: str) -> None:
    """In every place that the dispatcher reads: the index of due games, the feed, listings, the counts of erasures."""
    for key in ("{p000}:due", "{app:club}:lines"):
        place.redis.hset(key, bots_game, "garbage")
    place.redis.xadd("{p000}:feed", {"hello": "world"})
    place.redis.set("{app:club}:games", "garbage")
    place.redis.sadd("{p000}:erasures", "garbage")
    place.redis.set("{p000}:seat-forks", "garbage")
    place.redis.zadd("{p001}:seat-forks", {"garbage": 1})
    place.dispatcher.start()
    place.step()
    assert place.queue.rq.job_ids == [f"bot-{bots_game}-2"]


def test_a_game_of_bots_is_rated(place: Place, run_jobs: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once, though the feed tells of it again, and though a dispatcher died after it had entered the result."""
    place.application.creation.create("club", replace(SHORT, options={"first_seat": "random"}))
    with monkeypatch.context() as dying:
        dying.setattr(Leaderboards, "fold", _die)
        with pytest.raises(Died):
            _work(place.dispatcher, run_jobs)
    board = partial(place.application.leaderboards.page, "club", DEFAULT_GAME, "none", 10)
    assert board() == ([], None)
    place.dispatcher.start()
    entries, _ = board()
    assert sorted((entry["bot"], entry["games"]) for entry in entries) == [("greedy", 1), ("random", 1)]
    assert sum(entry["wins"] for entry in entries) <= 1
    place.application.leaderboards.wipe()
    (game,) = place.application.listing.page("club").games
    leaderboard = sure(place.application.leaderboards.enter(game["id"]))
    place.application.leaderboards.fold(*leaderboard)
    assert board() == (entries, None)


def test_ratings_that_others_wrote_over_stop_no_game(place: Place, run_jobs: Run) -> None:
    """The game runs to its end, feed, job, feed, job ..., until its result is confirmed; and is listed."""
    for key in ("results", "ladders", "results:migrato:none", "ratings:migrato:none"):
        place.redis.set(f"{{app:club}}:{key}", "garbage")
    game_id = place.application.creation.create("club", SHORT).snapshot.game_id
    _work(place.dispatcher, run_jobs)
    result = sure(place.application.views.snapshot(game_id).status.result)
    assert result.scored
    assert statuses(place.application) == ["finished"]


SHORT = NewGame(seats=(Seat("bot", bot="greedy"), Seat("bot", bot="random")), options={"turn_limit": 4})


class Died(BaseException):
    """The process died here."""


def _work(dispatcher: Dispatcher, run_jobs: Run) -> None:
    """Let the dispatcher work until nothing is left to do."""
    idle = 0
    while idle < 2:
        dispatcher.step()
        idle = 0 if run_jobs() else idle + 1


def statuses(application: Application) -> list[str]:
    return [game["status"] for game in application.listing.page("club").games]


def resigned(application: Application) -> str:
    """A game that has ended, and waits for its score."""
    game_id = application.creation.create("club", NewGame()).snapshot.game_id
    application.moves.play(game_id, 0, {"type": "resign"})
    return game_id


def _die(*_: object) -> None:
    raise Died


def test_only_the_latest_turn_is_enqueued(place: Place, bots_game: str) -> None:
    """Turns that the game has left behind meanwhile are no work any more."""
    place.application.bot_turns.bot_move(bots_game, 2)
    version = place.version(bots_game)
    place.step()
    assert place.queue.rq.job_ids == [f"bot-{bots_game}-{version}"]


def test_two_dispatchers_do_no_harm(place: Place, bots_game: str) -> None:
    """The same entries handled by both make the same jobs once.

    Handled, acknowledged, and then the queue's server lost everything: a start finds it in the index.
    """
    feed = adapters.feed(place.settings, GROUP, CONSUMER)
    other = Dispatcher(feed, bootstrap.application(place.settings), place.queue, place.redis)
    entries = feed.read(block_ms=1)
    for each in (place.dispatcher, other):
        each.handle(entries)
    for _ in range(2):
        for each in (other, place.dispatcher):
            each.start()
        assert place.queue.rq.job_ids == [f"bot-{bots_game}-2"]
        place.redis.delete(place.queue.rq.key, f"rq:job:bot-{bots_game}-2")


def test_entries_that_another_dispatcher_read_are_taken_over(
    place: Place, bots_game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Read and not acknowledged: the next one to start handles them at once, one that runs does so after a while."""
    assert len(place.feed.read(block_ms=1)) == 1
    place.dispatcher.start()
    assert place.queue.rq.job_ids == [f"bot-{bots_game}-2"]
    other = place.new_game(*BOTS)
    assert len(place.feed.read(block_ms=1)) == 1
    monkeypatch.setattr("workers.reactions.takeover.CLAIM_AFTER", 0.0)
    place.step()
    assert place.queue.rq.job_ids == [f"bot-{game_id}-2" for game_id in (bots_game, other)]


def test_the_scorer_of_a_game_lists_it(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mere move changes nothing in the list; where the scorer died before that, the feed tells of the score, too."""
    one, two = resigned(place.application), resigned(place.application)
    place.step()
    assert statuses(place.application) == ["playing"] * 2
    place.application.bot_turns.score_game(one)
    lines = {line["id"]: line for line in place.application.listing.page("club").games}
    assert (lines[one]["status"], lines[one]["result"]["scored"]) == ("finished", True)
    with monkeypatch.context() as dying:
        dying.setattr("events.features.listings.projection.Listings.update", lambda *_: None)
        place.application.bot_turns.score_game(two)
    assert sorted(statuses(place.application)) == ["finished", "playing"]
    place.step()
    assert statuses(place.application) == ["finished"] * 2


def test_a_game_that_nobody_scores_is_listed(place: Place) -> None:
    """A game that nobody scores is listed after a while."""
    now = [1000.0]
    dispatcher = Dispatcher(place.feed, place.application, place.queue, place.redis, lambda: now[0])
    resigned(place.application)
    dispatcher.step()
    assert place.feed.claim_stale(min_idle_ms=0) == []
    assert statuses(place.application) == ["playing"]
    now[0] += SCORED_WITHIN

    def listed() -> bool:
        dispatcher.step()
        return bool(place.application.listing.page("club").games[0]["status"] == "finished")

    until(listed)


def test_the_last_event_of_a_game_is_noted(place: Place) -> None:
    """With every move, though the game's line shows none."""
    seats = (Seat("human", "ada"), Seat("human", "bo"))
    created = place.application.creation.create("club", NewGame("migo", seats=seats)).snapshot
    seat = sure(created.status.to_act)
    place.step()
    played = place.application.moves.play(
        created.game_id, seat, created.game.legal_moves(created.state, seat)[0]
    )
    place.step()
    (line,) = place.application.listing.page("club").games
    assert line["updated_at"] == played.snapshot.updated_at


def test_games_are_touched_and_entries_acknowledged_together(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Put off while more comes, till it is time, or till nothing comes; a start handles again what was put off."""
    monkeypatch.setattr("workers.dispatcher.SETTLE", 1 / 32)
    now = [1000.0]
    dispatcher = Dispatcher(place.feed, place.application, place.queue, place.redis, lambda: now[0])
    put_off: list[bool] = []
    for seconds in (0.0, 0.0, 1 / 32, 0.0):
        now[0] += seconds
        place.new_game()
        dispatcher.step()
        put_off.append(bool(place.feed.oldest_pending()))
    assert put_off == [False, True, False, True]
    dispatcher.step()
    assert place.feed.oldest_pending() == {}
    place.new_game()
    dispatcher.step()
    assert place.feed.oldest_pending()
    Dispatcher(place.feed, place.application, place.queue, place.redis).start()
    assert place.feed.oldest_pending() == {}


def test_a_game_that_its_creator_could_not_list_is_listed(place: Place) -> None:
    """It may have died between the game and its line."""
    place.new_game()
    place.redis.delete(*place.redis.keys("{app:club}:*"))
    assert place.application.listing.page("club").games == []
    place.step()
    assert statuses(place.application) == ["playing"]


def test_a_game_that_is_listed_as_it_is_is_not_read(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its creator did that, and its scorer; a line is brought up to date once for all that happened meanwhile."""
    updated: list[str] = []
    monkeypatch.setattr(place.application.listing, "update", updated.append)
    game_id = place.new_game()
    place.step()
    assert updated == []
    place.application.moves.play(game_id, 0, {"type": "resign"})
    place.application.bot_turns.score_game(game_id)
    place.step()
    assert updated == []
    other = resigned(place.application)
    place.application.bot_turns.score_game(other)
    place.redis.delete("{app:club}:lines")
    place.step()
    assert updated == [other]


def test_one_broken_game_does_not_stop_the_others(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry that can never be handled is logged and left behind."""
    failed: list[str] = []
    errors = [CorruptStream("x"), GameNotFound("x")]

    def fail(game_id: str) -> None:
        failed.append(game_id)
        raise errors[-1]

    monkeypatch.setattr(place.application.listing, "update", fail)
    while errors:
        game_id = place.new_game(*BOTS)
        place.redis.delete("{app:club}:lines")
        place.step()
        assert failed[-1] == game_id
        assert place.feed.claim_stale(min_idle_ms=0) == []
        errors.pop()
    assert len(failed) == 2


def test_a_silent_store_is_waited_for(place: Place, bots_game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The dispatcher goes on when the store does; what it could not acknowledge it handles again."""
    ack, failures = place.feed.ack, iter([StoreUnavailable("gone"), StoreUnavailable("gone")])

    def silent_at_first(entries: list[object]) -> None:
        for failure in failures:
            raise failure
        ack(entries)  # type: ignore[arg-type]

    monkeypatch.setattr(place.feed, "ack", silent_at_first)
    monkeypatch.setattr("workers.dispatcher.STORE_PAUSE", 0.0)
    rounds = iter([False] * 6 + [True])
    place.dispatcher.run(lambda: next(rounds))
    assert place.queue.rq.job_ids == [f"bot-{bots_game}-2"]
    assert place.feed.claim_stale(min_idle_ms=0) == []


def test_a_queue_that_does_not_answer_does_not_stop_the_dispatcher(place: Place, bots_game: str) -> None:
    """The entries are acknowledged: the index of due games remembers, and the sweeper will play."""

    gone = client_of("unix:///nonexistent/redis.sock")
    Dispatcher(place.feed, place.application, JobQueue(gone), gone).step()
    assert place.feed.claim_stale(min_idle_ms=0) == []


def test_every_says_yes_once_in_a_while() -> None:
    """`every` says yes at once the first time, and then once in a while."""
    now = [0.0]
    every = Interval(2.0, lambda: now[0])
    assert [every.due(), every.due()] == [True, False]
    now[0] = 2.5
    assert [every.due(), every.due()] == [True, False]
