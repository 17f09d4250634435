"""Jobs done together: as many requests as for one, each as good as if it were alone, and none stopped by another."""

from collections.abc import Iterator
from typing import Any

import pytest
from redis import Redis

from domain.lifecycle import Seat
from events.games.bot_decision import think
from events.games.new_game import NewGame
from events.log.seeds import move_seed
from events.runtime import bootstrap
from events.runtime.settings import Settings
from events.use_cases.application import Application
from tests.events.proxy import BadConnection
from tests.workers.conftest import BOTS
from tests.workers.test_measurements import value
from workers import batch_worker, jobs
from workers.batch_worker import BatchWorker
from workers.bot_worker import BotWorker
from workers.job_queue.queue import JobQueue, JobState, Task
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


def bots_games(application: Application, number: int, bot: str = "greedy") -> list[Task]:
    """New games of bots, and what is to be done in them."""
    seats = tuple(Seat("bot", bot=bot) for _ in BOTS)
    created = [application.creation.create("club", NewGame(seats=seats)).snapshot for _ in range(number)]
    return [Task("bot", game.game_id, game.version) for game in created]


def ended_games(application: Application, number: int) -> list[Task]:
    """Games that have ended, and wait for their score."""
    tasks = []
    for _ in range(number):
        game_id = application.creation.create("club", NewGame()).snapshot.game_id
        application.moves.play(game_id, 0, {"type": "resign"})
        tasks.append(Task("score", game_id, application.views.snapshot(game_id).version))
    return tasks


def are_done(application: Application, *tasks: Task) -> list[bool]:
    """True for each of the games that has gone on."""
    return [application.views.snapshot(task.game_id).version > task.version for task in tasks]


def test_many_cost_as_many_exchanges_as_one(
    worker: BatchWorker, application: Application, queue: JobQueue, counted: BadConnection, redis: Redis
) -> None:
    """Games of different kinds and moves of bots; each is measured as when it is done by itself.

    Afterwards no job is left, and all are listed.
    """

    def measured() -> list[float]:
        names = ("migrato_job_wait_seconds_count", "migrato_job_seconds_count")
        return [value(name, queue="migrato", job="score") for name in names]

    one, *tasks = [*ended_games(application, 4), *bots_games(application, 4)]
    queue.enqueue(one)
    worker.step()
    assert are_done(application, one) == [True]
    before = measured()
    for_one, counted.requests = counted.requests, 0
    queue.enqueue(*tasks)
    worker.step()
    assert all(are_done(application, *tasks))
    assert counted.requests <= for_one
    assert measured() == [count + 3 for count in before]
    assert worker.step() is False
    assert redis.keys("rq:job:*") == []
    lines = {line["id"]: line for line in application.listing.page("club").games}
    assert all(lines[task.game_id]["result"]["scored"] for task in (one, *tasks) if task.kind == "score")


def test_a_broken_game_stops_no_other(
    worker: BatchWorker, application: Application, queue: JobQueue, redis: Redis
) -> None:
    """Its job fails as ever, where it can be looked at."""
    good, broken, also_good = ended_games(application, 3)
    (events,) = redis.keys(f"*:events:{broken.game_id}")
    redis.delete(events)
    redis.xadd(events, {"event": "no event", "seal": "0", "command": "x"}, id="1-0")
    queue.enqueue(broken, good, also_good)
    assert [worker.step(), worker.step()] == [True, False]
    assert [queue.state(task) for task in (good, also_good)] == [JobState.ABSENT] * 2
    assert all(are_done(application, good, also_good))
    assert queue.rq.failed_job_registry.get_job_ids() == [broken.job_id]


def seed_of(application: Application, task: Task) -> str:
    """The seed with which the game's bot is let think."""
    snapshot = application.views.snapshot(task.game_id)
    return move_seed(snapshot.secrets.seed, task.game_id, task.version)


