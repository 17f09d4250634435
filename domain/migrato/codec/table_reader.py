"""The cards on the table as one seat sees them, from JSON: in a view, and in the event `position_set`.

Cards that the seat cannot see are DOWN.
"""

from typing import Final, NamedTuple

from domain.migrato.codec.readers import Field
from domain.migrato.rules.cards import DOWN, FIRST_DANGER, IS_NIGHT, SPECIES_IDS, SPECIES_OF
from domain.migrato.rules.columns import Column, could_have_arrived, shape_of
from domain.migrato.rules.events import PositionSet
from domain.migrato.rules.fork import position_set
from domain.migrato.rules.options import Rules
from domain.migrato.rules.rule_books import HAND_SIZE, SEATS, SLOTS
from domain.migrato.rules.state import ACTION, DISCARD, Player, State

PHASES: Final = {"action": ACTION, "discard": DISCARD}
MOST_CARDS: Final = 200  # of any deck list


class Side(NamedTuple):
    """Names of the parts of one player's side in a document."""

    hand: Field
    hand_size: Field
    columns: Field
    arrivals: Field
    return_flights: Field


def read_position_set(data: Field, rules: Rules, seat: int) -> PositionSet:
    """The event's data as the seat may see it.

    Raises DomainError "validation-error" and "impossible-position". Whether the cards are all those of the deck list is
    not judged here.
    """
    members = [
        _by_seat(data, name) for name in ("hands", "hand_sizes", "columns", "arrivals", "return_flights")
    ]
    landed = _by_seat(data, "landed")
    players: list[Player] = []
    for number in range(SEATS):
        side, own = Side(*[member[number] for member in members]), number == seat
        if not own:  # may be whole in a document from elsewhere
            side = side._replace(hand=Field(None, side.hand.path))
        player = read_player(side, rules, own=own)
        if own:
            require_faces(player, side.columns)
        if landed[number].species_set() != player.landed:
            raise landed[number].impossible("Those are not the species in the arrival zone.")
        players.append(player)
    return position_set(
        State(
            setup=None,
            phase=PHASES[data.member("phase").one_of(PHASES)],
            to_act=data.member("to_act").integer(0, SEATS - 1),
            turn=data.member("turn").integer(1),
            deck=(DOWN,) * data.member("count").integer(0, MOST_CARDS),
            discard_pile=data.member("discard_pile").faces(),
            players=tuple(players),
            shuffles=data.member("shuffles").integer(0),
            result=None,
        )
    )


def _by_seat(data: Field, name: str) -> list[Field]:
    sides = data.member(name).items()
    if len(sides) != SEATS:
        raise data.member(name).malformed(f"Must have {SEATS} items, one for each seat.")
    return sides


def read_player(side: Side, rules: Rules, *, own: bool) -> Player:
    """One player's side. The faces of own face-down cards may be null: they are DOWN then.

    Raises DomainError "validation-error" and "impossible-position".
    """
    hand, columns = _hand(side, own=own), _columns(side.columns, rules, own=own)
    arrivals = _arrivals(side.arrivals)
    landed = sum(1 << species for species, pile in enumerate(arrivals) if pile)
    shapes = tuple([shape_of(column) for column in columns])
    for slot, shape in enumerate(shapes):
        if any(face != DOWN and landed >> SPECIES_OF[face] & 1 for face in shape):
            raise side.columns.impossible(
                f"The species in slot {slot + 1} has already arrived: it cannot lie in a column."
            )
    return Player(hand, columns, shapes, arrivals, landed, _flights(side.return_flights, rules))


def require_faces(player: Player, columns: Field) -> None:
    """Raises DomainError "impossible-position" if a face of the own face-down cards is missing."""
    if any(DOWN in column for column in player.columns):
        raise columns.impossible("The faces of the own face-down cards are needed here.")


def _hand(side: Side, *, own: bool) -> tuple[int, ...]:
    hand, size = side.hand, side.hand_size
    if not own and hand.value is not None:
        raise hand.impossible("The opponent's hand is hidden from this seat: it must be null.")
    cards = hand.faces() if own else (DOWN,) * min(size.integer(0), HAND_SIZE + 1)
    if len(cards) > HAND_SIZE:
        raise (hand if own else size).impossible(f"A hand has at most {HAND_SIZE} cards.")
    if size.integer(0) != len(cards):
        raise size.impossible(f"The hand has {len(cards)} cards.")
    return cards


def _columns(columns: Field, rules: Rules, *, own: bool) -> tuple[Column, ...]:
    read: list[Column] = [()] * SLOTS
    for item in columns.items():
        slot, cards = item.member("slot"), item.member("cards")
        if read[slot.slot()]:
            raise slot.impossible("There is only one column in a slot.")
        column = tuple([_column_card(card, own=own) for card in cards.items()])
        if not column or not rules.placement.possible[shape_of(column)]:
            raise cards.impossible("No flock of this deck could fill the column.")
        read[slot.slot()] = column
    return tuple(read)


def _column_card(card: Field, *, own: bool) -> int:
    face, down = card.member("face"), card.member("down").boolean()
    if down and face.value is None:
        return DOWN
    read = face.face()
    if read >= FIRST_DANGER or IS_NIGHT[read] != down:
        raise face.impossible("In a column, birds of the night lie face down and birds of the day face up.")
    if down and not own:
        raise face.impossible("The opponent's face-down cards are hidden from this seat: it must be null.")
    return read


def _arrivals(arrivals: Field) -> tuple[tuple[int, ...], ...]:
    piles: list[tuple[int, ...]] = [()] * len(SPECIES_IDS)
    for name, pile in arrivals.members().items():
        if name not in SPECIES_IDS:
            raise pile.malformed("There is no such species.")
        species, cards = SPECIES_IDS.index(name), pile.faces()
        if not could_have_arrived(species, cards):
            raise pile.impossible(f"No such pile of {name} can have arrived.")
        piles[species] = cards
    return tuple(piles)


def _flights(flights: Field, rules: Rules) -> int:
    taken = 0
    for flight in flights.items():
        bit = 1 << flight.species()
        if taken & bit or not rules.return_flight:
            raise flight.impossible(
                "That Return Flight card does not exist in this game, or exists only once."
            )
        taken |= bit
    return taken
