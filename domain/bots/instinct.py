"""What a move seems to be worth at a glance, without making it: where the search looks first."""

from math import exp
from typing import Final

from domain.bots.evaluation import (
    _PLACE,
    AHEAD,
    BEHIND,
    EVEN,
    FREE,
    MISSING,
    MUDDLE,
    SPECIES_COUNT,
    Evaluation,
)
from domain.migrato.cards import ALL_SPECIES, BIRDS, FIRST_DANGER, GOAL, SPECIES_OF
from domain.migrato.moves import Abandon, Discard, Exchange, Move, MoveCards, Pass, Play, PlayDanger
from domain.migrato.state import DISCARD, Player, State, score

SECOND: Final = -0.4
WRONG: Final = -1.0
SPLIT: Final = -0.7
JOIN: Final = -0.1
EXCHANGE_: Final = -0.15
ABANDON: Final = -0.7
THEFT: Final = 0.0
LANDING: Final = 0.6
ENDING: Final = 3.0


class Instinct:
    """Worths in logits of winning, for the seat that is to act."""

    def __init__(self, evaluation: Evaluation) -> None:
        self.evaluation = evaluation

    def worths(self, state: State, moves: list[Move]) -> list[float]:
        """One for each of the moves."""
        seat = state.to_act
        assert seat is not None
        me, other = state.players[seat], state.players[1 - seat]
        rules = self.evaluation.rules
        lead = score(me, rules) - score(other, rules)
        glance = _Glance(self.evaluation, me, other, lead)
        if state.phase is DISCARD:
            return [glance.discard(move.card) if isinstance(move, Discard) else 0.0 for move in moves]
        return [glance.worth(move) for move in moves]


class _Glance:
    """One state as the seat to act has it before it."""

    __slots__ = ("best", "evaluation", "held", "landed", "lead", "me", "mine", "missing", "other", "theirs")

    def __init__(self, evaluation: Evaluation, me: Player, other: Player, lead: int) -> None:
        self.evaluation = evaluation
        self.me = me
        self.other = other
        self.lead = lead
        self.landed = me.landed
        self.missing = ALL_SPECIES & ~(me.landed | other.landed)
        self.mine = MISSING
        self.theirs = MISSING
        if self.missing & (self.missing - 1) == 0:
            self.mine, self.theirs = (
                (AHEAD, BEHIND) if lead > 0 else (BEHIND, AHEAD) if lead < 0 else (EVEN, EVEN)
            )
        self.held = [0] * SPECIES_COUNT
        for card in me.hand:
            s = SPECIES_OF[card]
            if s >= 0:
                self.held[s] += _PLACE[BIRDS[card]]
        self.best = [0] * SPECIES_COUNT
        for column in me.columns:
            if column:
                known = evaluation.flock_of(column)
                if known >= 0:
                    s = known >> 8
                    self.best[s] = max(self.best[s], known & 255)

    def term(self, s: int, standing: int, held: int) -> float:
        return self.evaluation.term(s, standing, held, FREE if self.other.landed >> s & 1 else self.mine)

    def worth(self, move: Move) -> float:
        if isinstance(move, Play):
            return self.play(move.card, move.slot)
        if isinstance(move, MoveCards):
            return self.join(move)
        if isinstance(move, PlayDanger):
            return self.theft(move)
        if isinstance(move, Exchange):
            return EXCHANGE_
        if isinstance(move, Abandon):
            return 0.0 if self.evaluation.flock_of(self.me.columns[move.slot]) == MUDDLE else ABANDON
        return 0.0 if isinstance(move, Pass) else -9.0

    def discard(self, card: int) -> float:
        s = SPECIES_OF[card]
        if s < 0:
            return -self.evaluation.weights.dangers
        if self.landed >> s & 1:
            return -self.evaluation.weights.dead
        held = self.held[s]
        return self.term(s, self.best[s], held - _PLACE[BIRDS[card]]) - self.term(s, self.best[s], held)

    def play(self, card: int, slot: int | None) -> float:
        s, birds = SPECIES_OF[card], BIRDS[card]
        left = self.held[s] - _PLACE[birds]
        before = self.term(s, self.best[s], self.held[s])
        if slot is None:
            if self.best[s]:
                return SECOND
            return self.term(s, 16 | birds, left) - before
        known = self.evaluation.flock_of(self.me.columns[slot])
        if known < 0 or known >> 8 != s or known & 15 < birds:
            return WRONG
        length = (known >> 4 & 15) + 1
        if length >= GOAL[s]:
            return self.landing(s, birds) - before
        return self.term(s, length << 4 | birds, left) - before

    def landing(self, s: int, birds: int) -> float:
        lead = self.lead + birds
        if self.missing == 1 << s:
            return ENDING if lead > 0 else -ENDING if lead < 0 else 0.0
        return LANDING + 0.5 * birds

    def join(self, move: MoveCards) -> float:
        if move.target is None:
            return SPLIT
        result = self.me.columns[move.target] + self.me.columns[move.source][move.index :]
        s = SPECIES_OF[result[0]]
        known = self.evaluation.flock_of(result)
        if known < 0 or self.landed >> s & 1:
            return WRONG
        before = self.term(s, self.best[s], self.held[s])
        if len(result) >= GOAL[s]:
            return self.landing(s, BIRDS[result[-1]]) - before
        return JOIN + self.term(s, known & 255, self.held[s]) - before

    def theft(self, move: PlayDanger) -> float:
        other = self.other
        if move.slot is None:
            pile = other.arrivals[move.pile or 0]
            return THEFT + 0.4 * (BIRDS[pile[-1]] - BIRDS[pile[-2]])
        column = other.columns[move.slot]
        known = self.evaluation.flock_of(column)
        stolen = column[-1]
        s, birds = SPECIES_OF[stolen], BIRDS[stolen]
        gain = THEFT
        if known >= 0 and not other.landed >> s & 1:
            stage = FREE if self.landed >> s & 1 else self.theirs
            rest = self.evaluation.flock_of(column[:-1]) & 255 if len(column) > 1 else 0
            gain += self.evaluation.term(s, known & 255, 0, stage) - self.evaluation.term(s, rest, 0, stage)
        if not self.landed >> s & 1:
            held = self.held[s]
            gain += self.term(s, self.best[s], held + _PLACE[birds]) - self.term(s, self.best[s], held)
        return gain - self.evaluation.weights.dangers


def odds(worths: list[float], sharpness: float) -> list[float]:
    """Softmax."""
    top = max(worths)
    return [exp((worth - top) * sharpness) for worth in worths]


assert FIRST_DANGER
