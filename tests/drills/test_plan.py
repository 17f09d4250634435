"""The plan follows from its seed, and meets every fault."""

from itertools import islice

from drills.__main__ import drill
from drills.checker.violation import RULES
from drills.faults.table import FAULTS
from drills.plan import steps
from tests.support.running import ROOT


def test_the_same_seed_gives_the_same_plan() -> None:
    one, other = (list(islice(steps(7, list(FAULTS)), 60)) for _ in range(2))
    assert one == other
    assert list(islice(steps(8, list(FAULTS)), 60)) != one


def test_every_round_has_every_fault_once() -> None:
    first = [step.fault for step in islice(steps(7, list(FAULTS)), len(FAULTS))]
    assert sorted(first) == sorted(FAULTS)


def test_only_a_fault_that_destroys_what_is_on_the_disk_may_lose() -> None:
    assert [fault.name for fault in FAULTS.values() if fault.loses] == ["cut append-only file"]


PAGE = (ROOT / "docs/how-to/drill-for-failures.md").read_text()


def test_the_page_names_every_fault_rule_and_option() -> None:
    named = [*FAULTS, *RULES, *(option.opts[0] for option in drill.params)]
    assert [name for name in named if f"`{name}`" not in PAGE] == []
