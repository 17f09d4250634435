"""Positions to test the rules on, and given / when / then over them.

A position is written as a player would lay it out; what is not on the table lies in the deck, so that the 54 cards are
always all there.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import pytest

from domain.chance import SeededChance
from domain.errors import DomainError
from domain.game import Game
from domain.lifecycle import Json, Seat
from domain.migrato.codec.move_codec import move_document
from domain.migrato.game import MIGRATO
from domain.migrato.rules.cards import FACE, SPECIES_IDS, faces
from domain.migrato.rules.columns import shape_of
from domain.migrato.rules.legal import legal_moves
from domain.migrato.rules.options import resolve
from domain.migrato.rules.rule_books import SLOTS
from domain.migrato.rules.state import ACTION, Phase, Player, Setup, State

CHANCE = SeededChance(bytes(32), "test")
SEATS = (Seat("human", "ada"), Seat("human", "bob"))


def cards(written: str) -> tuple[int, ...]:
    """ "G5d HUN" as faces."""
    return faces(written.split())


def side(
    hand: str = "",
    columns: dict[int, str] | None = None,
    arrivals: dict[str, str] | None = None,
    flights: tuple[str, ...] = (),
) -> Player:
    """One player's side; `columns` by slot 1 to 4, `arrivals` by species id."""
    laid = tuple(cards((columns or {}).get(slot, "")) for slot in range(1, SLOTS + 1))
    piles = tuple(cards((arrivals or {}).get(species, "")) for species in SPECIES_IDS)
    return Player(
        hand=cards(hand),
        columns=laid,
        shapes=tuple(shape_of(column) for column in laid),
        arrivals=piles,
        landed=sum(1 << s for s, pile in enumerate(piles) if pile),
        flights=sum(1 << SPECIES_IDS.index(species) for species in flights),
    )


def table(
    me: Player,
    other: Player | None = None,
    *,
    top: str = "",
    discard_pile: str = "",
    deck: str | None = None,
    phase: Phase = ACTION,
    turn: int = 1,
    **options: Any,
) -> State:
    """Seat 0 to act; `top` is drawn first, then the rest of the deck in order of face; `deck` overrides both."""
    rules = resolve(options)
    other = other or side()
    used = Counter(cards(top) + cards(discard_pile))
    for player in (me, other):
        used.update(player.hand)
        for pile in (*player.columns, *player.arrivals):
            used.update(pile)
    left = Counter(rules.deck)
    left.subtract(used)
    short = {card for card, n in left.items() if n < 0}
    assert not short, f"more cards than the box holds: {short}"
    rest = cards(deck) if deck is not None else cards(top) + tuple(sorted(left.elements()))
    setup = Setup("test", "c", rules, SEATS, None)
    return State(setup, phase, 0, turn, rest, cards(discard_pile), (me, other), 1, None)


def refusal(act: Callable[..., object], *arguments: Any) -> DomainError:
    """The reason against it."""
    with pytest.raises(DomainError) as caught:
        act(*arguments)
    return caught.value


@dataclass
class When:
    """A command posted to a position of a game."""

    game: Game
    state: Any
    document: Json
    seat: int = 0

    def _events(self) -> Sequence[Any]:
        return self.game.decide(self.state, self.seat, self.game.parse_move(self.document), CHANCE)

    def then(self, *lines: str) -> Any:
        """Exactly these events follow, in notation; gives the state after them."""
        assert [self.game.notation(self.game.encode(event)) for event in self._events()] == list(lines)
        return self.happens()

    def happens(self) -> Any:
        """The command must be legal; gives the state after it."""
        return reduce(self.game.evolve, self._events(), self.state)

    def fails(self, code: str, rule: str | None = None) -> DomainError:
        """The command must be refused with that slug and by that rule."""
        why = refusal(self._events)
        assert (why.code, why.rule) == (code, rule)
        return why


def when(state: State, seat: int = 0, **document: Any) -> When:
    """Post a move; `from_` stands for "from"."""
    return When(MIGRATO, state, {key.rstrip("_"): value for key, value in document.items()}, seat)


def legal(state: State, kind: str | None = None) -> list[Json]:
    """The legal moves as documents, of one type where named."""
    documents = [move_document(move) for move in legal_moves(state)]
    return [d for d in documents if kind is None or d["type"] == kind]


__all__ = ["CHANCE", "FACE", "When", "cards", "legal", "side", "table", "when"]
