"""JSON from outside, read field by field; an error names the path of its field."""

from collections.abc import Iterable
from typing import Any

from domain.errors import DomainError, invalid
from domain.migrato.rules.cards import FACE, SPECIES_IDS
from domain.migrato.rules.options import Rules, resolve
from domain.migrato.rules.rule_books import SLOTS


class Field:
    """A value and its path, dotted. Every method raises DomainError "validation-error" for the wrong type."""

    __slots__ = ("path", "value")

    def __init__(self, value: Any, path: str) -> None:
        self.value = value
        self.path = path

    def malformed(self, message: str) -> DomainError:
        """The error "validation-error" for this field."""
        return invalid(self.path, message)

    def impossible(self, message: str) -> DomainError:
        """The error "impossible-position" for this field: it is well-formed, but it contradicts the rules or itself."""
        errors = {self.path: [message]}
        return DomainError("impossible-position", f"{self.path}: {message}", errors=errors)

    def has(self, name: str) -> bool:
        """True if this is an object with that member."""
        return isinstance(self.value, dict) and name in self.value

    def member(self, name: str) -> "Field":
        """A member that the object must have."""
        if not isinstance(self.value, dict):
            raise self.malformed("Must be an object.")
        path = f"{self.path}.{name}" if self.path else name
        if name not in self.value:
            raise invalid(path, "Missing data for required field.")
        return Field(self.value[name], path)

    def members(self) -> "dict[str, Field]":
        """All members of an object."""
        if not isinstance(self.value, dict):
            raise self.malformed("Must be an object.")
        return {name: Field(value, f"{self.path}.{name}") for name, value in self.value.items()}

    def items(self) -> "list[Field]":
        """The items of a list."""
        if not isinstance(self.value, list):
            raise self.malformed("Must be a list.")
        return [Field(value, f"{self.path}.{at}") for at, value in enumerate(self.value)]

    def integer(self, low: int, high: int | None = None) -> int:
        """A whole number in a range, bounds included."""
        value = self.value
        if type(value) is not int or value < low or (high is not None and value > high):
            span = f"{low} or more" if high is None else f"from {low} to {high}"
            raise self.malformed(f"Must be a whole number, {span}.")
        number: int = value
        return number

    def boolean(self) -> bool:
        """True or false."""
        if self.value is True or self.value is False:
            return self.value is True
        raise self.malformed("Must be true or false.")

    def one_of(self, words: Iterable[str]) -> str:
        """A text that is one of the given words."""
        words = list(words)
        if not isinstance(self.value, str) or self.value not in words:
            raise self.malformed(f"Must be one of: {', '.join(words)}.")
        return self.value

    def face(self) -> int:
        """A card's face."""
        if not isinstance(self.value, str) or self.value not in FACE:
            raise self.malformed("There is no such face.")
        return FACE[self.value]

    def faces(self) -> tuple[int, ...]:
        """A list of faces."""
        return tuple([item.face() for item in self.items()])

    def slot(self) -> int:
        """A column's slot, 1 to 4, as 0 to 3."""
        return self.integer(1, SLOTS) - 1

    def species(self) -> int:
        """A species' id, as its number."""
        return SPECIES_IDS.index(self.one_of(SPECIES_IDS))

    def species_set(self) -> int:
        """A list of species' ids, as a bit set."""
        species = 0
        for item in self.items():
            species |= 1 << item.species()
        return species


def rules_of(options: Field) -> Rules:
    """The rules that a game's options mean."""
    options.members()
    try:
        return resolve(options.value)
    except DomainError as error:
        errors = {
            options.path + name.removeprefix("options"): why for name, why in error.data["errors"].items()
        }
        path, why = next(iter(errors.items()))
        raise DomainError(error.code, f"{path}: {why[0]}", errors=errors) from error
