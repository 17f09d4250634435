"""A service that knows Migo, and tables of it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from events.runtime import bootstrap
from events.runtime.settings import Settings
from events.use_cases.application import Application
from service.http.app import Service
from tests.service.conftest import NewService
from tests.service.migo.table import MigoTable
from tests.service.recording import AllThere
from tests.service.thinking import Worker

Seat = Callable[..., MigoTable]


@pytest.fixture
def settings(settings: Settings, tmp_path: Path) -> Settings:
    """With an archive beside the store."""
    return replace(settings, archive=str(tmp_path / "archive"))


@pytest.fixture
def application(settings: Settings) -> Application:
    """The whole engine."""
    return bootstrap.application(settings)


@pytest.fixture
def client(settings: Settings, application: Application, new_service: NewService) -> FlaskClient:
    """A caller of the service; every answer is held to its description."""
    service: Service = new_service(
        settings, application, AllThere(), Worker(settings, application).bot_queries
    )
    return service.test_client()


@pytest.fixture
def seat(client: FlaskClient, application: Application) -> Seat:
    """Creates a game: of so many people, or of the seats that are given, with rounds and options."""

    def seated(seats: int | list[dict[str, Any]] = 2, **wanted: Any) -> MigoTable:
        return MigoTable(client, application, seats, **wanted)

    return seated
