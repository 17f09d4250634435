"""The options of a game in one table, from which rules, first events, API, command line, page, audit and
research read.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from domain.errors import invalid
from domain.lifecycle import Json

OFFERED: Final = ("choice", "flag", "int")
RANDOM: Final = "random"


@dataclass(frozen=True, slots=True)
class OptionVariant:
    """Another value of an `option`, to find out whether the game's own value left a trace in its events.

    `shows_in`: the types of events in which the other value could show. `options` are the game's options with the other
    value, and `state` is its state with them; DomainError where they cannot be combined.
    """

    option: str
    shows_in: frozenset[str]
    options: Callable[[Json], Json]
    state: Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a game.

    `name` is the API's, such as "turn_limit", which is --turn-limit on the command line. `help` says what the option
    does. `kind`: "choice" (of `choices`), "flag", "int" from `minimum` to `maximum` (None: no bound), "seconds" (an int
    that only games with people have), "seat" (a number of a seat, or "random"), or "follows": it results from other
    options, and cannot be chosen. `default` holds where a person plays; `between_bots`, unless None, where the command
    line lets only bots play. `shows_in`: the types of events in which another value could show, separated by spaces;
    None if the audit does not look for traces of it. `unrated`: 0 if the option never keeps a game from being rated.
    Otherwise a game is rated only with the default, or with a starting seat that is drawn; the number orders the
    reasons, and a game is told the one with the lowest. `added`: True if games were recorded before the option existed.
    A first event without it then means the default, and a first event has it only with another value.
    """

    name: str
    kind: str
    help: str = ""
    default: str | bool | int | None = None
    between_bots: str | bool | int | None = None
    choices: tuple[str, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    shows_in: str | None = None
    unrated: int = 0
    added: bool = False

    @property
    def of_bots(self) -> str | bool | int | None:
        """The default where only bots play."""
        return self.default if self.between_bots is None else self.between_bots

    def another(self, value: Any) -> Any:
        """Another value that the option may have; the same value for a seat that is drawn."""
        match self.kind:
            case "choice":
                return self.choices[(self.choices.index(value or self.choices[0]) + 1) % len(self.choices)]
            case "flag":
                return not value
            case "seat":
                return RANDOM
            case _:
                return self.maximum if value is None else None

    @property
    def is_offered(self) -> bool:
        """True if the command line offers the option."""
        return self.kind in OFFERED

    @property
    def can_be_chosen(self) -> bool:
        """True if the option does not follow from other options."""
        return self.kind != "follows"

    @property
    def is_of_bots(self) -> bool:
        """True if the option may be chosen where only bots play."""
        return self.can_be_chosen and self.kind != "seconds"

    def checked(self, value: Any, seats: int) -> Any:
        """A value that a caller chose; DomainError "validation-error" where the option cannot have it."""
        match self.kind:
            case "choice":
                fits, needed = (
                    isinstance(value, str) and value in self.choices,
                    f"one of: {', '.join(self.choices)}",
                )
            case "flag":
                fits, needed = type(value) is bool, "true or false"
            case "seat":
                fits = value == RANDOM or (type(value) is int and 0 <= value < seats)
                needed = f'a seat, 0 to {seats - 1}, or "{RANDOM}"'
            case _:
                fits = value is None or (type(value) is int and self._is_within(value))
                needed = f"null or a whole number from {self.minimum} to {self.maximum}"
        if not fits:
            raise invalid(f"options.{self.name}", f"Must be {needed}.")
        return value

    def _is_within(self, value: int) -> bool:
        above = self.minimum is None or value >= self.minimum
        return above and (self.maximum is None or value <= self.maximum)


# An option of every game with people. The engine enforces it (`domain.interventions`): no rule of a game knows who is
# away.
CLAIM_AFTER: Final = Option(
    "claim_after",
    "seconds",
    "Seconds away after which others may claim the win; null: never.",
    minimum=10,
    maximum=86_400,
    added=True,
)

Table = Iterable[Option]


def chosen(
    table: Table, options: Mapping[str, Any], seats: int, own: Mapping[str, Callable[[Any], Any]]
) -> Json:
    """Value of each option that can be chosen: the caller's, or the default.

    `own`: functions that read values of options by name, where a game allows more than the option's kind does. Raises
    DomainError "validation-error" that names the option.
    """
    unknown = sorted(options.keys() - {option.name for option in table})
    if unknown:
        names = ", ".join([option.name for option in table if option.can_be_chosen])
        raise invalid(f"options.{unknown[0]}", f"There is no such option. The options are: {names}.")
    values: Json = {}
    for option in table:
        if option.can_be_chosen:
            value, read = options.get(option.name, option.default), own.get(option.name)
            values[option.name] = option.checked(value, seats) if read is None else read(value)
    return values


def written(table: Table, value: Callable[[str], Any]) -> Json:
    """The options, by name, as a first event has them; `value` gives the value of each."""
    document = {option.name: value(option.name) for option in table}
    for option in table:
        if option.added and document[option.name] == option.default:
            del document[option.name]
    return document


def recorded(table: Table, document: Json) -> Json:
    """Value of each option as a first event recorded it; KeyError where one is missing."""
    return {
        option.name: document.get(option.name, option.default) if option.added else document[option.name]
        for option in table
    }


def rated_options(table: Table, defaults: Json) -> Json:
    """The resolved options that a game must have to be rated; `defaults`: all options, resolved."""
    counting = sorted((option for option in table if option.unrated), key=lambda option: option.unrated)
    return {one.name: RANDOM if one.kind == "seat" else defaults.get(one.name) for one in counting}
