"""Forks are checked from their position on, and against their origin where that is given."""

from collections.abc import Callable
from typing import Any

import pytest

from domain.lifecycle import Json, Seat
from domain.migrato.rules.cards import DOWN
from domain.migrato.rules.state import Player
from events.audit.findings import PARTLY, PASSED, Report
from events.audit.forks import Origin
from events.audit.verify import verified_origin, verify
from events.games.access import Caller
from events.runtime import bootstrap
from events.runtime.embedded import EmbeddedServer
from events.runtime.settings import Settings
from events.use_cases.forks import WantedFork
from tests.audit.games import ADA, BO, CREATOR, TRUSTED, Table, parsed
from tests.audit.tamper import Parts, parts

BOTS = (Seat("bot", bot="ismcts-easy"), Seat("bot", bot="greedy"))
WITH_ME = (Seat("human"), Seat("bot", bot="ismcts-easy"))


@pytest.fixture(scope="module")
def table(server: EmbeddedServer) -> Table:
    return Table(bootstrap.application(Settings(redis_url=server.url, queue_url=server.url)))


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


def judged(export: bytes, origin: bytes | None = None) -> Report:
    known = None if origin is None else verified_origin(parsed(origin), trusted=TRUSTED)
    assert known is None or isinstance(known, Origin)
    return verify(parsed(export), trusted=TRUSTED, bots=True, origin=known)


def position(report: Report) -> tuple[str, str | None]:
    (told,) = (checked for checked in report.checks if checked.name == "position")
    return told.status, told.note


@pytest.mark.parametrize("name", ["exact", "drawn"])
def test_a_fork_passes_alone_and_with_its_origin(exports: dict[str, bytes], name: str) -> None:
    alone = judged(exports[name])
    assert alone.wrong is None, alone.wrong.document
    assert position(alone)[0] == PARTLY
    assert "was not given" in str(position(alone)[1])
    compared = judged(exports[name], exports["origin"])
    assert compared.wrong is None, compared.wrong.document
    assert position(compared) == (PASSED, None)


def _swap_hands(position: Json) -> None:
    position["hands"].reverse()


def _swap_deck(position: Json) -> None:
    deck = position["deck"]
    other = next(at for at, card in enumerate(deck) if card != deck[0])
    deck[0], deck[other] = deck[other], deck[0]


def _lose_a_card(position: Json) -> None:
    position["deck"].pop()
    position["count"] -= 1


def _miscount(position: Json) -> None:
    position["count"] += 1


def _spoil(name: str, value: Any) -> Callable[[Json], None]:
    def spoil(position: Json) -> None:
        position[name] = value

    return spoil


def _miscall_landed(position: Json) -> None:
    position["landed"][0] = [] if "teal" in position["landed"][0] else ["teal"]


ALONE = [
    _lose_a_card,
    _miscount,
    _miscall_landed,
    _spoil("to_act", 2),
    _spoil("to_act", True),
    _spoil("turn", 0),
    _spoil("turn", 81),
    _spoil("shuffles", -1),
    _spoil("hands", None),
    _spoil("hands", [[]]),
    _spoil("columns", [[], [{"slot": 9, "cards": []}]]),
    _spoil("arrivals", [{"teal": ["G5d"]}, {}]),
    _spoil("phase", "later"),
    _spoil("more", 1),
]


@pytest.mark.parametrize("spoil", ALONE)
def test_a_position_that_cannot_be_is_found(exports: dict[str, bytes], spoil: Callable[[Json], None]) -> None:
    report = judged(_spoilt(exports["exact"], spoil).file)
    assert report.wrong is not None
    assert report.wrong.check == "position", report.wrong.document


@pytest.mark.parametrize("spoil", [_swap_hands, _swap_deck])
def test_another_position_than_the_origins_is_found(
    exports: dict[str, bytes], spoil: Callable[[Json], None]
) -> None:
    report = judged(_spoilt(exports["exact"], spoil).file, exports["origin"])
    assert report.wrong is not None
    assert report.wrong.check == "position", report.wrong.document


@pytest.mark.parametrize(
    ("member", "value"),
    [("head", "00" * 32), ("version", 10**6), ("game_id", "x"), ("seat", 0), ("resampled", 1)],
)
def test_another_origin_is_found(exports: dict[str, bytes], member: str, value: Any) -> None:
    export = parts(exports["exact"])
    export.events[0]["data"]["origin"][member] = value
    report = judged(export.reseal().sign().file, exports["origin"])
    assert report.wrong is not None
    assert report.wrong.check == "position"


def test_a_position_that_was_not_drawn_by_the_forks_seed_is_found(exports: dict[str, bytes]) -> None:
    """The seat saw just that, but what it did not see was chosen."""
    report = judged(_spoilt(exports["drawn"], _swap_deck).file, exports["origin"])
    assert report.wrong is not None
    assert report.wrong.check == "position"


def test_a_fork_with_other_rules_is_found(exports: dict[str, bytes]) -> None:
    export = parts(exports["exact"])
    for options in (export.header["rules"], export.events[0]["data"]["options"]):
        options["memory_aid"] = True
    report = judged(export.reseal().sign().file, exports["origin"])
    assert report.wrong is not None
    assert report.wrong.check == "position"


def _spoilt(export: bytes, spoil: Callable[[Json], None]) -> Parts:
    changed = parts(export)
    spoil(changed.first("position_set")["data"])
    return changed.reseal().sign()


@pytest.mark.parametrize("seat", [None, 0, 1])
def test_a_fork_that_runs_passes_as_far_as_it_shows_itself(table: Table, seat: int | None) -> None:
    """Also where face-down cards are hidden within its position."""
    application = table.application
    game_id = table.create(ADA, BO)
    while not any(map(_has_night_card, application.views.snapshot(game_id).state.players)):
        table.play(game_id, 1)
    now = application.views.snapshot(game_id)
    caller = Caller("seat", seat=0, game_id=game_id)
    humans = (Seat("human"), Seat("human"))
    fork, _ = application.forks.fork(game_id, caller, WantedFork(now.version, resample=True, seats=humans))
    report = application.exports.check(fork.snapshot, seat)
    assert report.wrong is None, report.wrong.document
    assert not report.complete


def _has_night_card(player: Player) -> bool:
    return any(DOWN in shape for shape in player.shapes)
