"""Models that datamodel-code-generator generates from openapi.yaml."""

import sys
from pathlib import Path

import pytest

from tests.generators.clients import Client, check_types, generate, python
from tests.generators.conftest import Address
from tests.project.running import BIN

TOOL = "datamodel-codegen"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Client:
    """The models; a warning of the generator ends it."""
    folder = tmp_path_factory.mktemp("datamodel_code_generator")
    return generate(folder, TOOL, [sys.executable, "-W", "error", BIN / TOOL], "*_datamodel.py")


def test_nothing_is_warned_of(client: Client) -> None:
    assert client.said == ""


def test_they_are_strictly_typed(client: Client) -> None:
    check_types(client)


def test_they_play_a_whole_game(client: Client, address: Address) -> None:
    assert "events" in python(client, "play_datamodel.py", *address)


def test_every_event_is_of_its_own_class(client: Client, pages: Path) -> None:
    python(client, "events_datamodel.py", pages)
