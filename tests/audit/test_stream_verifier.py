"""A viewer that follows the events as they arrive notices whatever is changed behind its back."""

import orjson
import pytest

from domain.lifecycle import Json
from events.audit.findings import CheckFailed
from events.audit.stream_verifier import EMPTY, KeptHead, follow, unchanged
from tests.audit.games import Corpus, parsed
from tests.audit.tamper import parts


def documents(export: bytes) -> list[Json]:
    return [orjson.loads(event) for event in parsed(export).events]


def followed(events: list[Json], head: KeptHead = EMPTY) -> KeptHead:
    for event in events:
        head = follow(head, event)
    return head


def test_a_kept_head_shows_that_history_was_rewritten(played: Corpus) -> None:
    """The new history is right in itself: only the head that was kept tells that it is another one."""
    before, rewritten = documents(played.finished["long"]), parts(played.finished["long"])
    kept = followed(before[:10])
    assert followed(before[10:], kept) == followed(before)
    rewritten.events[4]["at"] = "2026-01-01T00:00:00.000Z"
    rewritten.reseal()
    with pytest.raises(CheckFailed, match="rewritten"):
        unchanged(kept, followed(rewritten.events[:10]))
    with pytest.raises(CheckFailed) as found:
        followed(rewritten.events[10:], kept)
    assert found.value.check == "chain"
    unchanged(kept, followed(before[:10]))
