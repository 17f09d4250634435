"""Requests that create a game, fork one or take a seat."""

from typing import Any

from marshmallow import ValidationError, fields, validate, validates_schema

from domain.chance import LONGEST_CLIENT_SEED
from domain.lifecycle import either
from domain.registry import DEFAULT_GAME, GAMES
from events.engine.access import BY_APP, BY_INVITE
from events.engine.remote_seat import is_secret
from events.log.game_secrets import OPEN
from events.url_guard import URL_LENGTH
from service.http.schemas.clocks import CLOCKS
from service.http.schemas.common.budgets import BudgetShape
from service.http.schemas.common.fields import (
    Discriminated,
    RequestDocument,
    StrictBool,
    StrictInt,
    invented,
)
from service.http.schemas.of_each_game import (
    OPTIONS,
    SETUP,
    OfGame,
    assumed_game,
)
from service.http.schemas.own_data import MetadataField, external_id
from service.http.schemas.players import player

INVITE_LIMIT = 128  # characters; the code of an invite has fewer


MOST_SEATS = 16  # seats that a request may name; each game has its own limits


def client_seed() -> fields.String:
    """A seat's part of every shuffle."""
    text = "Mixed into every shuffle of the game, so that nobody could predict the shuffle without it."
    return fields.String(validate=validate.Length(1, LONGEST_CLIENT_SEED), metadata={"description": text})


def clock() -> Discriminated:
    """The clock that a game is to have."""
    text = "How long people may think, and what comes of a turn whose time is up."
    return Discriminated("kind", CLOCKS, metadata={"description": text})


class NewSeatOfApp(RequestDocument):
    """A seat of a new game."""

    metadata = MetadataField()


class HumanSeat(NewSeatOfApp):
    """A seat for the holder of its token, which is in the response."""

    kind = fields.String(required=True, validate=validate.Equal("human"))
    player = player()
    client_seed = client_seed()


class OpenSeat(NewSeatOfApp):
    """A seat that a player takes later."""

    kind = fields.String(required=True, validate=validate.Equal("open"))


class BotSeat(NewSeatOfApp):
    """A seat that the service plays, or a bot of the app's that it asks."""

    kind = fields.String(required=True, validate=validate.Equal("bot"))
    bot = fields.String(
        required=True,
        validate=validate.Length(1, 64),
        metadata={
            "description": "A name of GET /v1/bots, alone or with a version: `my-bot@3`. The game keeps its version.",
            "example": "greedy",
        },
    )
    budget = fields.Nested(BudgetShape, metadata={"description": "Of a bot that searches."})


