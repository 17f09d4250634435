# compiled into rules
"""Decisions about a game that are no moves. The game's app may abort it, adjudicate it, replace a player by a bot, or
hand a seat over. A seat's own player may also hand the seat over. A player may claim the win from a player who is away.

These events are the same in every game, and name the app if it decided. A game supplies only what differs: its final
event, and its state with another result or with other seats. All their data are public.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, assert_never

from domain.clocks.decide import forfeited, has_left
from domain.clocks.options import REPLACE
from domain.common_events.clocks import ClockEvent, TurnTimedOut
from domain.errors import DomainError, game_over, invalid
from domain.game import Game, Rules
from domain.lifecycle import (
    ABORTED,
    AbortGame,
    Adjudicate,
    ClaimWin,
    EventRecord,
    GameStatus,
    HandOver,
    Json,
    Leaver,
    ReplacePlayer,
    must_be_playing,
)
from domain.options import CLAIM_AFTER

SCHEMA: Final = 1
WITH_REASON: Final = 2  # the schema of events that the engine decided, with a reason
# a reason why the engine aborts a game: its open seats were not taken for too long
WAITING: Final = "waiting"
SILENT: Final = "silent"  # another reason: no player has moved for too long
ABORT: Final = "game_aborted"
ADJUDICATION: Final = "game_adjudicated"
REPLACEMENT: Final = "player_replaced"
HAND_OVER: Final = "seat_handed_over"
CLAIM: Final = "win_claimed"
KINDS: Final = frozenset((ABORT, ADJUDICATION, REPLACEMENT, HAND_OVER, CLAIM))
REASON: Final = "adjudicated"  # the `reason` of a game's end: an adjudication
CLAIMED: Final = "claimed"  # the `reason` of a game's end: a claim


@dataclass(frozen=True, slots=True)
class GameAborted:
    """The game is over, without a result; `reason` is the engine's, None where the app decided."""

    app: str
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class GameAdjudicated:
    """The app has decided the places, and the end of the game follows; `reason` as in GameAborted."""

    app: str
    places: tuple[int, ...]
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class PlayerReplaced:
    """The seat is a bot's from now on; the old player's token is void."""

    app: str
    seat: int
    bot: str


@dataclass(frozen=True, slots=True)
class SeatHandedOver:
    """The seat is another player's from now on, with a new token; `app` is None where the seat's own player gave it
    away.
    """

    app: str | None
    seat: int
    player: str


@dataclass(frozen=True, slots=True)
class WinClaimed:
    """The seat has claimed the win: `absent`, the seat to act, was away `since` then. The end of the game follows."""

    seat: int
    absent: int
    since: str


Decision = AbortGame | Adjudicate | ReplacePlayer | HandOver | ClaimWin
Intervention = GameAborted | GameAdjudicated | PlayerReplaced | SeatHandedOver | WinClaimed


def decide(game: Game, state: Any, decision: Decision) -> list[Any]:
    """The events of a decision by the app, or of a claim by a player."""
    status = game.status(state)
    match decision:
        case AbortGame(app, reason):
            if status.status == "finished":
                raise game_over()
            if reason not in (None, WAITING if status.status == "waiting" else SILENT):
                raise DomainError("conflict", f"A game that is {status.status} is not aborted as {reason}.")
            return [GameAborted(app, reason)]
        case Adjudicate(app, places, reason):
            must_be_playing(status)
            _check_places(places, len(status.seats))
            if reason not in (None, SILENT):
                raise DomainError("conflict", f"A game is not adjudicated as {reason}.")
            return [GameAdjudicated(app, places, reason), game.ended(state, places, REASON)]
        case ReplacePlayer(app, seat, bot):
            _check_person(status, seat)
            return [PlayerReplaced(app, seat, bot)]
        case HandOver(app, seat, player):
            _check_person(status, seat)
            if status.seats[seat].player == player:
                raise invalid("player", "Must be another player than the one who has the seat.")
            return [SeatHandedOver(app, seat, player)]
        case ClaimWin(seat, absent, since):
            _check_claim(game, state, decision)
            places = forfeited(game, state, absent)
            return [WinClaimed(seat, absent, since), game.ended(state, places, CLAIMED)]
        case _:
            assert_never(decision)


def can_be_claimed(status: GameStatus) -> int | None:
    """The milliseconds that the seat to act must be away before another may claim the win; None if nobody
    may claim it.
    """
    after, absent = status.options.get(CLAIM_AFTER.name), status.to_act
    if after is None or absent is None or status.status != "playing" or status.seats[absent].kind != "human":
        return None
    return int(after) * 1000


def _check_claim(game: Rules, state: Any, claim: ClaimWin) -> None:
    """DomainError "game-not-started", "game-over", "nothing-to-claim" unless the seat may claim the win now."""
    status = game.status(state)
    must_be_playing(status)
    after = can_be_claimed(status)
    if after is None:
        raise nothing_to_claim("Nobody may claim the win of this game, or of a bot that is to act.")
    if status.to_act != claim.absent or claim.seat == claim.absent:
        raise nothing_to_claim("The win is claimed by another than the seat to act, from that seat.")
    if status.seats[claim.seat].kind != "human" or has_left(game, state, claim.seat):
        raise nothing_to_claim("Only a person who still plays claims the win.")
    if claim.waited < after:
        raise nothing_to_claim(f"Seat {claim.absent} is not away for {after // 1000} seconds.")


