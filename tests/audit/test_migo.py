"""Games of Migo are verified from their exports: whole and running, prepared, forks with their origins."""

import io
from random import Random
from typing import Any

import pytest

from domain.chance import SeededChance, commitment_of
from domain.lifecycle import Create, Fork, Json, Origin, PlayBotMove, ReissueToken, Score, Seat, TakeSeat
from domain.migo.game import MIGO
from events.audit.findings import PASSED, Report
from events.audit.forks import Origin as KnownOrigin
from events.audit.verify import verified_origin, verify
from events.log.envelope import RecordedEvent, seal
from events.log.export import export_lines, games_in
from events.log.game_secrets import Secrets
from events.log.seeds import fork_seed, move_seed
from events.log.snapshot import unplayed
from tests.audit.tamper import parts
from tests.domain.migo.table import laid

SEED, AT = bytes(range(32)), "2026-11-21T10:00:00.000Z"
GAMES = {"migo": MIGO}
ADA = Seat("human", "ada", client_seed="mine")


def bot(name: str) -> Seat:
    return Seat("bot", bot=name)


class Played:
    """A game and its events."""

    def __init__(self, game_id: str) -> None:
        self.game_id = game_id
        self.chance = SeededChance(SEED, game_id)
        self.rng = Random(game_id)
        self.now = unplayed(game_id, MIGO, Secrets(SEED, "app", "public", "migo", AT))
        self.history: list[RecordedEvent] = []

    def do(self, seat: int | None, command: Any) -> None:
        events = MIGO.decide(self.now.state, seat, command, self.chance)
        records = [MIGO.encode(event) for event in events]
        sealed = seal(self.game_id, SEED, self.now.stream_head, AT, "", records)
        self.history.extend(sealed)
        self.now = self.now.after(events, sealed[-1].stream_head)

    def move(self) -> None:
        """By the bot of the seat, or at random for a person."""
        seat, state = self.now.status.to_act, self.now.state
        assert seat is not None
        name = self.now.status.seats[seat].bot
        if name is None:
            self.do(seat, MIGO.parse_move(self.rng.choice(MIGO.legal_moves(state, seat))))
            return
        seed, played = move_seed(SEED, self.game_id, self.now.version), MIGO.bot(name)
        choice = MIGO.think(MIGO.observe(state, seat), name, int(seed, 16))
        did = None if played.budget is None else {"iterations": choice.iterations}
        self.do(seat, PlayBotMove(choice.move, name, played.version, did, seed))

    def finish(self) -> bytes:
        while self.now.status.result is None:
            self.move()
        self.do(None, Score())
        return self.export()

    def export(self, viewer: int | None = None) -> bytes:
        return b"".join(export_lines(self.now, self.history, viewer))


def created(*seats: Seat, setup: Json | None = None, **options: Any) -> Played:
    game = Played(f"migo{len(seats)}")
    game.do(None, Create(game.game_id, commitment_of(SEED), options, seats, setup))
    return game


def judged(export: bytes, origin: bytes | None = None) -> Report:
    (read,) = games_in(io.BytesIO(export))
    known = None
    if origin is not None:
        (told,) = games_in(io.BytesIO(origin))
        found = verified_origin(told)
        assert isinstance(found, KnownOrigin)
        known = found
    return verify(read, bots=True, games=GAMES, origin=known)


SEATS = [
    (ADA, Seat("open")),
    (ADA, bot("heuristic"), Seat("open")),
    (bot("random"), ADA, bot("greedy"), bot("maxn-easy")),
]


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Origins are verified among the games that there are."""
    from domain import registry

    monkeypatch.setitem(registry.GAMES, "migo", MIGO)


@pytest.mark.parametrize("seats", SEATS, ids=len)
def test_a_finished_game_passes(seats: tuple[Seat, ...]) -> None:
    """Shuffles, moves, bots' choices and the result are all found again."""
    game = created(*seats, first_seat="random", turn_limit=30)
    if seats[-1].kind == "open":
        game.do(None, TakeSeat(len(seats) - 1, "bo", "too"))
    game.do(None, ReissueToken(seats.index(ADA)))
    for _ in range(25):
        game.move()
    if len(seats) == 4:
        game.do(1, MIGO.parse_move({"type": "resign"}))
    report = judged(game.finish())
    assert report.wrong is None, report.wrong.document
    assert (report.verdict, report.complete) == (PASSED, True)
    counts = {checked.name: checked.count for checked in report.checks}
    assert counts["shuffles"] == 1 + game.now.state.number


def test_a_prepared_game_passes_while_it_runs_and_when_it_is_over() -> None:
    """What is prepared is hidden until the end."""
    game = created(ADA, bot("greedy"), setup={"rounds": [laid(), laid("E20b E19b", number=2)]})
    for _ in range(20):
        game.move()
    for viewer in (None, 0, 1):
        told = game.export(viewer)
        assert parts(told).events[0]["redacted"] == ["rounds"]
        report = judged(told)
        assert report.wrong is None, report.wrong.document
    report = judged(game.finish())
    assert report.wrong is None, report.wrong.document


def test_a_tampered_game_does_not_pass() -> None:
    """A take that was another one is found."""
    told = parts(created(ADA, bot("greedy")).finish())
    taken = next(event for event in told.events if event["type"] == "card_taken")
    taken["data"]["place"] = 0
    report = judged(told.reseal().file)
    assert report.wrong is not None


@pytest.mark.parametrize("resampled", [False, True])
def test_a_fork_passes_with_its_origin(resampled: bool) -> None:
    """Its position is the origin's; drawn anew, without what was prepared."""
    first = created(ADA, bot("greedy"), setup={"rounds": [laid(), laid("E20b E19b", number=2)]})
    for _ in range(5):
        first.move()
    state, head, version = first.now.state, first.now.stream_head.head, first.now.version
    seat = 0 if resampled else None
    origin = Origin(first.game_id, version, head, resampled=resampled, seat=seat)
    if resampled:
        state = MIGO.resample(state, 0, None, fork_seed(SEED, "fork"))
    fork = Played("fork")
    fork.do(None, Fork("fork", commitment_of(SEED), (ADA, bot("heuristic")), origin, state))
    running = judged(fork.export(0))
    assert running.wrong is None, running.wrong.document
    report = judged(fork.finish(), first.finish())
    assert report.wrong is None, report.wrong.document
    assert {checked.name: checked.status for checked in report.checks}["position"] == PASSED
