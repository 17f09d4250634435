"""The events of Migrato: what they say, who sees it, and how the table changes."""

from typing import Final

from marshmallow import fields, validate

from service.http.schemas.common.events import (
    NOBODY,
    OVER,
    CreationData,
    EventSchema,
    NoData,
    hidden,
)
from service.http.schemas.common.fields import Strict
from service.http.schemas.common.members import (
    count,
    flag,
    integers,
    seat_or_null,
    strings,
    text,
)
from service.http.schemas.common.results import COMMON_REASONS
from service.http.schemas.migrato.cards import SPECIES, face, slot, species
from service.http.schemas.migrato.options import ResolvedOptions
from service.http.schemas.migrato.table import Column

REASONS: Final = ("all_arrived", "turn_limit", "resigned", *COMMON_REASONS)
OWN: Final = "the event's seat"

_DISCARD_NEXT: Final = "The seat's `phase` is now `discard`."
_TURN_OVER: Final = (
    "The turn is over: the other seat acts next, in the phase `action`, and `turn` is one higher."
)
_REMOVE_COLUMN: Final = "The column leaves its slot, which is empty now."
_TO_PILE: Final = "go to the discard pile in the order of `cards`, the last one on top."


class GameCreatedData(CreationData):
    """With what the game was created."""

    game = text("The game's name.")
    options = fields.Nested(
        ResolvedOptions, required=True, metadata={"description": "Every option, resolved."}
    )
    deck = strings(
        allow_none=True,
        metadata=hidden("The deck that was set up, the first card drawn first; null if it was shuffled."),
    )


class GameStartedData(Strict):
    """The deal."""

    first_seat = count("The seat that acts first.")
    deck = strings(
        allow_none=True,
        metadata=hidden("The whole deck before the deal, the first card drawn first."),
    )
    hands = fields.List(
        fields.List(fields.String(), allow_none=True),
        required=True,
        metadata=hidden("The hand of each seat, in the order of the seats.", "the seat itself", inside=True),
    )


class PositionSetData(Strict):
    """A whole position. What comes by seat is in the order of the seats."""

    phase = text("The phase of the seat to act.", validate=validate.OneOf(["action", "discard"]))
    to_act = count("The seat to act.")
    turn = count("The number of the turn.")
    shuffles = count(
        "How often the deck was shuffled, in an original game, too: the number of the next shuffle."
    )
    deck = strings(
        allow_none=True,
        metadata=hidden("The deck, the first card drawn first; an empty one is shown to everybody."),
    )
    count = count("The number of cards in the deck.")
    discard_pile = strings("The discard pile, the top card last.")
    hands = fields.List(
        fields.List(fields.String(), allow_none=True),
        required=True,
        metadata=hidden(
            "The hand of each seat; an empty one is shown to everybody.", "the seat itself", inside=True
        ),
    )
    hand_sizes = integers("The number of cards in each hand.")
    columns = fields.List(
        fields.List(fields.Nested(Column)),
        required=True,
        metadata=hidden(
            "The columns of each seat. Face-down cards are shown to their own seat.",
            "the seat itself",
            inside=True,
        ),
    )
    arrivals = fields.List(
        fields.Dict(
            keys=fields.String(validate=validate.OneOf(SPECIES)), values=fields.List(fields.String())
        ),
        required=True,
        metadata={"description": "The piles of each seat by species; the last card is on top."},
    )
    landed = fields.List(
        fields.List(fields.String(validate=validate.OneOf(SPECIES))),
        required=True,
        metadata={
            "description": "The species that have arrived at each seat, even if all cards were stolen."
        },
    )
    return_flights = fields.List(
        fields.List(fields.String(validate=validate.OneOf(SPECIES))),
        required=True,
        metadata={"description": "The species whose Return Flight card each seat has."},
    )


class MovesTakenBackData(PositionSetData):
    """The position before the seat's last move."""

    to_version = count("The last event before that move: the table is as it was after it.")


class BirdPlayedData(Strict):
    """The bird card that was played."""

    card = face(
        required=True,
        allow_none=True,
        metadata=hidden("The card.", "the event's seat (everybody, if it is a day card)")
        | {"example": "K3d"},
    )
    slot = slot(required=True, metadata={"description": "The column that it was added to, or started."})


class CardsMovedData(Strict):
    """The cards that were moved."""

    from_ = slot(required=True, data_key="from", metadata={"description": "The column that they came from."})
    index = count("The first card that was moved, counted from 0 at the top.")
    to = slot(required=True, metadata={"description": "The column that they were added to, or started."})
    uncover = flag("Whether the player asked to turn up a column of face-down cards.")


