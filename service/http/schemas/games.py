"""What is asked for when a game is created or a seat is taken."""

from typing import Any

from marshmallow import ValidationError, fields, validate

from domain.migrato.rules.rule_books import TURN_CAP
from events.games.remote_seat import is_secret
from events.log.player_ids import is_player_id
from events.runtime.url_guard import URL_LENGTH
from service.http.schemas.fields import Asked, Discriminated, Matches, StrictBool, StrictInt

UNPRINTABLE = (
    r"\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff"  # controls, line ends, bidi marks
)
NAME = Matches(
    rf"^[^{UNPRINTABLE}\s][^{UNPRINTABLE}]{{0,63}}$",
    error="Must have 1 to 64 characters, the first no space, none that controls a terminal or a line's direction.",
)


def _no_id(name: str) -> None:
    """A name that looks like an id could not be told from one."""
    if is_player_id(name):
        raise ValidationError("Must not have the form of a player's id.")


def player(**kwargs: Any) -> fields.String:
    """What a player is called, in the words of whoever creates the game."""
    return fields.String(
        validate=[NAME, _no_id],
        metadata={
            "description": "An id or a name of the app's own; kept beside the game, and erasable.",
            "example": "ada",
        },
        **kwargs,
    )


def client_seed() -> fields.String:
    """What a seat throws into every shuffle."""
    text = "Mixed into every shuffle of the game, so that nobody but the seat could have foreseen it."
    return fields.String(validate=validate.Length(1, 128), metadata={"description": text})


class HumanSeat(Asked):
    """A seat for whoever holds its token, which is in the answer."""

    kind = fields.String(required=True, validate=validate.Equal("human"))
    player = player()
    client_seed = client_seed()


class OpenSeat(Asked):
    """A seat that is taken later."""

    kind = fields.String(required=True, validate=validate.Equal("open"))


class BotSeat(Asked):
    """A seat that the service plays."""

    kind = fields.String(required=True, validate=validate.Equal("bot"))
    bot = fields.String(
        required=True,
        validate=validate.Length(1, 64),
        metadata={"description": "A name of GET /v1/bots.", "example": "greedy"},
    )


class Secret(fields.String):
    """A secret of Standard Webhooks."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        text = super()._deserialize(value, attr, data, **kwargs)
        if not is_secret(text):
            raise ValidationError("Must be whsec_ and 24 to 64 bytes in base64.")
        return text


class RemoteSeat(Asked):
    """A seat that is played by a bot of somebody else, over HTTP."""

    kind = fields.String(required=True, validate=validate.Equal("remote"))
    url = fields.String(
        required=True,
        validate=validate.Length(1, URL_LENGTH),
        metadata={
            "description": "Where the bot is asked for its moves: https, on the public internet, unless the operator"
            " allows more. It is never shown again.",
            "format": "uri",
            "example": "https://bots.example.com/migrato",
        },
    )
    secret = Secret(
        metadata={
            "description": "What signs the requests to the bot (Standard Webhooks: `whsec_` and 24 to 64 bytes in"
            " base64). Without one a new one is in the answer.",
            "example": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        }
    )
    player = player()


SEAT_KINDS: dict[str, Asked] = {
    "human": HumanSeat(),
    "open": OpenSeat(),
    "bot": BotSeat(),
    "remote": RemoteSeat(),
}


class FirstSeat(fields.Field[int | str]):
    """A seat number, or "random"."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int | str:
        if value == "random" or (type(value) is int and value in (0, 1)):
            return value  # type: ignore[no-any-return]
        raise ValidationError('Must be 0, 1 or "random".')


class DeckList(fields.Field[str | dict[str, int]]):
    """The name of a deck list, or a table of faces and numbers of cards."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str | dict[str, int]:
        if isinstance(value, str):
            return value
        if isinstance(value, dict) and all(type(count) is int for count in value.values()):
            return value
        raise ValidationError("Must be the name of a deck list, or an object of faces and numbers of cards.")


_FOLLOWS = {"description": "As in any game's options; follows from the others and cannot be chosen."}


class Options(Asked):
    """The options of Migrato."""

    rules = fields.String(
        validate=validate.OneOf(["digital", "opla"]),
        metadata={"description": "The rule book. The default is `digital`."},
    )
    return_flight = StrictBool(
        metadata={"description": "Play with the Return Flight cards. The default is false."}
    )
    memory_aid = StrictBool(
        metadata={"description": "Show players their own buried cards. The default is false."}
    )
    first_seat = FirstSeat(
        metadata={"oneOf": [{"enum": [0, 1, "random", None]}], "description": "Who starts. The default is 0."}
    )
    turn_limit = StrictInt(
        allow_none=True,
        validate=validate.Range(1, TURN_CAP),
        metadata={"description": "End the game after so many turns. The default, null, is after `turn_cap`."},
    )
    deck_list = DeckList(
        metadata={
            "description": "A deck list by name (the default is `standard`), or as a table.",
            "oneOf": [
                {"type": "string"},
                {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0, "maximum": 54}},
                {"type": "null"},
            ],
        }
    )

    movement = fields.String(metadata=_FOLLOWS)
    sweep = fields.String(metadata=_FOLLOWS)
    turn_cap = StrictInt(metadata=_FOLLOWS)
    flight_points = fields.Dict(fields.String(), StrictInt(), metadata=_FOLLOWS)


class SetUp(Asked):
    """A position set up by hand; the game is then unrated."""

    deck = fields.List(
        fields.String(validate=validate.Length(1, 16)),
        required=True,
        validate=validate.Length(1, 500),
        metadata={
            "description": "The exact deck order, first card drawn first: a permutation of the deck list."
        },
    )


class NewGame(Asked):
    """What a game is created from; everything has a default."""

    game = fields.String(load_default="migrato", validate=validate.Length(1, 64))
    options = fields.Nested(
        Options, load_default=dict, metadata={"description": "Every option has a default."}
    )
    seats = fields.List(
        Discriminated("kind", SEAT_KINDS),
        validate=validate.Length(1, 8),
        metadata={"description": "The default is one human and one `greedy` bot."},
    )
    visibility = fields.String(
        load_default="private",
        validate=validate.OneOf(["private", "public"]),
        metadata={"description": "Whether strangers may watch."},
    )
    setup = fields.Nested(SetUp)


class NewFork(Asked):
    """What a game that goes on from another is created from."""

    version = StrictInt(
        required=True,
        validate=validate.Range(0, 10**9, error="Must be a version: 1 or more."),
        metadata={"description": "Go on after this event of the game; somebody must have to decide next."},
    )
    seats = fields.List(
        Discriminated("kind", {kind: shape for kind, shape in SEAT_KINDS.items() if kind != "open"}),
        validate=validate.Length(1, 8),
        metadata={
            "description": "As for a new game, none of them open. The default is a human where the asker sits,"
            " or at seat 0, and `greedy` elsewhere."
        },
    )
    resample = StrictBool(
        load_default=False,
        metadata={
            "description": "Draw anew what the asking seat cannot know. Of a game that runs nothing else is possible."
        },
    )
    visibility = fields.String(
        load_default="private",
        validate=validate.OneOf(["private", "public"]),
        metadata={"description": "Whether strangers may watch."},
    )


class TakenSeat(Asked):
    """Who sits down on an open seat."""

    player = player(required=True)
    client_seed = client_seed()
