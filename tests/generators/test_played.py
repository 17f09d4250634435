"""The events that generated clients are tried with."""

import json
from pathlib import Path

from service.http.schemas.of_each_game import events_of
from tests.domain.kinds import KINDS


def test_every_type_is_there_and_some_hide_something(pages: dict[str, Path]) -> None:
    events = {
        game: [event for page in json.loads(file.read_text()) for event in page["events"]]
        for game, file in pages.items()
    }
    for game, told in events.items():
        assert {event["type"] for event in told} == set(events_of(game))
    assert {event["type"] for event in events["migrato"]} == KINDS
    assert {name for event in events["migrato"] for name in event["redacted"]} >= {"card", "cards", "hands"}
