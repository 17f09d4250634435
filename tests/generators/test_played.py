"""The events that generated clients are tried with."""

import json
from pathlib import Path

from tests.domain.kinds import KINDS


def test_every_type_is_there_and_some_hide_something(pages: Path) -> None:
    events = [event for page in json.loads(pages.read_text()) for event in page["events"]]
    assert {event["type"] for event in events} == KINDS
    assert {name for event in events for name in event["redacted"]} >= {"card", "cards", "hands"}
