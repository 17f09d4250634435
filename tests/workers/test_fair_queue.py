"""Turns of remote bots, and bots that are not called for a while."""

from collections import Counter
from collections.abc import Callable
from itertools import pairwise, product
from typing import Any

import pytest
from redis import Redis

from events.store.link import link_to
from tests.events.dump import holding
from workers.job_queue.queue import JobQueue, JobState, Task
from workers.remote import fair_queue as module
from workers.remote.fair_queue import FAILURES, PREFIX, UNKNOWN_LANE, FairQueue, Lane, RemoteJob, lane_of
from workers.remote.fair_share import FairShare

A, B, C = (lane_of(app, f"https://{app}.example/") for app in ("ada", "bob", "cyd"))
SECONDS = 10.0

Asked = Callable[..., list[Task]]


@pytest.fixture
def lanes(queue: JobQueue, redis: Redis) -> FairQueue:
    """A worker's way to its calls."""
    return FairQueue(redis, queue.remote, "a worker", SECONDS, queue.remote_timeout)


@pytest.fixture
def ask(queue: JobQueue, lanes: FairQueue) -> Asked:
    """Asks for calls in a lane; they are sorted at once."""
    asked = [0]

    def ask(lane: Lane, number: int = 1) -> list[Task]:
        works = [Task("remote", f"{asked[0] + one:022d}", 2) for one in range(number)]
        asked[0] += number
        for task in works:
            queue.enqueue(task)
        lanes.sort({task.job_id: lane for task in works})
        return works

    return ask


def taken(lanes: FairQueue, full: tuple[str, ...] = ()) -> RemoteJob:
    """The next job; there must be one."""
    job = lanes.take(full)
    assert isinstance(job, RemoteJob)
    return job


def order(lanes: FairQueue, number: int) -> list[Lane]:
    """In whose lanes the next jobs are."""
    return [taken(lanes).lane for _ in range(number)]


def let_pass(redis: Redis, seconds: float) -> None:
    """So much time passes for those that wait and those that are suspended."""
    for key in redis.keys(f"{PREFIX}breaker:*"):
        redis.hincrby(key, "until", -int(seconds * 1000)) if redis.hexists(key, "until") else None
    for job_id in redis.hkeys("migrato:remote:waiting"):
        redis.hincrby("migrato:remote:waiting", job_id, -int(seconds * 1000))
    asleep: list[Any] = redis.zrange(f"{PREFIX}asleep", 0, -1)
    for path in asleep:
        redis.zincrby(f"{PREFIX}asleep", -int(seconds * 1000), path)


def fail(lanes: FairQueue, ask: Asked, lane: Lane, times: int = FAILURES) -> float:
    """So many calls are not answered; the pause after the last one."""
    pause = 0.0
    for _ in range(times):
        ask(lane)
        job = taken(lanes)
        assert (job.lane, job.suspended) == (lane, False)
        job.outcome = "silent"
        pause = lanes.done(job)
    return pause


def test_within_a_lane_the_first_that_came_is_first(lanes: FairQueue, ask: Asked, redis: Redis) -> None:
    """One that has expired is passed over."""
    one, lost, two = ask(A, 3)
    redis.delete(f"rq:job:{lost.job_id}")
    assert [taken(lanes).id, taken(lanes).id] == [one.job_id, two.job_id]
    assert lanes.take([]) == 0


def test_a_job_is_taken_as_any_worker_takes_one(lanes: FairQueue, ask: Asked, queue: JobQueue) -> None:
    """The queue knows of it all the time."""
    (task,) = ask(A)
    assert queue.remote.job_ids == []
    assert queue.state(task) is JobState.WAITING
    job = taken(lanes)
    assert (job.func_name, job.args) == ("workers.remote.job.play", [task.game_id, 2])
    assert queue.state(task) is JobState.RUNNING
    assert lanes.done(job) == 0
    assert queue.state(task) is JobState.ABSENT


