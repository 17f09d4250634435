"""Weighs its own side against the opponent's: how near each flock is, what it will score, what is left to finish it.

The weights below were set by play against the greedy bot (`migrato simulate --bots heuristic,greedy`).
"""

import math
from typing import Final

from domain.bots.bot import Bot, Rng
from domain.bots.outlook import flock, outlook, unseen
from domain.migrato.cards import ALL_SPECIES, BIRDS, DOWN, FIRST_DANGER, GOAL, IS_NIGHT, SPECIES_OF
from domain.migrato.columns import Column
from domain.migrato.moves import Abandon, Discard, Exchange, Move, MoveCards, Play, PlayDanger
from domain.migrato.observation import Observation
from domain.migrato.state import score

TEMPO = 1.5  # what landing a species is worth beside its points
HAND_CARD = 0.6  # how much a fitting hand card counts of one that lies in the column
NEW_CARD = 0.12  # what a card drawn is worth before it is seen
SPARE = 0.15  # how much a second flock of a species counts of the first
MUDDLE = 0.4  # what a column that can no longer arrive costs
DANGER_CARD = 0.5  # what holding a danger card is worth
DECISIVE = 100.0

Left = dict[int, int]


def _choose(seen: Observation, _rng: Rng) -> Move:
    left = unseen(seen)
    return max(seen.moves, key=lambda move: _worth(seen, left, move))


def _worth(seen: Observation, left: Left, move: Move) -> float:
    me = seen.me
    match move:
        case Play() | MoveCards():
            after = outlook(seen, move)
            hand = _without(me.hand, move.card) if isinstance(move, Play) else me.hand
            rest = _best_rest(left, after.columns, after.landed, hand)
            worth = _side(left, after.columns, after.landed, rest)
            worth += NEW_CARD * (2 if isinstance(move, Play) else 1)
            if after.points:
                worth += after.points + TEMPO + _finish(seen, after.landed, after.points)
            return worth - 0.1 * after.lost
        case PlayDanger():
            return _theft(seen, left, move)
        case Discard(card):
            return _side(left, me.columns, me.landed, _without(me.hand, card))
        case Exchange():
            return _side(left, me.columns, me.landed, ()) + 3 * NEW_CARD
        case Abandon():
            after = outlook(seen, move)
            return _side(left, after.columns, after.landed, me.hand) - NEW_CARD
        case _:
            return -DECISIVE


def _without(hand: tuple[int, ...], card: int) -> tuple[int, ...]:
    at = hand.index(card)
    return hand[:at] + hand[at + 1 :]


def _best_rest(
    left: Left, columns: tuple[Column, ...], landed: int, hand: tuple[int, ...]
) -> tuple[int, ...]:
    """The hand after its least useful card is discarded."""
    rests = [_without(hand, card) for card in dict.fromkeys(hand)]
    return max(rests, key=lambda rest: _side(left, columns, landed, rest), default=())


def _finish(seen: Observation, landed: int, points: int) -> float:
    """Ending the game is decisive, for better or worse."""
    if landed | seen.other.landed != ALL_SPECIES:
        return 0.0
    lead = score(seen.me, seen.rules) + points - score(seen.other, seen.rules)
    return DECISIVE if lead > 0 else -DECISIVE if lead < 0 else 0.0


def _theft(seen: Observation, left: Left, move: PlayDanger) -> float:
    """What the opponent loses, and what the stolen card adds to the own hand where it can be seen."""
    me, other = seen.me, seen.other
    hand = _without(me.hand, move.card)
    if move.slot is None:
        assert move.pile is not None
        pile = other.arrivals[move.pile]
        stolen, harm = pile[-1], float(BIRDS[pile[-1]] - BIRDS[pile[-2]])
    else:
        column = other.shapes[move.slot]
        stolen, harm = column[-1], _threat(column, other.landed) - _threat(column[:-1], other.landed)
    if stolen != DOWN:
        hand = (*hand, stolen)
    rest = _best_rest(left, me.columns, me.landed, hand) if len(hand) == len(me.hand) else hand
    return _side(left, me.columns, me.landed, rest) + harm + NEW_CARD


def _threat(shape: Column, landed: int) -> float:
    """What an opposing column may be worth to the opponent, as far as can be seen."""
    if not shape:
        return 0.0
    seen_cards = [card for card in shape if card != DOWN]
    if seen_cards:
        species = SPECIES_OF[seen_cards[0]]
        if landed >> species & 1:
            return 0.0
        return (BIRDS[seen_cards[-1]] + TEMPO) * (len(shape) / GOAL[species]) ** 2
    return 4.5 * (len(shape) / 4.5) ** 2


def _side(left: Left, columns: tuple[Column, ...], landed: int, hand: tuple[int, ...]) -> float:
    """The worth of the own side: its best flock of each species, a little for the others, and the hand."""
    flocks: dict[int, list[float]] = {}
    total = 0.0
    for column in columns:
        if column:
            species = flock(column)
            if species is None or landed >> species & 1:
                total -= MUDDLE
            else:
                flocks.setdefault(species, []).append(_flock_worth(column, species, hand, left))
    free = () in columns
    for card in hand:
        if card >= FIRST_DANGER:
            total += DANGER_CARD
        elif free and SPECIES_OF[card] not in flocks and not landed >> SPECIES_OF[card] & 1:
            total += 0.5 * _flock_worth((card,), SPECIES_OF[card], hand, left)
    for worths in flocks.values():
        worths.sort(reverse=True)
        total += worths[0] + SPARE * sum(worths[1:])
    return total


def _flock_worth(column: Column, species: int, hand: tuple[int, ...], left: Left) -> float:
    """Expected points of a flock by its progress; next to nothing when the cards to finish it are gone."""
    bottom, lacking = BIRDS[column[-1]], GOAL[species] - len(column)
    in_hand = sorted(
        (BIRDS[c] for c in hand if SPECIES_OF[c] == species and BIRDS[c] <= bottom), reverse=True
    )
    supply = sum(
        n for f, n in left.items() if f < FIRST_DANGER and SPECIES_OF[f] == species and BIRDS[f] <= bottom
    )
    if lacking > len(in_hand) + supply:
        return 0.05 * len(column)
    held = in_hand[:lacking]
    last = held[-1] if held else bottom
    final = last if len(held) == lacking else max(1.0, last - 0.4 * (lacking - len(held)))
    progress = (len(column) + HAND_CARD * len(held)) / GOAL[species]
    risk = 0.95 if IS_NIGHT[column[-1]] else 1.0
    chance = min(1.0, 0.5 + 0.1 * supply / max(1, lacking))
    return risk * (final + TEMPO) * math.pow(progress, 1.6) * chance


HEURISTIC: Final = Bot("heuristic", "1", "Weighs every flock's chances, its own and the opponent's.", _choose)
