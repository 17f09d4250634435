# compiled into rules
"""Sampling of whole games as they may really be, given all that a seat knows.

A card that the seat cannot see lies in the deck, in the opponent's hand or face down in front of the opponent. Every
game is possible that meets these conditions:

1. everything the seat sees is as it is, and all the cards together are the deck list;
2. there is a hypothesis whose pools' cards lie where the pools lie, and all others elsewhere (see `hypotheses`);
3. a face-down card is a night card that the rules let its player put there at that time (see `knowledge`).

A hypothesis is drawn by its weight and by how well its cards can fit their places, then each face-down place,
top first, is dealt one of the cards that leave the later places something to have; the hand and the deck get what is
left, the deck in any order. So all that can be the case is as likely as with an opponent who picks blindly among its
hand cards.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from domain.adding import added
from domain.errors import DomainError
from domain.lifecycle import Seat
from domain.migrato.belief.assignments import Assignments
from domain.migrato.belief.hypotheses import Hypothesis, held_open, left_open, unseen
from domain.migrato.belief.knowledge import NIGHT
from domain.migrato.belief.observation import Observation
from domain.migrato.rules.cards import DOWN
from domain.migrato.rules.columns import Column, Shape
from domain.migrato.rules.state import OVER, Player, Setup, State
from domain.prng import Rng

_NOBODY: Final = (Seat("open"), Seat("open"))


Weights = Sequence[float]  # by face, none below 0
# Given the cards above a face-down place, as dealt, and its column as everybody sees it: weights of what may lie there.
FaceDownWeights = Callable[[Column, Shape], Weights]


class FaceDownPlace(NamedTuple):
    """A face-down card of the opponent: its place, the turn in which it was played, the faces that it can have."""

    slot: int
    row: int
    turn: int
    may_be: int


class PreparedPool(NamedTuple):
    """The cards of a pool, and the `places` where some of them lie face down, in the order of `assignments`."""

    cards: list[int]
    places: tuple[FaceDownPlace, ...]
    assignments: Assignments


class PreparedHypothesis(NamedTuple):
    """A hypothesis, ready to be dealt: the open pool, of which `held` cards are in hand, and the other pools."""

    open: PreparedPool
    held: int
    pools: tuple[PreparedPool, ...]


class Determinizer:
    """Prepared once for an observation, then sampled from as often as needed.

    `face_down_weights` weigh what the opponent may have put face down below given cards. They only shift the odds among
    what can be the case at all.
    """

    def __init__(self, observation: Observation, face_down_weights: FaceDownWeights | None = None) -> None:
        """Raises DomainError "impossible-position" if nothing can be the case."""
        self._observation = observation
        self._face_down_weights = face_down_weights
        self._setup = Setup("", "", observation.rules, _NOBODY, None)
        self._to_act = (
            None
            if observation.phase is OVER
            else observation.seat
            if observation.moves
            else 1 - observation.seat
        )
        self._hypotheses: list[PreparedHypothesis] = []
        self._weights: list[float] = []
        places = face_down_places(observation)
        left = unseen(observation.rules.deck, observation.me, observation.other, observation.discard_pile)
        for hypothesis in observation.knowledge.hypotheses:
            prepared = _prepared(hypothesis, places, left, len(observation.other.hand))
            weight = hypothesis.weight
            for pool in (prepared.open, *prepared.pools):
                weight *= pool.assignments.likelihood(len(pool.cards))
            if weight > 0:
                self._hypotheses.append(prepared)
                self._weights.append(weight)
        if not self._hypotheses:
            raise DomainError("impossible-position", "There is no way in which the hidden cards could lie.")
        self._total = added(self._weights)

    def sample(self, rng: Rng) -> State:
        """A state that the seat cannot tell from the true one."""
        hypothesis = self._hypotheses[0] if len(self._hypotheses) == 1 else self._one_hypothesis(rng)
        columns = [list(shape) for shape in self._observation.other.shapes]
        hand: list[int] = []
        for pool in hypothesis.pools:
            hand += self._laid(pool, columns, rng)
        deck = self._laid(hypothesis.open, columns, rng)
        self._draw(deck, hypothesis.held, hand, rng)
        rng.shuffle(deck)
        return self._state(columns, hand, deck)

    def _one_hypothesis(self, rng: Rng) -> PreparedHypothesis:
        at = rng.random() * self._total
        for number, weight in enumerate(self._weights):
            at -= weight
            if at < 0:
                return self._hypotheses[number]
        return self._hypotheses[0]

    def _laid(self, pool: PreparedPool, columns: list[list[int]], rng: Rng) -> list[int]:
        """Deal cards of the pool to its face-down places, in `columns`; return the cards that are left."""
        cards = pool.cards.copy()
        if not pool.places:
            return cards
        assignments = pool.assignments
        faces, steps, counts, dealt = assignments.faces, assignments.step, assignments.counts.copy(), 0
        for number, place in enumerate(pool.places):
            column = columns[place.slot]
            likely: Weights | None = None
            if self._face_down_weights is not None:
                shape = self._observation.other.shapes[place.slot]
                likely = self._face_down_weights(tuple(column[: place.row]), shape)
            choices = assignments.choices[number]
            weights: list[float] = []
            total = 0.0
            for index in choices:
                weight = 0.0
                if counts[index]:
                    weight = counts[index] * assignments.ways(number + 1, dealt + steps[index])
                    if likely is not None:
                        weight *= likely[faces[index]] + _LEAST_WEIGHT
                weights.append(weight)
                total += weight
            at = rng.random() * total
            chosen = -1
            for number_of_choice, weight in enumerate(weights):
                if weight > 0:
                    chosen = choices[number_of_choice]
                    at -= weight
                    if at < 0:
                        break
            counts[chosen] -= 1
            dealt += steps[chosen]
            column[place.row] = faces[chosen]
            cards.remove(faces[chosen])
        return cards

    def _draw(self, deck: list[int], number: int, hand: list[int], rng: Rng) -> None:
        """Move `number` random cards from the deck into the hand."""
        for _ in range(number):
            at = int(rng.random() * len(deck))
            hand.append(deck[at])
            deck[at] = deck[-1]
            deck.pop()

    def _state(self, columns: list[list[int]], hand: list[int], deck: list[int]) -> State:
        observation = self._observation
        known = observation.other
        laid = tuple([tuple(column) for column in columns])
        other = Player(tuple(hand), laid, known.shapes, known.arrivals, known.landed, known.flights)
        both = (observation.me, other) if observation.seat == 0 else (other, observation.me)
        cards, pile = tuple(deck), observation.discard_pile
        return State(
            self._setup, observation.phase, self._to_act, observation.turn, cards, pile, both, 1, None
        )


_LEAST_WEIGHT: Final = 1e-9  # so that no possible card is ever left out


def face_down_places(observation: Observation) -> list[FaceDownPlace]:
    """The opponent's face-down cards; a card that the seat does not remember may be any bird of the night."""
    places: list[FaceDownPlace] = []
    for slot, shape in enumerate(observation.other.shapes):
        known = observation.knowledge.face_down[slot]
        for row, face in enumerate(shape):
            if face == DOWN:
                card = known[row] if known else None
                turn, may_be = (-len(places), NIGHT) if card is None else (card.turn, card.may_be)
                places.append(FaceDownPlace(slot, row, turn, may_be))
    return places


def _prepared(
    hypothesis: Hypothesis, places: list[FaceDownPlace], left: list[int], hand: int
) -> PreparedHypothesis:
    rest = left_open(left, hypothesis.pools)
    cards = [face for face, count in enumerate(rest) for _ in range(count)]
    known = {place for pool in hypothesis.pools for place in pool.places}
    return PreparedHypothesis(
        open=_prepared_pool(cards, [place for place in places if place.turn not in known]),
        held=held_open(hand, hypothesis.pools),
        pools=tuple(
            [
                _prepared_pool(list(pool.cards), [place for place in places if place.turn in pool.places])
                for pool in hypothesis.pools
            ]
        ),
    )


def _prepared_pool(cards: list[int], places: list[FaceDownPlace]) -> PreparedPool:
    return PreparedPool(cards, tuple(places), Assignments(cards, [place.may_be for place in places]))
