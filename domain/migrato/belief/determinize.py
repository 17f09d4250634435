"""What can be the case: a whole game as it may really be, given all that a seat knows.

A card that the seat cannot see lies in the deck, in the opponent's hand or face down in front of the opponent. It can
be anything of which these hold:

1. everything the seat sees is as it is, and all the cards together are the deck list;
2. there is a past whose pools' cards lie where the pools lie, and all others where the others lie (see `pasts`);
3. a face-down card is a night card that the rules let its player put there at that time (see `memory`).

A past is drawn by its weight and by how well its cards can fit their places, then each face-down place is dealt, top
first, one of the cards that leave the places to come something to have; the hand and the deck get what is left, the
deck in any order. So all that can be the case is as likely as with an opponent who picks blindly among its hand cards.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from domain.errors import DomainError
from domain.lifecycle import Seat
from domain.migrato.belief.assignments import Assignments
from domain.migrato.belief.hypotheses import Hypothesis, held_open, left_open, unseen
from domain.migrato.belief.knowledge import NIGHT
from domain.migrato.belief.observation import Observation, observe
from domain.migrato.rules.cards import DOWN
from domain.migrato.rules.columns import Column, Shape
from domain.migrato.rules.state import OVER, Player, Setup, State
from domain.prng import Rng, shuffle

_NOBODY: Final = (Seat("open"), Seat("open"))


Weights = Sequence[float]  # by face, none below 0
# From the cards above a face-down place, as dealt, and its whole column as everybody sees it, to what may lie there.
Buried = Callable[[Column, Shape], Weights]


class Down(NamedTuple):
    """A face-down card of the opponent's: where it lies, the turn it was played in, the faces it can have."""

    slot: int
    row: int
    turn: int
    may_be: int


class Share(NamedTuple):
    """The cards of a pool, and what of them lies face down: at `downs`, in the order of `places`."""

    cards: list[int]
    downs: tuple[Down, ...]
    places: Assignments


class Deal(NamedTuple):
    """A past, ready to be dealt: the open pool, of which `held` cards are in hand, and the other pools."""

    open: Share
    held: int
    pools: tuple[Share, ...]


class Determinizer:
    """Prepared once for an observation, then sampled from as often as needed.

    `buried` weighs what the opponent may have put face down below given cards, `held` weighs what the opponent may
    hold rather than leave in the deck. Both only shift the odds among what can be the case at all.
    """

    def __init__(self, seen: Observation, buried: Buried | None = None, held: Weights | None = None) -> None:
        """Raises DomainError "impossible-position" if nothing can be the case."""
        self._seen = seen
        self._buried = buried
        self._held = held
        self._setup = Setup("", "", seen.rules, _NOBODY, None)
        self._to_act = None if seen.phase is OVER else seen.seat if seen.moves else 1 - seen.seat
        self._deals: list[Deal] = []
        self._odds: list[float] = []
        downs, left = downs_of(seen), unseen(seen.rules.deck, seen.me, seen.other, seen.discard_pile)
        for past in seen.memory.pasts:
            deal = _deal(past, downs, left, len(seen.other.hand))
            odds = past.weight
            for share in (deal.open, *deal.pools):
                odds *= share.places.likelihood(len(share.cards))
            if odds > 0:
                self._deals.append(deal)
                self._odds.append(odds)
        if not self._deals:
            raise DomainError("impossible-position", "There is no way in which the hidden cards could lie.")
        self._total = sum(self._odds)

    def sample(self, rng: Rng) -> State:
        """A state that the seat cannot tell from the true one."""
        deal = self._deals[0] if len(self._deals) == 1 else self._one_deal(rng)
        columns = [list(shape) for shape in self._seen.other.shapes]
        hand: list[int] = []
        for share in deal.pools:
            hand += self._laid(share, columns, rng)
        deck = self._laid(deal.open, columns, rng)
        self._draw(deck, deal.held, hand, rng)
        shuffle(deck, rng)
        return self._state(columns, hand, deck)

    def _one_deal(self, rng: Rng) -> Deal:
        at = rng.random() * self._total
        for number, odds in enumerate(self._odds):
            at -= odds
            if at < 0:
                return self._deals[number]
        return self._deals[0]

    def _laid(self, share: Share, columns: list[list[int]], rng: Rng) -> list[int]:
        """Deal the face-down places their cards; the cards that are left."""
        cards = share.cards.copy()
        if not share.downs:
            return cards
        places = share.places
        faces, steps, counts, dealt = places.faces, places.step, places.counts.copy(), 0
        for number, down in enumerate(share.downs):
            column = columns[down.slot]
            weights: Weights | None = None
            if self._buried is not None:
                weights = self._buried(tuple(column[: down.row]), self._seen.other.shapes[down.slot])
            choices = places.choices[number]
            odds: list[float] = []
            total = 0.0
            for index in choices:
                worth = 0.0
                if counts[index]:
                    worth = counts[index] * places.ways(number + 1, dealt + steps[index])
                    if weights is not None:
                        worth *= weights[faces[index]] + _HARDLY
                odds.append(worth)
                total += worth
            at = rng.random() * total
            chosen = -1
            for number_of_choice, worth in enumerate(odds):
                if worth > 0:
                    chosen = choices[number_of_choice]
                    at -= worth
                    if at < 0:
                        break
            counts[chosen] -= 1
            dealt += steps[chosen]
            column[down.row] = faces[chosen]
            cards.remove(faces[chosen])
        return cards

    def _draw(self, deck: list[int], number: int, hand: list[int], rng: Rng) -> None:
        """Move so many cards from the deck into the hand."""
        for _ in range(number):
            at = self._heavier(deck, rng) if self._held is not None else int(rng.random() * len(deck))
            hand.append(deck[at])
            deck[at] = deck[-1]
            deck.pop()

    def _heavier(self, deck: list[int], rng: Rng) -> int:
        assert self._held is not None
        total = 0.0
        for card in deck:
            total += self._held[card] + _HARDLY
        left = rng.random() * total
        for at, card in enumerate(deck):
            left -= self._held[card] + _HARDLY
            if left < 0:
                return at
        return len(deck) - 1

    def _state(self, columns: list[list[int]], hand: list[int], deck: list[int]) -> State:
        seen = self._seen
        known = seen.other
        laid = tuple([tuple(column) for column in columns])
        other = Player(tuple(hand), laid, known.shapes, known.arrivals, known.landed, known.flights)
        both = (seen.me, other) if seen.seat == 0 else (other, seen.me)
        cards, pile = tuple(deck), seen.discard_pile
        return State(self._setup, seen.phase, self._to_act, seen.turn, cards, pile, both, 1, None)


