"""An app's decisions about a game are the same in every game: an abortion, an adjudication, a bot for a player."""

from typing import Any

import pytest

from domain import interventions
from domain.common_events.clocks import TurnTimedOut, encode
from domain.errors import DomainError
from domain.game import Game
from domain.interventions import (
    GameAborted,
    GameAdjudicated,
    Intervention,
    PlayerReplaced,
    SeatHandedOver,
    WinClaimed,
)
from domain.lifecycle import (
    AbortGame,
    Adjudicate,
    Create,
    EventRecord,
    HandOver,
    Leaver,
    PlayBotMove,
    ReissueToken,
    ReplacePlayer,
    Score,
    Seat,
    TakeSeat,
    places_of_those_who_began,
    places_with_loser,
    places_with_winner,
)
from domain.migo.game import MIGO
from domain.migrato.game import MIGRATO
from tests.domain.playing import chance_of
from tests.domain.table import refusal
from tests.support.tricks import TRICKS

APP = "shop"
TABLES: list[tuple[Game, int]] = [(MIGRATO, 2), (MIGO, 2), (MIGO, 3), (MIGO, 4), (TRICKS, 3)]
EVENTS: list[Intervention] = [
    GameAborted(APP),
    GameAdjudicated(APP, (2, 1)),
    PlayerReplaced(APP, 1, "greedy"),
    SeatHandedOver(APP, 1, "zoe"),
    SeatHandedOver(None, 0, "zoe"),
    WinClaimed(0, 1, "2026-11-21T12:00:00.000Z"),
]

every_game = pytest.mark.parametrize(
    ("game", "seats"), TABLES, ids=[f"{game.name} {seats}" for game, seats in TABLES]
)


def people(seats: int) -> tuple[Seat, ...]:
    """Seats for this many people, each with a seed."""
    return tuple(Seat("human", f"p{seat}", client_seed=f"s{seat}") for seat in range(seats))


def after(game: Game, state: Any, *commands: Any) -> Any:
    """The state after the commands of nobody's seat."""
    for command in commands:
        for event in game.decide(state, None, command, chance_of(1)):
            state = game.evolve(state, event)
    return state


def created(game: Game, *seats: Seat) -> Any:
    """A new game."""
    return after(game, game.initial(), Create("test", "c", {}, seats))


def types(game: Game, state: Any, command: Any) -> list[str]:
    """The types of the events that the command of nobody's seat causes."""
    return [game.encode(event).type for event in game.decide(state, None, command, chance_of(1))]


def refused(game: Game, state: Any, command: Any, seat: int | None = None) -> DomainError:
    """The reason against it."""
    return refusal(game.decide, state, seat, command, chance_of(1))


@every_game
def test_an_aborted_game_is_over_without_a_result(game: Game, seats: int) -> None:
    """Nobody has a place, nothing is scored, nothing is rated, everything is shown."""
    before = created(game, *people(seats))
    assert types(game, before, AbortGame(APP)) == ["game_aborted"]
    state = after(game, before, AbortGame(APP))
    status = game.status(state)
    assert (status.status, status.to_act, status.rated) == ("finished", None, False)
    assert status.result is not None
    assert status.result.is_void
    assert status.result.scored
    assert game.view(state, None) == game.view(before, None, whole=True)
    assert game.conservation_fault(state) is None
    others = (AbortGame(APP), Adjudicate(APP, (1,) * seats), ReplacePlayer(APP, 0, "random"), ReissueToken(0))
    for command in (*others, HandOver(APP, 0, "zoe")):
        assert refused(game, state, command).code == "game-over"
    assert refused(game, state, game.parse_move({"type": "resign"}), 0).code == "game-over"
    assert game.decide(state, None, Score(), chance_of(1)) == []


@every_game
def test_a_game_that_waits_can_be_aborted_and_not_adjudicated(game: Game, seats: int) -> None:
    """Nothing was dealt, there is no table to be scored, and nobody can sit down any more."""
    waiting = created(game, *people(seats - 1), Seat("open"))
    assert refused(game, waiting, Adjudicate(APP, (1,) * seats)).code == "game-not-started"
    state = after(game, waiting, AbortGame(APP))
    assert game.status(state).status == "finished"
    assert game.view(state, None) is None
    assert game.conservation_fault(state) is None
    assert game.game_row(state).keys() == game.game_columns.keys()
    assert refused(game, state, TakeSeat(seats - 1, "zoe")).code == "game-over"


