"""Own data of an app in requests and in responses: metadata, and external ids of games."""

from collections.abc import Mapping
from typing import Any, Final

from marshmallow import ValidationError, fields, validate

from events.features.metadata import KEY, LONGEST_KEY, LONGEST_VALUE, MOST_KEYS
from service.http.schemas.common.fields import Matches, RequestDocument, Strict, StrictInt, invented
from service.http.schemas.common.members import count, game_id, objects

ANY_SEAT: Final = 999  # the greatest number of a seat in a request; each game has its own limit
EXTERNAL_ID: Final = "^[ -~]{1,255}$"

_VALUE: Final = {"type": "string", "maxLength": LONGEST_VALUE}
_KEYS: Final = {"pattern": f"^{KEY.pattern}$"}
COMPONENTS: Final[Mapping[str, Any]] = {
    "Metadata": {
        "type": "object",
        "additionalProperties": _VALUE,
        "maxProperties": MOST_KEYS,
        "propertyNames": _KEYS,
        "description": "Names and texts of the app's own.",
    },
    "MetadataChange": {
        "type": ["object", "null"],
        "additionalProperties": {**_VALUE, "type": ["string", "null"]},
        "propertyNames": _KEYS,
        "description": "Keys to be set; null for one that goes, or for all.",
    },
}


class MetadataField(fields.Field[dict[str, Any]]):
    """Metadata; in a change, null removes a key."""

    def __init__(self, *, is_change: bool = False, **kwargs: Any) -> None:
        super().__init__(allow_none=is_change, **kwargs)
        self.is_change = is_change

    @property
    def component(self) -> str:
        """Name of its schema: null is a value of any member of a request."""
        return "MetadataChange" if isinstance(self.parent, RequestDocument) else "Metadata"

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise ValidationError("Must be an object.")
        given = value if self.is_change else {key: text for key, text in value.items() if text is not None}
        if len(given) > MOST_KEYS and not self.is_change:
            raise ValidationError(f"Has {len(given)} keys; {MOST_KEYS} are the most.")
        for key in given:
            if KEY.fullmatch(key) is None:
                message = f"must have 1 to {LONGEST_KEY} characters, and no =."
                raise ValidationError(f"The key {key[: LONGEST_KEY + 1]!r} {message}")
        wrong = {key: [fault] for key, text in given.items() if (fault := self._fault(text)) is not None}
        if wrong:
            raise ValidationError(wrong)
        return given

    def _fault(self, text: Any) -> str | None:
        if isinstance(text, str):
            is_long = len(text) > LONGEST_VALUE
            return f"Must have up to {LONGEST_VALUE} characters; these are {len(text)}." if is_long else None
        if text is None and self.is_change:
            return None
        return "Must be a string, or null." if self.is_change else "Must be a string."


def external_id(**kwargs: Any) -> fields.String:
    """The app's own id of a game."""
    return fields.String(
        validate=Matches(EXTERNAL_ID, error="Must have 1 to 255 printable ASCII characters."),
        **kwargs,
    )


def _each_once(seats: list[dict[str, Any]]) -> None:
    if len({seat["seat"] for seat in seats}) < len(seats):
        raise ValidationError("Must not name a seat twice.")


class SeatMetadataChange(RequestDocument):
    """A change of a seat's metadata."""

    seat = StrictInt(required=True, validate=validate.Range(0, ANY_SEAT, error="Must be a seat's number."))
    metadata = MetadataField(is_change=True, required=True)


class ChangedGame(RequestDocument):
    """A change of the app's own data; what is left out stays."""

    examples = invented(an_order={"external_id": "order-1234", "metadata": {"plan": "gold", "coupon": None}})

    external_id = external_id(allow_none=True, metadata={"description": "Null: none."})
    metadata = MetadataField(is_change=True)
    seats = fields.List(fields.Nested(SeatMetadataChange), validate=_each_once)


class SeatMetadata(Strict):
    """A seat's metadata."""

    seat = count()
    metadata = MetadataField(required=True)


class GameOwnData(Strict):
    """The app's own data about a game."""

    id = game_id()
    external_id = external_id(required=True, allow_none=True)
    metadata = MetadataField(required=True)
    seats = objects(SeatMetadata, "")


class MetadataFilter(fields.Field[dict[str, str]]):
    """A key and its value in a query, as `order=1234`."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> dict[str, str]:
        key, is_there, text = value.partition("=")
        if not is_there or KEY.fullmatch(key) is None or len(text) > LONGEST_VALUE:
            raise ValidationError("Must be a key and its value, as order=1234.")
        return {key: text}


class OwnDataQuery(Strict):
    """Choice of games by own data."""

    external_id = external_id()
    metadata = MetadataFilter(
        metadata={
            "description": "Only games with this key and value.",
            "type": "string",
            "pattern": f"^{KEY.pattern}=",
            "example": "order=1234",
        }
    )