_HARDLY: Final = 1e-9  # nothing that can be the case is ever left out


def determinize(seen: Observation, rng: Rng) -> State:
    """One sample; prepare a `Determinizer` for many."""
    return Determinizer(seen).sample(rng)


def consistent(seen: Observation, state: State) -> bool:
    """Whether the state can be the case: exactly then it can be sampled."""
    if observe(state, seen.seat, seen.memory) != seen:
        return False
    other = state.players[1 - seen.seat]
    lying = {down.turn: other.columns[down.slot][down.row] for down in downs_of(seen)}
    if any(not down.may_be >> lying[down.turn] & 1 for down in downs_of(seen)):
        return False
    return any(_explains(past, lying, other.hand) for past in seen.memory.pasts)


def _explains(past: Hypothesis, lying: dict[int, int], hand: tuple[int, ...]) -> bool:
    """Whether the face-down cards, by turn, and the hand can have come about so."""
    rest = list(hand)
    for pool in past.pools:
        cards = list(pool.cards)
        for place in pool.places:
            if lying[place] not in cards:
                return False
            cards.remove(lying[place])
        for card in cards:
            if card not in rest:
                return False
            rest.remove(card)
    return True


def downs_of(seen: Observation) -> list[Down]:
    """The opponent's face-down cards; of those that nobody remembers, all that is known is that they fly by night."""
    downs: list[Down] = []
    for slot, shape in enumerate(seen.other.shapes):
        burials = seen.memory.burials[slot]
        for row, face in enumerate(shape):
            if face == DOWN:
                burial = burials[row] if burials else None
                turn, may_be = (-len(downs), NIGHT) if burial is None else (burial.turn, burial.may_be)
                downs.append(Down(slot, row, turn, may_be))
    return downs


def _deal(past: Hypothesis, downs: list[Down], left: list[int], hand: int) -> Deal:
    rest = left_open(left, past.pools)
    cards = [face for face, count in enumerate(rest) for _ in range(count)]
    known = {place for pool in past.pools for place in pool.places}
    return Deal(
        open=_share(cards, [down for down in downs if down.turn not in known]),
        held=held_open(hand, past.pools),
        pools=tuple(
            [
                _share(list(pool.cards), [down for down in downs if down.turn in pool.places])
                for pool in past.pools
            ]
        ),
    )


def _share(cards: list[int], downs: list[Down]) -> Share:
    return Share(cards, tuple(downs), Assignments(cards, [down.may_be for down in downs]))
