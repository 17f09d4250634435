"""The audit knows no game: one that is not Migrato, of two seats and of three, is verified by what the game says."""

import io
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from domain.chance import commitment_of
from domain.game import Game
from domain.lifecycle import Create, Json, PlayBotMove, ReissueToken, Score, Seat, TakeSeat, Viewer
from events.audit.findings import FAILED, PASSED, Report
from events.audit.verify import verify
from events.log.export import games_in
from events.log.seeds import move_seed
from tests.audit.games import fault_of
from tests.audit.played import SEED, Recorded
from tests.audit.tamper import Parts, parts
from tests.events.counter import Add, Counter
from tests.support.tricks import TRICKS

GAME_ID = "counted"
ADA, ONE = Seat("human", "ada", client_seed="mine"), Seat("bot", bot="one")


class Trio(Counter):
    """The same game for three."""

    name = "trio"
    seat_counts = (3,)


TABLES: list[tuple[Game, tuple[Seat, ...]]] = [
    (Counter(), (ADA, Seat("open"))),
    (Trio(), (ADA, ONE, Seat("open"))),
]


class Played(Recorded):
    """A game of some kind."""

    def __init__(self, game: Game, *commands: Any) -> None:
        super().__init__(game, GAME_ID)
        for command in commands:
            self.do(None, command)

    def moved(self, choose: Callable[[int], Any], moves: int = 99, viewer: Viewer = None) -> bytes:
        """The export after so many moves, or of the game that is over and confirmed."""
        while self.now.status.to_act is not None and moves > 0:
            self.do(self.now.status.to_act, choose(self.now.status.to_act))
            moves -= 1
        if self.now.status.result is not None:
            self.do(None, Score())
        return self.export(viewer)


def exported(game: Game, seats: tuple[Seat, ...], *, moves: int = 99, viewer: Viewer = None) -> bytes:
    """The export of a game after so many moves; bots choose their own, people add what chance gives."""
    rng, create = Random(1), Create(GAME_ID, commitment_of(SEED), {"goal": 20}, seats)
    played = Played(game, create, TakeSeat(len(seats) - 1, "bo", "too"), ReissueToken(0))

    def choose(seat: int) -> Any:
        if not seats[seat].bot:
            return Add(rng.randint(1, 3), "psst")
        seed = move_seed(SEED, GAME_ID, played.now.version)
        move = game.think(game.observe(played.now.state, seat, ()), "one", int(seed, 16)).move
        return PlayBotMove(move, "one", game.bot("one").version, None, seed)

    return played.moved(choose, moves, viewer)


def judged(game: Game, export: bytes) -> Report:
    """The report of a verification, with bots asked again."""
    (read,) = games_in(io.BytesIO(export))
    return verify(read, bots=True, games={game.name: game})


@pytest.mark.parametrize(("game", "seats"), TABLES, ids=["two", "three"])
def test_a_finished_game_passes_and_another_is_found(game: Game, seats: tuple[Seat, ...]) -> None:
    """All that there is of it is checked; the header has no deck, as the game has none.

    Found are a move that is not allowed, a deal that was not drawn, a result that was not reached.
    """
    export = exported(game, seats)
    report = judged(game, export)
    assert (report.verdict, report.wrong, report.complete) == (PASSED, None, True)
    counts = {checked.name: checked.count for checked in report.checks}
    assert counts["shuffles"] == 1
    assert (counts["bots"] > 0) == any(seat.bot for seat in seats)
    told = parts(export)
    assert told.header["deck"] is None
    assert set(told.end["result"]) == {"winner", "reason", "scores", "scored"}
    assert _check(game, parts(export), "added", {"amount": 4, "note": ""}) == "rules"
    dealt = parts(export).first("game_started")["data"]["cards"]
    assert _check(game, parts(export), "game_started", {"cards": dealt[::-1]}) == "shuffles"
    assert _check(game, parts(export), "game_ended", {"winner": len(seats)}) == "result"


@pytest.mark.parametrize(("game", "seats"), TABLES, ids=["two", "three"])
def test_a_running_game_is_right_for_its_viewer_alone(game: Game, seats: tuple[Seat, ...]) -> None:
    for viewer in (None, 0, 1):
        export = exported(game, seats, moves=4, viewer=viewer)
        assert judged(game, export).wrong is None
        other = parts(export)
        other.header["viewer"] = 0 if viewer is None else 1 - viewer
        assert fault_of(judged(game, other.file)).check == "redacted"


def _check(game: Game, changed: Parts, kind: str, data: Json) -> str:
    """The check that finds other data in the first event of that type, sealed anew by the operator."""
    changed.first(kind)["data"] = data
    return fault_of(judged(game, changed.reseal().file)).check


def _tricks() -> Parts:
    """The export of a whole game of the documentation's, of two people who play their first cards."""
    played = Played(TRICKS, Create(GAME_ID, commitment_of(SEED), {}, (ADA, Seat("human", "bo"))))

    def first(seat: int) -> Any:
        return TRICKS.parse_move(TRICKS.legal_moves(played.now.state, seat)[0])

    return parts(played.moved(first))


NOT_YET, NO_MORE = (
    "The game has not ended yet.",
    "The event changes nothing, so the engine does not record it.",
)
OTHERWISE = "The move causes other events than the recorded ones."


def test_a_result_is_confirmed_once_and_after_the_end() -> None:
    """Not before and after the deal, within a trick, after one, or just before the end."""
    assert judged(TRICKS, _tricks().file).verdict == PASSED
    for place, why in ((1, OTHERWISE), (2, NOT_YET), (3, NOT_YET), (5, NOT_YET), (-1, OTHERWISE)):
        forged = _tricks()
        forged.events.insert(place, forged.events.pop())
        _fails(forged, why)
    forged = _tricks()
    forged.events.append(dict(forged.events[-1]))
    _fails(forged, NO_MORE)


def _fails(forged: Parts, why: str) -> None:
    """The verification finds what is wrong with the export, which the operator has sealed anew."""
    report = judged(TRICKS, forged.reseal().file)
    assert (report.verdict, fault_of(report).detail) == (FAILED, why)
