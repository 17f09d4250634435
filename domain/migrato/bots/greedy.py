# compiled into rules
"""Takes the nearest gain: an arrival, a theft, the longest flock. It ignores the cards left in the deck."""

from typing import Final

from domain.adding import added
from domain.bot import Bot, Budget, Choice, Rng, Stop
from domain.migrato.belief.observation import Observation
from domain.migrato.bots.side_after import flock, side_after
from domain.migrato.rules.cards import BIRDS, FIRST_DANGER, GOAL, SPECIES_OF
from domain.migrato.rules.columns import Column
from domain.migrato.rules.moves import Abandon, Discard, Exchange, Move, MoveCards, Play, PlayDanger


def _policy(observation: Observation, _rng: Rng, _budget: Budget, _stop: Stop) -> Choice:
    """The first of the best; chance is not needed."""
    best, most = observation.moves[0], _worth(observation, observation.moves[0])
    for move in observation.moves[1:]:
        worth = _worth(observation, move)
        if worth > most:
            best, most = move, worth
    return Choice(best)


def _worth(observation: Observation, move: Move) -> float:
    match move:
        case Play() | MoveCards():
            after = side_after(observation, move)
            effort = 0.5 if isinstance(move, MoveCards) else 0.0
            return (
                20 * after.points
                + _progress(after.columns)
                - _progress(observation.me.columns)
                - 5 * after.lost
                - effort
            )
        case PlayDanger(_, slot, pile):
            if pile is not None:
                return 0.0
            return 2.0 + len(observation.other.shapes[slot]) if slot is not None else 0.0
        case Discard(card):
            return -_use(observation, card)
        case Exchange():
            return 0.2
        case Abandon(slot):
            return 0.1 if flock(observation.me.columns[slot]) is None else -len(observation.me.columns[slot])
        case _:
            return 0.0  # the only move


def _progress(columns: tuple[Column, ...]) -> float:
    """Worth of the columns: a long flock counts more than several short ones, and a muddle counts against."""
    return added(
        [len(c) ** 2 / GOAL[SPECIES_OF[c[0]]] if flock(c) is not None else -1.0 for c in columns if c]
    )


def _use(observation: Observation, card: int) -> float:
    """Worth of keeping the card: dangers and cards that fit a column most."""
    if card >= FIRST_DANGER:
        return 3.0
    if observation.me.landed >> SPECIES_OF[card] & 1:
        return 0.0
    fits = any(c and flock((*c, card)) is not None for c in observation.me.columns)
    return (5.0 if fits else 1.0) + BIRDS[card] / 10


GREEDY: Final = Bot(
    "greedy", "1", "Takes the nearest arrival, theft or longest flock.", _policy, milliseconds=1
)
