"""Who will win, judged from a whole state without playing on: a fitted logistic sum over both sides' flocks."""

from math import exp, tanh
from typing import Final

from domain.bots.outlook import Supply, flock
from domain.bots.prospects import Prospects
from domain.bots.weights import WIN, Weights
from domain.migrato.cards import ALL_SPECIES, BIRDS, FIRST_DANGER, GOAL, MAX_BIRDS, SPECIES_OF
from domain.migrato.columns import Column
from domain.migrato.rules import Rules
from domain.migrato.state import Player, State, score

SPECIES_COUNT: Final = len(GOAL)
_PLACE: Final = tuple(
    5**birds for birds in range(MAX_BIRDS + 1)
)  # a hand's birds of one species as one number
_MANY: Final = 5 ** (MAX_BIRDS + 1)
MUDDLE: Final = -1
FREE, MISSING, AHEAD, EVEN, BEHIND = range(5)  # what landing a species would mean, see `stage_of`


class Evaluation:
    """Judges states of one search: `supply` is what may be drawn as its root sees it."""

    def __init__(self, rules: Rules, supply: Supply, weights: Weights = WIN) -> None:
        self.rules = rules
        self.weights = weights
        self.prospects = Prospects(supply)
        self._terms: dict[int, float] = {}
        self._flocks: dict[Column, int] = {}

    def win(self, state: State, seat: int) -> float:
        """The probability that the seat wins, a draw counting half; for a state at the start of a turn."""
        if state.to_act is None:
            result = state.result
            assert result is not None
            return 0.5 if result.winner is None else 1.0 if result.winner == seat else 0.0
        sum_ = self.judge(state, state.to_act)
        return 1 / (1 + exp(-sum_ if state.to_act == seat else sum_))

    def judge(self, state: State, seat: int) -> float:
        """The logit of winning for `seat`, which is to act."""
        me, other = state.players[seat], state.players[1 - seat]
        weights = self.weights
        missing = ALL_SPECIES & ~(me.landed | other.landed)
        left = missing.bit_count() - 1
        lead = score(me, self.rules) - score(other, self.rules)
        mine, theirs = MISSING, MISSING
        if left == 0:
            mine, theirs = (AHEAD, BEHIND) if lead > 0 else (BEHIND, AHEAD) if lead < 0 else (EVEN, EVEN)
        total = weights.tempo + weights.lead[left] * lead + weights.edge[left] * tanh(lead / 4)
        return total + self.side(me, other.landed, mine) - self.side(other, me.landed, theirs)

    def side(self, player: Player, landed_there: int, stage: int) -> float:
        """What one side's hand and flocks are worth; `stage` is that of species that nobody has landed."""
        weights = self.weights
        hand, columns, landed = player.hand, player.columns, player.landed
        held = [0] * SPECIES_COUNT
        dangers = dead = used = muddles = 0
        for card in hand:
            s = SPECIES_OF[card]
            if s < 0:
                dangers += 1
            elif landed >> s & 1:
                dead += 1
            else:
                held[s] += _PLACE[BIRDS[card]]
        best = [0] * SPECIES_COUNT
        for column in columns:
            if column:
                used += 1
                known = self.flock_of(column)
                if known == MUDDLE or landed >> (known >> 8) & 1:
                    muddles += 1
                else:
                    s = known >> 8
                    if best[s]:
                        muddles += 1
                    if known > best[s]:
                        best[s] = known
        total = (
            weights.columns * used + weights.junk * muddles + weights.dangers * dangers + weights.dead * dead
        )
        for s in range(SPECIES_COUNT):
            if not landed >> s & 1:
                total += self.term(s, best[s] & 255, held[s], FREE if landed_there >> s & 1 else stage)
        return total

    def flock_of(self, column: Column) -> int:
        """species, length and last birds in one number, or MUDDLE."""
        known = self._flocks.get(column)
        if known is None:
            species = flock(column)
            if species is None or len(column) > GOAL[species]:
                known = MUDDLE
            else:
                known = species << 8 | min(len(column), GOAL[species] - 1) << 4 | BIRDS[column[-1]]
            self._flocks[column] = known
        return known

    def term(self, s: int, standing: int, held: int, stage: int) -> float:
        """What one species that a side has not landed is worth to it: `standing` is length and last birds."""
        key = ((s << 8 | standing) << 3 | stage) * _MANY + held
        known = self._terms.get(key)
        if known is None:
            known = self._terms[key] = self._term(s, standing, held, stage)
        return known

    def _term(self, s: int, standing: int, held: int, stage: int) -> float:
        length, bottom = standing >> 4, standing & 15
        if not length:
            bottom = MAX_BIRDS
        lacking = GOAL[s] - length
        fitting: list[int] = []
        for birds in range(bottom, 0, -1):
            fitting += [birds] * (held // _PLACE[birds] % 5)
        points = self.prospects.points(s, lacking, bottom, fitting)
        tempo = self.prospects.tempo(s, lacking, bottom, fitting)
        constant, of_points, of_tempo = self.weights.stage[s][stage]
        token = self.weights.token[s][length][min(2, len(fitting), lacking)]
        return constant + of_points * points + of_tempo * tempo + token


def dangers_in(hand: tuple[int, ...]) -> int:
    """How many of the cards are dangers."""
    return sum(1 for card in hand if card >= FIRST_DANGER)
