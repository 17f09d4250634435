"""The rooms: packages with one purpose, as the architecture page lists them."""

import ast

from domain.registry import GAMES
from tests.support.markdown import ROOT

PACKAGES = ("compiled", "domain", "drills", "events", "research", "service", "workers")
ROOMS = sorted(
    path.parent.relative_to(ROOT).as_posix()
    for name in PACKAGES
    for path in (ROOT / name).rglob("__init__.py")
)
RESOURCES_WITHOUT_DOCUMENTS_OF_THEIR_OWN = {"claims"}


def purpose(room: str) -> str:
    """The first paragraph of the room's docstring, as one line."""
    text = ast.get_docstring(ast.parse((ROOT / room / "__init__.py").read_text())) or ""
    return " ".join(text.split("\n\n")[0].split())


def test_each_room_has_one_purpose_and_more_than_one_module() -> None:
    """The architecture page lists the rooms with the purposes in their docstrings."""
    page = (ROOT / "docs/explanation/architecture.md").read_text()
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    assert rows == [f"| `{room}/` | {purpose(room)} |" for room in ROOMS]
    alone = [
        room
        for room in ROOMS
        if len([*(ROOT / room).glob("[!_]*.py"), *(ROOT / room).glob("*/__init__.py")]) < 2
    ]
    assert alone == []


def test_a_feature_has_the_same_name_in_events_resources_and_schemas() -> None:
    """A resource is of a feature, and so are its schemas; both may be a module or a room."""
    features, resources, schemas = (
        {path.stem for path in (ROOT / room).iterdir() if not path.stem.startswith("__")}
        for room in ("events/features", "service/http/resources", "service/http/schemas")
    )
    assert resources - features == {"housekeeping"}
    assert schemas - features == {"housekeeping", "common", "of_each_game", *GAMES}
    assert resources - schemas == RESOURCES_WITHOUT_DOCUMENTS_OF_THEIR_OWN
