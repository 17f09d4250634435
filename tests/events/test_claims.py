"""Claims of a win: when one may be made, by whom, and its races with moves, with returns, and with other claims."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from domain.errors import DomainError
from domain.lifecycle import Json, Seat, places_of_those_who_began
from events.application import Application
from events.audit.verify import verify
from events.engine.access import Caller
from events.engine.idempotency import KeyedRequest
from events.engine.new_game import NewGame
from events.errors import EngineError
from events.features.presence.port import GRACE, UNSEEN, WATCHED
from events.features.presence.presence import Standing, away_for
from events.log.export import export_lines
from events.log.ratings.unrated import APP
from tests.audit.games import parsed
from tests.events.timed import Time, kinds, move, people, timed
from tests.support.sure import sure

AFTER = 60  # seconds of the option
SENT = KeyedRequest("3f0c8f5e-7d3b-4a53-9a36-4b8d1f1d6a10", "seat token", {})
NEW = NewGame("migrato", {"claim_after": AFTER}, people(2))
OF_A_BOT = NewGame("migrato", {"claim_after": AFTER}, (Seat("bot", bot="greedy"), Seat("human", "ada")))
WAITING = NewGame("migrato", {"claim_after": AFTER}, (Seat("human", "ada"), Seat("open")))


class Known:
    """A store of presence that says what a test makes up of every game."""

    def __init__(self) -> None:
        self.standing: Standing = {}

    def hear(self, game_ids: list[str]) -> dict[str, Standing]:
        return dict.fromkeys(game_ids, self.standing)


@pytest.fixture
def known() -> Known:
    return Known()


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def process(redis_url: str, time: Time, known: Known) -> Callable[[], Application]:
    """Makes the applications of processes."""

    def made() -> Application:
        here = timed(redis_url, time)
        here.presence._store = known  # type: ignore[assignment]
        return here

    return made


@pytest.fixture
def here(process: Callable[[], Application]) -> Application:
    return process()


def away(seconds: float, *seats: int, of: int = 2, watched: float = 1e6) -> Standing:
    """These seats are away for so long, and the others connected, as somebody has seen for so long."""
    return {seat: -seconds if seat in seats else 5.0 for seat in range(of)} | {WATCHED: -watched}


def begun(here: Application, new: NewGame = NEW) -> str:
    game_id = here.creation.create("a", new).snapshot.game_id
    move(here, game_id)
    return game_id


def claim(here: Application, game_id: str, seat: int, sent: KeyedRequest | None = None) -> list[str]:
    played = here.claims.claim(game_id, seat, Caller("seat", seat=seat, game_id=game_id), sent)
    return [event.type for event in played.events]


def outcome(here: Application, game_id: str, seat: int, sent: KeyedRequest | None = None) -> str:
    """The first event of a claim, or the code of its refusal."""
    try:
        return claim(here, game_id, seat, sent)[0]
    except DomainError as refusal:
        return refusal.code


def refused(here: Application, game_id: str, seat: int) -> str:
    before = kinds(here, game_id)
    with pytest.raises((DomainError, EngineError)) as refusal:
        claim(here, game_id, seat)
    assert kinds(here, game_id) == before
    return str(refusal.value.code)  # type: ignore[attr-defined]


def shown(here: Application, game_id: str, standing: Standing) -> str | None:
    now = here.views.snapshot(game_id)
    view: Json = {"status": now.status.status}
    here.claims.show(view, now, standing)
    return sure(view)["claimable_at"] if "claimable_at" in view else "not shown"


def to_act(here: Application, game_id: str) -> int:
    return sure(here.views.snapshot(game_id).status.to_act)


def test_the_win_is_claimed_once_the_time_is_over(here: Application, time: Time, known: Known) -> None:
    """Not a moment sooner, from the one to act alone; the view says when. The audit passes, and knows since when."""
    game_id = begun(here)
    absent = to_act(here, game_id)
    known.standing = away(7200, absent)
    assert shown(here, game_id, known.standing) == "2026-11-21T12:01:00.000Z"
    time.passes(AFTER - 0.001)
    assert refused(here, game_id, 1 - absent) == "nothing-to-claim"
    time.passes(0.001)
    assert refused(here, game_id, absent) == "nothing-to-claim"
    known.standing = away(7200, 1 - absent)
    assert (refused(here, game_id, 1 - absent), shown(here, game_id, known.standing)) == (
        "nothing-to-claim",
        None,
    )
    known.standing = away(AFTER, absent)
    assert claim(here, game_id, 1 - absent) == ["win_claimed", "game_ended"]
    now = here.views.snapshot(game_id)
    result = sure(now.status.result)
    assert (result.reason, result.winner) == ("claimed", 1 - absent)
    assert shown(here, game_id, known.standing) == "not shown"
    here.bot_turns.score_game(game_id)
    now, history = here.views.snapshot(game_id), here.views.history(game_id)
    claimed = next(event for event in history if event.type == "win_claimed")
    assert (claimed.seat, claimed.data) == (
        1 - absent,
        {"absent": absent, "since": "2026-11-21T12:00:00.000Z"},
    )
    report = verify(parsed(b"".join(export_lines(now, history, None, None))))
    assert report.wrong is None, report.wrong.document


def test_a_seat_that_comes_back_or_does_something_ends_the_right(
    here: Application, time: Time, known: Known
) -> None:
    """Time away counts anew; a move that comes before the claim is a move, and the claim is refused."""
    game_id = begun(here)
    absent = to_act(here, game_id)
    known.standing = away(7200, absent)
    time.passes(AFTER)
    known.standing = away(0, of=2)
    assert refused(here, game_id, 1 - absent) == "nothing-to-claim"
    known.standing = away(AFTER - 1, absent)
    assert refused(here, game_id, 1 - absent) == "nothing-to-claim"
    known.standing = away(AFTER, absent)
    while to_act(here, game_id) == absent:
        move(here, game_id)
    assert refused(here, game_id, 1 - absent) == "nothing-to-claim"
    while to_act(here, game_id) != absent:
        move(here, game_id)
    assert refused(here, game_id, 1 - absent) == "nothing-to-claim"
    time.passes(AFTER)
    assert claim(here, game_id, 1 - absent)[0] == "win_claimed"


def test_nobody_claims_in_other_games(here: Application, time: Time, known: Known) -> None:
    """Without the option; from a bot, which is never away; in a game that waits or is over; where nobody was there."""
    games = {
        "plain": begun(here, NewGame("migrato", {}, people(2))),
        "bot": here.creation.create("a", OF_A_BOT).snapshot.game_id,
        "waiting": here.creation.create("a", WAITING).snapshot.game_id,
        "over": begun(here),
        "unseen": begun(here),
    }
    here.moves.play(games["over"], 0, {"type": "resign"})
    time.passes(7200)
    known.standing = {**away(7200, 0, 1), 2: 5.0}
    expected = {"waiting": "game-not-started", "over": "game-over"}
    for kind in ("plain", "bot", "waiting", "over"):
        seat = 1 if kind == "bot" else 1 - (here.views.snapshot(games[kind]).status.to_act or 0)
        assert refused(here, games[kind], seat) == expected.get(kind, "nothing-to-claim"), kind
    assert shown(here, games["plain"], known.standing) == "not shown"
    assert shown(here, games["bot"], known.standing) is None
    absent = to_act(here, games["unseen"])
    for standing in ({}, away(7200, 0, 1), {0: 5.0, 1: -7200.0}):
        known.standing = standing
        assert refused(here, games["unseen"], 1 - absent) == "nothing-to-claim"
    known.standing = away(7200, absent, watched=AFTER - 1)
    assert refused(here, games["unseen"], 1 - absent) == "nothing-to-claim"


def test_two_claims_and_a_repeat(process: Callable[[], Application], time: Time, known: Known) -> None:
    """One of two makes the end; the same request again is answered as before, by another process too."""
    here, there = process(), process()
    new = NewGame("migo", {"claim_after": AFTER}, people(3))
    game_id = here.creation.create("a", new).snapshot.game_id
    absent = to_act(here, game_id)
    known.standing = away(AFTER, absent, of=3)
    time.passes(AFTER)
    first, second = (seat for seat in range(3) if seat != absent)

    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(outcome, (here, there), (game_id, game_id), (first, second), (SENT, SENT)))
    assert sorted(outcomes) == ["game-over", "win_claimed"]
    winner = (first, second)[outcomes.index("win_claimed")]
    for application in (here, there, process()):
        assert claim(application, game_id, winner, SENT) == ["win_claimed", "game_ended"]
    result = sure(here.views.snapshot(game_id).status.result)
    assert [result.places[seat] for seat in (absent, first, second)] == [3, 1, 1]
    assert kinds(here, game_id).count("game_ended") == 1


def test_a_clock_that_is_two_hours_off_claims_nothing(here: Application, time: Time, known: Known) -> None:
    """Behind or ahead: time counts from the game's last event on, by the clock that has recorded it."""
    for hours in (-2, 2):
        game_id = begun(here)
        absent = to_act(here, game_id)
        known.standing = away(AFTER - 1, absent)
        time.passes(hours * 3600)
        assert refused(here, game_id, 1 - absent) == "nothing-to-claim"
        time.passes(-hours * 3600)


