"""Forks are checked from their position on, and against their origin where that is given."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from domain.lifecycle import Json, Seat
from domain.migrato.rules.cards import DOWN
from domain.migrato.rules.state import Player
from events.audit.findings import PARTLY, PASSED, Report
from events.audit.forks import Origin
from events.audit.histories import Histories
from events.audit.verify import verified_origin, verify
from events.engine.access import Caller
from events.features.games.forks import WantedFork
from tests.audit.games import ADA, BO, CREATOR, TRUSTED, Table, fault_of, parsed, sound
from tests.audit.tamper import Parts, add, parts, ruled, timed
from tests.audit.test_histories import faults

BOTS = (Seat("bot", bot="ismcts-easy"), Seat("bot", bot="greedy"))
WITH_ME = (Seat("human"), Seat("bot", bot="ismcts-easy"))


@pytest.fixture(scope="module")
def exports(table: Table) -> dict[str, bytes]:
    """A game, a fork of it as it was, and one of its middle as a seat could know it."""
    application = table.application
    game_id = table.create(ADA, BO, return_flight=True, turn_limit=80)
    table.play(game_id, 12)
    seated = Caller("seat", seat=0, game_id=game_id)
    now = application.views.snapshot(game_id).version
    drawn, _ = application.forks.fork(game_id, seated, WantedFork(now, resample=True, seats=WITH_ME))
    origin = table.finish(game_id)
    exact, _ = application.forks.fork(game_id, CREATOR, WantedFork(_decision(origin), seats=BOTS))
    told = {"origin": origin}
    for name, created in (("drawn", drawn), ("exact", exact)):
        told[name] = table.finish(created.snapshot.game_id)
    return told


def _decision(export: bytes) -> int:
    """A version in the middle at which somebody is to act."""
    events = parts(export).events
    return next(int(event["version"]) for event in events[20:] if event["type"] == "cards_drawn")


def judged(export: bytes, origin: bytes | None = None, *, bots: bool = False) -> Report:
    known = None if origin is None else verified_origin(parsed(origin), trusted=TRUSTED)
    assert known is None or isinstance(known, Origin)
    return verify(parsed(export), trusted=TRUSTED, bots=bots, origin=known)


def position(report: Report) -> tuple[str, str | None]:
    (told,) = (checked for checked in report.checks if checked.name == "position")
    return told.status, told.note


def test_a_fork_passes_alone_and_with_its_origin(exports: dict[str, bytes]) -> None:
    for name in ("exact", "drawn"):
        alone = sound(judged(exports[name], bots=True))
        assert position(alone)[0] == PARTLY
        assert "was not given" in str(position(alone)[1])
        compared = sound(judged(exports[name], exports["origin"]))
        assert position(compared) == (PASSED, None)


def test_a_fork_that_is_older_than_its_origin_is_remarked_on(exports: dict[str, bytes]) -> None:
    """No check: engines of several machines record by several clocks."""
    forged = timed(parts(exports["exact"]), timedelta(milliseconds=1)).reseal().sign()
    told, honest = (
        [remark.detail for remark in judged(fork, exports["origin"]).remarks if remark.about == "times"]
        for fork in (forged.file, exports["exact"])
    )
    begins = f"the fork begins at {forged.events[0]['at']}, before that event of its origin, at "
    assert [detail.startswith(begins) for detail in told] == [True]
    assert honest == []


def _swap_deck(position: Json) -> None:
    deck = position["deck"]
    other = next(at for at, card in enumerate(deck) if card != deck[0])
    deck[0], deck[other] = deck[other], deck[0]


def _lose_a_card(position: Json) -> None:
    position["deck"].pop()
    position["count"] -= 1


def _miscall_landed(position: Json) -> None:
    position["landed"][0] = [] if "teal" in position["landed"][0] else ["teal"]


ALONE: list[Callable[[Json], None]] = [
    _lose_a_card,
    _miscall_landed,
    lambda position: add(position, count=1),
    lambda position: position.update(to_act=2),
    lambda position: position.update(to_act=True),
    lambda position: position.update(turn=0),
    lambda position: position.update(turn=81),
    lambda position: position.update(shuffles=-1),
    lambda position: position.update(hands=None),
    lambda position: position.update(hands=[[]]),
    lambda position: position.update(columns=[[], [{"slot": 9, "cards": []}]]),
    lambda position: position.update(arrivals=[{"teal": ["G5d"]}, {}]),
    lambda position: position.update(phase="later"),
    lambda position: position.update(more=1),
]


def test_a_position_that_cannot_be_is_found(exports: dict[str, bytes], subtests: pytest.Subtests) -> None:
    for number, spoil in enumerate(ALONE):
        with subtests.test(number=number):
            assert fault_of(judged(_spoilt(exports["exact"], spoil).file)).check == "position"


def test_another_position_than_the_origins_is_found(exports: dict[str, bytes]) -> None:
    """Also one that the fork's seed has not drawn: the seat saw just that, but what it did not see was chosen."""
    for name, spoil in (
        ("exact", lambda position: position["hands"].reverse()),
        ("exact", _swap_deck),
        ("drawn", _swap_deck),
    ):
        assert fault_of(judged(_spoilt(exports[name], spoil).file, exports["origin"])).check == "position"


