"""Types that openapi-typescript generates from openapi.yaml, used through openapi-fetch."""

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.generators.clients import Client, generate, run
from tests.generators.conftest import Address
from tests.node import LOCK, NODE, node_modules

PAGES = """
import type { components } from "./migrato.d.ts";

export const pages: components["schemas"]["EventsPage"][] = PAGES;
export const events: components["schemas"]["UNION"][] = EVENTS;
"""


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Client:
    """The types, in a folder in which imports find what is installed."""
    folder = tmp_path_factory.mktemp("openapi_typescript")
    modules = node_modules()
    (folder / "node_modules").symlink_to(modules)
    shutil.copy(LOCK.with_name("package.json"), folder)
    shutil.copy(LOCK.parents[2] / "tests/generators/programs/tsconfig.json", folder)
    return generate(folder, "openapi-typescript", [NODE, modules / "openapi-typescript/bin/cli.js"], "*.ts")


def check_types(client: Client) -> None:
    """`tsc --strict` finds nothing."""
    assert run([NODE, "node_modules/typescript/bin/tsc", "--strict"], client.folder) == ""


def test_nothing_is_warned_of(client: Client) -> None:
    expected = r"\S+ openapi-typescript [\d.]+\n\S+ openapi.yaml → migrato.d.ts \[[\d.]+m?s\]\n"
    assert re.fullmatch(expected, client.said)


def test_they_are_strictly_typed(client: Client) -> None:
    check_types(client)


def test_they_play_a_whole_game(client: Client, address: Address) -> None:
    assert re.match(r"\d+ events, birds", run([NODE, "play.ts", *address], client.folder))


def test_they_play_a_whole_game_of_migo(client: Client, address: Address) -> None:
    assert re.match(r"\d+ events, cards E", run([NODE, "migo.ts", *address], client.folder))


@pytest.mark.parametrize(("game", "union"), [("migrato", "Event"), ("migo", "MigoEvent")])
def test_every_event_is_of_its_own_type(
    client: Client, pages: dict[str, Path], game: str, union: str
) -> None:
    """As a literal, in which neither a member too many nor one too few is let through."""
    events = [event for page in json.loads(pages[game].read_text()) for event in page["events"]]
    text = PAGES.replace("PAGES", pages[game].read_text()).replace("EVENTS", json.dumps(events))
    (client.folder / "pages.ts").write_text(text.replace("UNION", union))
    check_types(client)
