# compiled into rules
"""Probability of winning, judged without playing on: a fitted logistic sum over both sides' flocks and hands.

It judges the moment after a discard, before the cards are drawn, so the luck of the draw adds no noise.
"""

from math import tanh
from typing import Final

from domain.migrato.bots.flock_worth import FlockWorth
from domain.migrato.bots.side_after import flock
from domain.migrato.bots.supply import Supply
from domain.migrato.bots.weights import POINTS, WIN, Weights
from domain.migrato.rules.cards import ALL_SPECIES, BIRDS, FIRST_DANGER, GOAL, MAX_BIRDS, SPECIES_OF
from domain.migrato.rules.columns import Column
from domain.migrato.rules.options import Rules

SPECIES_COUNT: Final = len(GOAL)
PLACE: Final = tuple(
    5**birds for birds in range(MAX_BIRDS + 1)
)  # a hand's birds of one species as one number
_HANDS: Final = 5 ** (MAX_BIRDS + 1)
NO_FLOCK: Final = -1
# What landing a species would mean: by how many species nobody has landed, whether this is one, who is ahead.
FREE_LAST: Final = 0
FREE_TWO: Final = 1
FREE: Final = 2
LAST: Final = 3  # ahead, even, behind
TWO: Final = 6  # ahead, even, behind
MISSING: Final = 9
CERTAIN: Final = 30.0  # a logit
NEAR_LIMIT: Final = 20  # turns
LEAD_AT_LIMIT: Final = 1.5  # the logit of a point ahead when the turns are over
PATIENCE: Final = 0.88  # the part of a worth that remains if it comes one turn later
HASTE: Final = 0.75  # the same, when only what comes soon counts


class SideFeatures:
    """One side: by species the best flock (length << 8 | last birds << 4 | first birds, 0 for none) and the birds held;
    and the rest.
    """

    __slots__ = ("best", "dangers", "dead", "held", "joined", "landed", "spare", "used", "useless")

    def __init__(self, landed: int) -> None:
        self.landed = landed
        self.best: list[int] = [0, 0, 0, 0, 0]
        self.joined: list[int] = [0, 0, 0, 0, 0]
        self.held: list[int] = [0, 0, 0, 0, 0]
        self.used = 0
        self.useless = 0
        self.spare = 0
        self.dangers = 0.0
        self.dead = 0


