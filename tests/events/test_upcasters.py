"""Old events: translated, or an error; never skipped."""

import pytest

from domain.lifecycle import EventRecord
from events.errors import CorruptStream
from events.log.envelope import EMPTY, seal
from events.log.game_secrets import Secrets
from events.log.snapshot import fold, unplayed
from events.log.upcasters import Upcasters, upcast
from tests.events.counter import COUNTER

CREATED = {"id": "x", "commitment": "c", "goal": 5, "seats": []}
BEFORE = unplayed("x", COUNTER, Secrets(bytes(32), "app", "public", "counter", "2026-11-21T10:00:00.000Z"))


def test_an_event_goes_through_every_schema_since_its_own() -> None:
    """One step each; another game's events of that name are left alone."""
    steps: Upcasters = {
        ("counter", "added", 1): lambda wire: wire._replace(schema=2, data={"n": wire.data["number"]}),
        ("counter", "added", 2): lambda wire: wire._replace(schema=3, data={"amount": wire.data["n"]}),
    }
    old = EventRecord("added", 1, 0, {"number": 3})
    assert upcast("counter", old, steps) == EventRecord("added", 3, 0, {"amount": 3})
    assert upcast("other", old, steps) is old


def test_an_unknown_event_is_an_error() -> None:
    """Neither an unknown type nor an unknown schema is skipped."""
    for unknown in (EventRecord("exploded", 1, None, {}), EventRecord("added", 9, None, {})):
        records = [EventRecord("game_created", 1, None, CREATED), unknown]
        with pytest.raises(CorruptStream):
            fold(BEFORE, seal("x", bytes(32), EMPTY, "at", "c", records))


def test_a_missing_event_is_an_error() -> None:
    """Versions follow on one another, from the first on."""
    first, second = seal(
        "x", bytes(32), EMPTY, "at", "c", [EventRecord("game_created", 1, None, CREATED)] * 2
    )
    with pytest.raises(CorruptStream):
        fold(BEFORE, [second])
    with pytest.raises(CorruptStream):
        fold(BEFORE, [first, second._replace(version=3)])
