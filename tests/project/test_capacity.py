"""The model of capacity: its arithmetic, and that its page shows what it comes to."""

from dataclasses import replace

import pytest

from benchmarks.capacity import COSTS, PRICES, Load, inputs_table, limits, limits_table, plan, table
from tests.project.running import ROOT

PAGE = (ROOT / "docs/explanation/capacity.md").read_text()


@pytest.mark.parametrize(
    "lines", [inputs_table(), table(), limits_table()], ids=["inputs", "plans", "limits"]
)
def test_the_page_shows_what_the_model_comes_to(lines: list[str]) -> None:
    assert "\n".join(lines) in PAGE


def test_a_plan_by_hand() -> None:
    """A million games with a move every ten seconds, a hundred moves each."""
    costs = replace(COSTS, move_web_us=200, look_web_us=100, create_web_us=500, event_bytes=100)
    found = plan(Load(1_000_000, kept=0), costs, PRICES)
    assert found.moves_per_second == 100_000
    assert found.games_per_second == 1_000
    assert found.web_cores == pytest.approx(100_000 * 300e-6 + 1_000 * 500e-6)
    assert found.store_bytes == 1_000_000 * (6_000 + 155 * 100)
    assert found.traffic == 2 * 100_000 * 3_300


def test_twice_the_games_take_twice_of_all_that_is_counted() -> None:
    one, two = plan(Load(100_000)), plan(Load(200_000))
    for name in ("web_cores", "store_cores", "other_cores", "store_bytes", "archive_bytes", "traffic"):
        assert getattr(two, name) == pytest.approx(2 * getattr(one, name))
    assert two.machines >= one.machines


def test_few_games_still_have_three_masters() -> None:
    assert plan(Load(1)).masters == 3
    assert plan(Load(1)).machines == 7


def test_at_a_limit_what_is_limited_is_half_busy() -> None:
    """How many games there are says nothing of where the limits are; how often they move does."""
    assert limits(Load(1)) == pytest.approx(limits(Load(1_000)))
    games = limits(Load(1))["one event store, its processor"]
    assert games / Load(1).seconds * COSTS.move_store_us == pytest.approx(0.5e6)
    slower = limits(Load(1, seconds=20))
    assert slower["one dispatcher"] == pytest.approx(2 * limits(Load(1))["one dispatcher"])


def test_limits_come_first_bottleneck_first() -> None:
    found = list(limits(Load(1)).values())
    assert found == sorted(found)