class Evaluation:
    """Judges positions of one search: `supply` is what may be drawn as its root, in that `turn`, sees it.

    Near a turn limit what lies on the table counts less, and the lead more.
    """

    def __init__(self, rules: Rules, turn: int, supply: Supply, weights: Weights = WIN) -> None:
        self.rules = rules
        self.horizon = min(1.0, max(0, rules.last_turn - turn) / NEAR_LIMIT)
        self.weights = weights
        self.points = FlockWorth(supply, PATIENCE, counts=True)
        self.tempo = FlockWorth(supply, PATIENCE, counts=False)
        self.hurry = FlockWorth(supply, HASTE, counts=False)
        self._terms: dict[int, float] = {}
        self._flocks: dict[Column, int] = {}

    def side_features(self, hand: tuple[int, ...], columns: tuple[Column, ...], landed: int) -> SideFeatures:
        """The part of one side that the evaluation looks at."""
        side = SideFeatures(landed)
        held, best = side.held, side.best
        for card in hand:
            s = SPECIES_OF[card]
            if s < 0:
                side.dangers += self.weights.dangers[card - FIRST_DANGER]
            elif landed >> s & 1:
                side.dead += 1
            else:
                held[s] += PLACE[BIRDS[card]]
        for column in columns:
            if column:
                side.used += 1
                known = self.flock_of(column)
                s = known >> 12
                if known == NO_FLOCK or landed >> s & 1:
                    side.useless += 1
                    continue
                known &= 4095
                first = best[s]
                if not first:
                    best[s] = known
                    continue
                if known > first:
                    best[s] = known
                joined = _join(s, first, known)
                if joined > side.joined[s]:
                    if not side.joined[s]:
                        side.spare += 1
                    side.joined[s] = joined
                else:
                    side.useless += 1
        return side

    def total(self, side: SideFeatures, landed_there: int, stage: int) -> float:
        """Worth of a side's flocks and hand; `stage` is that of species that nobody has landed."""
        weights = self.weights
        total = (
            weights.columns * side.used
            + weights.junk * side.useless
            + weights.spare * side.spare
            + side.dangers
            + weights.dead * side.dead
        )
        landed = side.landed
        best, held, joined = side.best, side.held, side.joined
        free = free_of(stage)
        for s in range(SPECIES_COUNT):
            if not landed >> s & 1:
                total += self.term(s, best[s], joined[s], held[s], free if landed_there >> s & 1 else stage)
        return total

    def after_discard(
        self, side: SideFeatures, hand: tuple[int, ...], landed_there: int, stage: int
    ) -> float:
        """The total less what the least useful card of the hand adds to it."""
        total = self.total(side, landed_there, stage)
        if not hand:
            return total
        least = 1e9
        for card in hand:
            loss = self.loss(side, card, landed_there, stage)
            if loss < least:
                least = loss
        return total - least

    def loss(self, side: SideFeatures, card: int, landed_there: int, stage: int) -> float:
        """The part of the total that a hand card adds, and that is lost with it."""
        s = SPECIES_OF[card]
        if s < 0:
            return self.weights.dangers[card - FIRST_DANGER]
        if side.landed >> s & 1:
            return self.weights.dead
        stage = free_of(stage) if landed_there >> s & 1 else stage
        held, best, joined = side.held[s], side.best[s], side.joined[s]
        return self.term(s, best, joined, held, stage) - self.term(
            s, best, joined, held - PLACE[BIRDS[card]], stage
        )

    def lead(self, lead: int, landed: int) -> float:
        """Worth of the lead while the species of the bit set `landed` have landed on either side."""
        left = (ALL_SPECIES & ~landed).bit_count() - 1
        fitted = self.weights.lead[left] * lead + self.weights.edge[left] * tanh(lead / 4)
        return self.horizon * fitted + (1 - self.horizon) * LEAD_AT_LIMIT * lead

    def ended(self, lead: int) -> float:
        """Worth of a game that ends with that lead."""
        if self.weights is POINTS:
            return float(lead)
        return CERTAIN if lead > 0 else -CERTAIN if lead < 0 else 0.0

    def flock_of(self, column: Column) -> int:
        """Species << 12 | length << 8 | last birds << 4 | first birds, or NO_FLOCK."""
        known = self._flocks.get(column)
        if known is None:
            species = flock(column)
            if species is None or len(column) > GOAL[species]:
                known = NO_FLOCK
            else:
                length = min(len(column), GOAL[species] - 1)
                known = species << 12 | length << 8 | BIRDS[column[-1]] << 4 | BIRDS[column[0]]
            self._flocks[column] = known
        return known

    def term(self, s: int, best: int, joined: int, held: int, stage: int) -> float:
        """Worth of one species to a side that has not landed it."""
        key = (((s << 12 | best) << 12 | joined) << 4 | stage) * _HANDS + held
        known = self._terms.get(key)
        if known is None:
            known = self.horizon * self._term(s, best, joined, held, stage)
            self._terms[key] = known
        return known

    def _term(self, s: int, best: int, joined: int, held: int, stage: int) -> float:
        length, bottom, top = best >> 8, best >> 4 & 15, best & 15
        if not length:
            bottom = MAX_BIRDS
        lacking = GOAL[s] - length
        cards: list[int] = []
        fitting = above = 0
        for birds in range(MAX_BIRDS, 0, -1):
            count = held // PLACE[birds] % 5
            cards += [birds] * count
            if birds <= bottom:
                fitting += count
            elif birds >= top and length:
                above += count
        points = self.points.worth(s, lacking, top, bottom, cards)
        tempo = self.tempo.worth(s, lacking, top, bottom, cards)
        hurry = self.hurry.worth(s, lacking, top, bottom, cards)
        if joined:
            lack, low, high = GOAL[s] - (joined >> 8), joined >> 4 & 15, joined & 15
            points = max(points, PATIENCE * self.points.worth(s, lack, high, low, cards))
            tempo = max(tempo, PATIENCE * self.tempo.worth(s, lack, high, low, cards))
            hurry = max(hurry, HASTE * self.hurry.worth(s, lack, high, low, cards))
        of_stage = self.weights.stage[s][stage]
        token = self.weights.token[s][length][min(2, fitting, lacking)]
        token += self.weights.above[s] * above
        if joined:
            token += self.weights.joined[s]
        return of_stage[0] + of_stage[1] * points + of_stage[2] * tempo + of_stage[3] * hurry + token


def _join(s: int, one: int, two: int) -> int:
    """Two flocks of a species as one, the one below the other; 0 if they cannot be joined."""
    length = (one >> 8) + (two >> 8)
    if length > GOAL[s]:
        return 0
    if one >> 4 & 15 >= two & 15:
        return length << 8 | (two >> 4 & 15) << 4 | one & 15
    if two >> 4 & 15 >= one & 15:
        return length << 8 | (one >> 4 & 15) << 4 | two & 15
    return 0


def free_of(stage: int) -> int:
    """The stage of a species that the opponent has landed, at the same point of the game."""
    return FREE if stage == MISSING else FREE_TWO if stage >= TWO else FREE_LAST


def stage_of(missing: int, lead: int) -> int:
    """The stage of a species that nobody has landed, for the side with that lead: an index into its weights."""
    left = missing.bit_count()
    if left > 2:
        return MISSING
    side = 0 if lead > 0 else 2 if lead < 0 else 1
    return LAST + side if left == 1 else TWO + side