def test_another_origin_is_found(exports: dict[str, bytes]) -> None:
    others = {"head": "00" * 32, "version": 10**6, "game_id": "x", "seat": 0, "resampled": 1}
    for member, value in others.items():
        export = parts(exports["exact"])
        export.events[0]["data"]["origin"][member] = value
        assert fault_of(judged(export.reseal().sign().file, exports["origin"])).check == "position", member


def test_a_fork_with_other_rules_is_found(exports: dict[str, bytes]) -> None:
    export = parts(exports["exact"])
    ruled(export, memory_aid=True)
    assert fault_of(judged(export.reseal().sign().file, exports["origin"])).check == "position"


def test_a_game_that_was_forked_from_itself_is_found(exports: dict[str, bytes]) -> None:
    forged = parts(exports["exact"])
    forged.data("game_created")["origin"]["game_id"] = forged.header["game_id"]
    assert fault_of(judged(forged.reseal().sign().file)).check == "position"


def _spoilt(export: bytes, spoil: Callable[[Json], None]) -> Parts:
    changed = parts(export)
    spoil(changed.first("position_set")["data"])
    return changed.reseal().sign()


def test_a_fork_that_runs_passes_as_far_as_it_shows_itself(table: Table) -> None:
    """A running fork passes as far as it is shown, also where face-down cards are hidden in its position."""
    application = table.application
    game_id = table.create(ADA, BO)
    while not any(map(_has_night_card, application.views.snapshot(game_id).state.players)):
        table.play(game_id, 1)
    now = application.views.snapshot(game_id)
    caller = Caller("seat", seat=0, game_id=game_id)
    humans = (Seat("human"), Seat("human"))
    fork, _ = application.forks.fork(game_id, caller, WantedFork(now.version, resample=True, seats=humans))
    for seat in (None, 0, 1):
        report = sound(application.exports.check(fork.snapshot, seat))
        assert not report.complete


def _has_night_card(player: Player) -> bool:
    return any(DOWN in shape for shape in player.shapes)


def test_a_fork_and_its_origin_tell_one_history(exports: dict[str, bytes]) -> None:
    """Also where the origin is only one of many exports that are given, before the fork or after it."""
    origin, forged = exports["origin"], parts(exports["exact"])
    named = forged.data("game_created")["origin"]
    named["head"] = "ab" * 32
    fork = forged.reseal().sign().file
    assert faults(origin, exports["exact"], exports["drawn"], origin) == [None] * 4
    assert faults(exports["exact"], exports["drawn"], origin) == [None] * 3
    assert faults(origin, fork) == [None, 1]
    assert faults(fork, origin) == [None, named["version"]]
    named["version"] = len(parts(origin).events) + 1
    after_the_end = forged.reseal().sign().file
    assert faults(origin, after_the_end) == [None, 1]
    assert faults(after_the_end, origin) == [None, named["version"]]
    known = verified_origin(parsed(origin), trusted=TRUSTED)
    assert isinstance(known, Origin)
    histories = Histories()
    histories.know(known, "origin")
    assert faults(fork, timed(parts(origin), timedelta(seconds=1)).reseal().sign().file, told=histories) == [
        1,
        1,
    ]
