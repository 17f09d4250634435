"""The ratings that bots state are those that were measured, as the documentation has them."""

import re

from domain.migo.bots import BOTS as MIGO_BOTS
from domain.migo.bots.measured_strength import STRENGTH as MIGO_STRENGTH
from domain.migrato.bots import BOTS
from domain.migrato.bots.measured_strength import STRENGTH
from tests.support.running import ROOT

MIGO_PAGE = (ROOT / "docs/reference/bots.md").read_text()
BY_THE_NET = ("net", "net-search")  # of Migo; not in the table: rated by games against `maxn` alone
ROW = r"^\| {0}([\w-]+){0} \| ([\w-]+) \| (-?\d+)(?: \((-?\d+) to (-?\d+)\))? \|"


def ratings(page: str, quote: str) -> tuple[dict[str, tuple[int, ...]], dict[str, str]]:
    """By bot its rating with the interval, which the anchor does not have, and its version."""
    rows = re.findall(ROW.format(quote), page, re.MULTILINE)
    table = {
        name: tuple(int(figure or rating) for figure in (rating, low, high))
        for name, _, rating, low, high in rows
    }
    return table, {name: version for name, version, *_ in rows}


def test_migrato() -> None:
    table, versions = ratings((ROOT / "docs/explanation/how-strong-the-bots-are.md").read_text(), "")
    assert table == STRENGTH
    assert versions == {name: bot.version for name, bot in BOTS.items()}


def test_migos_table_has_every_bot_that_needs_no_net() -> None:
    _, section = MIGO_PAGE.split("### Measured levels of Migo\n")
    table, versions = ratings(section.split("\n### ")[0], "`")
    assert versions == {name: bot.version for name, bot in MIGO_BOTS.items() if name not in BY_THE_NET}
    assert table == {name: strength for name, strength in MIGO_STRENGTH.items() if name not in BY_THE_NET}


def test_a_sentence_has_the_ratings_by_migos_net() -> None:
    """Without their intervals, and with the version that was measured."""
    (sentence,) = re.findall(r"In `GET /v1/bots\?game=migo` ([^.]+)\.", MIGO_PAGE)
    rated = re.findall(r"`([\w-]+)`(?:\s+is\s+rated)?\s+(-?\d+)", sentence)
    assert {name: int(rating) for name, rating in rated} == {
        name: MIGO_STRENGTH[name].elo for name in BY_THE_NET
    }
    (version,) = re.findall(r"`net` and `net-search`, version ([\w-]+),", MIGO_PAGE)
    assert {MIGO_BOTS[name].version for name in BY_THE_NET} == {version}