def test_a_bad_bot_gets_the_fallback_move(
    worker: BatchWorker, application: Application, queue: JobQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the others their own: be it that it raises, or that it never comes back."""
    tasks = bots_games(application, 4)
    fails, overruns = (seed_of(application, task) for task in tasks[1:3])

    def thinking(game: Any, observation: Any, name: str, seed: str, **options: Any) -> Any:
        if seed == fails:
            raise ZeroDivisionError
        while seed == overruns:
            pass
        return think(game, observation, name, seed, **options)

    monkeypatch.setattr("events.use_cases.bots.turns.think", thinking)
    for module in ("workers.job_queue.queue", "workers.batch_worker"):
        monkeypatch.setattr(f"{module}.TIMEOUT", 1)
    queue.enqueue(*tasks)
    while worker.step():
        pass
    assert all(are_done(application, *tasks))
    chosen = [application.views.history(task.game_id, task.version)[0].data for task in tasks]
    assert [data.get("fallback") for data in chosen] == [None, "failed", "overran", None]


def test_a_bot_that_searches_keeps_nobody_waiting(
    worker: BatchWorker, application: Application, queue: JobQueue, redis: Redis
) -> None:
    """The worker carries one search out, after all that takes no time; others are given the rest, in its order."""
    searches, quick = bots_games(application, 3, "ismcts-easy"), bots_games(application, 2)
    queue.enqueue(searches[0], quick[0], searches[1], quick[1], searches[2])
    worker.step()
    assert are_done(application, *searches, *quick) == [True, False, False, True, True]
    assert [queue.state(task) for task in searches[1:]] == [JobState.WAITING] * 2
    assert queue.rq.job_ids == [task.job_id for task in searches[1:]]
    BotWorker(redis).step()
    assert are_done(application, *searches[1:]) == [True, False]
    worker.step()
    assert are_done(application, searches[2]) == [True]


def test_a_lost_job_comes_alone(
    worker: BatchWorker, application: Application, queue: JobQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be what ended the worker that had it: it ends no others with it a second time."""
    first, lost, last = bots_games(application, 3)
    queue.enqueue_again(lost)
    queue.enqueue(first, last)
    together, run = list[int](), worker._together.run

    def counting(acts: Any) -> Any:
        together.append(len(acts))
        return run(acts)

    monkeypatch.setattr(worker._together, "run", counting)
    worker.step()
    assert are_done(application, first, lost, last) == [False, True, False]
    worker.step()
    assert are_done(application, first, lost, last) == [True, True, True]
    assert together == [2]


def test_a_worker_that_dies_leaves_its_games_to_others(
    worker: BatchWorker,
    application: Application,
    queue: JobQueue,
    redis: Redis,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Some of them done, and not a second time."""

    class Killed(BaseException):
        """As by SIGKILL: nothing is done any more."""

    tasks = [*bots_games(application, 2), *ended_games(application, 2)]
    queue.enqueue(*tasks)
    attempt, attempts = batch_worker._attempt, iter(range(3))

    def dying(job: Any, done: Any) -> None:
        if next(attempts) == 2:
            raise Killed
        attempt(job, done)

    with monkeypatch.context() as death:
        death.setattr(batch_worker, "_attempt", dying)
        with pytest.raises(Killed):
            worker.step()
    assert not all(are_done(application, *tasks))
    for task in tasks:  # as the sweeper does with what is still due
        queue.enqueue_again(task)
    versions = [application.views.snapshot(task.game_id).version for task in tasks]
    while worker.step():
        pass
    for task, version in zip(tasks, versions, strict=True):
        after = application.views.snapshot(task.game_id).version
        assert after > task.version
        assert after == version or version == task.version
    assert redis.keys("rq:job:*") == []


def test_a_silent_store_is_waited_for(
    worker: BatchWorker, application: Application, queue: JobQueue, counted: BadConnection
) -> None:
    """Replies that are lost are asked for again; what was done is not done twice."""
    tasks = bots_games(application, 3)
    queue.enqueue(*tasks)
    counted.lose_replies = 3
    while worker.step():
        pass
    for task in tasks:
        commands = [event.command for event in application.views.history(task.game_id, task.version)]
        assert set(commands) == {f"bot:{task.version}"}


def test_a_worker_takes_its_share(
    worker: BatchWorker, application: Application, queue: JobQueue, redis: Redis
) -> None:
    """The other one has the rest."""
    other = BatchWorker(redis)
    for one in (worker, other):
        one.runner.register_birth()  # type: ignore[no-untyped-call]
    tasks = ended_games(application, 5)
    queue.enqueue(*tasks)
    worker.step()
    assert are_done(application, *tasks) == [True] * 3 + [False] * 2
