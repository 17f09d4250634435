"""Options as they are asked for when a game is created."""

from collections.abc import Iterable
from json import dumps
from typing import Any, Final

from marshmallow import fields, validate

from domain.game import Option
from service.http.schemas.fields import RequestDocument, StrictBool, StrictInt

FOLLOWS: Final = {
    "description": "Follows from the other options and cannot be chosen; "
    "accepted if it is what it would be, so that the options of any game can be posted again.",
    "x-follows": True,
}

STARTER: Final = (
    "Who starts. The default is {default}, in quick match `random`. "
    "Only games in which it is `random` are rated."
)


class GameOptions(RequestDocument):
    """The options of a game. An unknown one is refused with the names of those that there are."""


class OptionFields:
    """Fields of the options in a game's table, which has their values, bounds and defaults.

    `{default}` in a description is the option's default.
    """

    def __init__(self, table: Iterable[Option]) -> None:
        self._options = {option.name: option for option in table}

    def choice(self, name: str, description: str) -> fields.String:
        """One of the option's words."""
        words = self._options[name].choices
        return fields.String(validate=validate.OneOf(words), metadata=self.metadata(name, description))

    def flag(self, name: str, description: str) -> StrictBool:
        """True or false."""
        return StrictBool(metadata=self.metadata(name, description))

    def limit(self, name: str, description: str) -> StrictInt:
        """A whole number within the option's bounds, or null."""
        bounds = validate.Range(self._options[name].minimum, self._options[name].maximum)
        return StrictInt(allow_none=True, validate=bounds, metadata=self.metadata(name, description))

    def metadata(self, name: str, description: str) -> dict[str, Any]:
        """The description of a field."""
        default = self._options[name].default
        told = f"`{default}`" if isinstance(default, str) else dumps(default)
        return {"description": description.replace("{default}", told)}
