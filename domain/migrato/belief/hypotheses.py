# compiled into rules
"""Hypotheses about the cards that a seat cannot see; two differ only in what matters.

The opponent's hidden cards lie in hand or face down. Each came at some time, and with others: from the deck as it lay
since some shuffle, or by a theft. Cards that came together are a *pool*: once the deck has run out, those of them that
have not been seen again are known, only not which of them lies where. What is still in the deck, and what the opponent
drew from it since the last shuffle, is the open pool: it holds whatever is unseen and in no other pool.

A card that leaves the hand may be of one pool or of another. Each way it can have been is a *hypothesis*; a card
that is seen makes hypotheses likelier, less likely or impossible. The weights are those of an opponent who picks
blindly among its hand cards. They leave out which faces a face-down place may have: `determinize` considers that.
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from domain.adding import added
from domain.errors import DomainError
from domain.migrato.rules.cards import DOWN, NAME
from domain.migrato.rules.state import Player

FACES: Final = len(NAME)


class Pool(NamedTuple):
    """`cards`, sorted, that lie one each in so many places of the `hand` and in the face-down `places`.

    A place is named by the turn in which its card was put there: there is at most one such card a turn.
    """

    cards: tuple[int, ...]
    hand: int
    places: tuple[int, ...]


Pools = tuple[Pool, ...]


class Hypothesis(NamedTuple):
    """One way it can have been and how likely that is; the open pool has what the `pools` do not account for."""

    weight: float
    pools: Pools


Hypotheses = tuple[Hypothesis, ...]
UNINFORMED: Final[Hypotheses] = (Hypothesis(1.0, ()),)  # all that is unseen may be anywhere
MOST_HYPOTHESES: Final = 200  # that are kept, the likeliest


def unseen(deck: Iterable[int], me: Player, other: Player, discard_pile: tuple[int, ...]) -> list[int]:
    """Number of cards by face that `me` cannot place: they lie in the deck or hidden at the `other`'s."""
    left = [0] * FACES
    for face in deck:
        left[face] += 1
    for cards in (me.hand, discard_pile, *me.columns, *other.shapes, *me.arrivals, *other.arrivals):
        for face in cards:
            left[face] -= 1
    left[DOWN] = 0
    return left


def left_open(left: list[int], pools: Pools) -> list[int]:
    """Number of unseen cards by face in the open pool."""
    rest = left.copy()
    for pool in pools:
        for face in pool.cards:
            rest[face] -= 1
    return rest


def held_open(held: int, pools: Pools) -> int:
    """Number of the opponent's `held` hand cards that are of the open pool."""
    return held - sum([pool.hand for pool in pools])


def shown_from_hand(hypotheses: Hypotheses, face: int, held: int, left: list[int]) -> Hypotheses:
    """The hypotheses after the opponent, who held `held` cards, showed one of them; `left` was unseen before."""
    possible: list[Hypothesis] = []
    for weight, pools in hypotheses:
        for at, pool in enumerate(pools):
            if pool.hand and face in pool.cards:
                probability = pool.hand * pool.cards.count(face) / len(pool.cards)
                shown = Pool(_without(pool.cards, face), pool.hand - 1, pool.places)
                possible.append(Hypothesis(weight * probability, _replaced(pools, at, shown)))
        rest = left_open(left, pools)
        number = held_open(held, pools)
        if number and rest[face]:
            possible.append(Hypothesis(weight * number * rest[face] / sum(rest), pools))
    return _merged(possible)


def laid_down(hypotheses: Hypotheses, place: int, held: int) -> Hypotheses:
    """The hypotheses after the opponent, who held `held` cards, put one of them face down in turn `place`."""
    possible: list[Hypothesis] = []
    for weight, pools in hypotheses:
        for at, pool in enumerate(pools):
            if pool.hand:
                laid = Pool(pool.cards, pool.hand - 1, (*pool.places, place))
                possible.append(Hypothesis(weight * pool.hand, _replaced(pools, at, laid)))
        number = held_open(held, pools)
        if number:
            possible.append(Hypothesis(weight * number, pools))
    return _merged(possible)


