# compiled into recording
"""Moves as the API writes them: documents to commands and back."""

from typing import Any, Final, assert_never

from domain.errors import DomainError, invalid
from domain.lifecycle import Json
from domain.migrato.rules.cards import DANGERS, FACE, LONGEST_COLUMN, NAME, SPECIES_IDS
from domain.migrato.rules.moves import (
    CHOICES,
    EXCHANGE,
    PASS,
    Abandon,
    Discard,
    Exchange,
    Move,
    MoveCards,
    Pass,
    Play,
    PlayDanger,
    Resign,
)
from domain.migrato.rules.rule_books import SLOTS

_FIELDS: Final[dict[str, tuple[set[str], set[str]]]] = {  # type: (required, optional)
    "play": ({"card"}, {"slot", "on_arrival", "discard"}),
    "move_cards": ({"from", "index"}, {"to", "uncover", "on_arrival", "discard"}),
    "danger": ({"card", "target"}, {"discard"}),
    "discard": ({"card"}, set()),
    "exchange": (set(), set()),
    "abandon": ({"slot"}, set()),
    "pass": (set(), set()),
    "resign": (set(), set()),
}
_ALLOWED: Final = {kind: {"type"} | required | optional for kind, (required, optional) in _FIELDS.items()}
_TARGETS: Final = 'Must be {"slot": 1 to 4} or {"pile": species}.'
_DANGER_CODES: Final = frozenset(danger.code for danger in DANGERS)


def parse_move(document: Json) -> Move:
    """The move that a document means; DomainError "validation-error" names the field."""
    kind = document.get("type")
    if not isinstance(kind, str) or kind not in _FIELDS:
        raise invalid("type", f"Must be one of: {', '.join(_FIELDS)}.")
    required, allowed = _FIELDS[kind][0], _ALLOWED[kind]
    for name in document:
        if name not in allowed:
            raise _unfit(kind, document)
    for name in required:
        if name not in document:
            raise _unfit(kind, document)
    match kind:
        case "play":
            slot, choice = _slot(document, "slot"), _choice(document)
            return Play(_face(document, "card"), slot, choice, _discard(document))
        case "move_cards":
            return MoveCards(
                _required_slot(document, "from"),
                _whole(document, "index", 0, LONGEST_COLUMN - 1),
                _slot(document, "to"),
                _flag(document, "uncover"),
                _choice(document),
                _discard(document),
            )
        case "danger":
            slot, pile = _target(document["target"])
            card = document["card"]
            if not isinstance(card, str) or card not in _DANGER_CODES:
                raise invalid("card", f"Must be a danger card: {', '.join(sorted(_DANGER_CODES))}.")
            return PlayDanger(FACE[card], slot, pile, _discard(document))
        case "discard":
            return Discard(_face(document, "card"))
        case "abandon":
            return Abandon(_required_slot(document, "slot"))
        case "exchange":
            return EXCHANGE
        case "pass":
            return PASS
        case _:
            return Resign()


def _unfit(kind: str, document: Json) -> DomainError:
    """Refusal of missing and unknown members."""
    required, optional = _FIELDS[kind]
    errors = {name: ["Missing data for required field."] for name in required - document.keys()}
    errors |= {name: ["Unknown field."] for name in document.keys() - required - optional - {"type"}}
    return DomainError("validation-error", f"{kind}: {', '.join(sorted(errors))}.", errors=errors)


def _face(document: Json, field: str) -> int:
    name = document[field]
    if not isinstance(name, str) or name not in FACE:
        raise invalid(field, "There is no such face.")
    return FACE[name]


def _discard(document: Json) -> int | None:
    return None if document.get("discard") is None else _face(document, "discard")


def _whole(document: Json, field: str, low: int, high: int) -> int:
    value = document[field]
    if type(value) is not int or not low <= value <= high:
        raise invalid(field, f"Must be a whole number from {low} to {high}.")
    return value


def _required_slot(document: Json, field: str) -> int:
    return _whole(document, field, 1, SLOTS) - 1


def _slot(document: Json, field: str) -> int | None:
    return None if document.get(field) is None else _required_slot(document, field)


def _flag(document: Json, field: str) -> bool:
    value = document.get(field)
    if value is not None and type(value) is not bool:
        raise invalid(field, "Must be true or false.")
    return value is True


def _choice(document: Json) -> str | None:
    value = document.get("on_arrival")
    if value is not None and (not isinstance(value, str) or value not in CHOICES):
        raise invalid("on_arrival", 'Must be "settle" or "return".')
    return value


def _target(target: Any) -> tuple[int | None, int | None]:
    """(slot, None) or (None, species) of a danger's target."""
    if not isinstance(target, dict) or not target.keys() <= {"slot", "pile"}:
        raise invalid("target", _TARGETS)
    if (target.get("slot") is None) == (target.get("pile") is None):
        raise invalid("target", _TARGETS)
    if target.get("slot") is not None:
        try:
            return _required_slot(target, "slot"), None
        except DomainError as error:
            raise invalid("target.slot", f"Must be a whole number from 1 to {SLOTS}.") from error
    pile = target["pile"]
    if not isinstance(pile, str) or pile not in SPECIES_IDS:
        raise invalid("target.pile", f"Must be one of: {', '.join(SPECIES_IDS)}.")
    return None, SPECIES_IDS.index(pile)


def move_document(move: Move) -> Json:
    """The move, ready to be posted; `on_arrival` and `discard` only where they were chosen."""
    match move:
        case Play(card, slot, on_arrival, discard):
            document: Json = {"type": "play", "card": NAME[card], "slot": _slot_number(slot)}
        case MoveCards(source, index, target, uncover, on_arrival, discard):
            document = {"type": "move_cards", "from": source + 1, "index": index, "to": _slot_number(target)}
            document["uncover"] = uncover
        case PlayDanger(card, slot, pile, discard):
            on_arrival = None
            aim: Json = {"pile": SPECIES_IDS[pile]} if pile is not None else {"slot": _slot_number(slot)}
            document = {"type": "danger", "card": NAME[card], "target": aim}
        case Discard(card):
            return {"type": "discard", "card": NAME[card]}
        case Exchange():
            return {"type": "exchange"}
        case Abandon(slot):
            return {"type": "abandon", "slot": slot + 1}
        case Pass():
            return {"type": "pass"}
        case Resign():
            return {"type": "resign"}
        case _:
            assert_never(move)
    if on_arrival is not None:
        document["on_arrival"] = on_arrival
    if discard is not None:
        document["discard"] = NAME[discard]
    return document


def _slot_number(slot: int | None) -> int | None:
    return None if slot is None else slot + 1
