"""A dry run: what a move would do, as far as its player may know before making it."""

from domain.lifecycle import Wire
from domain.migrato.decide import decide
from domain.migrato.events import CardsDrawn, DangerPlayed, DeckReshuffled
from domain.migrato.legal import nothing_hidden
from domain.migrato.moves import Move, MoveCards, Play, PlayDanger
from domain.migrato.state import State
from domain.migrato.wire import encode


def preview(state: State, seat: int, command: Move) -> tuple[list[Wire], bool]:
    """The events that would follow, faces unknown to the player hidden (None), and whether that is all of them.

    Where the outcome depends on cards that lie face down the list ends before it shows. Raises as `decide` does.
    """
    events = decide(state, seat, command, _Unknown())
    known = nothing_hidden(state, seat, command)
    wires: list[Wire] = []
    for event in events:
        stored = encode(event)
        match event:
            case DangerPlayed() if not known:
                stored = stored._replace(data=stored.data | {"card": None})
            case CardsDrawn():
                stored = stored._replace(data=stored.data | {"cards": None})
            case DeckReshuffled():
                stored = stored._replace(data=stored.data | {"deck": None})
        wires.append(stored)
        if not known and isinstance(command, Play | MoveCards | PlayDanger):
            if isinstance(command, PlayDanger) and command.discard is not None:
                continue  # the discard is one that was in hand before: all that follows is known
            return wires, isinstance(command, PlayDanger)
    return wires, True


class _Unknown:
    """A chance that says nothing: the order is not the player's to know."""

    def shuffled(self, number: int, cards: object, client_seeds: object) -> tuple[int, ...]:
        assert isinstance(cards, tuple)
        return cards

    def first_seat(self, seats: int, client_seeds: object) -> int:
        raise AssertionError("a move draws no first seat")
