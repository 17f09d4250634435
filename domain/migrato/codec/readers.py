"""JSON from outside, read member by member: what is not as it must be is refused by the name of its place."""

from collections.abc import Iterable
from typing import Any

from domain.errors import DomainError, invalid
from domain.migrato.rules.cards import FACE, SPECIES_IDS
from domain.migrato.rules.rule_books import SLOTS, Rules, resolve


class Given:
    """A value and its place, a dotted path. Every method raises DomainError "validation-error" for the wrong type."""

    __slots__ = ("path", "value")

    def __init__(self, value: Any, path: str) -> None:
        self.value = value
        self.path = path

    def wrong(self, message: str) -> DomainError:
        """It is not what it must be."""
        return invalid(self.path, message)

    def impossible(self, message: str) -> DomainError:
        """It is well-formed, and cannot be so."""
        errors = {self.path: [message]}
        return DomainError("impossible-position", f"{self.path}: {message}", errors=errors)

    def has(self, name: str) -> bool:
        """Whether the object has that member."""
        return isinstance(self.value, dict) and name in self.value

    def member(self, name: str) -> "Given":
        """A member that the object must have."""
        if not isinstance(self.value, dict):
            raise self.wrong("Must be an object.")
        path = f"{self.path}.{name}" if self.path else name
        if name not in self.value:
            raise invalid(path, "Missing data for required field.")
        return Given(self.value[name], path)

    def members(self) -> "dict[str, Given]":
        """All members of an object."""
        if not isinstance(self.value, dict):
            raise self.wrong("Must be an object.")
        return {name: Given(value, f"{self.path}.{name}") for name, value in self.value.items()}

    def items(self) -> "list[Given]":
        """The items of a list."""
        if not isinstance(self.value, list):
            raise self.wrong("Must be a list.")
        return [Given(value, f"{self.path}.{at}") for at, value in enumerate(self.value)]

    def whole(self, low: int, high: int | None = None) -> int:
        """A whole number in a range."""
        value = self.value
        if type(value) is not int or value < low or (high is not None and value > high):
            span = f"{low} or more" if high is None else f"from {low} to {high}"
            raise self.wrong(f"Must be a whole number, {span}.")
        number: int = value
        return number

    def flag(self) -> bool:
        """True or false."""
        if self.value is True or self.value is False:
            return self.value is True
        raise self.wrong("Must be true or false.")

    def word(self, words: Iterable[str]) -> str:
        """One of certain words."""
        words = list(words)
        if not isinstance(self.value, str) or self.value not in words:
            raise self.wrong(f"Must be one of: {', '.join(words)}.")
        return self.value

    def face(self) -> int:
        """A card's face."""
        if not isinstance(self.value, str) or self.value not in FACE:
            raise self.wrong("There is no such face.")
        return FACE[self.value]

    def faces(self) -> tuple[int, ...]:
        """A list of faces."""
        return tuple([item.face() for item in self.items()])

    def slot(self) -> int:
        """A column's slot, 1 to 4, as 0 to 3."""
        return self.whole(1, SLOTS) - 1

    def species(self) -> int:
        """A species' id, as its number."""
        return SPECIES_IDS.index(self.word(SPECIES_IDS))


def rules_of(given: Given) -> Rules:
    """The rules that a game's options mean."""
    given.members()
    try:
        return resolve(given.value, as_recorded=True)
    except DomainError as error:
        errors = {
            given.path + name.removeprefix("options"): why for name, why in error.data["errors"].items()
        }
        where, why = next(iter(errors.items()))
        raise DomainError(error.code, f"{where}: {why[0]}", errors=errors) from error