def picked_up(hypotheses: Hypotheses, place: int) -> Hypotheses:
    """The hypotheses after the opponent took back the card that it put down in turn `place`: `laid_down` undone."""
    possible: list[Hypothesis] = []
    for weight, pools in hypotheses:
        at = next((at for at, pool in enumerate(pools) if place in pool.places), None)
        if at is not None:
            pool = pools[at]
            places = tuple([other for other in pool.places if other != place])
            pools = _replaced(pools, at, Pool(pool.cards, pool.hand + 1, places))
        possible.append(Hypothesis(weight, pools))
    return _merged(possible)


def turned_up(hypotheses: Hypotheses, place: int, face: int, left: list[int]) -> Hypotheses:
    """The hypotheses after the card that was put face down in turn `place` was seen; `left` was unseen before."""
    possible: list[Hypothesis] = []
    rest: list[Hypothesis] = []
    for weight, pools in hypotheses:
        at = next((at for at, pool in enumerate(pools) if place in pool.places), None)
        if at is None:
            rest.append(Hypothesis(weight, pools))
        elif face in pools[at].cards:
            pool = pools[at]
            probability = pool.cards.count(face) / len(pool.cards)
            places = tuple([other for other in pool.places if other != place])
            shown = Pool(_without(pool.cards, face), pool.hand, places)
            possible.append(Hypothesis(weight * probability, _replaced(pools, at, shown)))
    return _merged(possible + _from_open(rest, face, left))


def drawn(hypotheses: Hypotheses, face: int, left: list[int]) -> Hypotheses:
    """The hypotheses after the seat itself drew the card; `left` was unseen before."""
    return _merged(_from_open(hypotheses, face, left))


def stolen(hypotheses: Hypotheses, face: int) -> Hypotheses:
    """The hypotheses after the opponent took into its hand a card that the seat knows."""
    return _merged([Hypothesis(weight, (*pools, Pool((face,), 1, ()))) for weight, pools in hypotheses])


def reshuffled(hypotheses: Hypotheses, held: int, places: Sequence[int], left: list[int]) -> Hypotheses:
    """The hypotheses after the deck ran out: the opponent has all unseen cards, in a hand of `held` or at `places`."""
    possible: list[Hypothesis] = []
    for weight, pools in hypotheses:
        cards = [face for face, count in enumerate(left_open(left, pools)) for _ in range(count)]
        known = [place for pool in pools for place in pool.places]
        rest = tuple([place for place in places if place not in known])
        pool = Pool(tuple(cards), held_open(held, pools), rest)
        possible.append(Hypothesis(weight, (*pools, pool)))
    return _merged(possible)


def _from_open(hypotheses: Sequence[Hypothesis], face: int, left: list[int]) -> list[Hypothesis]:
    """The hypotheses, weighed by how likely the card was to come out of the open pool."""
    possible: list[Hypothesis] = []
    for weight, pools in hypotheses:
        rest = left_open(left, pools)
        if rest[face]:
            possible.append(Hypothesis(weight * rest[face] / sum(rest), pools))
    return possible


def _merged(possible: list[Hypothesis]) -> Hypotheses:
    """The hypotheses, equal ones merged, the likeliest first."""
    weights: dict[Pools, float] = {}
    for weight, pools in possible:
        canonical = _canonical(pools)
        weights[canonical] = weights.get(canonical, 0.0) + weight
    if not weights:
        raise DomainError("impossible-position", "What was seen of the cards contradicts itself.")
    kept = sorted([Hypothesis(weight, pools) for pools, weight in weights.items()], reverse=True)[
        :MOST_HYPOTHESES
    ]
    total = added([hypothesis.weight for hypothesis in kept])
    return tuple([Hypothesis(weight / total, pools) for weight, pools in kept])


def _canonical(pools: Pools) -> Pools:
    """The pools in one fixed form: sorted, without empty ones; pools that lie entirely in hand are merged into one."""
    held: list[int] = []
    placed: list[Pool] = []
    for pool in pools:
        if pool.places:
            placed.append(pool)
        else:
            held += pool.cards
    if held:
        placed.append(Pool(tuple(sorted(held)), len(held), ()))
    return tuple(sorted(placed))


def _replaced(pools: Pools, at: int, pool: Pool) -> Pools:
    return (*pools[:at], pool, *pools[at + 1 :])


def _without(cards: tuple[int, ...], face: int) -> tuple[int, ...]:
    at = cards.index(face)
    return cards[:at] + cards[at + 1 :]
