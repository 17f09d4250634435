"""A service that knows Migo, and tables of it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from events.application import Application
from events.runtime.settings import Settings
from tests.service.migo.table import MigoTable
from tests.service.table import Json, new_game, people

Seat = Callable[..., MigoTable]


@pytest.fixture
def settings(settings: Settings, tmp_path: Path) -> Settings:
    """Settings with an archive beside the store."""
    return replace(settings, archive=str(tmp_path / "archive"))


@pytest.fixture
def seat(client: FlaskClient, application: Application) -> Seat:
    """Creates a game: of so many people, or of the seats that are given, with rounds and options."""

    def seated(seats: int | list[Json] = 2, **wanted: Any) -> MigoTable:
        sitting = people(seats) if isinstance(seats, int) else seats
        asked: Json = {"game": "migo", "seats": sitting, "visibility": "public"} | wanted
        return MigoTable(client, application, new_game(client, **asked))

    return seated
