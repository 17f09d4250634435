"""How gunicorn is configured, for whoever starts it without `migrato serve`."""

import subprocess
import sys

import pytest

from events.runtime import bootstrap
from events.runtime.settings import Settings
from tests.project.running import ROOT, clean_environment

REDIS = {"MIGRATO_REDIS_URL": "redis://127.0.0.1:1"}
KEY = {"MIGRATO_APP_KEYS": "app=" + "0" * 64}


def checked(**environment: str) -> subprocess.CompletedProcess[str]:
    """What gunicorn says of its configuration."""
    command = [
        "gunicorn",
        "--check-config",
        "-c",
        "python:service.http.server.gunicorn_conf",
        "service.http.server.wsgi:application",
    ]
    env = clean_environment(environment)
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=60, check=False)


def test_it_is_one() -> None:
    """With the defaults, and with keys for an address that others can reach."""
    assert checked(**REDIS).returncode == 0
    assert checked(**REDIS, **KEY, MIGRATO_HOST="0.0.0.0").returncode == 0


def test_an_app_in_the_store_will_do(redis_url: str) -> None:
    """For an address that others can reach; there it needs none in the settings."""
    environment = {"MIGRATO_REDIS_URL": redis_url, "MIGRATO_HOST": "0.0.0.0"}
    assert "migrato apps create" in checked(**environment).stderr
    bootstrap.apps(Settings(redis_url=redis_url)).create("club")
    assert checked(**environment).returncode == 0


FIRST_SIGN = """
import time
from types import SimpleNamespace
from gunicorn.config import Config
from gunicorn.workers.workertmp import WorkerTmp
from service.http.server import gunicorn_conf
tmp = WorkerTmp(Config())
gunicorn_conf.pre_fork(None, SimpleNamespace(tmp=tmp))
print(tmp.last_update() + gunicorn_conf.timeout - time.monotonic())
"""


@pytest.mark.parametrize(("hang_seconds", "allowed"), [("5", 90), ("30", 90), ("600", 600)])
def test_a_worker_that_hangs_while_it_starts_is_replaced(hang_seconds: str, allowed: int) -> None:
    """By gunicorn, which counts from the worker's last sign of life."""
    env = clean_environment(REDIS | {"MIGRATO_HANG_SECONDS": hang_seconds})
    done = subprocess.run(
        [sys.executable, "-c", FIRST_SIGN], cwd=ROOT, env=env, capture_output=True, text=True, check=True
    )
    assert allowed - 2 < float(done.stdout) <= allowed


HANGS = """
from types import SimpleNamespace as Some
from service.http.server import gunicorn_conf
def worker(seen, aborted=False):
    return Some(aborted=aborted, tmp=Some(last_update=lambda: gunicorn_conf.time.monotonic() - seen))
arbiter = Some(timeout=30, WORKERS={1: worker(31), 2: worker(29), 3: worker(31, True)})
arbiter.log = Some(critical=lambda text, *told: print(text % told))
gunicorn_conf.tell_silent(arbiter)
"""


def test_the_log_says_once_why_a_web_worker_is_killed() -> None:
    """Gunicorn itself thinks of a full memory."""
    env = clean_environment(REDIS)
    command = [sys.executable, "-c", HANGS]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=True)
    assert done.stdout == "web worker 1 hangs, it gives no sign of life: killed\n"


@pytest.mark.parametrize(
    ("environment", "says"),
    [
        ({"MIGRATO_HOST": "0.0.0.0"}, "MIGRATO_APP_KEYS"),
        ({"MIGRATO_HOST": "::"}, "MIGRATO_APP_KEYS"),
        ({"MIGRATO_PORT": "eighty"}, "MIGRATO_PORT"),
        ({"MIGRATO_WEB_WORKERS": "0"}, "MIGRATO_WEB_WORKERS"),
        ({"MIGRATO_REDIS_URL": ""}, "MIGRATO_REDIS_URL"),
        ({"MIGRATO_" + "WEB_WORKER": "2"}, "MIGRATO_WEB_WORKERS?"),
        ({"MIGRATO_APP_KEY": KEY["MIGRATO_APP_KEYS"]}, "MIGRATO_APP_KEYS?"),
    ],
)
def test_what_will_not_do_is_refused_in_a_sentence(environment: dict[str, str], says: str) -> None:
    """The variable is named, and nobody has to read a traceback."""
    answer = checked(**REDIS | environment)
    assert answer.returncode != 0
    assert says in answer.stderr
    assert "Traceback" not in answer.stderr + answer.stdout
