"""/readyz asks for everything that the settings say is running, and for nothing else."""

import errno
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Barrier
from unittest.mock import Mock
from urllib.parse import urlsplit

import pytest
from redis import Redis

from events.application import Application
from events.engine.pending_action import GAME_QUEUE, QUESTION_QUEUE, REMOTE_QUEUE
from events.runtime.embedded import EmbeddedServer
from events.runtime.settings import Settings
from events.store.connections.client import ATTEMPTS
from events.store.queues.keys import ARCHIVER_ALIVE, DISPATCHER_ALIVE, WEBHOOKS_ALIVE, workers
from events.store.servers.durability import EVICTS, FORGETS, QUEUE_EVICTS
from events.store.servers.open_files import FEW_FILES
from service.http.app import create_app
from service.http.operations.readiness import KEPT, SIGN, SILENT, RedisReadiness
from tests.service.silence import silent
from tests.service.table import code_of, json_of
from tests.support.waiting import LIMIT, until
from tests.workers.test_main import start
from workers.archiver import ALIVE_SECONDS
from workers.job_queue.runner import TTL

SETS = {"workers": workers(GAME_QUEUE), "remote": workers(REMOTE_QUEUE), "thinkers": workers(QUESTION_QUEUE)}
BEATS = {"dispatcher": DISPATCHER_ALIVE, "archiver": ARCHIVER_ALIVE, "webhooks": WEBHOOKS_ALIVE}
ALL = {"store", *SETS, *BEATS}


@pytest.fixture
def redis(redis_url: str) -> Redis:
    """The queue's server, empty."""
    return Redis.from_url(redis_url)


@pytest.fixture
def everything(redis_url: str) -> Settings:
    """Settings of an operator who runs all there is."""
    return Settings(redis_url=redis_url, queue_url=redis_url, archive="memory://archive")


def all_at_work(redis: Redis, but: str = "") -> None:
    """Everybody has just given a sign of life."""
    for name, members in SETS.items():
        if name != but:
            redis.sadd(members, f"rq:worker:{name}")
            redis.set(f"rq:worker:{name}", 1, px=KEPT)
    for name, key in BEATS.items():
        if name != but:
            redis.set(key, 1, ex=60)


def down(settings: Settings) -> set[str]:
    """The parts that are missing."""
    return {name for name, there in RedisReadiness.from_settings(settings).checks().items() if not there}


def test_all_that_is_to_run_is_asked_for(everything: Settings, redis: Redis) -> None:
    all_at_work(redis)
    assert RedisReadiness.from_settings(everything).checks() == dict.fromkeys(ALL, True)


def test_a_role_that_is_missing_or_hangs_is_missed(everything: Settings, redis: Redis) -> None:
    """RQ would keep a worker that hangs on its list for a minute more."""
    for missing in (*SETS, *BEATS):
        redis.flushall()
        all_at_work(redis, but=missing)
        assert down(everything) == {missing}
    for hangs in SETS:
        all_at_work(redis)
        redis.pexpire(f"rq:worker:{hangs}", KEPT - SILENT - 1)
        assert down(everything) == {hangs}


def test_a_sign_of_life_from_the_future_counts_for_nothing(everything: Settings, redis: Redis) -> None:
    """The process that gave it may have died since."""
    all_at_work(redis)
    for key in (*BEATS.values(), *(f"rq:worker:{name}" for name in SETS)):
        redis.expire(key, 7_200)
    assert down(everything) == {*SETS, *BEATS}


def test_one_that_gets_on_is_enough(everything: Settings, redis: Redis) -> None:
    all_at_work(redis)
    redis.sadd(workers(REMOTE_QUEUE), "rq:worker:dead", "rq:worker:hangs")
    redis.set("rq:worker:hangs", 1, px=10)
    assert down(everything) == set()


def test_a_role_that_is_switched_off_is_not_asked_for(redis_url: str, redis: Redis) -> None:
    """No archive, nobody who thinks, nobody who calls: as an operator wanted it."""
    settings = Settings(
        redis_url=redis_url, queue_url=redis_url, think_workers=0, remote_workers=0, webhook_workers=0
    )
    assert down(settings) == {"dispatcher", "workers"}
    all_at_work(redis)
    assert RedisReadiness.from_settings(settings).checks() == dict.fromkeys(
        ("store", "dispatcher", "workers"), True
    )


def test_a_server_that_is_away_has_nobody_at_work(redis_url: str) -> None:
    settings = Settings(redis_url=redis_url, queue_url="unix:///nowhere", archive="memory://archive")
    assert down(settings) == ALL - {"store"}


ASKS = {"/readyz": 503, "/metrics": 200}


@pytest.mark.parametrize("path", ASKS)
def test_a_server_that_does_both_is_silent_once(application: Application, path: str) -> None:
    """A look at readiness waits no longer than any other request: one, and its repetition."""
    heard: list[str] = []
    with silent("both", heard) as url:
        settings = Settings(redis_url=url, queue_url=url, redis_timeout=0.2)
        assert create_app(settings, application).test_client().get(path).status_code == ASKS[path]
    assert heard == ["both"] * ATTEMPTS


