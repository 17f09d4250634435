"""Rule books, options and deck lists: all values, resolved once when a game is created (rules 1, 2, 8).

What a rule book does differently is named by two words, which stand in the game's first event beside the book's name;
a later change of a preset therefore never changes an old game.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from domain.errors import DomainError, invalid
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
from domain.migrato.rules.columns import SLOTS as SLOTS  # noqa: PLC0414 (it is a rule, too)
from domain.migrato.rules.columns import DeckList, Placement, placement_for

HAND_SIZE: Final = 3
SEATS: Final = 2
TURN_CAP: Final = 2000  # ruling R20: play that means to end is over within some 150 turns
MOST_TURNS: Final = 100_000  # what a game of former releases may have for its limit


@dataclass(frozen=True, slots=True)
class RuleBook:
    """Rules that the two published books settle differently.

    `movement`: "tail" (any card with all below it moves, rules 4.2 digital) or "split_or_join" (opla).
    `sweep`: what goes after an arrival: "seen_columns" (digital) or "every_card" (opla), rules 6.
    """

    movement: str
    sweep: str


RULE_BOOKS: Final = {
    "digital": RuleBook(movement="tail", sweep="seen_columns"),
    "opla": RuleBook(movement="split_or_join", sweep="every_card"),
}


@dataclass(frozen=True, slots=True, match_args=False)
class Rules:
    """All that a game was created with, resolved. `first_seat` is a seat or "random" (ruling R1).

    `turn_cap` is None in games of former releases, which had none (ruling R20). Games of the same rules share one
    object, so its parts are no game's own: no `__match_args__` name them to whoever weighs a game.
    """

    book: str
    movement: str
    sweep: str
    return_flight: bool
    memory_aid: bool
    first_seat: int | str
    turn_limit: int | None
    turn_cap: int | None
    deck_list: DeckList
    flight_points: tuple[int, ...]
    placement: Placement = field(compare=False, repr=False)

    def __hash__(self) -> int:  # a generated one is not compiled, and hashes what follows from these, too
        return hash((self.book, self.return_flight, self.first_seat, self.turn_limit, self.deck_list))

    @property
    def deck(self) -> tuple[int, ...]:
        """Every card of the deck list, by face."""
        return tuple(face for face, count in self.deck_list for _ in range(count))

    @property
    def last_turn(self) -> int | None:
        """The turn that ends the game (rulings R10, R20); None where none does."""
        return self.turn_cap if self.turn_limit is None else self.turn_limit


_CHOSEN: Final = {"rules", "return_flight", "memory_aid", "first_seat", "turn_limit", "deck_list"}
_FOLLOWING: Final = {"movement", "sweep", "flight_points", "turn_cap"}


def resolve(options: Mapping[str, Any], *, as_recorded: bool = False) -> Rules:
    """The rules that a caller's options mean; every option has a default.

    `as_recorded`: they are those of a game that there is, maybe of a former release: what they lack it does not have.
    Raises DomainError "validation-error" that names the option.
    """
    asked = as_recorded, repr(options)  # most games are created with one of a few sets of options
    known = _RESOLVED.get(asked)
    if known is not None:
        return known
    rules = _resolved(options, as_recorded)
    if len(_RESOLVED) >= _MOST_RESOLVED:
        _RESOLVED.clear()
    _RESOLVED[asked] = rules
    return rules


_MOST_RESOLVED: Final = 64
_RESOLVED: Final[dict[tuple[bool, str], Rules]] = {}


def _resolved(options: Mapping[str, Any], as_recorded: bool) -> Rules:
    unknown = sorted(set(options) - _CHOSEN - _FOLLOWING)
    if unknown:
        raise invalid(f"options.{unknown[0]}", "There is no such option in Migrato.")
    book = options.get("rules", "digital")
    if not isinstance(book, str) or book not in RULE_BOOKS:
        raise invalid("options.rules", f"Must be one of: {', '.join(RULE_BOOKS)}.")
    first_seat = options.get("first_seat", 0)
    if type(first_seat) not in (int, str) or first_seat not in (0, 1, "random"):
        raise invalid("options.first_seat", 'Must be 0, 1 or "random".')
    turn_limit, most = options.get("turn_limit"), MOST_TURNS if as_recorded else TURN_CAP
    if turn_limit is not None and (type(turn_limit) is not int or not 1 <= turn_limit <= most):
        raise invalid("options.turn_limit", f"Must be null or a whole number from 1 to {most}.")
    deck_list = _deck_list(options.get("deck_list", "standard"))
    rules = Rules(
        book=book,
        movement=RULE_BOOKS[book].movement,
        sweep=RULE_BOOKS[book].sweep,
        return_flight=_flag(options, "return_flight"),
        memory_aid=_flag(options, "memory_aid"),
        first_seat=first_seat,
        turn_limit=turn_limit,
        turn_cap=None if as_recorded and "turn_cap" not in options else TURN_CAP,
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
    value = options.get(name, False)
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


def check_deck(deck: Sequence[str], rules: Rules) -> None:
    """An exact deck order must be a permutation of the deck list; DomainError "bad-deck" says how it is not."""
    if sorted(deck) == _sorted_names(rules):
        return
    wanted = Counter({NAME[face]: count for face, count in rules.deck_list})
    held = Counter(deck)
    missing, extra = sorted((wanted - held).elements()), sorted((held - wanted).elements())
    words = [f"{n} cards instead of {wanted.total()}" for n in [len(deck)] if n != wanted.total()]
    words += [f"missing {', '.join(missing)}"] * bool(missing) + [f"too many {', '.join(extra)}"] * bool(
        extra
    )
    raise DomainError("bad-deck", f"setup.deck: {'; '.join(words)}.", "1", missing=missing, extra=extra)


@lru_cache(maxsize=64)
def _sorted_names(rules: Rules) -> list[str]:
    """The names of every card of the deck list, sorted; shared, not to be changed."""
    return sorted([NAME[face] for face in rules.deck])


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
    capped = {} if rules.turn_cap is None else {"turn_cap": rules.turn_cap}
    return {
        "rules": rules.book,
        "movement": rules.movement,
        "sweep": rules.sweep,
        "return_flight": rules.return_flight,
        "memory_aid": rules.memory_aid,
        "first_seat": rules.first_seat,
        "turn_limit": rules.turn_limit,
        **capped,
        "deck_list": {NAME[face]: count for face, count in rules.deck_list},
        "flight_points": dict(zip(SPECIES_IDS, rules.flight_points, strict=True)),
    }


# Rule books and the Return Flight are published, and the same for both.
LADDER_OPTIONS: Final[Json] = {
    "turn_limit": None,
    "memory_aid": False,
    "deck_list": options_document(resolve({}))["deck_list"],
    "first_seat": "random",
}


def rules_from(document: Json) -> Rules:
    """The rules as a first event recorded them; the inverse of `options_document`, whatever the presets say today."""
    deck_list = tuple(sorted((FACE[name], count) for name, count in document["deck_list"].items()))
    rules = Rules(
        book=document["rules"],
        movement=document["movement"],
        sweep=document["sweep"],
        return_flight=document["return_flight"],
        memory_aid=document["memory_aid"],
        first_seat=document["first_seat"],
        turn_limit=document["turn_limit"],
        turn_cap=document.get("turn_cap"),
        deck_list=deck_list,
        flight_points=tuple(document["flight_points"][species] for species in SPECIES_IDS),
        placement=placement_for(deck_list),
    )
    return _shared(rules)
