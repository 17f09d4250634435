"""Events of stored games of every release fit the schemas of the API, whole and as each viewer sees them."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from domain.lifecycle import EventRecord
from domain.registry import GAMES
from service.http.schemas.of_each_game import GAME_SCHEMAS, event_schemas, events_of
from tests.service.contract import member, validator
from tests.service.table import Json

FILES = sorted((Path(__file__).parents[1] / "golden").glob("*.jsonl"))
GAME = "migrato"  # all stored games are of this game
ID = "0123456789abcdefghijkl"


@cache
def schema_of(kind: str) -> tuple[Any, list[str], bool]:
    """For an event's type: what checks its data, the fields that it may hide, whether it belongs to a seat."""
    component = {"$ref": f"#/components/schemas/{type(events_of(GAME)[kind]).__name__}"}
    hideable = member(component, "redacted")["items"].get("enum", [])
    return validator(member(component, "data")), hideable, event_schemas(GAME)[kind].of_a_seat


def named(record: EventRecord) -> EventRecord:
    """The event with ids as they really are, for the stored games have made-up ones."""
    data: Json = dict(record.data)
    if record.type == "game_created":
        data |= {"id": ID, "commitment": "c" * 64}
        if "origin" in data:
            data["origin"] = data["origin"] | {"game_id": ID, "head": "d" * 64}
    return record._replace(data=data)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_events_of_former_releases(path: Path) -> None:
    """Whole, and hiding nothing but what the schema says may be hidden."""
    for line in path.read_text().splitlines():
        *stored, _ = json.loads(line)
        record = named(EventRecord(*stored))
        check, hideable, of_a_seat = schema_of(record.type)
        assert (record.seat is not None) == of_a_seat, record.type
        check.validate(record.data)
        for viewer in (0, 1, None):
            data, hidden = GAMES[GAME].redact(record, viewer)
            assert set(hidden) <= set(hideable), record.type
            check.validate(data)


def test_nearly_every_type_was_recorded() -> None:
    """Nearly every type of event is in a stored game, so the test above covers nearly all of them."""
    text = "".join(path.read_text() for path in FILES)
    missing = {kind for kind in GAME_SCHEMAS[GAME].events if f'["{kind}"' not in text}
    assert missing <= {"turn_passed", "return_flight_taken", "game_scored", "moves_taken_back"}