def nothing_to_claim(why: str) -> DomainError:
    """The refusal of a claim."""
    return DomainError("nothing-to-claim", why)


def _check_places(places: Sequence[int], seats: int) -> None:
    """DomainError "validation-error" unless each seat has the place 1 + the number of seats with a better place."""
    if len(places) != seats:
        raise invalid("places", f"The game has {seats} seats, not {len(places)}.")
    for number, place in enumerate(places):
        right = 1 + sum([other < place for other in places])
        if place != right:
            raise invalid(
                f"places.{number}", f"Must be 1 + the number of seats with a better place: {right}."
            )


def _check_person(status: GameStatus, seat: int) -> None:
    if not 0 <= seat < len(status.seats) or status.seats[seat].kind != "human":
        raise DomainError("not-found", f"Seat {seat} is no person's: there is nobody to replace.")
    if status.status == "finished":
        raise game_over()


def evolve(game: Game, state: Any, event: Intervention) -> Any:
    """The state after the event."""
    match event:
        case GameAborted():
            return game.with_result(state, ABORTED)
        case GameAdjudicated(_, _, None):
            return _judged(game, state)
        case GameAdjudicated():
            return state
        case PlayerReplaced(_, number, bot):
            return _with_stand_in(game, state, number, "bot", None, bot)
        case WinClaimed():
            return state
        case SeatHandedOver(app, number, player):
            if app is None and game.status(state).status == "playing":
                state = _given_up(game, state, number)
            return _with_stand_in(game, state, number, "human", player, None)
        case _:
            assert_never(event)


def timed_out(game: Game, state: Any, event: ClockEvent | None) -> Any:
    """The state after a turn timed out: where a bot takes the player's place, the player has given the seat up."""
    if isinstance(event, TurnTimedOut) and event.when_up == REPLACE:
        return _given_up(game, state, event.seat)
    return state


def _judged(game: Rules, state: Any) -> Any:
    """The state after the app's verdict, which also decides for players who gave a seat up."""
    seats = game.status(state).seats
    if all(seat.leaver is None for seat in seats):
        return state
    return game.with_seats(
        state,
        tuple([replace(seat, leaver=seat.leaver and replace(seat.leaver, before=None)) for seat in seats]),
    )


def _given_up(game: Rules, state: Any, number: int) -> Any:
    """The state in which the seat's player has given it up; unchanged if the seat is already played by a stand-in."""
    seats = list(game.status(state).seats)
    seat = seats[number]
    if seat.stands_in:
        return state
    before = sum([other.leaver is not None for other in seats])
    seats[number] = replace(seat, leaver=Leaver(seat.player, before))
    return game.with_seats(state, tuple(seats))


def _with_stand_in(
    game: Rules, state: Any, number: int, kind: str, player: str | None, bot: str | None
) -> Any:
    """The state with another player or bot on the seat; the client seed stays, because later shuffles depend on it."""
    seats = list(game.status(state).seats)
    seats[number] = replace(seats[number], kind=kind, player=player, bot=bot, stands_in=True)
    return game.with_seats(state, tuple(seats))


def encode(event: Intervention) -> EventRecord:
    """The event as it is stored."""
    match event:
        case GameAborted(app, reason):
            if reason is None:
                return EventRecord(ABORT, SCHEMA, None, {"app": app})
            return EventRecord(ABORT, WITH_REASON, None, {"app": app, "reason": reason})
        case GameAdjudicated(app, places, reason):
            verdict: Json = {"app": app, "places": list(places)}
            if reason is None:
                return EventRecord(ADJUDICATION, SCHEMA, None, verdict)
            return EventRecord(ADJUDICATION, WITH_REASON, None, {**verdict, "reason": reason})
        case PlayerReplaced(app, seat, bot):
            return EventRecord(REPLACEMENT, SCHEMA, seat, {"app": app, "bot": bot})
        case SeatHandedOver(app, seat, player):
            return EventRecord(HAND_OVER, SCHEMA, seat, {"app": app, "player": player})
        case WinClaimed(seat, absent, since):
            return EventRecord(CLAIM, SCHEMA, seat, {"absent": absent, "since": since})
        case _:
            assert_never(event)


def decode(record: EventRecord) -> Intervention | None:
    """The event that was stored; None if it is no intervention."""
    kind, schema, seat, data = record.type, record.schema, record.seat, record.data
    if kind == ABORT and schema == WITH_REASON and "reason" in data:
        return GameAborted(data["app"], data["reason"])
    if kind == ADJUDICATION and schema == WITH_REASON and "reason" in data:
        return GameAdjudicated(data["app"], tuple(data["places"]), data["reason"])
    if kind not in KINDS or schema != SCHEMA:
        return None
    if kind == ABORT:
        return GameAborted(data["app"])
    if kind == ADJUDICATION:
        return GameAdjudicated(data["app"], tuple(data["places"]))
    if seat is None:
        return None
    if kind == CLAIM:
        return WinClaimed(seat, data["absent"], data["since"])
    if kind == HAND_OVER:
        return SeatHandedOver(data["app"], seat, data["player"])
    return PlayerReplaced(data["app"], seat, data["bot"])


def redact(record: EventRecord) -> tuple[Json, list[str]] | None:
    """The event's data, all of it public; None if the event is no intervention."""
    return (record.data, []) if record.type in KINDS else None