class StolenFrom(Strict):
    """Place from which a danger took a card: a column, or a pile. Exactly one member is present."""

    slot = slot(metadata={"description": "The slot of the other seat's column."})
    pile = fields.String(
        validate=validate.OneOf(SPECIES), metadata={"description": "The species of the other seat's pile."}
    )


class DangerPlayedData(Strict):
    """The danger card and what it took."""

    danger = face(required=True, metadata={"description": "The danger card.", "example": "HUN"})
    target = fields.Nested(
        StolenFrom, required=True, metadata={"description": "Where the card was taken from."}
    )
    card = face(
        required=True,
        allow_none=True,
        metadata=hidden("The card that was taken.", "the two seats (everybody, if it lay face up)")
        | {"example": "K3d"},
    )


class PreviewedDangerPlayedData(DangerPlayedData):
    """A danger in a dry run."""

    card = face(
        required=True,
        allow_none=True,
        metadata={
            "description": "The card that would be taken; null if the player may not know it yet.",
            "example": "K3d",
        },
    )


class ColumnUncoveredData(Strict):
    """A column that was turned face up."""

    slot = slot(required=True, metadata={"description": "The column's slot."})
    cards = strings("The cards of the column from its top to its bottom.")


class BirdsArrivedData(ColumnUncoveredData):
    """A column that arrived."""

    species = species("The species that arrived.")


class ColumnDiscardedData(Strict):
    """Cards of a column that were discarded."""

    slot = slot(required=True, metadata={"description": "The column's slot."})
    cards = strings("The discarded cards from the top of the column to its bottom.")
    places = integers("Their places in the column before, counted from 0 at the top.")
    abandoned = flag("Whether the player abandoned the column; otherwise an arrival swept the cards away.")


class PreviewedColumnDiscardedData(ColumnDiscardedData):
    """Cards that a dry run would discard."""

    cards = fields.List(
        fields.String(allow_none=True),
        required=True,
        metadata={
            "description": "The cards from the top of the column to its bottom; null for a face-down one, "
            "unless `memory_aid` is on."
        },
    )


class CardDiscardedData(Strict):
    """The card that was discarded."""

    card = face(required=True)


class HandExchangedData(Strict):
    """The hand that was discarded."""

    cards = strings("The whole hand.")


class CardsDrawnData(Strict):
    """The cards that were drawn."""

    cards = strings(
        allow_none=True,
        metadata=hidden(
            "The cards, in the order in which they were drawn; an empty list is shown to everybody.", OWN
        ),
    )
    count = count("The number of cards.")


class DeckReshuffledData(Strict):
    """The new deck."""

    deck = strings(allow_none=True, metadata=hidden("The new deck, the first card drawn first."))
    count = count("The number of cards.")


class GameScoredData(Strict):
    """The confirmed result."""

    winner = seat_or_null("The winning seat; null for a draw.")
    scores = integers("The score of each seat.")


class GameEndedData(GameScoredData):
    """Result of the game."""

    reason = text("Why the game ended.", validate=validate.OneOf(REASONS))


_CARDS_DRAWN: Final = CardsDrawnData()
_RESHUFFLED: Final = DeckReshuffledData()


def _of_a_move(
    data: Strict, summary: str, effect: str, turn: str, previewed: Strict | None = None
) -> EventSchema:
    """An event of a seat that a dry run may foresee."""
    return EventSchema(data, summary, effect, turn, of_a_seat=True, previewed=previewed or data)


