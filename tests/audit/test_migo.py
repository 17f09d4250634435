"""Games of Migo are verified from their exports: whole and running, prepared, forks with their origins."""

from collections import Counter
from typing import Any

import pytest

from domain.chance import commitment_of
from domain.interventions import GameAborted
from domain.lifecycle import (
    AbortGame,
    Adjudicate,
    EventRecord,
    Fork,
    HandOver,
    Origin,
    ReissueToken,
    ReplacePlayer,
    Score,
    Seat,
    TakeSeat,
    places_with_loser,
)
from domain.migo.game import MIGO
from events.audit.findings import PASSED, Report
from events.audit.forks import Origin as KnownOrigin
from events.audit.verify import verified_origin, verify
from events.log.envelope import seal
from events.log.seeds import fork_seed
from tests.audit.games import TRUSTED, fault_of, parsed, sound
from tests.audit.migo_games import ADA, Played, bot, created, people
from tests.audit.played import AT, SEED
from tests.audit.tamper import parts
from tests.domain.migo.table import laid


def judged(export: bytes, origin: bytes | None = None) -> Report:
    known = None if origin is None else verified_origin(parsed(origin))
    assert known is None or isinstance(known, KnownOrigin)
    return verify(parsed(export), bots=True, origin=known)


SEATS: list[tuple[Seat, ...]] = [
    (ADA, Seat("open")),
    (ADA, bot("heuristic"), Seat("open")),
    (bot("net"), ADA, bot("net-search")),
    (bot("random"), ADA, bot("greedy"), bot("maxn-easy")),
]


def test_finished_games_pass(subtests: pytest.Subtests) -> None:
    """Shuffles, moves, bots' choices and the result are all found again."""
    for seats in SEATS:
        with subtests.test(seats=len(seats)):
            game = created(*seats, first_seat="random", turn_limit=30)
            if seats[-1].kind == "open":
                game.do(None, TakeSeat(len(seats) - 1, "bo", "too"))
            game.do(None, ReissueToken(seats.index(ADA)))
            for _ in range(25):
                game.move()
            if len(seats) == 4:
                game.do(1, MIGO.parse_move({"type": "resign"}))
            report = sound(judged(game.finish()))
            assert (report.verdict, report.complete) == (PASSED, True)
            counts = {checked.name: checked.count for checked in report.checks}
            assert counts["shuffles"] == 1 + game.state.number


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_decisions_of_an_app_pass(seats: int) -> None:
    """A bot for a person who is to act, then an abortion or a verdict."""
    for end in (AbortGame("shop"), Adjudicate("shop", places_with_loser(seats, 0))):
        game = created(*people(seats))
        for _ in range(7):
            game.move()
        game.do(None, HandOver(None, 0, "zoe"))
        game.do(None, HandOver("shop", 0, "yan"))
        game.do(None, ReplacePlayer("shop", game.now.status.to_act or 0, "maxn-easy"))
        for _ in range(2 * seats):
            game.move()
        for viewer in (None, *range(seats)):
            report = sound(judged(game.export(viewer)))
        game.do(None, end)
        report = sound(judged(game.export() if isinstance(end, AbortGame) else game.finish()))
        assert report.complete


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_decisions_of_a_seat_are_not_an_apps(seats: int) -> None:
    """An event of another app in the middle of a game is refused, too."""
    for forged in (
        EventRecord("game_aborted", 1, 0, {"app": "shop"}),
        EventRecord("game_aborted", 1, None, {"app": "another"}),
        EventRecord("game_aborted", 1, None, {"app": 1}),
        EventRecord("game_aborted", 1, None, {"app": "shop", "why": "lost"}),
        EventRecord("player_replaced", 1, 0, {"app": "shop", "bot": "greedy", "token": "mg_"}),
        EventRecord("seat_handed_over", 1, 0, {"app": "another", "player": "zoe"}),
        EventRecord("seat_handed_over", 1, 0, {"app": "shop", "player": "zoe", "token": "mg_"}),
    ):
        other = created(*people(seats))
        other.do(None, ReplacePlayer("shop", 1, "greedy"))
        sealed = seal(other.game_id, SEED, other.now.stream_head, AT, "", [forged], MIGO)
        other.history.extend(sealed)
        event = GameAborted("shop") if forged.type == "game_aborted" else MIGO.decode(forged)
        other.now = other.now.after([event], sealed)
        if not other.now.is_settled:
            other.do(None, AbortGame("shop"))
        assert fault_of(judged(other.export())).check == "rules"


def test_a_prepared_game_passes_while_it_runs_and_when_it_is_over() -> None:
    """Prepared rounds are hidden until the end."""
    game = created(ADA, bot("greedy"), setup={"rounds": [laid(), laid("E20b E19b", number=2)]})
    for _ in range(20):
        game.move()
    for viewer in (None, 0, 1):
        told = game.export(viewer)
        assert parts(told).events[0]["redacted"] == ["rounds"]
        sound(judged(told))
    sound(judged(game.finish()))


@pytest.mark.parametrize("resampled", [False, True])
def test_a_fork_passes_with_its_origin(resampled: bool) -> None:
    """Its position is the origin's; drawn anew, without what was prepared."""
    first = created(ADA, bot("greedy"), setup={"rounds": [laid(), laid("E20b E19b", number=2)]})
    for _ in range(5):
        first.move()
    state, head, version = first.state, first.now.stream_head.head, first.now.version
    seat = 0 if resampled else None
    origin = Origin(first.game_id, version, head, resampled=resampled, seat=seat)
    if resampled:
        state = MIGO.resample(state, 0, None, fork_seed(SEED, "fork"))
    fork = Played("fork")
    fork.do(None, Fork("fork", commitment_of(SEED), (ADA, bot("heuristic")), origin, state))
    sound(judged(fork.export(0)))
    report = sound(judged(fork.finish(), first.finish()))
    assert {checked.name: checked.status for checked in report.checks}["position"] == PASSED


def test_a_bot_without_chance_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A person who moves as `heuristic` does is found, and each choice is asked of the bot but once."""
    game = created(*people(2), turn_limit=24)
    while game.now.status.result is None:
        seat = game.now.status.to_act
        assert seat is not None
        if seat:
            game.move()
        else:
            game.do(0, MIGO.think(MIGO.observe(game.state, 0), "heuristic", 0).move)
    game.do(None, Score())
    asked: Counter[tuple[str, str]] = Counter()
    think = MIGO.think

    def counted(seen: Any, bot: str, *more: Any) -> Any:
        asked[bot, repr(seen)] += 1
        return think(seen, bot, *more)

    monkeypatch.setattr(MIGO, "think", counted)
    report = verify(parsed(parts(game.export()).sign().file), trusted=TRUSTED, bots=True)
    (remark,) = [remark.detail for remark in report.remarks if "choices is" in remark.detail]
    assert "that of heuristic, and would be with another seed" in remark
    assert {bot for bot, _ in asked} >= {"heuristic", "greedy"}
    assert max([times for (bot, _), times in asked.items() if not MIGO.bot(bot).chance]) == 1
