"""The ratings that Migo's bots state are those that were measured, as `docs/reference/bots.md` has them."""

import re
from typing import Final

from domain.migo.bots import BOTS
from domain.migo.bots.measured_strength import STRENGTH
from tests.project.running import ROOT

PAGE: Final = (ROOT / "docs/reference/bots.md").read_text()
OF_THE_NET: Final = ("net", "net-search")  # not in the table: rated by games against `maxn` alone


def test_the_table_of_ratings_has_every_bot_that_needs_no_net() -> None:
    """Of its present version and with its interval; the anchor has none."""
    _, section = PAGE.split("### Measured levels of Migo\n")
    rows = re.findall(
        r"^\| `([\w-]+)` \| ([\w-]+) \| (-?\d+)(?: \((-?\d+) to (-?\d+)\))? \|",
        section.split("\n### ")[0],
        re.MULTILINE,
    )
    table = {
        name: tuple(int(figure or rating) for figure in (rating, low, high))
        for name, _, rating, low, high in rows
    }
    assert all(version == BOTS[name].version for name, version, *_ in rows)
    assert table == {name: strength for name, strength in STRENGTH.items() if name not in OF_THE_NET}
    assert {*table, *OF_THE_NET} == BOTS.keys()


def test_a_sentence_has_the_ratings_by_the_net() -> None:
    """Without their intervals, and the version that was measured."""
    (sentence,) = re.findall(r"In `GET /v1/bots\?game=migo` ([^.]+)\.", PAGE)
    ratings = re.findall(r"`([\w-]+)`(?:\s+is\s+rated)?\s+(-?\d+)", sentence)
    assert {name: int(rating) for name, rating in ratings} == {
        name: STRENGTH[name].elo for name in OF_THE_NET
    }
    (version,) = re.findall(r"`net` and `net-search`, version ([\w-]+),", PAGE)
    assert {BOTS[name].version for name in OF_THE_NET} == {version}
