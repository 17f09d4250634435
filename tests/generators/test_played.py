"""The events that generated clients are tried with."""

import json
from pathlib import Path

import pytest

from domain.registry import GAMES
from service.http.schemas.registry import events_of
from tests.domain.kinds import KINDS


@pytest.mark.parametrize("game", GAMES)
def test_every_type_is_there(pages: dict[str, Path], game: str) -> None:
    events = [event for page in json.loads(pages[game].read_text()) for event in page["events"]]
    assert {event["type"] for event in events} == set(events_of(game))


def test_no_type_is_left_out_and_some_hide_something(pages: dict[str, Path]) -> None:
    events = [event for page in json.loads(pages["migrato"].read_text()) for event in page["events"]]
    assert {event["type"] for event in events} == KINDS
    assert {name for event in events for name in event["redacted"]} >= {"card", "cards", "hands"}
