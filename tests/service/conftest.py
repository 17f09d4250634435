"""Fixtures of the service's tests: the application in this process, and a real gunicorn."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from drills.ports import free_port
from events.application import Application
from events.runtime import bootstrap
from events.runtime.embedded import EmbeddedServer
from events.runtime.settings import Settings
from events.store.connections.client import ServerClient
from service.http.app import Service, create_app
from tests.service.contract import HeldClient
from tests.service.refusals import Refused
from tests.service.table import KEYS, Table, parts_of, set_table
from tests.service.thinking import Worker
from tests.support.recording import AllThere
from tests.support.running import running

NewService = Callable[..., Service]


@pytest.fixture
def worker(settings: Settings, application: Application) -> Worker:
    """Thinks about questions to bots, in this process."""
    return Worker(settings, application)


@pytest.fixture
def new_service() -> NewService:
    """Makes services as `create_app` does; every answer is held to openapi.yaml."""

    def make(*arguments: Any, **more: Any) -> Service:
        service = create_app(*arguments, **more)
        service.test_client_class = HeldClient
        return service

    return make


@pytest.fixture
def service(settings: Settings, application: Application, worker: Worker, new_service: NewService) -> Service:
    """The service on an empty store, without app keys."""
    return new_service(settings, application, AllThere(), worker.bot_questions)


@pytest.fixture
def client(service: Service) -> FlaskClient:
    """A caller of that service."""
    return service.test_client()


@pytest.fixture
def guarded(settings: Settings, worker: Worker, new_service: NewService) -> FlaskClient:
    """A caller of a service with two apps, ours and theirs."""
    digests = {app: sha256(key.encode()).hexdigest() for app, key in KEYS.items()}
    known = replace(settings, app_keys=digests)
    service = new_service(known, bootstrap.application(known), AllThere(), worker.bot_questions)
    return service.test_client()


@pytest.fixture
def table(client: FlaskClient, application: Application) -> Table:
    """A private game of two people on a known deck."""
    return set_table(client, application)


@pytest.fixture
def public(client: FlaskClient, application: Application) -> Table:
    """The same game, which everybody may watch."""
    return set_table(client, application, visibility="public")


@pytest.fixture
def refused(table: Table) -> Refused:
    """Asserts refusals at that table."""
    return Refused(table)


@contextmanager
def gunicorn(
    redis_url: str,
    log: Path,
    *options: str,
    application: str = "service.http.server.wsgi:application",
    **settings: str,
) -> Iterator[str]:
    """The address of a real gunicorn with two workers, unless `options` or `settings` say otherwise."""
    port = free_port()
    command = ["gunicorn", "-c", "python:service.http.server.gunicorn_conf", *options, application]
    environment = {"MIGRATO_REDIS_URL": redis_url, "MIGRATO_PORT": str(port)} | settings
    address = f"http://127.0.0.1:{port}"
    with running(command, environment, log, f"{address}/healthz"):
        yield address


@pytest.fixture(scope="module")
def thinker(server: EmbeddedServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A real worker that thinks about questions to bots. It is gone before other tests put questions there."""
    environment = {"MIGRATO_REDIS_URL": server.url}
    log = tmp_path_factory.mktemp("thinker") / "thinker.log"
    with running([sys.executable, "-m", "workers", "think"], environment, log, None):
        yield


@pytest.fixture
def web(running_web: str, redis_url: str) -> str:
    """The address of a real gunicorn on a real and empty server."""
    return running_web


@pytest.fixture(scope="session")
def running_web(server: EmbeddedServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a real gunicorn on a real server, one for each test process; ask for `web` to find it empty."""
    with gunicorn(server.url, tmp_path_factory.mktemp("web") / "web.log") as address:
        yield address


def stopped(client: FlaskClient) -> FlaskClient:
    """A service whose clock for app keys stands still: it believes for ever what it has heard of them."""
    parts_of(client).use_cases.callers._app_keys._clock = lambda: 0.0
    return client


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The commands that this thread sent to the store, a number for each round trip.

    Threads of streams that another test has left may still send.
    """
    found, calls, own = list[int](), ServerClient.calls, threading.get_ident()

    def counted(link: ServerClient, requests: Any) -> Any:
        if threading.get_ident() == own:
            found.append(len(requests))
        return calls(link, requests)

    monkeypatch.setattr(ServerClient, "calls", counted)
    return found
