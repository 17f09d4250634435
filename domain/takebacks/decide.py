"""Decisions about takebacks: words become events, and seats are asked. Bots agree to all that the rule allows."""

from dataclasses import dataclass
from typing import Any, assert_never

from domain.clocks.decide import has_left
from domain.common_events.takebacks import TakebackAnswered, TakebackEvent, TakebackRequested, encode
from domain.errors import DomainError
from domain.game import Game, Records, Rules
from domain.lifecycle import must_allow_help, must_be_playing
from domain.takebacks.takebacks import MOST_REQUESTS, MoveToTakeBack, Takebacks


@dataclass(frozen=True, slots=True)
class AskTakeback:
    """Ask to take back the move that the seat has made last."""


@dataclass(frozen=True, slots=True)
class AnswerTakeback:
    """Agree to another seat's request, or refuse it; the asking seat withdraws its request.

    `to_version`: the version to which the answered request goes back; None: whichever request stands.
    """

    agrees: bool
    to_version: int | None = None


TakebackCommand = AskTakeback | AnswerTakeback


def decide(
    game: Game, state: Any, takebacks: Takebacks, seat: int | None, command: TakebackCommand
) -> list[Any]:
    """The events that the command causes; [] if the seat repeats its answer.

    Raises DomainError "game-not-started", "game-over", "nothing-to-take-back", "something-was-learnt",
    "no-more-takebacks", "rated-game".
    """
    must_be_playing(game.status(state))
    match command:
        case AskTakeback():
            last = to_take_back(game, state, takebacks, seat)
            said = [] if takebacks.asked else [_event(game, TakebackRequested(last.seat, last.version))]
            return said + _taken_back(game, last, missing(game, state, last.seat, takebacks.agreed))
        case AnswerTakeback(agrees, to_version):
            last_move = takebacks.last
            if last_move is None or not takebacks.asked:
                raise _nothing("Nobody asks to take a move back.")
            if to_version not in (None, last_move.version):
                raise _nothing(f"The request that stands goes back to version {last_move.version}.")
            return _answered(game, state, takebacks, last_move, seat, agrees)
        case _:
            assert_never(command)


def to_take_back(game: Game, state: Any, takebacks: Takebacks, seat: int | None) -> MoveToTakeBack:
    """The last move, which the seat may ask to take back; DomainError, as of `decide`, says why it may not."""
    status = game.status(state)
    must_be_playing(status)
    must_allow_help(status)
    last = takebacks.last
    if last is None or last.seat != seat or not _is_person(game, state, last.seat):
        raise _nothing("Only the move that was made last can be taken back, by the person who made it.")
    if last.learnt_by is not None:
        what = f"Somebody has learnt something since: by the event {last.learnt_by}."
        raise DomainError("something-was-learnt", what, learnt_by=last.learnt_by)
    if not takebacks.asked and not takebacks.left(last.seat):
        most = f"Seat {last.seat} has asked {MOST_REQUESTS} times in this game, which is the most."
        raise DomainError("no-more-takebacks", most)
    return last


def missing(game: Game, state: Any, seat: int, agreed: frozenset[int]) -> tuple[int, ...]:
    """The seats whose consent is missing for what that seat asks: people who still play and have not agreed."""
    seats = game.status(state).seats
    return tuple(
        [
            other
            for other, one in enumerate(seats)
            if one.kind == "human"
            and other != seat
            and other not in agreed
            and not has_left(game, state, other)
        ]
    )


def _answered(
    game: Game, state: Any, takebacks: Takebacks, last: MoveToTakeBack, seat: int | None, agrees: bool
) -> list[Any]:
    if seat is None or not _is_person(game, state, seat) or has_left(game, state, seat):
        raise _nothing("Only a person who still plays is asked.")
    if agrees and (seat == last.seat or seat in takebacks.agreed):
        return []
    said = [_event(game, TakebackAnswered(seat, agrees))]
    if not agrees:
        return said
    return said + _taken_back(game, last, missing(game, state, last.seat, takebacks.agreed | {seat}))


def _taken_back(game: Rules, last: MoveToTakeBack, still_missing: tuple[int, ...]) -> list[Any]:
    """The events of the takeback, once every seat that must agree has agreed."""
    return [] if still_missing else [game.taken_back(last.state, last.seat, last.version)]


def _is_person(game: Rules, state: Any, seat: int) -> bool:
    return bool(game.status(state).seats[seat].kind == "human")


def _nothing(why: str) -> DomainError:
    return DomainError("nothing-to-take-back", why)


def _event(game: Records, event: TakebackEvent) -> Any:
    return game.decode(encode(event))