EVENTS: Final[dict[str, EventSchema]] = {
    "game_created": EventSchema(
        GameCreatedData(), "A game was created.", "The table is empty.", "The game waits if a seat is open."
    ),
    "game_started": EventSchema(
        GameStartedData(),
        "The deck was laid down and three cards were dealt to each seat.",
        "Each seat has a hand of three cards. The deck has the cards of `options.deck_list` less those. "
        "The discard pile is empty.",
        "`first_seat` acts first, in the phase `action`. The turn is 1.",
    ),
    "position_set": EventSchema(
        PositionSetData(),
        "A forked game goes on from this position instead of a deal.",
        "The whole table is as `data` says.",
        "`to_act` acts next, in the phase and the turn that `data` says.",
    ),
    "moves_taken_back": EventSchema(
        MovesTakenBackData(),
        "The seat's last move was taken back: everybody has agreed, and nobody had learnt anything by it.",
        "The whole table is as `data` says: the table before the move.",
        "`to_act`, which is the seat, acts next, in the turn that `data` says.",
        of_a_seat=True,
    ),
    "bird_played": _of_a_move(
        BirdPlayedData(),
        "A bird card was played.",
        "The card leaves the seat's hand and is added at the bottom of the column in `slot`, "
        "a night card face down.",
        _DISCARD_NEXT,
    ),
    "cards_moved": _of_a_move(
        CardsMovedData(),
        "Cards of a column were moved to another one.",
        "The cards of the column `from`, from `index` on, are added at the bottom of the column `to`, "
        "in the same order.",
        _DISCARD_NEXT,
    ),
    "danger_played": _of_a_move(
        DangerPlayedData(),
        "A danger card took a bird card of the other seat.",
        "`danger` leaves the seat's hand and goes to the discard pile. The bottom card of the other seat's column, "
        "or the top card of its pile, goes to the end of the seat's hand.",
        _DISCARD_NEXT,
        PreviewedDangerPlayedData(),
    ),
    "birds_arrived": _of_a_move(
        BirdsArrivedData(),
        "A column arrived: it was turned up and became the pile of its species.",
        f"{_REMOVE_COLUMN} Its cards become the seat's pile of `species`, the last one on top.",
        _DISCARD_NEXT,
    ),
    "arrival_failed": _of_a_move(
        ColumnUncoveredData(),
        "A column was turned up and was no flock.",
        f"{_REMOVE_COLUMN} Its cards {_TO_PILE}",
        _DISCARD_NEXT,
    ),
    "return_flight_taken": _of_a_move(
        BirdsArrivedData(),
        "A column arrived and was discarded for the Return Flight card of its species.",
        f"{_REMOVE_COLUMN} Its cards {_TO_PILE} The seat has the Return Flight card of `species`; "
        f"`return_flights` is in the order {', '.join(SPECIES)}.",
        _DISCARD_NEXT,
    ),
    "column_discarded": _of_a_move(
        ColumnDiscardedData(),
        "Cards of a column were discarded: abandoned by their player, or swept away by an arrival.",
        f"The cards at `places` leave the column in `slot`; the others stay in their order. They {_TO_PILE}",
        f"If `abandoned`: {_TURN_OVER[0].lower()}{_TURN_OVER[1:]}",
        PreviewedColumnDiscardedData(),
    ),
    "card_discarded": _of_a_move(
        CardDiscardedData(),
        "A card was discarded.",
        "The card leaves the seat's hand and goes to the top of the discard pile.",
        _DISCARD_NEXT,
    ),
    "hand_exchanged": _of_a_move(
        HandExchangedData(),
        "The whole hand was discarded.",
        f"The seat's hand is empty. Its cards {_TO_PILE}",
        _DISCARD_NEXT,
    ),
    "cards_drawn": _of_a_move(
        _CARDS_DRAWN,
        "Cards were drawn.",
        "So many cards go from the top of the deck to the end of the seat's hand.",
        f"If the hand has three cards now, or deck and discard pile are both empty: "
        f"{_TURN_OVER[0].lower()}{_TURN_OVER[1:]} Otherwise `deck_reshuffled` follows.",
    ),
    "deck_reshuffled": EventSchema(
        _RESHUFFLED,
        "The discard pile was shuffled and became the deck.",
        "All cards of the discard pile go to the empty deck.",
        "`cards_drawn` follows.",
        previewed=_RESHUFFLED,
    ),
    "turn_passed": _of_a_move(
        NoData(), "A seat passed, because it had no legal move.", "Nothing on the table changes.", _TURN_OVER
    ),
    "game_ended": EventSchema(
        GameEndedData(),
        "The game is over.",
        f"{OVER} If the game ended in the phase `discard`, the phase is `action` now.",
        NOBODY,
        previewed=GameEndedData(),
    ),
    "game_scored": EventSchema(
        GameScoredData(),
        "The result was counted again and confirmed. No event follows.",
        turn=NOBODY,
    ),
}

RENDERING: Final = """\
* Cards with the same face are interchangeable. A card that leaves a hand is the first one with its face; a card that
  joins a hand goes to its end.
* A bird card whose face ends with `n` is a night card. It lies face down in a column, and a view shows its `face` as
  null. With the option `memory_aid` a seat sees the faces in its own columns, which it knows from its own events.
* `columns` and `arrivals` of a view leave out empty ones.
* The discard pile grows at its end, in the order of the events. Only `deck_reshuffled` takes cards away: all.
* `deck` of a view is the number of cards in the deck.
* The `score` of a side is the sum of the birds (the digit in the face) on the last card of each pile, plus
  `options.flight_points` for each Return Flight card.
* `turn` of a view is at most `options.turn_limit`, or `options.turn_cap` if that is null.
* Once the game is over, a view shows all hands and faces, and `deck_cards`, the deck in its order: the deck of
  `game_started` or `position_set` without the cards that were dealt or drawn since, or that of the last
  `deck_reshuffled` without those drawn since. An open stream does not send old events again, so read all events from
  the first one then.
"""