@every_game
def test_an_adjudication_ends_the_game_with_the_places_that_it_names(game: Game, seats: int) -> None:
    """The scores are those of the table; the result is confirmed as any other, and the game is still rated."""
    for places in (places_with_winner(seats, 1), places_with_loser(seats, 1), (1,) * seats):
        state = created(game, *people(seats))
        assert types(game, state, Adjudicate(APP, places)) == ["game_adjudicated", "game_ended"]
        state = after(game, state, Adjudicate(APP, places))
        result = game.status(state).result
        assert result is not None
        assert (result.places, result.reason, len(result.scores)) == (places, "adjudicated", seats)
        assert (result.scored, game.status(state).rated) == (False, True)
        state = after(game, state, Score())
        scored = game.status(state).result
        assert scored is not None
        assert (scored.places, scored.reason, scored.scores) == (places, "adjudicated", result.scores)
        assert scored.scored
        for command in (AbortGame(APP), Adjudicate(APP, places)):
            assert refused(game, state, command).code == "game-over"


@every_game
def test_places_must_be_places(game: Game, seats: int) -> None:
    """There are as many places as seats, and each is 1 + the number of better ones."""
    state, others = created(game, *people(seats)), seats - 1
    for places in ((), (1,) * (seats + 1), (2,) * seats, (0,) * seats, (1, *(3,) * others), (-1,) * seats):
        why = refused(game, state, Adjudicate(APP, places))
        assert why.code == "validation-error"
        (field,) = why.data["errors"]
        assert field.startswith("places")


@every_game
def test_another_takes_a_persons_place(game: Game, seats: int) -> None:
    """Also on the seat's turn: a bot, or another person, by the app or by whoever has the seat. The seed is in the
    shuffles already and stays as it was.
    """
    start = state = created(game, *people(seats))
    to_act = game.status(state).to_act
    assert to_act is not None
    bot, view = game.bot(game.fallback_bot), game.view(state, to_act)
    replace = ReplacePlayer(APP, to_act, bot.name)
    for command, player, record in (
        (HandOver(APP, to_act, "zoe"), "zoe", {"app": APP, "player": "zoe"}),
        (HandOver(None, to_act, "yan"), "yan", {"app": None, "player": "yan"}),
        (replace, None, None),
    ):
        (event,) = game.decide(state, None, command, chance_of(1))
        if record:
            assert game.encode(event) == EventRecord("seat_handed_over", 1, to_act, record)
        state = game.evolve(state, event)
        status, seed = game.status(state), f"s{to_act}"
        kind, name = ("human", None) if player else ("bot", bot.name)
        assert status.seats[to_act] == Seat(kind, player, name, seed, stands_in=True)
        assert [seat.kind for seat in status.seats].count("human") == seats - (player is None)
        assert (status.status, status.to_act, status.rated) == ("playing", to_act, False)
        assert game.view(state, to_act) == view
        assert refused(game, state, command).code == ("validation-error" if player else "not-found")
    assert types(game, start, replace) == ["player_replaced"]
    chosen = PlayBotMove(game.fallback_move(state, to_act), bot.name, bot.version, None, None)
    assert game.decide(state, to_act, chosen, chance_of(1))
    assert refused(game, state, ReissueToken(to_act)).code == "not-found"


@every_game
def test_only_a_persons_seat_is_given_to_another(game: Game, seats: int) -> None:
    """Not a bot's, not an open one, not one that is not there; while the game waits as well."""
    others = (Seat("open"), Seat("bot", bot=game.fallback_bot))[-(seats - 1) :]
    state = created(game, *people(seats - len(others)), *others)
    for seat in (-1, *range(seats - len(others), seats), seats, 99):
        for command in (ReplacePlayer(APP, seat, game.fallback_bot), HandOver(None, seat, "zoe")):
            assert refused(game, state, command).code == "not-found"
    for command in (ReplacePlayer(APP, 0, "random"), HandOver(APP, 0, "zoe")):
        waiting = after(game, created(game, *people(seats - 1), Seat("open")), command)
        assert game.status(waiting).status == "waiting"
        started = game.status(after(game, waiting, TakeSeat(seats - 1, "bo")))
        assert (started.status, started.rated) == ("playing", False)


