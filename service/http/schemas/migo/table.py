"""The state of a game of Migo, as a view shows it: the same to everybody."""

from marshmallow import fields, validate

from service.http.schemas.common.fields import Strict
from service.http.schemas.common.members import count, flag, integer, integers, objects, text
from service.http.schemas.common.results import Result
from service.http.schemas.migo.cards import MigoFace, card, layout, side


class MigoCard(Strict):
    """A card, and what both its faces show."""

    card = card("The card.", required=True)
    face = side("The face that is up.")
    up = fields.Nested(MigoFace, required=True, metadata={"description": "What the face that is up shows."})
    down = fields.Nested(MigoFace, required=True, metadata={"description": "What the other face shows."})


class MigoTableCard(MigoCard):
    """A card that is still to be taken."""

    place = count("Its place, from 0; a place keeps its number while the round lasts.")
    free = flag("Whether no other card covers it, so that it can be taken.")


class MigoBottles(Strict):
    """A player's bottle tokens."""

    full = count("Those with the full side up.")
    empty = count("Those with the empty side up.")


class MigoPlayer(Strict):
    """Pieces of a player."""

    seat = count("The player's seat.")
    flags = count("The flags: the rounds that the player has won.")
    score = integer("The score of the round being played.")
    resigned = flag("Whether the player has resigned.")
    bottles = fields.Nested(
        MigoBottles, required=True, metadata={"description": "The player's bottle tokens."}
    )
    cards = objects(MigoCard, "The cards that the player has taken in this round, in that order.")


class MigoRound(Strict):
    """A round that has ended."""

    round = count("The number of the round, from 1.")
    layout = layout("Its layout.")
    scores = integers("The score of each seat.")
    winner = count("The seat that won it.")


class MigoTable(Strict):
    """The state of a game of Migo."""

    phase = text("What the seat to act may do.", validate=validate.OneOf(["take"]))
    round = count("The number of the round, from 1.")
    layout = layout("The layout of the round.")
    starter = count("The seat that started the round.")
    table = objects(MigoTableCard, "The cards that are still to be taken, by place.")
    bottles = count("The bottle tokens that no player has.")
    players = objects(MigoPlayer, "What each player has, by seat.")
    rounds = objects(MigoRound, "The rounds that have ended.")


class MigoResult(Result):
    """Result of a game of Migo."""

    flags = integers("The flags of each seat.")