def test_apps_take_turns_however_much_one_wants(lanes: FairQueue, ask: Asked) -> None:
    """An app that comes later waits for no more than one call of each that is there already."""
    ask(A, 50)
    assert order(lanes, 5) == [A] * 5
    ask(B, 3)
    ask(C, 1)
    found = order(lanes, 10)
    assert found.index(B) < 3
    assert found.index(C) < 3
    assert Counter(found) == {A: 6, B: 3, C: 1}
    assert all(not (one == two == B) for one, two in pairwise(found))


def test_an_apps_hosts_take_turns_however_many_bots_one_has(lanes: FairQueue, ask: Asked) -> None:
    """An app's hosts take turns, so a bot gains nothing by a URL of its own for each game."""
    many = [lane_of("ada", f"https://many.example/{number}") for number in range(40)]
    for lane in many:
        ask(lane)
    one = lane_of("ada", "https://one.example/")
    ask(one, 3)
    assert len({lane.host for lane in many}) == 1
    assert [lane == one for lane in order(lanes, 6)].count(True) == 3


def test_an_app_that_has_enough_is_passed_over(lanes: FairQueue, ask: Asked) -> None:
    """An app, or one of its hosts; if nobody else waits, so does the worker."""
    other = lane_of("ada", "https://other.example/")
    ask(A, 2)
    ask(other, 1)
    ask(B, 1)
    assert [taken(lanes, ("ada",)).lane, lanes.take(["ada"])] == [B, 3]
    assert [taken(lanes, (A.at_host,)).lane, lanes.take([A.at_host])] == [other, 2]
    assert order(lanes, 2) == [A, A]


def test_a_job_is_sorted_once_whoever_sorts(
    lanes: FairQueue, ask: Asked, queue: JobQueue, redis: Redis
) -> None:
    """Two workers do so at once, or one that was asked for again while it waited in its lane."""
    (task,) = ask(A)
    lanes.sort({task.job_id: A})
    queue.enqueue_again(task)
    assert lanes.unsorted(1) == [task.job_id]
    lanes.sort({task.job_id: A})
    FairQueue(redis, queue.remote, "another", SECONDS, 8).sort({task.job_id: A})
    assert taken(lanes).id == task.job_id
    assert lanes.take([]) == 0


def test_nothing_is_left_where_nobody_waits(lanes: FairQueue, ask: Asked, redis: Redis) -> None:
    """Nothing but the number of the turn is left once nobody waits."""
    for lane in (A, B, UNKNOWN_LANE):
        ask(lane, 3)
    for _ in range(9):
        lanes.done(taken(lanes))
    assert redis.keys(f"{PREFIX}*") == [f"{PREFIX}turn".encode()]


def test_the_address_of_a_bot_stands_nowhere_in_the_queue(
    lanes: FairQueue, ask: Asked, redis_url: str
) -> None:
    ask(lane_of("ada", "https://hidden.example/hidden-path"))
    assert holding(link_to(redis_url, 5.0), b"hidden") == []


def test_a_bot_that_is_silent_again_and_again_is_suspended(
    lanes: FairQueue, ask: Asked, redis: Redis
) -> None:
    """Its games wait as long as a call may take, and then get the job done without one."""
    assert fail(lanes, ask, A) == module.FIRST_PAUSE
    ask(A, 2)
    redis.hincrby(f"{PREFIX}breaker:{A.path}", "until", 200_000)
    assert lanes.take([]) == 2
    let_pass(redis, SECONDS / 2)
    assert lanes.take([]) == 2
    let_pass(redis, SECONDS / 2)
    assert [taken(lanes).suspended for _ in range(2)] == [True, True]


def test_a_clock_that_is_set_back_lets_no_game_wait_for_longer(
    lanes: FairQueue, ask: Asked, redis: Redis
) -> None:
    """A suspended bot is called again, and where it is suspended anew, its games are not kept waiting."""
    for ahead in (7_200, 3 * 86_400):
        fail(lanes, ask, A)
        ask(A, 3)
        assert lanes.take([]) == 3
        let_pass(redis, -ahead)
        job = taken(lanes)
        assert not job.suspended
        assert taken(lanes).suspended
        job.outcome = "answered"
        lanes.done(job)
        assert not taken(lanes).suspended


