"""The state of a game of Migrato, as a view shows it."""

from marshmallow import fields, validate

from service.http.schemas.common.fields import Strict
from service.http.schemas.common.members import count, flag, objects, strings, text
from service.http.schemas.migrato.cards import SPECIES, species_list


class ColumnCard(Strict):
    """A card on the table; `face` is null if the viewer may not know it."""

    face = text("The card's face; null if the viewer may not know it.", allow_none=True)
    down = flag("Whether it lies face down.")


class Column(Strict):
    """A column, from its top to its bottom."""

    slot = count("The column's place on its side, 1 to 4.")
    cards = objects(ColumnCard, "The cards, the top one first. Cards are added at the bottom.")


class Side(Strict):
    """A player's side of the table."""

    seat = count("The player's seat.")
    hand = strings(
        "The hand, the card that came last at the end; null if the viewer may not see it.", allow_none=True
    )
    hand_size = count("The number of cards in hand.")
    score = count("The birds on the top cards of the piles, and the points of the Return Flight cards.")
    columns = objects(Column, "The columns by slot; an empty slot is left out.")
    arrivals = fields.Dict(
        keys=fields.String(validate=validate.OneOf(SPECIES)),
        values=fields.List(fields.String()),
        required=True,
        metadata={"description": "The piles by species; the last card is on top. An empty pile is left out."},
    )
    return_flights = species_list("The species whose Return Flight card the player has.")


class Table(Strict):
    """The state of a game of Migrato."""

    phase = text(
        "What the seat to act may do: an action, or a discard after it.",
        validate=validate.OneOf(["action", "discard"]),
    )
    deck = count("The number of cards in the deck.")
    discard_pile = strings("The discard pile, the top card last.")
    players = objects(Side, "Each player's side, by seat.")
    deck_cards = fields.List(
        fields.String(), metadata={"description": "The deck in its order, once the game is over."}
    )
