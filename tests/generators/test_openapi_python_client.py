"""A client that openapi-python-client generates from openapi.yaml."""

import re
from pathlib import Path

import pytest

from tests.generators.clients import GUIDE, Client, check_types, generate, python
from tests.generators.conftest import Address, Newer
from tests.project.markdown import blocks
from tests.project.running import BIN

TOOL = "openapi-python-client"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Client:
    """Generated with the configuration that the guide shows."""
    folder = tmp_path_factory.mktemp("openapi_python_client")
    [configuration] = blocks(GUIDE, "yaml")
    (folder / "openapi-python-client.yaml").write_text(configuration)
    return generate(folder, TOOL, [BIN / TOOL], "*_openapi_python_client.py")


def test_nothing_is_warned_of(client: Client) -> None:
    assert client.said.split() == ["Generating", "migrato_client"]


def test_it_is_strictly_typed(client: Client) -> None:
    check_types(client)


def test_it_plays_a_whole_game(client: Client, address: Address) -> None:
    assert re.match(r"\d+ events, birds", python(client, "play_openapi_python_client.py", *address))


def test_it_plays_a_whole_game_of_migo(client: Client, address: Address) -> None:
    assert re.match(r"\d+ events, cards E", python(client, "migo_openapi_python_client.py", *address))


@pytest.mark.parametrize(("game", "prefix"), [("migrato", ""), ("migo", "Migo")])
def test_every_event_is_of_its_own_class(
    client: Client, pages: dict[str, Path], game: str, prefix: str
) -> None:
    python(client, "events_openapi_python_client.py", prefix, pages[game])


def test_a_new_member_is_left_out(client: Client, newer: Newer) -> None:
    python(client, "events_openapi_python_client.py", "", newer.member, newer.base)


def test_a_new_type_of_event_is_not_parsed(client: Client, newer: Newer) -> None:
    with pytest.raises(AssertionError, match="got 'weather_changed'"):
        python(client, "events_openapi_python_client.py", "", newer.kind)
