# compiled into rules
"""The options of a game: values, resolved to rules once when it is created, and written into its first event."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from domain.errors import NEVER_RELEASED, DomainError, invalid
from domain.game import Option
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
from domain.migrato.rules.rule_books import RULE_BOOKS, SEATS, TURN_CAP, Rules

OPTIONS: Final = (
    Option(
        "rules",
        "choice",
        "The rule book.",
        default="digital",
        choices=tuple(RULE_BOOKS),
        shows_in="cards_moved birds_arrived",
    ),
    Option("movement", "follows"),
    Option("sweep", "follows"),
    Option(
        "return_flight",
        "flag",
        "Play with the Return Flight extension.",
        default=False,
        shows_in="return_flight_taken",  # as long as no card is taken, nothing was chosen
    ),
    Option("memory_aid", "flag", "Show players their own face-down cards.", default=False, shows_in=""),
    Option("first_seat", "seat", default=0, shows_in="game_started"),
    Option(
        "turn_limit",
        "int",
        "End a game after so many turns, scored as it stands.",
        between_bots=1000,
        minimum=1,
        maximum=TURN_CAP,
        shows_in="game_ended",
    ),
    Option("turn_cap", "follows"),
    Option("deck_list", "choice", "The deck list.", default="standard", choices=tuple(DECK_LISTS)),
    Option("flight_points", "follows"),
)
_DEFAULTS: Final[Json] = {option.name: option.default for option in OPTIONS if option.kind != "follows"}
_FOLLOWING: Final = {option.name for option in OPTIONS if option.kind == "follows"}


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
    unknown = sorted(set(options) - set(_DEFAULTS) - _FOLLOWING)
    if unknown:
        raise invalid(f"options.{unknown[0]}", "There is no such option in Migrato.")
    chosen = _DEFAULTS | dict(options)
    book = chosen["rules"]
    if not isinstance(book, str) or book not in RULE_BOOKS:
        raise invalid("options.rules", f"Must be one of: {', '.join(RULE_BOOKS)}.")
    first_seat = chosen["first_seat"]
    if type(first_seat) not in (int, str) or first_seat not in (0, 1, "random"):
        raise invalid("options.first_seat", 'Must be 0, 1 or "random".')
    turn_limit = chosen["turn_limit"]
    if turn_limit is not None and (type(turn_limit) is not int or not 1 <= turn_limit <= TURN_CAP):
        raise invalid("options.turn_limit", f"Must be null or a whole number from 1 to {TURN_CAP}.")
    deck_list = _deck_list(chosen["deck_list"])
    rules = Rules(
        book=book,
        movement=RULE_BOOKS[book].movement,
        sweep=RULE_BOOKS[book].sweep,
        return_flight=_flag(chosen, "return_flight"),
        memory_aid=_flag(chosen, "memory_aid"),
        first_seat=first_seat,
        turn_limit=turn_limit,
        turn_cap=TURN_CAP,
        deck_list=deck_list,
        flight_points=RETURN_FLIGHT_POINTS,
        placement=placement_for(deck_list),
    )
    for name in sorted(_FOLLOWING & set(options)):  # so that the options of any game can be posted again
        if options[name] != (implied := options_document(rules)[name]):
            raise invalid(f"options.{name}", f"Follows from the other options and would be {implied!r}.")
    return _shared(rules)


@lru_cache(maxsize=64)
def _shared(rules: Rules) -> Rules:
    """One object for all rules that are equal, so that a look-up by rules need not compare them."""
    return rules


def _flag(options: Mapping[str, Any], name: str) -> bool:
    value = options[name]
    if type(value) is not bool:
        raise invalid(f"options.{name}", "Must be true or false.")
    return value


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
    return {
        "rules": rules.book,
        "movement": rules.movement,
        "sweep": rules.sweep,
        "return_flight": rules.return_flight,
        "memory_aid": rules.memory_aid,
        "first_seat": rules.first_seat,
        "turn_limit": rules.turn_limit,
        "turn_cap": rules.turn_cap,
        "deck_list": {NAME[face]: count for face, count in rules.deck_list},
        "flight_points": dict(zip(SPECIES_IDS, rules.flight_points, strict=True)),
    }


# Rule books and the Return Flight are published, and the same for both.
RATED_OPTIONS: Final[Json] = {
    "turn_limit": None,
    "memory_aid": False,
    "deck_list": options_document(resolve({}))["deck_list"],
    "first_seat": "random",
}


def rules_from(document: Json) -> Rules:
    """The rules as a first event recorded them, independent of the present presets; the inverse of `options_document`.

    Raises DomainError for options as 0.1.0 recorded them.
    """
    if "turn_cap" not in document:
        raise DomainError("validation-error", f"The game is of 0.1.0. {NEVER_RELEASED}")
    deck_list = tuple(sorted((FACE[name], count) for name, count in document["deck_list"].items()))
    rules = Rules(
        book=document["rules"],
        movement=document["movement"],
        sweep=document["sweep"],
        return_flight=document["return_flight"],
        memory_aid=document["memory_aid"],
        first_seat=document["first_seat"],
        turn_limit=document["turn_limit"],
        turn_cap=document["turn_cap"],
        deck_list=deck_list,
        flight_points=tuple(document["flight_points"][species] for species in SPECIES_IDS),
        placement=placement_for(deck_list),
    )
    return _shared(rules)