@every_game
@pytest.mark.parametrize("how", ["by the player", "by the clock", "by the app"])
def test_a_seat_is_given_up(game: Game, seats: int, how: str) -> None:
    """Its first player is remembered, so that the game counts for whoever began it; what the app decides does not."""
    state = created(game, *people(seats))
    for before, seat in enumerate(range(seats - 1, 0, -1)):
        state = given_up(game, state, seat, how)
        status = game.status(state)
        leaver = None if how == "by the app" else Leaver(f"p{seat}", before)
        assert (status.seats[seat].stands_in, status.seats[seat].leaver) == (True, leaver)
        assert status.rated == (how != "by the app")
        if status.seats[seat].kind == "human":  # whoever plays on there gives up nothing of their own
            state = after(game, state, HandOver(None, seat, "xia"))
            assert game.status(state).seats[seat].leaver == leaver
    if how != "by the app":
        places = tuple(range(seats, 0, -1))  # as it ends, the one who stayed is the last
        assert places_of_those_who_began(game.status(state).seats, places) == tuple(range(1, seats + 1))


def given_up(game: Game, state: Any, seat: int, how: str) -> Any:
    """The state after the seat was given up."""
    if how == "by the clock":
        up = TurnTimedOut(seat, "2026-11-21T12:00:00.000Z", "replace")
        return after(game, game.evolve(state, game.decode(encode(up))), ReplacePlayer(APP, seat, "random"))
    return after(game, state, HandOver(APP if how == "by the app" else None, seat, f"zoe{seat}"))


@every_game
def test_a_seat_given_away_before_the_game_began(game: Game, seats: int) -> None:
    """Nobody has seen a card: nobody loses, and the game does not count."""
    waiting = after(game, created(game, *people(seats - 1), Seat("open")), HandOver(None, 0, "zoe"))
    assert game.status(waiting).seats[0].leaver is None
    assert not game.status(waiting).rated


JUDGED = -1  # the app has judged the game since


@pytest.mark.parametrize(
    ("left", "places", "counted"),
    [
        ((None, None), (1, 2), (1, 2)),
        ((None, 0), (2, 1), (1, 2)),
        ((None, JUDGED), (2, 1), (2, 1)),
        ((1, 0), (2, 1), (1, 2)),
        ((None, 0, None), (1, 1, 3), (1, 3, 2)),
        ((None, None, None, 0), (2, 3, 3, 1), (1, 2, 2, 4)),
        ((None, 1, None, 0), (3, 1, 3, 1), (1, 3, 1, 4)),
    ],
)
def test_the_places_of_who_began(
    left: tuple[int | None, ...], places: tuple[int, ...], counted: tuple[int, ...]
) -> None:
    """A player who gave up is behind all who stayed and all who gave up later, but for the app's verdict."""
    seats = [
        Seat("human", leaver=None if one is None else Leaver(None, None if one == JUDGED else one))
        for one in left
    ]
    assert places_of_those_who_began(seats, places) == counted


@every_game
def test_stored_read_again_and_seen_by_everybody(game: Game, seats: int) -> None:
    """By every game the same way; one of an unknown schema is no such event, nor is a bot for no seat.

    It hides nothing, and nobody could take it for what follows from a move.
    """
    for event in EVENTS:
        record = interventions.encode(event)
        if game is not TRICKS:  # whose events are as they are stored
            assert game.encode(event) == record
            assert game.decode(record) == event
            for other in (record._replace(schema=2), record._replace(type="player_replaced", seat=None)):
                assert refusal(game.decode, other).code == "unknown-event"
        for viewer in (None, *range(seats)):
            assert game.redact(record, viewer) == (record.data, [])
        assert not game.is_consequence(EventRecord("turn_passed", 1, 0, {}), record)


def test_in_one_line() -> None:
    """Each of these events has a line for replays and the terminal."""
    assert [MIGRATO.notation(interventions.encode(event)) for event in EVENTS] == [
        "app shop aborts the game",
        "app shop adjudicates the game: places 2, 1",
        "app shop puts the bot greedy in the place of seat 1",
        "app shop hands seat 1 over to zoe",
        "seat 0 hands seat 0 over to zoe",
        "seat 0 claims the win: seat 1 is away since 2026-11-21T12:00:00.000Z",
    ]
