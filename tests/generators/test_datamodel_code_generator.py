"""Models that datamodel-code-generator generates from openapi.yaml."""

import re
import sys
from pathlib import Path

import pytest

from tests.generators.clients import GUIDE, Client, check_types, generate, python
from tests.generators.conftest import Address, Newer
from tests.project.markdown import blocks
from tests.project.running import BIN

TOOL = "datamodel-codegen"
RUN_AS: list[str | Path] = [sys.executable, "-W", "error", BIN / TOOL]  # a warning ends it


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Client:
    folder = tmp_path_factory.mktemp("datamodel_code_generator")
    return generate(folder, TOOL, RUN_AS, "*_datamodel.py")


def test_nothing_is_warned_of(client: Client) -> None:
    assert client.said == ""


def test_they_are_strictly_typed(client: Client) -> None:
    check_types(client)


def test_they_play_a_whole_game(client: Client, address: Address) -> None:
    assert re.match(r"\d+ events, birds", python(client, "play_datamodel.py", *address))


def test_they_play_a_whole_game_of_migo(client: Client, address: Address) -> None:
    assert re.match(r"\d+ events, cards E", python(client, "migo_datamodel.py", *address))


@pytest.mark.parametrize(("game", "prefix"), [("migrato", ""), ("migo", "Migo")])
def test_every_event_is_of_its_own_class(
    client: Client, pages: dict[str, Path], game: str, prefix: str
) -> None:
    python(client, "events_datamodel.py", prefix, pages[game])


def test_new_members_and_types_are_not_parsed(client: Client, newer: Newer) -> None:
    for file, reason in ((newer.member, "extra_forbidden"), (newer.kind, "union_tag_invalid")):
        with pytest.raises(AssertionError, match=reason):
            python(client, "events_datamodel.py", "", file)


def test_lenient_models_leave_a_new_member_out(newer: Newer, tmp_path: Path) -> None:
    """With the options that the guide adds for it."""
    [line] = [block for block in blocks(GUIDE, "sh") if block.startswith("--")]
    lenient = generate(tmp_path, TOOL, RUN_AS, "*_datamodel.py", *line.split())
    python(lenient, "events_datamodel.py", "", newer.member, newer.base)
