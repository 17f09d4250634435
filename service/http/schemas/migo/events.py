"""The events of Migo: what they say, and how the table changes. Everybody sees everything but prepared rounds."""

from typing import Final

from marshmallow import fields, validate

from service.http.schemas.common.events import (
    NOBODY,
    OVER,
    CreationData,
    EndData,
    EventSchema,
    NoData,
    ScoreData,
    hidden,
)
from service.http.schemas.common.fields import Strict
from service.http.schemas.common.members import count, integer, integers, objects, text
from service.http.schemas.common.results import COMMON_REASONS
from service.http.schemas.migo.cards import card, layout, shown_card, side
from service.http.schemas.migo.options import ResolvedMigoOptions
from service.http.schemas.migo.table import MigoBottles

REASONS: Final = ("two_flags", "round_four", "turn_limit", "resigned", *COMMON_REASONS)

_NEXT: Final = (
    "If cards are left on the table, the turn is over: `turn` is one higher, and the next seat that has not resigned "
    "acts, or the same seat again if it drank a bottle. Otherwise `round_ended` follows, or `game_ended` at the limit."
)
_SAME_TURN: Final = "The turn stays as `card_taken` left it."


class MigoGameCreatedData(CreationData):
    """With what the game was created."""

    game = text("The game's name.")
    options = fields.Nested(
        ResolvedMigoOptions, required=True, metadata={"description": "Every option, resolved."}
    )
    rounds = fields.List(
        fields.List(shown_card()),
        required=True,
        allow_none=True,
        metadata=hidden("The rounds that were prepared, by place; null if all rounds are shuffled."),
    )


class MigoGameStartedData(Strict):
    """The seat that starts."""

    first_seat = count("The seat that starts round 1.")


class MigoStanding(Strict):
    """Pieces of a player in a position."""

    cards = fields.List(
        shown_card(), required=True, metadata={"description": "The cards with the side that is up."}
    )
    bottles = fields.Nested(MigoBottles, required=True, metadata={"description": "The bottle tokens."})
    flags = count("The flags.")
    last_take = integer("The number of the last take in the round, from 1 in the game; -1 if there is none.")


class MigoRoundResult(Strict):
    """Result of a round."""

    scores = integers("The score of each seat.")
    winner = count("The seat that won it.")


class MigoPositionSetData(Strict):
    """A whole position. What comes by seat is in the order of the seats."""

    to_act = count("The seat to act.")
    turn = count("The number of the turn.")
    round = count("The number of the round, from 1.")
    starter = count("The seat that started the round.")
    table = fields.List(
        shown_card(allow_none=True),
        required=True,
        metadata={"description": "The cards by place, with the side that is up; null where none lies."},
    )
    discarded = fields.List(
        shown_card(),
        required=True,
        metadata={"description": "Dismissed sherpas, and the cards of players who resigned."},
    )
    boxed = fields.List(
        shown_card(), required=True, metadata={"description": "The cards that take no part in the round."}
    )
    players = objects(MigoStanding, "What each player has.")
    resigned = integers("The seats that have resigned, in that order.")
    rounds = objects(MigoRoundResult, "The rounds that have ended.")
    prepared = fields.List(
        fields.List(shown_card()),
        required=True,
        allow_none=True,
        metadata=hidden("The rounds that were prepared and are not laid out yet; an empty list is shown."),
    )


class MigoMovesTakenBackData(MigoPositionSetData):
    """The position before the seat's last move."""

    to_version = count("The last event before that move: the table is as it was after it.")


class MigoRoundStartedData(Strict):
    """The layout of the round."""

    round = count("The number of the round, from 1.")
    layout = layout("Its layout.")
    starter = count("The seat that acts first.")
    cards = fields.List(
        shown_card(),
        required=True,
        metadata={"description": "The cards with the side that is up, by place."},
    )
    turned = fields.List(
        card("A card."),
        required=True,
        metadata={"description": "The cards that would have been free with a sherpa up, and were turned."},
    )
    boxed = fields.List(
        shown_card(),
        required=True,
        metadata={"description": "The cards that take no part in the round, with the side that is up."},
    )


class MigoCardTakenData(Strict):
    """The card that was taken."""

    place = count("The place that it lay at.")
    card = card("The card.", required=True)
    face = side("The side that was up.")


class MigoSherpaDismissedData(Strict):
    """The sherpa's card."""

    card = card("The card.", required=True)


