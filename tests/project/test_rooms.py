"""The rooms: packages with one purpose and few doors, as the architecture page lists them."""

import ast
from pathlib import Path

import pytest

from tests.project.markdown import ROOT

PACKAGES = ("compiled", "domain", "drills", "events", "research", "service", "workers")
ROOMS = sorted(
    path.parent.relative_to(ROOT).as_posix()
    for name in PACKAGES
    for path in (ROOT / name).rglob("__init__.py")
)
DOZEN = 12


def purpose(room: str) -> str:
    """The first paragraph of the room's docstring, as one line."""
    text = ast.get_docstring(ast.parse((ROOT / room / "__init__.py").read_text())) or ""
    return " ".join(text.split("\n\n")[0].split())


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_has_few_doors_and_says_what_it_is_for(room: str) -> None:
    """At most a dozen modules; one purpose in its docstring, which the architecture page repeats."""
    doors = [path for path in (ROOT / room).glob("*.py") if not path.name.startswith("__")]
    assert len(doors) <= DOZEN
    page = (ROOT / "docs/explanation/architecture.md").read_text()
    assert f"| `{room}/` | {purpose(room)} |" in page


def test_the_page_lists_no_other_rooms() -> None:
    """What is gone is off the page."""
    page = Path(ROOT / "docs/explanation/architecture.md").read_text()
    listed = [line.split("`")[1].rstrip("/") for line in page.splitlines() if line.startswith("| `")]
    assert listed == ROOMS
