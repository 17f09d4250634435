# compiled into rules
"""The kinds of clocks, and their description: the `clock` of a new game, and of the event `clock_set`."""

from dataclasses import dataclass, replace
from typing import Any, Final

from domain.common_events.clocks import FORMER_SET, SET_SCHEMA
from domain.errors import invalid
from domain.game import Bots
from domain.lifecycle import Json

PER_MOVE: Final = "per-move"
BANK: Final = "bank"
CORRESPONDENCE: Final = "correspondence"
FORFEIT: Final = "forfeit"
BOT: Final = "bot"
REPLACE: Final = "replace"
CONSEQUENCES: Final = (FORFEIT, BOT, REPLACE)

SECOND: Final = 1000  # milliseconds
DAY: Final = 86_400 * SECOND


@dataclass(frozen=True, slots=True)
class Amount:
    """A member that is a number within limits; `default` None: the member is required."""

    least: int
    most: int
    unit: int
    default: int | None = None


# By kind: the member for the length, and the member for the increment of a turn. A further kind is a row.
AMOUNTS: Final[dict[str, dict[str, Amount]]] = {
    PER_MOVE: {"seconds": Amount(1, 86_400, SECOND)},
    BANK: {"seconds": Amount(1, 86_400, SECOND), "increment": Amount(0, 3_600, SECOND, 0)},
    CORRESPONDENCE: {"days": Amount(1, 30, DAY)},
}


@dataclass(frozen=True, slots=True)
class ClockOptions:
    """A clock: `time` for each turn, or of a "bank" for the whole game, with `increment` for each turn taken.

    Both are in milliseconds. `when_up`: one of CONSEQUENCES; `bot`: the bot that moves then, None if none does.
    `schema`: that of the event that set the clock.
    """

    kind: str
    time: int
    increment: int
    when_up: str
    bot: str | None
    schema: int = SET_SCHEMA

    @property
    def is_former(self) -> bool:
        """True for a clock of older releases, on which a turn that begins again has its whole time."""
        return self.schema == FORMER_SET

    @property
    def is_bank(self) -> bool:
        """True if the rest of a turn's time is added to the next turn."""
        return self.kind == BANK


def options_of(document: Any, game: Bots) -> ClockOptions:
    """The clock that a document asks for, its defaults filled in.

    DomainError "validation-error" names the member, as in `clock.seconds`; "unknown-bot" for a bot that the game lacks.
    """
    options = recorded_options(document)
    if options.when_up == FORFEIT:
        return options
    if options.bot is not None and "@" in options.bot:
        raise invalid("clock.bot", "Must be the name of a bot, without a version: the present one moves.")
    bot = game.bot(options.bot or game.fallback_bot)
    if options.when_up == BOT and (bot.budget is not None or bot.remembers):
        raise invalid(
            "clock.bot", "Must be a bot that moves at once: one that neither searches nor remembers."
        )
    return replace(options, bot=bot.name)


def recorded_options(document: Any, schema: int = SET_SCHEMA) -> ClockOptions:
    """The clock that an event of that schema recorded, whether or not its bot is known today."""
    if type(document) is not dict:
        raise invalid("clock", "Must be an object.")
    kind = document.get("kind")
    if type(kind) is not str or kind not in AMOUNTS:
        raise invalid("clock.kind", f"Must be one of: {', '.join(AMOUNTS)}.")
    amounts = AMOUNTS[kind]
    unknown = document.keys() - {"kind", "when_up", "bot", *amounts}
    if unknown:
        raise invalid(f"clock.{min(map(str, unknown))}", f"A {kind} clock has no such member.")
    times = [_amount(document, name, amount) for name, amount in amounts.items()]
    when_up = document.get("when_up", FORFEIT)
    if type(when_up) is not str or when_up not in CONSEQUENCES:
        raise invalid("clock.when_up", f"Must be one of: {', '.join(CONSEQUENCES)}.")
    increment = times[1] if len(times) > 1 else 0
    return ClockOptions(kind, times[0], increment, when_up, _bot(document, when_up), schema)


def _amount(document: Json, name: str, amount: Amount) -> int:
    given = document.get(name, amount.default)
    if type(given) is not int or not amount.least <= given <= amount.most:
        raise invalid(f"clock.{name}", f"Must be a whole number from {amount.least} to {amount.most}.")
    return given * amount.unit


def _bot(document: Json, when_up: str) -> str | None:
    given = document.get("bot")
    if given is not None and when_up == FORFEIT:
        raise invalid("clock.bot", "Nobody moves where time that is up forfeits the game.")
    if given is not None and type(given) is not str:
        raise invalid("clock.bot", "Must be the name of a bot.")
    return given


def options_document(options: ClockOptions) -> Json:
    """The clock as it is recorded and shown: every member that its kind has."""
    times = (options.time, options.increment)
    amounts = AMOUNTS[options.kind].items()
    document: Json = {"kind": options.kind}
    for (name, amount), time in zip(amounts, times, strict=False):
        document[name] = time // amount.unit
    return document | {"when_up": options.when_up, "bot": options.bot}


# the clocks that the page offers, so that many players look for a partner with the same one
USUAL: Final = tuple(
    [
        recorded_options(document)
        for document in (
            {"kind": PER_MOVE, "seconds": 60},
            {"kind": BANK, "seconds": 300, "increment": 5},
            {"kind": BANK, "seconds": 900, "increment": 10},
            {"kind": CORRESPONDENCE, "days": 3},
        )
    ]
)


# --- classes of games by their time, for ratings ----------------------------------------------------------------------

NO_CLOCK: Final = "none"
RAPID: Final = "rapid"
LIVE: Final = "live"
TIME_CLASSES: Final = (RAPID, LIVE, CORRESPONDENCE, NO_CLOCK)
TURNS: Final = 40  # the turns for which a seat's time is estimated
RAPID_BELOW: Final = 600 * SECOND  # of that estimate
LIVE_BELOW: Final = DAY


def time_class(options: ClockOptions | None) -> str:
    """The class of games that have such a clock, one of TIME_CLASSES; None is a game without one.

    A seat's time for 40 turns decides: 40 times the time of a turn, or a bank and 40 increments. Below 10 minutes it is
    "rapid", below a day "live", else "correspondence". A correspondence clock is always that.
    """
    if options is None:
        return NO_CLOCK
    if options.kind == CORRESPONDENCE:
        return CORRESPONDENCE
    estimate = options.time + TURNS * options.increment if options.is_bank else TURNS * options.time
    return RAPID if estimate < RAPID_BELOW else LIVE if estimate < LIVE_BELOW else CORRESPONDENCE
