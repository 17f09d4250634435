"""Clocks: as a new game asks for one, as its view shows it, and as its events record it."""

from typing import Any, Final

from marshmallow import fields, validate

from domain.clocks.options import (
    AMOUNTS,
    BANK,
    CONSEQUENCES,
    CORRESPONDENCE,
    FORFEIT,
    PER_MOVE,
    TIME_CLASSES,
    Amount,
)
from service.http.schemas.common.fields import RequestDocument, Strict, StrictInt
from service.http.schemas.common.members import integer, integers, moment, seat_or_null, text


def _amount(kind: str, name: str, description: str) -> StrictInt:
    amount: Amount = AMOUNTS[kind][name]
    needed: dict[str, Any] = (
        {"required": True} if amount.default is None else {"load_default": amount.default}
    )
    return StrictInt(
        **needed,
        validate=validate.Range(amount.least, amount.most),
        metadata={"description": description},
    )


class NewClock(RequestDocument):
    """A clock for the turns of people; bots have none."""

    when_up = fields.String(
        load_default=FORFEIT,
        validate=validate.OneOf(CONSEQUENCES),
        metadata={
            "description": "What becomes of a turn whose time is up. `forfeit`: the game ends, with the reason "
            "`timeout`. `bot`: a bot takes this turn. `replace`: a bot has the seat from then on."
        },
    )
    bot = fields.String(
        validate=validate.Length(1, 64),
        metadata={
            "description": "The bot that moves then; the default is the game's fallback bot. For one turn, "
            "it must neither search nor remember.",
            "example": "greedy",
        },
    )


class PerMoveClock(NewClock):
    """So many seconds for each turn."""

    kind = fields.String(required=True, validate=validate.Equal(PER_MOVE))
    seconds = _amount(PER_MOVE, "seconds", "For each turn.")


class BankClock(NewClock):
    """So many seconds for the whole game, and more for each turn taken (Fischer)."""

    kind = fields.String(required=True, validate=validate.Equal(BANK))
    seconds = _amount(BANK, "seconds", "For the whole game.")
    increment = _amount(BANK, "increment", "Seconds that a seat gets for each turn, when the turn is over.")


class CorrespondenceClock(NewClock):
    """So many days for each turn."""

    kind = fields.String(required=True, validate=validate.Equal(CORRESPONDENCE))
    days = _amount(CORRESPONDENCE, "days", "For each turn.")


CLOCKS: Final[dict[str, RequestDocument]] = {
    PER_MOVE: PerMoveClock(),
    BANK: BankClock(),
    CORRESPONDENCE: CorrespondenceClock(),
}


class ClockSetData(Strict):
    """The clock, with every default filled in."""

    kind = text("Which kind of clock.", validate=validate.OneOf(list(AMOUNTS)))
    seconds = StrictInt(metadata={"description": "For each turn, or in the bank; not of `correspondence`."})
    increment = StrictInt(metadata={"description": "Seconds for each turn taken; of `bank` alone."})
    days = StrictInt(metadata={"description": "For each turn; of `correspondence` alone."})
    when_up = text("The consequence for a turn whose time is up.", validate=validate.OneOf(CONSEQUENCES))
    bot = text("The bot that moves then; null for `forfeit`.", allow_none=True)


class GameClock(ClockSetData):
    """A game's clock as it stands."""

    time_class = text("By how fast the game is played.", validate=validate.OneOf(TIME_CLASSES))
    running_seat = seat_or_null("The seat whose time runs; null if nobody's does, as when a bot is to act.")
    deadline = moment(
        "When the time of `running_seat` is up. A move that is recorded then or later is refused.",
        allow_none=True,
    )
    remaining_ms = integers("The milliseconds that each seat has left, at `now`.")
    now = moment()


class TurnTimedOutData(Strict):
    """The missed deadline, and its consequence."""

    deadline = moment("When the seat's time was up: RFC 3339, UTC.")
    when_up = text("The consequence for the turn.", validate=validate.OneOf(CONSEQUENCES))


class ClockCreditedData(Strict):
    """Time that an outage took from the turn."""

    milliseconds = integer("The time that is added to the seat's.", validate=validate.Range(1))
    until = moment("When the outage ended: RFC 3339, UTC.")
