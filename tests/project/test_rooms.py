"""The rooms: packages with one purpose and few doors, as the architecture page lists them."""

import ast

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


def test_each_room_has_few_doors_and_one_purpose() -> None:
    """At most a dozen modules; the architecture page lists the rooms with the purposes in their docstrings."""
    page = (ROOT / "docs/explanation/architecture.md").read_text()
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    assert rows == [f"| `{room}/` | {purpose(room)} |" for room in ROOMS]
    doors = {
        room: sum(not path.name.startswith("__") for path in (ROOT / room).glob("*.py")) for room in ROOMS
    }
    assert {room: count for room, count in doors.items() if count > DOZEN} == {}
