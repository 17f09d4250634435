"""Types that openapi-typescript generates from openapi.yaml, used through openapi-fetch."""

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.generators.clients import Client, generate
from tests.generators.conftest import Address
from tests.support.node import LOCK, NODE, node_modules
from tests.support.running import output

PAGES = """
import type { components } from "./migrato.d.ts";

type Page = components["schemas"]["EventsPage"];
type Event = components["schemas"]["UNION"];
"""


@pytest.fixture(scope="package")
def client(tmp_path_factory: pytest.TempPathFactory) -> Client:
    """The types, in a folder in which imports find what is installed."""
    folder = tmp_path_factory.mktemp("openapi_typescript")
    modules = node_modules()
    (folder / "node_modules").symlink_to(modules)
    shutil.copy(LOCK.with_name("package.json"), folder)
    shutil.copy(LOCK.parents[2] / "tests/generators/programs/tsconfig.json", folder)
    return generate(folder, "openapi-typescript", [NODE, modules / "openapi-typescript/bin/cli.js"], "*.ts")


def test_nothing_is_warned_of(client: Client) -> None:
    expected = r"\S+ openapi-typescript [\d.]+\n\S+ openapi.yaml → migrato.d.ts \[[\d.]+m?s\]\n"
    assert re.fullmatch(expected, client.said)


def test_every_event_is_of_its_own_type(client: Client, pages: dict[str, Path]) -> None:
    """As a literal, in which neither a member too many nor one too few is let through; `tsc --strict` finds nothing
    there, in the types, or in the programs.
    """
    for game, union in (("migrato", "Event"), ("migo", "MigoEvent")):
        text = [PAGES.replace("UNION", union)]
        for page in json.loads(pages[game].read_text()):
            for event in page["events"]:  # one by one: a union of all literals is too complex for tsc
                one = json.dumps(page | {"events": [event]})
                text += [f"((_: Page) => {{}})({one});\n", f"((_: Event) => {{}})({json.dumps(event)});\n"]
        (client.folder / f"pages_{game}.ts").write_text("".join(text))
    assert output([NODE, "node_modules/typescript/bin/tsc", "--strict"], client.folder) == ""


def test_they_play_a_whole_game_of_each_kind(client: Client, address: Address) -> None:
    for program, cards in (("play.ts", "birds"), ("migo.ts", "cards E")):
        assert re.match(rf"\d+ events, {cards}", output([NODE, program, *address], client.folder))
