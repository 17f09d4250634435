"""The rooms: packages with one purpose, as the architecture page lists them."""

from domain.registry import GAMES
from tests.project.rooms import PAGE, ROOMS, is_row, rows
from tests.support.markdown import ROOT

RESOURCES_WITHOUT_DOCUMENTS_OF_THEIR_OWN = {"claims"}


def test_each_room_has_one_purpose_and_more_than_one_module() -> None:
    """The architecture page lists the rooms; `python -m tests.project.rooms` writes the list."""
    assert [line for line in PAGE.read_text().splitlines() if is_row(line)] == rows()
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
