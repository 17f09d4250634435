"""The position that a fork went on from, as a seat was told of it and tells it again."""

from domain.migrato.codec.readers import Given
from domain.migrato.rules.cards import DOWN, FIRST_DANGER, IS_NIGHT, SPECIES_IDS
from domain.migrato.rules.columns import Column, shape_of
from domain.migrato.rules.events import PositionSet
from domain.migrato.rules.rule_books import HAND_SIZE, SEATS, SLOTS, Rules


def position_set(data: Given, rules: Rules, seat: int) -> PositionSet:
    """The event as the seat may see it, DOWN for what it cannot.

    Raises DomainError "validation-error" for what is malformed, "impossible-position" for what cannot be. Whether all
    cards are there is for the caller to see.
    """
    hands = [_hand(given, own=number == seat) for number, given in enumerate(_sides(data, "hand_sizes"))]
    own = _sides(data, "hands")[seat].faces()
    if len(own) != len(hands[seat]):
        raise data.member("hands").impossible(f"The own hand has {len(hands[seat])} cards.")
    hands[seat] = own
    columns = [
        _columns(given, rules, own=number == seat) for number, given in enumerate(_sides(data, "columns"))
    ]
    return PositionSet(
        discarding=data.member("phase").word(["action", "discard"]) == "discard",
        to_act=data.member("to_act").whole(0, SEATS - 1),
        turn=data.member("turn").whole(1),
        shuffles=data.member("shuffles").whole(0),
        deck=(DOWN,) * data.member("count").whole(0, 200),
        discard_pile=data.member("discard_pile").faces(),
        hands=tuple(hands),
        columns=tuple(columns),
        arrivals=tuple([_arrivals(given) for given in _sides(data, "arrivals")]),
        landed=tuple([_bits(given) for given in _sides(data, "landed")]),
        flights=tuple([_bits(given) for given in _sides(data, "return_flights")]),
    )


def _sides(data: Given, name: str) -> list[Given]:
    sides = data.member(name).items()
    if len(sides) != SEATS:
        raise data.member(name).wrong(f"Must have {SEATS} items, one a seat.")
    return sides


def _hand(size: Given, *, own: bool) -> tuple[int, ...]:
    number = size.whole(0)
    if number > HAND_SIZE:
        raise size.impossible(f"{'A' if own else 'The opposing'} hand has at most {HAND_SIZE} cards.")
    return (DOWN,) * number


def _columns(side: Given, rules: Rules, *, own: bool) -> tuple[Column, ...]:
    columns: list[Column] = [()] * SLOTS
    for laid in side.items():
        slot = laid.member("slot").slot()
        if columns[slot]:
            raise laid.member("slot").impossible("There is one column in a slot.")
        column = tuple([_laid(card, own=own) for card in laid.member("cards").items()])
        if not column or not rules.placement.possible[shape_of(column)]:
            raise laid.member("cards").impossible("No flock of this deck could fill the column.")
        columns[slot] = column
    return tuple(columns)


def _laid(given: Given, *, own: bool) -> int:
    face, down = given.member("face"), given.member("down").flag()
    if down and not own:
        if face.value is not None:
            raise face.impossible(
                "The opponent's face-down cards are hidden from this seat: it must be null."
            )
        return DOWN
    card = face.face()
    if card >= FIRST_DANGER or IS_NIGHT[card] != down:
        raise face.impossible("Birds of the night lie face down in a column, birds of the day face up.")
    return card


def _arrivals(side: Given) -> tuple[tuple[int, ...], ...]:
    piles: list[tuple[int, ...]] = [()] * len(SPECIES_IDS)
    for species, pile in side.members().items():
        if species not in SPECIES_IDS:
            raise pile.wrong("There is no such species.")
        piles[SPECIES_IDS.index(species)] = pile.faces()
    return tuple(piles)


def _bits(given: Given) -> int:
    bits = 0
    for species in given.items():
        bits |= 1 << species.species()
    return bits