class MigoCardFlippedData(Strict):
    """The card that was turned over."""

    card = card("The card.", required=True)
    face = side("The side that is up now.")


class MigoRoundEndedData(Strict):
    """Result of the round."""

    round = count("The number of the round.")
    scores = integers("The score of each seat.")
    winner = count("The seat that takes a flag.")


class MigoGameEndedData(EndData):
    """Result of the game."""

    reason = text("Why the game ended.", validate=validate.OneOf(REASONS))
    scores = integers("The sum of the scores of each seat over all rounds.")
    flags = integers("The flags of each seat.")


class MigoGameScoredData(ScoreData):
    """The confirmed result."""


def _of_a_move(data: Strict, summary: str, effect: str, turn: str = _SAME_TURN) -> EventSchema:
    """An event of a seat that a dry run may foresee."""
    return EventSchema(data, summary, effect, turn, of_a_seat=True, previewed=data)


EVENTS: Final[dict[str, EventSchema]] = {
    "game_created": EventSchema(
        MigoGameCreatedData(),
        "A game was created.",
        "The table is empty.",
        "The game waits if a seat is open.",
    ),
    "game_started": EventSchema(
        MigoGameStartedData(),
        "All seats are taken.",
        "Each player has no cards, tokens or flags.",
        "`round_started` follows.",
    ),
    "position_set": EventSchema(
        MigoPositionSetData(),
        "A forked game goes on from this position instead of a start.",
        "The whole table is as `data` says.",
        "`to_act` acts next, in the turn that `data` says.",
    ),
    "moves_taken_back": EventSchema(
        MigoMovesTakenBackData(),
        "The seat's last move was taken back: everybody has agreed, and nobody had learnt anything by it.",
        "The whole table is as `data` says: the table before the move.",
        "`to_act`, which is the seat, acts next, in the turn that `data` says.",
        of_a_seat=True,
    ),
    "round_started": EventSchema(
        MigoRoundStartedData(),
        "The cards of a round were laid out.",
        "The cards lie at their places. All 3 bottle tokens are free; nobody has a card or a token. "
        "`boxed` are in the box.",
        "`starter` acts first.",
    ),
    "card_taken": _of_a_move(
        MigoCardTakenData(),
        "A card was taken.",
        "The card goes from its place to the end of the seat's cards, the same side up.",
        _NEXT,
    ),
    "bottle_gained": _of_a_move(
        NoData(),
        "A player got a bottle token.",
        "One of the free tokens goes to the seat, full side up.",
    ),
    "sherpa_dismissed": _of_a_move(
        MigoSherpaDismissedData(),
        "A sherpa was dismissed.",
        "The card that was just taken leaves the seat's cards and is out of the round.",
    ),
    "card_flipped": _of_a_move(
        MigoCardFlippedData(),
        "A player turned one of their own cards over, with the help of a sherpa.",
        "The card's other side is up.",
    ),
    "bottle_drunk": _of_a_move(
        NoData(),
        "A player drank a bottle for another turn.",
        "One of the seat's full tokens is empty now.",
        "The same seat acts again.",
    ),
    "round_ended": EventSchema(
        MigoRoundEndedData(),
        "All cards were taken, and the round was scored.",
        "The winner gets a flag. The round is added to `rounds`.",
        "`round_started` follows, or `game_ended`.",
        previewed=MigoRoundEndedData(),
    ),
    "player_resigned": EventSchema(
        NoData(),
        "A player resigned.",
        "In a game of more than two, the seat's cards are discarded. Its flags no longer count.",
        "If one seat is left, `game_ended` follows. If it was the seat's turn, the next one that plays acts.",
        of_a_seat=True,
        previewed=NoData(),
    ),
    "game_ended": EventSchema(
        MigoGameEndedData(), "The game is over.", OVER, NOBODY, previewed=MigoGameEndedData()
    ),
    "game_scored": EventSchema(
        MigoGameScoredData(), "The result was counted again and confirmed. No event follows.", turn=NOBODY
    ),
}

RENDERING: Final = """\
* What both faces of a card show is in `options.card_table`.
* `free` follows from the layout and the places that are empty: see the [places](rules-migo.md#6-over-http).
* The `score` of a player follows from cards and empty tokens: see the [scoring](rules-migo.md#4-scoring-a-round).
* A view is the same for every viewer. Only prepared rounds are hidden until the game is over.
"""
