# compiled into rules
"""The options of a game, resolved to rules once when it is created, and written into its first event."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from domain.errors import NEVER_RELEASED, DomainError, invalid
from domain.lifecycle import Json
from domain.migrato.rules.cards import (
    DECK_LISTS,
    FACE,
    GOAL,
    NAME,
    RETURN_FLIGHT_POINTS,
    SPECIES,
    SPECIES_IDS,
    SPECIES_OF,
)
from domain.migrato.rules.columns import DeckList, placement_for
from domain.migrato.rules.rule_books import OPTIONS, RULE_BOOKS, SEATS, TURN_CAP, Rules
from domain.options import chosen, rated_options, recorded, written


def resolve(options: Mapping[str, Any]) -> Rules:
    """The rules that a caller's options mean; every option has a default.

    Raises DomainError "validation-error" that names the option.
    """
    asked = repr(options)  # most games are created with one of a few sets of options
    known = _RESOLVED.get(asked)
    if known is not None:
        return known
    rules = _resolved(options)
    if len(_RESOLVED) >= _MOST_RESOLVED:
        _RESOLVED.clear()
    _RESOLVED[asked] = rules
    return rules


_MOST_RESOLVED: Final = 64
_RESOLVED: Final[dict[str, Rules]] = {}


def _resolved(options: Mapping[str, Any]) -> Rules:
    values = chosen(OPTIONS, options, SEATS, {"deck_list": _deck_list})
    book = RULE_BOOKS[values["rules"]]
    values |= {"movement": book.movement, "sweep": book.sweep}
    values |= {"turn_cap": TURN_CAP, "flight_points": RETURN_FLIGHT_POINTS}
    rules = _rules(values)
    following = [option.name for option in OPTIONS if not option.can_be_chosen]
    for name in sorted(options.keys() & following):  # so that the options of any game can be posted again
        if options[name] != (implied := options_document(rules)[name]):
            raise invalid(f"options.{name}", f"Follows from the other options and would be {implied!r}.")
    return rules


def _rules(values: Json) -> Rules:
    """The rules that have a value of each option."""
    book = values.pop("rules")
    return _shared(Rules(book=book, placement=placement_for(values["deck_list"]), **values))


@lru_cache(maxsize=64)
def _shared(rules: Rules) -> Rules:
    """One object for all rules that are equal, so that a look-up by rules need not compare them."""
    return rules


def _deck_list(option: object) -> DeckList:
    """A named deck list or a table {face: number of cards}.

    A table needs enough cards of every species to arrive, so that a game can end, and more cards than both arrival
    zones hold, so that somebody can always act.
    """
    where = "options.deck_list"
    if isinstance(option, str) and option in DECK_LISTS:
        return _named_deck_list(option)
    if not isinstance(option, Mapping):
        raise invalid(
            where, f"Must be one of: {', '.join(DECK_LISTS)}; or an object of faces and numbers of cards."
        )
    for name, count in option.items():
        if name not in FACE:
            raise invalid(f"{where}.{name}", "There is no such face.")
        if type(count) is not int or not 0 <= count <= 54:
            raise invalid(f"{where}.{name}", "Must be a whole number from 0 to 54.")
    for number, species in enumerate(SPECIES):
        held = sum(count for name, count in option.items() if SPECIES_OF[FACE[name]] == number)
        if held < species.goal:
            raise invalid(
                where, f"Must hold at least {species.goal} cards of {species.id}, so that it can arrive."
            )
    total = sum(option.values())
    zones = SEATS * (sum(GOAL) + 1)  # five stilts may arrive
    if not zones < total <= 200:
        raise invalid(where, f"Must hold {zones + 1} to 200 cards, not {total}.")
    return tuple(sorted((FACE[name], count) for name, count in option.items() if count))


@lru_cache(maxsize=len(DECK_LISTS))
def _named_deck_list(name: str) -> DeckList:
    return tuple(sorted((FACE[face], count) for face, count in DECK_LISTS[name].items()))


_DOCUMENTS: Final[dict[int, tuple[Rules, Json]]] = {}  # by the identity of the rules, which they keep alive


def options_document(rules: Rules) -> Json:
    """Every option, resolved, as it stands in the first event and in the API; shared, not to be changed."""
    known = _DOCUMENTS.get(id(rules))  # to hash all that rules say would be most of the work
    if known is not None:
        return known[1]
    document = _options_document(rules)
    if len(_DOCUMENTS) >= 1024:
        _DOCUMENTS.clear()
    _DOCUMENTS[id(rules)] = (rules, document)
    return document


@lru_cache(maxsize=1024)
def _options_document(rules: Rules) -> Json:
    def value(name: str) -> Any:
        match name:
            case "rules":
                return rules.book
            case "deck_list":
                return {NAME[face]: count for face, count in rules.deck_list}
            case "flight_points":
                return dict(zip(SPECIES_IDS, rules.flight_points, strict=True))
            case _:
                return getattr(rules, name)

    return written(OPTIONS, value)


RATED_OPTIONS: Final[Json] = rated_options(OPTIONS, options_document(resolve({})))


def rules_from(document: Json) -> Rules:
    """The rules as a first event recorded them, independent of the present presets; the inverse of `options_document`.

    Raises DomainError for options as 0.1.0 recorded them.
    """
    if "turn_cap" not in document:
        raise DomainError("validation-error", f"The game is of 0.1.0. {NEVER_RELEASED}")
    values = recorded(OPTIONS, document)
    values["deck_list"] = tuple(sorted((FACE[name], count) for name, count in values["deck_list"].items()))
    values["flight_points"] = tuple(values["flight_points"][species] for species in SPECIES_IDS)
    return _rules(values)