class Secret(fields.String):
    """A secret of Standard Webhooks."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        text = super()._deserialize(value, attr, data, **kwargs)
        if not is_secret(text):
            raise ValidationError("Must be whsec_ and 24 to 64 bytes in base64.")
        return text


def remote_url(shown: str = "") -> fields.String:
    """Address of a bot."""
    return fields.String(
        required=True,
        validate=validate.Length(1, URL_LENGTH),
        metadata={
            "description": "The URL of the bot: https, on the public internet, unless the operator allows others."
            f" At most {URL_LENGTH} characters.{shown}",
            "format": "uri",
            "example": "https://bots.example.com/migrato",
        },
    )


class RemoteSeat(NewSeatOfApp):
    """A seat that is played by an external bot over HTTP."""

    kind = fields.String(required=True, validate=validate.Equal("remote"))
    url = remote_url(" It is never shown again.")
    secret = Secret(
        metadata={
            "description": "The secret that signs the requests to the bot (Standard Webhooks: `whsec_` and 24 to 64"
            " bytes in base64). By default the service makes one and returns it.",
            "example": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        }
    )
    player = player()


SEAT_KINDS: dict[str, RequestDocument] = {
    "human": HumanSeat(),
    "open": OpenSeat(),
    "bot": BotSeat(),
    "remote": RemoteSeat(),
}


class NewGame(RequestDocument):
    """A new game. Every member has a default."""

    examples = invented(
        with_a_clock={
            "seats": [{"kind": "human"}, {"kind": "open"}],
            "clock": {"kind": "bank", "seconds": 300, "increment": 5, "when_up": "bot"},
        },
        against_a_bot={"seats": [{"kind": "human", "player": "ada"}, {"kind": "bot", "bot": "greedy"}]},
        by_invite={"seats": [{"kind": "human", "player": "ada"}, {"kind": "open"}], "joining": "invite"},
    )

    game = fields.String(load_default=DEFAULT_GAME, validate=validate.Length(1, 64))
    options = OfGame(
        OPTIONS, load_default=dict, metadata={"description": "The game's options. Every one has a default."}
    )
    seats = fields.List(
        Discriminated("kind", SEAT_KINDS),
        metadata={
            "description": "Who sits where, as many as the game allows. The default is the game's own: "
            "usually a human and a bot.",
            "minItems": 1,
            "maxItems": MOST_SEATS,
        },
    )
    visibility = fields.String(
        load_default="private",
        validate=validate.OneOf(["private", "public"]),
        metadata={"description": "Whether everybody may watch."},
    )
    joining = fields.String(
        load_default=OPEN,
        validate=validate.OneOf([OPEN, BY_INVITE, BY_APP]),
        metadata={
            "description": "Who may take an open seat: with `open` all who may see the game, with `invite` those who"
            " sends the code of an invite to the seat, with `app` only the app itself."
        },
    )
    setup = OfGame(
        SETUP,
        metadata={"description": "What is prepared instead of left to chance. Such a game is not rated."},
    )
    clock = clock()
    external_id = external_id(metadata={"description": "An id of the app's own, for one of its games alone."})
    metadata = MetadataField()
    rated = StrictBool(
        metadata={
            "description": "`false`: the game does not count for ratings, and so may have hints, forks while it runs, "
            "and moves that are taken back. `true`: the app says that nobody at the table has chosen the others, for "
            "its own matchmaking has brought them together; this only an app with a key may say. Left out: a person's "
            "game against a bot counts, if everything else allows it, and a game of several people does not."
        },
    )

    @validates_schema(skip_on_field_errors=True, pass_original=True)
    def as_many_seats_as_the_game_has(self, data: dict[str, Any], sent: dict[str, Any], **_: Any) -> None:
        """A wrong number of seats is refused with the right numbers; an unknown game is left to its own refusal."""
        game = GAMES.get(data["game"])
        if game is None or "seats" not in data or len(data["seats"]) in game.seat_counts:
            return
        counts = either(game.seat_counts)
        message = f"The game {game.name} has {counts} seats, not {len(data['seats'])}.{assumed_game(sent)}"
        raise ValidationError({"seats": [message]})


class NewFork(RequestDocument):
    """A fork of a game."""

    examples = invented(
        what_if={
            "version": 6,
            "resample": True,
            "seats": [{"kind": "human"}, {"kind": "bot", "bot": "heuristic"}],
        }
    )

    version = StrictInt(
        required=True,
        validate=validate.Range(0, 10**9, error="Must be a version: 1 or more."),
        metadata={"description": "The version to continue from. A decision must come next."},
    )
    seats = fields.List(
        Discriminated("kind", {kind: shape for kind, shape in SEAT_KINDS.items() if kind != "open"}),
        validate=validate.Length(1, MOST_SEATS, error="Must be as many seats as the game has."),
        metadata={
            "description": "As for a new game, none of them open. The default is a human in the caller's seat,"
            " or in seat 0, and the game's usual bots elsewhere."
        },
    )
    resample = StrictBool(
        load_default=False,
        metadata={
            "description": "Draw anew what the caller's seat cannot know. A running game can only be forked like that."
        },
    )
    visibility = fields.String(
        load_default="private",
        validate=validate.OneOf(["private", "public"]),
        metadata={"description": "Whether everybody may watch."},
    )

    @validates_schema(skip_on_field_errors=True)
    def no_own_data(self, data: dict[str, Any], **_: Any) -> None:
        """A fork begins without own data, because a seat may make one, too."""
        for number, seat in enumerate(data.get("seats", ())):
            if "metadata" in seat:
                message = "A fork has none at first: PATCH /v1/games/{game_id} gives it some."
                raise ValidationError({"seats": {number: {"metadata": [message]}}})


class NewHolder(RequestDocument):
    """The player to whom a seat is given."""

    examples = invented(to_zoe={"player": "zoe"})

    player = player(required=True)


class TakenSeat(RequestDocument):
    """The player who takes an open seat."""

    examples = invented(bob={"player": "bob", "client_seed": "two teals"})

    player = player(required=True)
    client_seed = client_seed()
    invite = fields.String(
        validate=validate.Length(1, INVITE_LIMIT),
        metadata={
            "description": "The code of an invite to this seat. It is needed where `joining` is `invite`, and lets in"
            " a player who may not see the game.",
            "example": "mi_9f8d2c4b6a1e3057_Zk3yQm0vT5sXw8LbN2rJ4hEeUuGgPpAa",
        },
    )
