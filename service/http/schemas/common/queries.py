"""Query strings that several resources have in common; those of one feature are beside its other schemas.

An unknown parameter is refused like an unknown field.
"""

import re
from typing import Any, Final

from marshmallow import ValidationError, fields, validate

from events.engine.viewpoint import ALL
from service.http.schemas.common.fields import Digits, Strict, languages

LAST_VERSION: Final = 10**9
NOTATION: Final = "`notation`"
LABELS: Final = "`labels`"


def version_parameter(text: str, kind: type[Digits] = Digits, **kwargs: Any) -> Digits:
    """A version of a game; `text` describes what it chooses."""
    return kind(
        validate=validate.Range(0, LAST_VERSION, error="Must be a version: 0 or more."),
        metadata={"description": text},
        **kwargs,
    )


class ViewerField(fields.Field[int | str]):
    """A seat's number, or "all"."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int | str:
        if value == ALL or re.fullmatch("[0-9]{1,3}", value):
            return ALL if value == ALL else int(value)
        raise ValidationError('Must be the number of a seat, or "all".')


def viewer() -> ViewerField:
    """The viewer of a finished game."""
    text = (
        "Show what this seat saw, or with `all` everything. "
        "Only for finished games; while a game runs, a seat's view requires its own token."
    )
    return ViewerField(metadata={"description": text, "type": "string", "pattern": "^([0-9]{1,3}|all)$"})


class NoQuery(Strict):
    """A query string without parameters."""


class VersionQuery(Strict):
    """Choice of a version of a game."""

    version = version_parameter(
        "The game after this event. The first is 1; beyond the last one the response is 404."
    )


class LanguagesQuery(Strict):
    """Languages of the lines in an answer."""

    languages = languages(NOTATION, ())
