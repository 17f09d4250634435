"""Configuration of gunicorn, for those who start it without `migrato serve`."""

import os
import resource
import runpy
import subprocess
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from gunicorn.config import Config
from gunicorn.workers.workertmp import WorkerTmp

from events.runtime import bootstrap
from events.runtime.settings import Settings
from tests.support.running import ROOT, clean_environment

REDIS = {"MIGRATO_REDIS_URL": "redis://127.0.0.1:1"}
KEY = {"MIGRATO_APP_KEYS": "app=" + "0" * 64}
Configured = Callable[..., dict[str, Any]]


@pytest.fixture
def configured(monkeypatch: pytest.MonkeyPatch) -> Configured:
    """The configuration in an environment, by the names of its module; SystemExit where it will not do."""

    def read(**environment: str) -> dict[str, Any]:
        for name in [name for name in os.environ if name.startswith("MIGRATO_")]:
            monkeypatch.delenv(name)
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        files = resource.getrlimit(resource.RLIMIT_NOFILE)
        try:
            return runpy.run_module("service.http.server.gunicorn_conf")
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, files)

    return read


def checked(**environment: str) -> subprocess.CompletedProcess[str]:
    """Gunicorn's own words on its configuration."""
    conf, application = "python:service.http.server.gunicorn_conf", "service.http.server.wsgi:application"
    command = ["gunicorn", "--check-config", "-c", conf, application]
    env = clean_environment(environment)
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=60, check=False)


def test_gunicorn_says_it() -> None:
    """For an address that others can reach it needs keys, and nobody has to read a traceback."""
    refused = checked(**REDIS, MIGRATO_HOST="0.0.0.0")
    assert refused.returncode != 0
    assert "MIGRATO_APP_KEYS" in refused.stderr
    assert "Traceback" not in refused.stderr + refused.stdout


def test_an_app_in_the_store_will_do(configured: Configured, redis_url: str) -> None:
    """For an address that others can reach; there it needs none in the settings. Defaults do for this machine."""
    configured(**REDIS)
    environment = {"MIGRATO_REDIS_URL": redis_url, "MIGRATO_HOST": "0.0.0.0"}
    with pytest.raises(SystemExit, match="migrato apps create"):
        configured(**environment)
    bootstrap.apps(Settings(redis_url=redis_url)).create("club")
    assert configured(**environment)["bind"] == "0.0.0.0:8000"


def test_a_store_that_evicts_is_refused(configured: Configured, evicting_url: str) -> None:
    with pytest.raises(SystemExit, match="migrato: The event store evicts"):
        configured(MIGRATO_REDIS_URL=evicting_url)
    configured(MIGRATO_REDIS_URL=evicting_url, MIGRATO_ALLOW_EVICTION="1")


@pytest.mark.parametrize(("hang_seconds", "allowed"), [("30", 90), ("600", 600)])
def test_a_worker_that_hangs_while_it_starts_is_replaced(
    configured: Configured, hang_seconds: str, allowed: int
) -> None:
    """Gunicorn replaces a worker that hangs at its start; it counts from the worker's last sign of life."""
    conf, sign = configured(**REDIS, MIGRATO_HANG_SECONDS=hang_seconds), WorkerTmp(Config())
    began = time.monotonic()
    conf["pre_fork"](SimpleNamespace(num_workers=2), SimpleNamespace(tmp=sign, places=SimpleNamespace()))
    end = sign.last_update() + conf["timeout"]
    assert began + allowed - 0.1 <= end <= time.monotonic() + allowed


def test_the_log_says_once_why_a_web_worker_is_killed(configured: Configured) -> None:
    """The log gives the true reason once; gunicorn's own words would blame a full memory."""

    def worker(seen: int, *, aborted: bool = False) -> SimpleNamespace:
        tmp = SimpleNamespace(last_update=lambda: time.monotonic() - seen)
        return SimpleNamespace(aborted=aborted, tmp=tmp)

    said = list[str]()
    log = SimpleNamespace(critical=lambda text, *told: said.append(text % told))
    workers = {1: worker(31), 2: worker(25), 3: worker(31, aborted=True)}
    configured(**REDIS)["tell_silent"](SimpleNamespace(timeout=30, WORKERS=workers, log=log))
    assert said == ["web worker 1 hangs, it gives no sign of life: killed"]


@pytest.mark.parametrize(
    ("environment", "says"),
    [
        ({"MIGRATO_HOST": "::"}, "MIGRATO_APP_KEYS"),
        ({"MIGRATO_WEB_WORKERS": "0"}, "MIGRATO_WEB_WORKERS"),
        ({"MIGRATO_APP_KEY": KEY["MIGRATO_APP_KEYS"]}, r"MIGRATO_APP_KEYS\?"),
    ],
)
def test_a_wrong_setting_is_refused_in_a_sentence(
    configured: Configured, environment: dict[str, str], says: str
) -> None:
    """The variable is named."""
    with pytest.raises(SystemExit, match=says):
        configured(**REDIS | environment)
