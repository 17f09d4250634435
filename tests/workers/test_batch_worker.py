"""Jobs done together: as many requests as for one, each as good as if it were alone, and none stopped by another."""

from collections.abc import Iterator
from typing import Any

import pytest
from redis import Redis

from domain.lifecycle import Seat
from events.engine.bot_decision import think
from events.log.seeds import move_seed
from events.runtime import bootstrap
from events.runtime.settings import Settings
from tests.support.proxy import BadConnection
from tests.workers.conftest import BOTS, Place, time_is_up
from tests.workers.test_measurements import value
from workers import batch_worker, jobs
from workers.batch_worker import BatchWorker
from workers.bot_worker import BotWorker
from workers.job_queue.queue import TIMEOUT, JobState, Task
from workers.together import Together


@pytest.fixture
def worker(counted: BadConnection, redis: Redis, monkeypatch: pytest.MonkeyPatch) -> Iterator[BatchWorker]:
    """A worker with an application of its own, which goes through what is counted."""
    together = Together()
    own = bootstrap.application(Settings(redis_url=counted.url), carrier=together.over)
    monkeypatch.setattr(jobs, "application", lambda: own)
    worker = BatchWorker(redis, together=together)
    yield worker
    worker._end()  # or it would be missed, and this process ended


def bots_games(place: Place, number: int, bot: str = "greedy") -> list[Task]:
    """New games of bots, and what is to be done in them."""
    seats = tuple(Seat("bot", bot=bot) for _ in BOTS)
    games = [place.new_game(*seats) for _ in range(number)]
    return [Task("bot", game_id, place.version(game_id)) for game_id in games]


def ended_games(place: Place, number: int) -> list[Task]:
    """Games that have ended, and wait for their score."""
    tasks = []
    for _ in range(number):
        game_id = place.new_game()
        place.application.moves.play(game_id, 0, {"type": "resign"})
        tasks.append(Task("score", game_id, place.version(game_id)))
    return tasks


def are_done(place: Place, *tasks: Task) -> list[bool]:
    """True for each of the games that has gone on."""
    return [place.version(task.game_id) > task.version for task in tasks]


def test_many_cost_as_many_exchanges_as_one(
    place: Place, worker: BatchWorker, counted: BadConnection
) -> None:
    """Games of different kinds and moves of bots; each is measured as when it is done by itself.

    Afterwards no job is left, and all are listed.
    """

    def measured() -> list[float]:
        names = ("migrato_job_wait_seconds_count", "migrato_job_seconds_count")
        return [value(name, queue="migrato", job="score") for name in names]

    one, *tasks = [*ended_games(place, 4), *bots_games(place, 4)]
    place.queue.enqueue(one)
    worker.step()
    assert are_done(place, one) == [True]
    before = measured()
    for_one, counted.requests = counted.requests, 0
    place.queue.enqueue(*tasks)
    worker.step()
    assert all(are_done(place, *tasks))
    assert counted.requests <= for_one
    assert measured() == [count + 3 for count in before]
    assert worker.step() is False
    assert place.redis.keys("rq:job:*") == []
    lines = {line["id"]: line for line in place.application.listing.page("club").games}
    assert all(lines[task.game_id]["result"]["scored"] for task in (one, *tasks) if task.kind == "score")


def test_a_broken_game_stops_no_other(place: Place, worker: BatchWorker) -> None:
    """The job of a broken game fails alone, and is kept to be looked at."""
    good, broken, also_good = ended_games(place, 3)
    (events,) = place.redis.keys(f"*:events:{broken.game_id}")
    place.redis.delete(events)
    place.redis.xadd(events, {"event": "no event", "seal": "0", "command": "x"}, id="1-0")
    place.queue.enqueue(broken, good, also_good)
    assert [worker.step(), worker.step()] == [True, False]
    assert [place.queue.state(task) for task in (good, also_good)] == [JobState.ABSENT] * 2
    assert all(are_done(place, good, also_good))
    assert place.queue.rq.failed_job_registry.get_job_ids() == [broken.job_id]


def seed_of(place: Place, task: Task) -> str:
    """The seed with which the game's bot is let think."""
    snapshot = place.application.views.snapshot(task.game_id)
    return move_seed(snapshot.secrets.seed, task.game_id, task.version)


