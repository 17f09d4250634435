"""One history of each game: exports that contradict each other are found, in whatever order and however cut."""

from copy import deepcopy
from dataclasses import replace

import pytest

from domain.lifecycle import EventRecord
from domain.migrato.game import MIGRATO
from events.audit.findings import CheckFailed
from events.audit.histories import Histories, Met
from events.audit.verify import verify
from tests.audit.games import KEY, Corpus, parsed
from tests.audit.tamper import Parts, conceal, parts


def moves(export: bytes) -> list[int]:
    """The versions at which a move begins."""
    return [event["version"] for event in parts(export).events if event["type"] == "hand_exchanged"]


def reissued(export: bytes, at: int) -> Parts:
    """The game with another token before the move that begins at that version, sealed and signed by its operator."""
    forged = parts(export)
    token = {"type": "seat_token_reissued", "schema": 1, "seat": 0, "data": {}}
    forged.events.insert(at - 1, {**forged.events[at - 1], **token})
    return forged.reseal().sign()


def cut(export: Parts, version: int) -> Parts:
    """The game as a spectator was shown it at that version, with the signature that anybody got."""
    running = deepcopy(export)
    del running.events[version:]
    for event in running.events:
        wire = EventRecord(event["type"], event["schema"], event["seat"], event["data"])
        event["data"], event["redacted"] = MIGRATO.redact(wire, None)
        if event["redacted"]:
            conceal(event)
    running.header["complete"] = False
    running.end |= {
        "version": version,
        "head": running.events[-1]["head"],
        "server_seed": None,
        "result": None,
    }
    return running.sign()


def found(*exports: bytes, told: Histories | None = None) -> list[Met | CheckFailed | None]:
    """The outcome of each, one after the other; its place is where it is."""
    histories, outcomes = Histories() if told is None else told, list[Met | CheckFailed | None]()
    for number, export in enumerate(exports):
        one = parsed(export)
        try:
            outcomes.append(histories.meet(verify(one), one, f"file {number}"))
        except CheckFailed as contradiction:
            outcomes.append(contradiction)
    return outcomes


def faults(*exports: bytes, told: Histories | None = None) -> list[int | None]:
    """The event at which each contradicts one before it."""
    return [one.version if isinstance(one, CheckFailed) else None for one in found(*exports, told=told)]


@pytest.fixture
def one(played: Corpus) -> bytes:
    return played.finished["long"]


def test_the_first_event_that_differs_is_named(one: bytes) -> None:
    """Both are sound, whichever comes first; and a third one is compared, too."""
    for at in (moves(one)[0], moves(one)[20]):
        two = reissued(one, at).file
        assert faults(one, two, one) == [None, at, None]
        assert faults(two, one, two) == [None, at, None]
    first, second, third = found(one, two, one)
    assert (first, third) == (None, Met("file 0", len(parts(one).events)))
    assert isinstance(second, CheckFailed)
    assert second.check == "history"
    assert "Another history of this game is in file 0: " in str(second)
    assert str(second).endswith(f"Both are signed by the key {KEY['kid']}.")


def test_a_running_game_is_compared_as_far_as_it_goes(one: bytes) -> None:
    """Its head is that of the whole game or of none; what is hidden, and from whom, makes no difference."""
    at = moves(one)[20]
    two = reissued(one, at)
    early, late = cut(two, at - 1).file, cut(two, at + 1).file
    assert faults(one, early, late) == [None, None, at]
    assert faults(early, late, one, two.file) == [None, None, at, None]
    assert faults(late, early, one) == [None, None, at]


def test_nothing_follows_on_a_complete_game(one: bytes) -> None:
    """The holder of the key signs that it goes on, and hides how."""
    longer = cut(parts(one), moves(one)[20])
    complete = parts(one)
    del complete.events[longer.end["version"] - 1 :]
    complete.end |= {"version": len(complete.events), "head": complete.events[-1]["head"]}
    told = replace(verify(parsed(longer.file)), complete=True)
    histories = Histories()
    assert histories.meet(told, parsed(complete.file), "complete") is None
    assert faults(one, told=histories) == [longer.end["version"]]


def test_a_history_that_is_signed_counts_for_more(one: bytes) -> None:
    """A forger without the key cannot have honest exports called wrong, but the first of them."""
    at = moves(one)[20]
    forged = reissued(one, at).unsigned().file
    assert faults(forged, one, one, forged) == [None, at, None, at]
    assert str(found(forged, one)[1]).endswith(f"Only this one is signed, by the key {KEY['kid']}.")


def test_games_that_are_wrong_tell_nothing(one: bytes) -> None:
    broken = parts(one)
    broken.events[20]["at"] = "2001-01-01T00:00:00.000Z"
    assert found(broken.file, one, broken.file) == [None, None, None]
