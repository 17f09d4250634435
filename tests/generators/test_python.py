"""Clients that datamodel-code-generator and openapi-python-client generate from openapi.yaml, in one folder."""

import re
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.generators.clients import GUIDE, Client, generate, python
from tests.generators.conftest import Address, Newer
from tests.support.markdown import blocks
from tests.support.running import BIN, output

MODELS, PACKAGE = "datamodel-codegen", "openapi-python-client"
GAMES = [("migrato", ""), ("migo", "Migo")]  # and what the classes of the game's own begin with
MODELS_AS: Final[list[str | Path]] = [sys.executable, "-W", "error", BIN / MODELS]  # a warning ends it


@pytest.fixture(scope="package")
def clients(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Client]:
    """Both by their tools, the second with the configuration that the guide shows."""
    folder = tmp_path_factory.mktemp("python")
    [configuration] = [block for block in blocks(GUIDE, "yaml") if "post_hooks" in block]
    (folder / "openapi-python-client.yaml").write_text(configuration)
    models = generate(folder, MODELS, MODELS_AS, "*.py")
    return {MODELS: models, PACKAGE: generate(folder, PACKAGE, [BIN / PACKAGE], "*.py")}


def test_nothing_is_warned_of(clients: dict[str, Client]) -> None:
    assert clients[MODELS].said == ""
    assert clients[PACKAGE].said.split() == ["Generating", "migrato_client"]


def test_they_are_strictly_typed(clients: dict[str, Client], pytestconfig: pytest.Config) -> None:
    """Both clients pass strict type checks, and so do the programs beside them."""
    cache = pytestconfig.rootpath / ".mypy_cache/generators"  # of what is imported, most of all
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", f"--cache-dir={cache}", "."]
    said = output(command, clients[MODELS].folder)
    assert re.match(r"Success: no issues found in \d+ source files", said)


def test_they_play_a_whole_game(clients: dict[str, Client], address: Address) -> None:
    """Each client plays a whole game of Migo, and begins one of Migrato."""
    for line in python(clients[MODELS], "both.py", "play", *address).splitlines():
        assert re.match(r"\d+ events, cards E", line)


def test_every_event_is_of_its_own_class(
    clients: dict[str, Client], pages: dict[str, Path], newer: Newer
) -> None:
    """A new member is left out by one and kept by the other; a new type of event is refused by both."""
    games = [argument for game, prefix in GAMES for argument in (prefix, pages[game], pages[game])]
    kept, left_out = ("", newer.member, newer.member), ("", newer.member, newer.base)
    python(
        clients[PACKAGE], "both.py", "migrato_client", *games, *kept, "", newer.kind, "!got 'weather_changed'"
    )
    python(
        clients[MODELS], "both.py", "migrato_models", *games, *left_out, "", newer.kind, "!union_tag_invalid"
    )
