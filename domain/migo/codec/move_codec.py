"""Moves as the API writes them: documents to commands and back."""

from typing import Final, assert_never

from domain.errors import DomainError, invalid
from domain.lifecycle import Json
from domain.migo.rules.cards import CARDS, IDS, NUMBER
from domain.migo.rules.moves import ABSENT, NOTHING, RESIGN, Move, Resign, Take

_FIELDS: Final[dict[str, tuple[set[str], set[str]]]] = {  # type: (required, optional)
    "take": ({"place"}, {"flip", "drink"}),
    "resign": (set(), set()),
}


def parse_move(document: Json) -> Move:
    """The move that a document means; DomainError "validation-error" names the field."""
    kind = document.get("type")
    if not isinstance(kind, str) or kind not in _FIELDS:
        raise invalid("type", f"Must be one of: {', '.join(_FIELDS)}.")
    required, optional = _FIELDS[kind]
    errors = {name: ["Missing data for required field."] for name in required - document.keys()}
    errors |= {name: ["Unknown field."] for name in document.keys() - required - optional - {"type"}}
    if errors:
        raise DomainError("validation-error", f"{kind}: {', '.join(sorted(errors))}.", errors=errors)
    return RESIGN if kind == "resign" else _take(document)


def _take(document: Json) -> Take:
    place, drink = document["place"], document.get("drink")
    if type(place) is not int or place < 0:
        raise invalid("place", "Must be a whole number, 0 or more.")
    if "drink" in document and type(drink) is not bool:
        raise invalid("drink", "Must be true or false.")
    return Take(place, _flip(document), drink)


def _flip(document: Json) -> int:
    if "flip" not in document:
        return ABSENT
    card = document["flip"]
    if card is None:
        return NOTHING
    if not isinstance(card, str) or card not in NUMBER:
        raise invalid("flip", f"Must be null or a card, {IDS[0]} to {IDS[CARDS - 1]}.")
    return NUMBER[card]


def move_document(move: Move) -> Json:
    """The move, ready to be posted; `flip` and `drink` only where something was said of them."""
    match move:
        case Take(place, flip, drink):
            document: Json = {"type": "take", "place": place}
            if flip != ABSENT:
                document["flip"] = None if flip == NOTHING else IDS[flip]
            if drink is not None:
                document["drink"] = drink
            return document
        case Resign():
            return {"type": "resign"}
        case _:
            assert_never(move)
