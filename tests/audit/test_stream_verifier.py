"""A viewer that follows the events as they arrive notices whatever is changed behind its back."""

from typing import Any

import orjson
import pytest

from events.audit.findings import CheckFailed
from events.audit.stream_verifier import EMPTY, StreamHead, follow, unchanged
from tests.audit.games import Corpus, parsed
from tests.audit.tamper import parts


def documents(export: bytes) -> list[dict[str, Any]]:
    return [orjson.loads(event) for event in parsed(export).events]


def followed(events: list[dict[str, Any]], head: StreamHead = EMPTY) -> StreamHead:
    for event in events:
        head = follow(head, event)
    return head


@pytest.mark.parametrize("viewer", ["spectator", "seat 0", "seat 1"])
def test_a_redacted_stream_verifies_as_it_goes(played: Corpus, viewer: str) -> None:
    events = documents(played.running[viewer])
    assert any(event["redacted"] for event in events)
    assert followed(events) == StreamHead(len(events), events[-1]["head"])


def test_every_viewer_sees_the_same_heads(played: Corpus) -> None:
    """So what one viewer is told cannot differ from what another is told."""
    streams = [documents(played.running[viewer]) for viewer in ("spectator", "seat 0", "seat 1")]
    assert len({followed(events) for events in streams}) == 1


def test_a_stream_can_be_followed_on_from_any_tip(played: Corpus) -> None:
    events = documents(played.finished["people"])
    half = followed(events[:20])
    assert followed(events[20:], half) == followed(events)


@pytest.mark.parametrize(
    ("check", "change"),
    [
        ("sequence", lambda events: events.pop(7)),
        ("sequence", lambda events: events.insert(7, events[7])),
        ("commitments", lambda events: events[0].update(at="2026-01-01T00:00:00.000Z")),
        ("chain", lambda events: events[7].update(head="00" * 32)),
        ("format", lambda events: events[7].pop("data")),
    ],
)
def test_what_is_wrong_is_named(played: Corpus, check: str, change: Any) -> None:
    events = documents(played.running["spectator"])
    change(events)
    with pytest.raises(CheckFailed) as found:
        followed(events)
    assert found.value.check == check


def test_who_kept_a_head_notices_that_history_was_rewritten(played: Corpus) -> None:
    """The new history is right in itself: only the head that was kept tells that it is another one."""
    before = documents(played.finished["long"])
    kept = followed(before[:10])
    rewritten = parts(played.finished["long"])
    rewritten.events[4]["at"] = "2026-01-01T00:00:00.000Z"
    rewritten.reseal()

    assert followed(rewritten.events) != followed(before)
    with pytest.raises(CheckFailed, match="rewritten"):
        unchanged(kept, followed(rewritten.events[:10]))
    with pytest.raises(CheckFailed) as found:
        followed(rewritten.events[10:], kept)
    assert found.value.check == "chain"
    unchanged(kept, followed(before[:10]))