def test_a_claim_counts_as_time_that_is_up_does(here: Application, time: Time, known: Known) -> None:
    """In a game that counts: the seat that was away has lost; a bot that plays on for somebody claims nothing."""
    options = {"claim_after": AFTER, "first_seat": "random"}
    rated = NewGame("migrato", options, people(2), pairing=APP)
    for claimant in ("human", "bot"):
        game_id = here.creation.create("a", rated).snapshot.game_id
        absent = to_act(here, game_id)
        known.standing = away(AFTER, absent)
        time.passes(AFTER)
        if claimant == "bot":
            here.interventions.replace_player(game_id, 1 - absent, "greedy", Caller("app", "a"))
            assert refused(here, game_id, 1 - absent) == "nothing-to-claim"
            continue
        assert here.views.snapshot(game_id).unrated_because is None
        claim(here, game_id, 1 - absent)
        here.bot_turns.score_game(game_id)
        now = here.views.snapshot(game_id)
        places = sure(now.status.result).places
        assert (now.is_rated, places_of_those_who_began(now.status.seats, places)) == (True, places)
        assert places[absent] == 2


def test_a_deadline_that_is_over_comes_first(here: Application, time: Time, known: Known) -> None:
    """Of a game with a clock; before it, the win can be claimed."""
    clock = {"kind": "per-move", "seconds": 2 * AFTER}
    for waits, expected in ((AFTER, "win_claimed"), (2 * AFTER, "time-is-up")):
        new = NewGame("migrato", {"claim_after": AFTER}, people(2), clock=clock)
        game_id = here.creation.create("a", new).snapshot.game_id
        absent = to_act(here, game_id)
        time.passes(waits)
        known.standing = away(waits, absent)
        assert outcome(here, game_id, 1 - absent) == expected


@pytest.mark.parametrize(
    ("standing", "expected"),
    [
        ({}, None),
        ({0: 5.0, 1: -9.0}, None),  # told by a former release
        ({0: 5.0, 1: -9.0, WATCHED: -20.0}, 9.0),
        ({0: 5.0, 1: -9.0, WATCHED: -4.0}, 4.0),
        ({0: 5.0, WATCHED: -4.0}, 4.0),  # it has never been there
        ({0: -1.0, 1: -9.0, WATCHED: -20.0}, None),
        ({0: 5.0, 1: 3.0, WATCHED: -20.0}, None),
    ],
)
def test_time_away_counts_while_somebody_is_there(standing: Standing, expected: float | None) -> None:
    assert away_for(standing, 1) == expected
    assert 0 < UNSEEN < GRACE