def test_others_are_called_while_a_bot_is_suspended(lanes: FairQueue, ask: Asked) -> None:
    """Another app's at the same URL, and the same app's at another."""
    fail(lanes, ask, A)
    ask(A, 3)
    others = [lane_of("ada", "https://ada.example/other"), Lane("bob", A.host, A.bot)]
    for other in others:
        ask(other)
    assert sorted(order(lanes, 2)) == sorted(others)
    assert lanes.take([]) == 3


def test_a_suspended_bot_is_tried_by_one_call_at_a_time(lanes: FairQueue, ask: Asked, redis: Redis) -> None:
    """If it is silent again it is left alone for twice as long, up to a limit."""
    pause = fail(lanes, ask, A)
    pauses = [pause]
    for _ in range(8):
        ask(A, 2)
        let_pass(redis, pause)
        probe = taken(lanes)
        assert not probe.suspended
        second = lanes.take([])
        assert isinstance(second, int) or second.suspended
        probe.outcome = "silent"
        pause = lanes.done(probe)
        pauses.append(pause)
        while isinstance(lanes.take([]), RemoteJob):
            pass
    assert pauses == [5.0, 10.0, 20.0, 40.0, 80.0, 160.0, 300.0, 300.0, 300.0]


def test_one_answer_ends_the_suspension(lanes: FairQueue, ask: Asked, redis: Redis) -> None:
    """It begins the count anew, before and after a suspension."""

    def answers() -> None:
        job = taken(lanes)
        job.outcome = "answered"
        lanes.done(job)

    fail(lanes, ask, A, FAILURES - 1)
    ask(A)
    answers()
    assert fail(lanes, ask, A, FAILURES - 1) == 0
    let_pass(redis, fail(lanes, ask, A, 1))
    ask(A, 4)
    answers()
    let_pass(redis, SECONDS)
    assert [taken(lanes).suspended for _ in range(3)] == [False] * 3
    assert fail(lanes, ask, A, FAILURES - 1) == 0


def test_calls_that_were_under_way_count_once(lanes: FairQueue, ask: Asked) -> None:
    """A hundred calls that fail together are one reason to wait, not a hundred."""
    ask(A, 100)
    jobs = [taken(lanes) for _ in range(100)]
    pauses = []
    for job in jobs:
        job.outcome = "silent"
        pauses.append(lanes.done(job))
    assert [pause for pause in pauses if pause] == [module.FIRST_PAUSE]


def test_memory_of_a_bot_ends(lanes: FairQueue, ask: Asked, redis: Redis) -> None:
    fail(lanes, ask, A)
    fail(lanes, ask, B, 1)
    for key in redis.keys(f"{PREFIX}breaker:*"):
        assert 0 < redis.pttl(key) <= (module.MEMORY + module.LONGEST_PAUSE) * 1000


def test_there_is_room_for_an_app_that_has_no_calls() -> None:
    """Even if others want much; and one alone gets most of what there is."""
    for calls, apps in product((1, 2, 7, 200, 256), (1, 2, 5)):
        shares = FairShare(calls)
        wanting = [Lane(f"app{number}", "host", "bot") for number in range(apps)]
        while open_to := [lane for lane in wanting if not {lane.app, lane.at_host} & {*shares.full()}]:
            for lane in open_to:
                if shares.free and not {lane.app, lane.at_host} & {*shares.full()}:
                    shares.begin(lane)
            if not shares.free:
                break
        assert (calls - shares.free) >= calls / 2
        assert shares.free >= calls // (3 * apps + 1)


def test_an_app_whose_host_takes_all_it_can_has_room_for_another_host() -> None:
    """A call that ends makes room."""
    shares, greedy = FairShare(200), Lane("ada", "one", "bot")
    while greedy.at_host not in shares.full():
        shares.begin(greedy)
    assert (shares.free, "ada" in shares.full()) == (80, False)
    shares = FairShare(4)
    for _ in range(3):
        shares.begin(A)
    assert A.app in shares.full()
    for _ in range(3):
        shares.end(A)
    assert (shares.free, shares.full()) == (4, [])