def test_a_bad_bot_gets_the_fallback_move(
    place: Place, worker: BatchWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others get their own, whether the bad bot raises or never comes back."""
    tasks = bots_games(place, 4)
    fails, overruns = (seed_of(place, task) for task in tasks[1:3])

    def thinking(game: Any, observation: Any, name: str, seed: str, *rest: Any, **options: Any) -> Any:
        if seed == fails:
            raise ZeroDivisionError
        if seed == overruns:
            time_is_up(TIMEOUT)
        return think(game, observation, name, seed, *rest, **options)

    monkeypatch.setattr("events.features.bots.turns.think", thinking)
    place.queue.enqueue(*tasks)
    while worker.step():
        pass
    assert all(are_done(place, *tasks))
    chosen = [place.application.views.history(task.game_id, task.version)[0].data for task in tasks]
    assert [data.get("fallback") for data in chosen] == [None, "failed", "overran", None]


def test_a_bot_that_searches_keeps_nobody_waiting(place: Place, worker: BatchWorker) -> None:
    """The worker carries one search out, after all that takes no time; others are given the rest, in its order."""
    searches, quick = bots_games(place, 3, "ismcts-easy"), bots_games(place, 2)
    place.queue.enqueue(searches[0], quick[0], searches[1], quick[1], searches[2])
    worker.step()
    assert are_done(place, *searches, *quick) == [True, False, False, True, True]
    assert [place.queue.state(task) for task in searches[1:]] == [JobState.WAITING] * 2
    assert place.queue.rq.job_ids == [task.job_id for task in searches[1:]]
    BotWorker(place.redis).step()
    assert are_done(place, *searches[1:]) == [True, False]
    worker.step()
    assert are_done(place, searches[2]) == [True]


def test_a_lost_job_comes_alone(place: Place, worker: BatchWorker, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lost job comes alone: if it ended its worker, it ends no other jobs when it is tried again."""
    first, lost, last = bots_games(place, 3)
    place.queue.enqueue_again(lost)
    place.queue.enqueue(first, last)
    together, run = list[int](), worker._together.run

    def counting(acts: Any) -> Any:
        together.append(len(acts))
        return run(acts)

    monkeypatch.setattr(worker._together, "run", counting)
    worker.step()
    assert are_done(place, first, lost, last) == [False, True, False]
    worker.step()
    assert are_done(place, first, lost, last) == [True, True, True]
    assert together == [2]


def test_a_worker_that_dies_leaves_its_games_to_others(
    place: Place, worker: BatchWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that dies leaves its games to others; those that it had done are not done again."""

    class Killed(BaseException):
        """As by SIGKILL: nothing is done any more."""

    tasks = [*bots_games(place, 2), *ended_games(place, 2)]
    place.queue.enqueue(*tasks)
    attempt, attempts = batch_worker._attempt, iter(range(3))

    def dying(job: Any, done: Any) -> None:
        if next(attempts) == 2:
            raise Killed
        attempt(job, done)

    with monkeypatch.context() as death:
        death.setattr(batch_worker, "_attempt", dying)
        with pytest.raises(Killed):
            worker.step()
    assert not all(are_done(place, *tasks))
    for task in tasks:  # as the sweeper does with what is still due
        place.queue.enqueue_again(task)
    versions = [place.version(task.game_id) for task in tasks]
    while worker.step():
        pass
    for task, version in zip(tasks, versions, strict=True):
        after = place.version(task.game_id)
        assert after > task.version
        assert after == version or version == task.version
    assert place.redis.keys("rq:job:*") == []


def test_a_silent_store_is_waited_for(place: Place, worker: BatchWorker, counted: BadConnection) -> None:
    """Replies that are lost are asked for again; what was done is not done twice."""
    tasks = bots_games(place, 3)
    place.queue.enqueue(*tasks)
    counted.lose_replies = 3
    while worker.step():
        pass
    for task in tasks:
        commands = [event.command for event in place.application.views.history(task.game_id, task.version)]
        assert set(commands) == {f"bot:{task.version}"}


def test_a_worker_takes_its_share(place: Place, worker: BatchWorker) -> None:
    """A worker takes its share of the jobs, and leaves the rest to the other one."""
    other = BatchWorker(place.redis)
    for one in (worker, other):
        one.runner.register_birth()  # type: ignore[no-untyped-call]
    tasks = ended_games(place, 5)
    place.queue.enqueue(*tasks)
    worker.step()
    assert are_done(place, *tasks) == [True] * 3 + [False] * 2
