# compiled into rules
"""The options of a game, resolved to rules once when it is created (rules 1, 2, 8), and written into its first event.

All are values, so a later change of a default never changes an old game.
"""

import marshal
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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
from domain.migrato.rules.columns import DeckList, Placement, placement_for
from domain.migrato.rules.rule_books import RULE_BOOKS, SEATS, TURN_CAP
from domain.options import CLAIM_AFTER, Option, chosen, rated_options, recorded, written


@dataclass(frozen=True, slots=True, match_args=False)
class Rules:
    """All that a game was created with, resolved. `first_seat` is a seat or "random" (ruling R1).

    Games of the same rules share one object, so its parts belong to no single game: no `__match_args__` name
    them to code that weighs a game.
    """

    book: str
    movement: str
    sweep: str
    return_flight: bool
    memory_aid: bool
    first_seat: int | str
    turn_limit: int | None
    turn_cap: int
    deck_list: DeckList
    flight_points: tuple[int, ...]
    claim_after: int | None
    placement: Placement = field(compare=False, repr=False)

    def __hash__(self) -> int:  # a generated one is not compiled, and hashes what follows from these, too
        return hash(
            (
                self.book,
                self.return_flight,
                self.first_seat,
                self.turn_limit,
                self.deck_list,
                self.claim_after,
            )
        )

    @property
    def deck(self) -> tuple[int, ...]:
        """Every card of the deck list, by face."""
        return tuple(face for face, count in self.deck_list for _ in range(count))

    @property
    def last_turn(self) -> int:
        """The turn that ends the game (rulings R10, R20)."""
        return self.turn_cap if self.turn_limit is None else self.turn_limit


# Each option is a member of `Rules`, too. Rule books and the Return Flight are published, and rated alike.
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
    Option(
        "memory_aid",
        "flag",
        "Show players their own face-down cards.",
        default=False,
        shows_in="",
        unrated=2,
    ),
    Option("first_seat", "seat", "Who starts.", default=0, shows_in="game_started", unrated=4),
    Option(
        "turn_limit",
        "int",
        "End a game after so many turns, scored as it stands.",
        between_bots=1000,
        minimum=1,
        maximum=TURN_CAP,
        shows_in="game_ended",
        unrated=1,
    ),
    Option("turn_cap", "follows"),
    Option("deck_list", "choice", "The deck list.", default="standard", choices=tuple(DECK_LISTS), unrated=3),
    Option("flight_points", "follows"),
    CLAIM_AFTER,
)


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


def resolve(options: Mapping[str, Any]) -> Rules:
    """The rules that a caller's options mean; every option has a default.

    Raises DomainError "validation-error" that names the option.
    """
    plain: Any = options
    try:  # most games are created with one of a few sets of options; `repr` takes ten times as long
        asked = marshal.dumps(plain, 2)
    except ValueError:
        return _resolved(options)
    known = _RESOLVED.get(asked)
    if known is not None:
        return known
    rules = _resolved(options)
    if len(_RESOLVED) >= _MOST_RESOLVED:
        _RESOLVED.clear()
    _RESOLVED[asked] = rules
    return rules


_MOST_RESOLVED: Final = 64
_RESOLVED: Final[dict[bytes, Rules]] = {}


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
