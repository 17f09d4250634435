# compiled into recording
"""Answers for the audit of a recorded game: the moves behind its events, and the parts that are not recorded.

What comes from a record is not trusted: `infer_move` reads any data; the game checks the inferred move like a posted
one.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from domain.common_events.takebacks import TAKEN_BACK
from domain.errors import invalid
from domain.lifecycle import EventRecord, Json
from domain.migrato.codec import position_codec
from domain.migrato.rules.options import OPTIONS, Rules, options_document, resolve
from domain.migrato.rules.rule_books import RULE_BOOKS
from domain.migrato.rules.state import Setup, State, setup_of, with_setup
from domain.options import Option, OptionVariant

CHANCE_EVENTS: Final = frozenset(("game_started", "deck_reshuffled"))
RESIGNATION_EVENTS: Final = frozenset(("player_resigned",))
LOOKAHEAD: Final = {"bird_played": 1, "cards_moved": 1}  # whether a Return Flight card was taken


def recorded_setup(data: Json) -> Json | None:
    """The prepared deck in the first event's data, or None; DomainError "validation-error" if malformed."""
    deck = data.get("deck")
    if deck is None:
        return None
    if type(deck) is not list or any(type(card) is not str for card in deck):
        raise invalid("deck", "Must be null or a list of faces.")
    return {"deck": deck}


def infer_move(state: State, record: EventRecord, following: Sequence[EventRecord]) -> Json | None:
    """The move that begins with the event, as it would be posted; None where no move does.

    Where several moves cause the same events, the one that the game refuses least is taken: an action and the discard
    after it are two moves, whether they came in one request or not; `settle` is the same as no choice.
    """
    data = record.data
    choice = {"on_arrival": "return"} if following and following[0].type == "return_flight_taken" else {}
    match record.type:
        case "bird_played":
            slot = _target(state, record.seat, data.get("slot"))
            return {"type": "play", "card": data.get("card"), "slot": slot, **choice}
        case "cards_moved":
            return {
                "type": "move_cards",
                "from": data.get("from"),
                "index": data.get("index"),
                "to": _target(state, record.seat, data.get("to")),
                "uncover": data.get("uncover"),
                **choice,
            }
        case "danger_played":
            return {"type": "danger", "card": data.get("danger"), "target": data.get("target")}
        case "card_discarded":
            return {"type": "discard", "card": data.get("card")}
        case "hand_exchanged":
            return {"type": "exchange"}
        case "column_discarded":
            return {"type": "abandon", "slot": data.get("slot")}
        case "turn_passed":
            return {"type": "pass"}
        case "player_resigned":
            return {"type": "resign"}
        case _:
            return None


def _target(state: State, seat: int | None, slot: Any) -> Any:
    """The slot to play to; None for a slot without a column, where the move starts a new one."""
    if type(slot) is int and seat is not None and 0 <= seat < len(state.players):
        columns = state.players[seat].columns
        if 1 <= slot <= len(columns) and not columns[slot - 1]:
            return None
    return slot


def view_scores(view: Json) -> list[int]:
    """The scores that a view shows, by seat."""
    return [player["score"] for player in view["players"]]


# --- what may stand for a hidden field --------------------------------------------------------------------------------

_HIDDEN: Final = "T4n"  # a night card: face down wherever it lies
_MOST_CARDS: Final = 200  # of a deck


def stand_in(kind: str, field: str, data: Json) -> Any:
    """Something that the field of such an event may hide, if the event shows the rest of `data`.

    KeyError for a field that never hides anything; ValueError and others for data that cannot be.
    """
    return _STAND_INS[kind, field](data)


def _cards(number: Any) -> list[str]:
    if type(number) is not int or not 0 <= number <= _MOST_CARDS:
        raise ValueError("there is no such number of cards")
    return [_HIDDEN] * number


def _some_card(_data: Json) -> str:
    return _HIDDEN


def _some_deck(_data: Json) -> list[str]:
    return [_HIDDEN]


def _counted(data: Json) -> list[str]:
    return _cards(data["count"])


def _dealt(data: Json) -> list[list[str]]:
    return [_cards(3) if hand is None else hand for hand in data["hands"]]


def _held(data: Json) -> list[list[str]]:
    hands = zip(data["hands"], data["hand_sizes"], strict=True)
    return [_cards(size) if hand is None else hand for hand, size in hands]


def _laid(data: Json) -> list[list[Json]]:
    return [
        [{**column, "cards": _turned_up(column["cards"])} for column in columns]
        for columns in data["columns"]
    ]


def _turned_up(cards: list[Json]) -> list[Json]:
    return [{**card, "face": _HIDDEN} if card["face"] is None else card for card in cards]


_STAND_INS: Final[dict[tuple[str, str], Callable[[Json], Any]]] = {
    ("game_created", "deck"): _some_deck,
    ("game_started", "deck"): _some_deck,
    ("game_started", "hands"): _dealt,
    ("bird_played", "card"): _some_card,
    ("danger_played", "card"): _some_card,
    ("cards_drawn", "cards"): _counted,
    ("deck_reshuffled", "deck"): _counted,
    **{
        (kind, field): held
        for kind in (position_codec.KIND, TAKEN_BACK)
        for field, held in (("deck", _counted), ("hands", _held), ("columns", _laid))
    },
}


# --- options that may leave no trace ----------------------------------------------------------------------------------


def _variant(option: Option, other: Callable[[Rules], Rules]) -> OptionVariant:
    """The variant of the option; `other` turns the game's rules into the variant's rules."""

    def options(document: Json) -> Json:
        return options_document(other(resolve(document)))

    # The last setup and the last rules, each with its variant: they hardly ever change from call to call.
    made: tuple[Setup, Setup] | None = None
    rules_made: tuple[Rules, Rules] | None = None

    def state(true: State) -> State:
        nonlocal made, rules_made
        known, setup = made, setup_of(true)
        if known is None or known[0] is not setup:
            rules = rules_made
            if rules is None or rules[0] is not setup.rules:
                rules = rules_made = setup.rules, other(setup.rules)
            others = replace(setup, rules=rules[1])
            known = made = setup, others
        return with_setup(true, known[1])

    return OptionVariant(option.name, frozenset((option.shows_in or "").split()), options, state)


def _other_book(rules: Rules) -> Rules:
    book = next(book for book in RULE_BOOKS if book != rules.book)
    return replace(rules, book=book, movement=RULE_BOOKS[book].movement, sweep=RULE_BOOKS[book].sweep)


def _other_limit(rules: Rules) -> Rules:
    """The rules without their turn limit, or with one at the cap: there it ends the game as the cap does."""
    return replace(rules, turn_limit=rules.turn_cap if rules.turn_limit is None else None)


def _another(option: Option) -> Callable[[Rules], Rules]:
    """A function that gives the option another value in rules; no other member of the rules depends on the option."""

    def other(rules: Rules) -> Rules:
        changed: dict[str, Any] = {option.name: option.another(getattr(rules, option.name))}
        return replace(rules, **changed)

    return other


_OTHERS: Final[dict[str, Callable[[Rules], Rules]]] = {"rules": _other_book, "turn_limit": _other_limit}
OPTION_VARIANTS: Final = tuple(
    _variant(option, _OTHERS.get(option.name) or _another(option))
    for option in OPTIONS
    if option.shows_in is not None
)
