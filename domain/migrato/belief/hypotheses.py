"""What may have happened to the cards that a seat cannot see, told apart no further than it matters.

The opponent's hidden cards lie in hand or face down. Each came at some time, and with others: from the deck as it lay
since some shuffle, or by a theft. Cards that came together are a *pool*: once the deck has run out, those of them that
have not been seen again are known, only not which of them lies where. What is still in the deck, and what the opponent
drew from it since the last shuffle, is the open pool: it holds whatever is unseen and in no other pool.

A card that leaves the hand may be of one pool or of another. Each way it can have been is a *past*; a card that is seen
makes pasts likelier, less likely or impossible. The weights are those of an opponent who picks blindly among its hand
cards; they leave out which faces a face-down place may have, for `determinize` reckons with that.
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

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


Pasts = tuple[Hypothesis, ...]
PLAIN: Final[Pasts] = (Hypothesis(1.0, ()),)  # all that is unseen may be anywhere
MOST: Final = 200  # pasts that are kept, the likeliest


def unseen(deck: Iterable[int], me: Player, other: Player, discard_pile: tuple[int, ...]) -> list[int]:
    """By face, how many cards of the whole deck `me` cannot place: they lie in the deck or hidden at the `other`'s."""
    left = [0] * FACES
    for face in deck:
        left[face] += 1
    for cards in (me.hand, discard_pile, *me.columns, *other.shapes, *me.arrivals, *other.arrivals):
        for face in cards:
            left[face] -= 1
    left[DOWN] = 0
    return left


def left_open(left: list[int], pools: Pools) -> list[int]:
    """By face, what of the unseen cards the open pool has."""
    rest = left.copy()
    for pool in pools:
        for face in pool.cards:
            rest[face] -= 1
    return rest


def held_open(held: int, pools: Pools) -> int:
    """How many of so many hand cards are of the open pool."""
    return held - sum([pool.hand for pool in pools])


def shown_from_hand(pasts: Pasts, face: int, held: int, left: list[int]) -> Pasts:
    """The opponent, who held so many cards, showed one of them; `left` was unseen before."""
    ways: list[Hypothesis] = []
    for weight, pools in pasts:
        for at, pool in enumerate(pools):
            if pool.hand and face in pool.cards:
                odds = pool.hand * pool.cards.count(face) / len(pool.cards)
                shown = Pool(_without(pool.cards, face), pool.hand - 1, pool.places)
                ways.append(Hypothesis(weight * odds, _replaced(pools, at, shown)))
        rest = left_open(left, pools)
        number = held_open(held, pools)
        if number and rest[face]:
            ways.append(Hypothesis(weight * number * rest[face] / sum(rest), pools))
    return _told_apart(ways)


def laid_down(pasts: Pasts, place: int, held: int) -> Pasts:
    """The opponent, who held so many cards, put one of them face down."""
    ways: list[Hypothesis] = []
    for weight, pools in pasts:
        for at, pool in enumerate(pools):
            if pool.hand:
                laid = Pool(pool.cards, pool.hand - 1, (*pool.places, place))
                ways.append(Hypothesis(weight * pool.hand, _replaced(pools, at, laid)))
        number = held_open(held, pools)
        if number:
            ways.append(Hypothesis(weight * number, pools))
    return _told_apart(ways)


def turned_up(pasts: Pasts, place: int, face: int, left: list[int]) -> Pasts:
    """The card that was put face down in turn `place` has been seen; `left` was unseen before."""
    ways: list[Hypothesis] = []
    rest: list[Hypothesis] = []
    for weight, pools in pasts:
        at = next((at for at, pool in enumerate(pools) if place in pool.places), None)
        if at is None:
            rest.append(Hypothesis(weight, pools))
        elif face in pools[at].cards:
            pool = pools[at]
            odds = pool.cards.count(face) / len(pool.cards)
            places = tuple([other for other in pool.places if other != place])
            shown = Pool(_without(pool.cards, face), pool.hand, places)
            ways.append(Hypothesis(weight * odds, _replaced(pools, at, shown)))
    return _told_apart(ways + _from_open(rest, face, left))


def drawn(pasts: Pasts, face: int, left: list[int]) -> Pasts:
    """The seat drew the card itself; `left` was unseen before."""
    return _told_apart(_from_open(pasts, face, left))


def stolen(pasts: Pasts, face: int) -> Pasts:
    """The opponent took a card that the seat knows into its hand."""
    return _told_apart([Hypothesis(weight, (*pools, Pool((face,), 1, ()))) for weight, pools in pasts])


def reshuffled(pasts: Pasts, held: int, places: Sequence[int], left: list[int]) -> Pasts:
    """The deck had run out: all that was unseen is the opponent's, in a hand of `held` cards or in the `places`."""
    ways: list[Hypothesis] = []
    for weight, pools in pasts:
        cards = [face for face, count in enumerate(left_open(left, pools)) for _ in range(count)]
        known = [place for pool in pools for place in pool.places]
        rest = tuple([place for place in places if place not in known])
        pool = Pool(tuple(cards), held_open(held, pools), rest)
        ways.append(Hypothesis(weight, (*pools, pool)))
    return _told_apart(ways)


def _from_open(pasts: Sequence[Hypothesis], face: int, left: list[int]) -> list[Hypothesis]:
    """The pasts, weighed by how likely the card was to come out of the open pool."""
    ways: list[Hypothesis] = []
    for weight, pools in pasts:
        rest = left_open(left, pools)
        if rest[face]:
            ways.append(Hypothesis(weight * rest[face] / sum(rest), pools))
    return ways


def _told_apart(ways: list[Hypothesis]) -> Pasts:
    """The pasts, those put together that differ no longer, the likeliest first."""
    weights: dict[Pools, float] = {}
    for weight, pools in ways:
        plain = _plain(pools)
        weights[plain] = weights.get(plain, 0.0) + weight
    if not weights:
        raise DomainError("impossible-position", "What was seen of the cards contradicts itself.")
    kept = sorted([Hypothesis(weight, pools) for pools, weight in weights.items()], reverse=True)[:MOST]
    total = sum([past.weight for past in kept])
    return tuple([Hypothesis(weight / total, pools) for weight, pools in kept])


def _plain(pools: Pools) -> Pools:
    """The same in one way of writing: without empty pools; those that lie all in hand are one, for they stay alike."""
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
