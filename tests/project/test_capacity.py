"""The model of capacity: its arithmetic, and that its page shows what it comes to."""

import re
from dataclasses import fields, replace

import pytest

from benchmarks import capacity
from benchmarks.capacity import (
    COSTS,
    HERE,
    INPUTS,
    PRICES,
    Costs,
    Load,
    inputs_table,
    limits,
    limits_table,
    plan,
    table,
)
from tests.support.running import ROOT

RESULTS = (ROOT / "benchmarks/results.md").read_text()
PAGE = (ROOT / "docs/explanation/capacity.md").read_text()


def test_the_page_shows_the_tables_of_the_model() -> None:
    for lines in (inputs_table(), table(), limits_table()):
        assert "\n".join(lines) in PAGE


def test_each_input_stands_in_the_section_that_it_names() -> None:
    sections = dict(part.split("\n", 1) for part in re.split(r"^##+ ", RESULTS, flags=re.MULTILINE)[1:])
    for name, (_, where) in INPUTS.items():
        text = re.escape(f"{getattr(COSTS, name):,g}")
        assert where == HERE or re.search(rf"(?<![\d.,]){text}(?![\d.]|,\d)", sections[where]), name


def test_all_other_inputs_are_measured_by_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    here = {name for name, (_, where) in INPUTS.items() if where == HERE}
    assert {field.name for field in fields(Costs)} == INPUTS.keys()
    for name, few in (("SAMPLE", 2), ("MANY", 4), ("FEW", 1), ("PLAYED", 3)):
        monkeypatch.setattr(capacity, name, few)
    monkeypatch.setattr(capacity, "COSTS", replace(COSTS, **dict.fromkeys(here, -1.0)))
    found = capacity.measured()
    assert {name for name in here if getattr(found, name) <= 0} == set()


def test_a_plan_by_hand() -> None:
    """A million games with a move every ten seconds, a hundred moves each."""
    costs = replace(COSTS, move_web_us=200, look_us=100, create_web_us=500, event_bytes=100)
    found = plan(Load(1_000_000, kept=0), costs, PRICES)
    assert found.moves_per_second == 100_000
    assert found.games_per_second == 1_000
    assert found.web_cores == pytest.approx(100_000 * 300e-6 + 1_000 * 500e-6)
    assert found.store_bytes == 1_000_000 * (6_000 + 155 * 100)
    assert found.traffic == 2 * 100_000 * 2_250


def test_twice_the_games_take_twice_of_all_that_is_counted() -> None:
    one, two = plan(Load(100_000)), plan(Load(200_000))
    for name in ("web_cores", "store_cores", "other_cores", "store_bytes", "archive_bytes", "traffic"):
        assert getattr(two, name) == pytest.approx(2 * getattr(one, name))
    assert two.machines >= one.machines


def test_few_games_still_have_three_masters() -> None:
    assert plan(Load(1)).masters == 3
    assert plan(Load(1)).machines == 7


def test_at_a_limit_what_is_limited_is_half_busy() -> None:
    """The number of games says nothing of where the limits are; the rate of their moves does."""
    assert limits(Load(1)) == pytest.approx(limits(Load(1_000)))
    games = limits(Load(1))["one event store, its processor"]
    assert games / Load(1).seconds * COSTS.move_store_us == pytest.approx(0.5e6)
    logged = limits(Load(1))["one app's place in the cluster, with a log"]
    moves = logged / Load(1).seconds
    us = moves * COSTS.logged_place_us + moves / Load(1).moves * COSTS.create_store_us
    assert us * COSTS.replicated / 2 == pytest.approx(0.5e6)
    slower = limits(Load(1, seconds=20))
    assert slower["one dispatcher"] == pytest.approx(2 * limits(Load(1))["one dispatcher"])


def test_limits_come_first_bottleneck_first() -> None:
    found = list(limits(Load(1)).values())
    assert found == sorted(found)