@pytest.mark.parametrize("path", ASKS)
def test_two_servers_are_asked_at_the_same_time(application: Application, path: str) -> None:
    """Neither waits until the other has been silent for long enough: they hang up once both were asked."""
    heard, both = list[str](), Barrier(2)
    with silent("store", heard, both) as store, silent("queue", heard, both) as queue:
        settings = Settings(redis_url=store, queue_url=queue, redis_timeout=2 * LIMIT)
        client = create_app(settings, application).test_client()
        assert client.get(path).status_code == ASKS[path]
    assert sorted(heard) == ["queue"] * ATTEMPTS + ["store"] * ATTEMPTS


def test_the_answer_names_what_is_down(everything: Settings, application: Application, redis: Redis) -> None:
    client = create_app(everything, application).test_client()
    all_at_work(redis)
    assert client.get("/readyz").status_code == 200
    redis.delete("rq:worker:remote", ARCHIVER_ALIVE)
    answer = client.get("/readyz")
    assert code_of(answer) == (503, "not-ready")
    assert "Retry-After" in answer.headers
    checks = json_of(answer)["checks"]
    assert {name for name, word in checks.items() if word == "down"} == {"remote", "archiver"}


def test_a_server_that_may_lose_what_it_has_is_told(
    everything: Settings, application: Application, redis: Redis, evicting_url: str
) -> None:
    """All is there, so callers may come: 200, with the reasons, and no word of where the server is."""
    client = create_app(replace(everything, redis_url=evicting_url), application).test_client()
    all_at_work(redis)
    answer = client.get("/readyz")
    told = json_of(answer)
    assert (answer.status_code, told["status"]) == (200, "degraded")
    assert set(told["checks"].values()) == {"ok"}
    assert [reason["code"] for reason in told["reasons"]] == [EVICTS, FORGETS]
    assert urlsplit(evicting_url).path not in answer.text
    counted = {code: f'migrato_store_faults{{fault="{code}"}} {number}.0' for code, number in
               ((EVICTS, 1), (FORGETS, 1), (QUEUE_EVICTS, 0))}  # fmt: skip
    assert set(counted.values()) <= set(client.get("/metrics").text.splitlines())
    redis.config_set("maxmemory-policy", "noeviction")
    assert [reason["code"] for reason in json_of(client.get("/readyz"))["reasons"]] == [FORGETS]
    on_purpose = create_app(replace(everything, ephemeral=True), application).test_client()
    assert json_of(on_purpose.get("/readyz")) == {"status": "ok", "checks": dict.fromkeys(ALL, "ok")}


def test_a_queue_of_its_own_need_not_be_on_a_disk(
    everything: Settings, application: Application, redis: Redis, evicting_url: str
) -> None:
    """Counts of callers' requests and signs of life must not be evicted, however."""
    all_at_work(redis)
    with EmbeddedServer(None) as store:
        settings = replace(everything, redis_url=store.url, queue_url=evicting_url, ephemeral=True)
        told = json_of(create_app(settings, application).test_client().get("/readyz"))
    assert [reason["code"] for reason in told["reasons"]] == [QUEUE_EVICTS]


def test_a_process_that_can_let_nobody_in_is_degraded(
    everything: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A process that soon can let nobody in is degraded, and so is one that already cannot even look."""
    monkeypatch.setattr("resource.getrlimit", lambda _: (20, 20))
    monkeypatch.setattr("events.store.servers.open_files.OPEN", str(tmp_path))
    told = []
    for _ in range(2):
        told.append([fault.code for fault in RedisReadiness.from_settings(everything).faults()])
        for number in range(19):
            (tmp_path / str(number)).touch()
    monkeypatch.setattr("os.listdir", Mock(side_effect=OSError(errno.EMFILE, "Too many open files")))
    told.append([fault.code for fault in RedisReadiness.from_settings(everything).faults()])
    assert [FEW_FILES in codes for codes in told] == [False, True, True]


def test_both_sides_mean_the_same() -> None:
    """Service and workers mean the same by these constants, though they never import each other."""
    assert ALIVE_SECONDS * 1000 <= SIGN
    assert (TTL + 60) * 1000 == KEPT  # RQ adds a minute


@contextmanager
def at_work(settings: Settings, place: Path) -> Iterator[None]:
    """The worker processes, at work."""
    ours = {"MIGRATO_REDIS_URL": str(settings.redis_url), "MIGRATO_ARCHIVE": str(place / "archive")}
    with ExitStack() as ending:
        for role in ("dispatch", "work", "think", "remote", "webhooks", "archive"):
            process: subprocess.Popen[str] = ending.enter_context(start(role, **ours))
            ending.callback(process.kill)
        yield


@pytest.mark.nightly("a role whose sign of life is none that /readyz looks for, the archiver above all")
def test_the_processes_are_found(everything: Settings, tmp_path: Path) -> None:
    """Each of them by its sign of life; and missed once it is gone."""
    assert down(everything) == ALL - {"store"}
    with at_work(everything, tmp_path):
        until(lambda: not down(everything), otherwise=lambda: str(down(everything)))
