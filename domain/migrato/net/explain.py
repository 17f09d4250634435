"""Why the net likes a move or not: what it is told after the move, part by part, against what it is told before."""

from collections.abc import Sequence
from math import sqrt
from typing import Final

from domain.bot import Considered, Reason
from domain.migrato.belief.observation import Observation
from domain.migrato.net.inputs import NO_FLOCK, InformationSet, Inputs, Theirs, last_inputs
from domain.migrato.net.judge import Judge
from domain.migrato.net.layout import (
    FITS,
    HAND,
    LANDED,
    LAST,
    OWN,
    OWN_COLUMNS,
    OWN_DAY,
    OWN_TOP,
    PROSPECTS,
    SPECIES_COUNT,
    THEIR_COLUMNS,
    THEIR_DARK,
    THEIR_DOWN,
    THEIR_PROSPECTS,
    THEIRS,
)
from domain.migrato.net.own_side import OwnSide, after_action
from domain.migrato.rules.cards import ALL_SPECIES, BIRDS, DOWN, MAX_BIRDS, SPECIES_IDS, SPECIES_OF
from domain.migrato.rules.moves import Abandon, Discard, Exchange, Move, MoveCards, Play, PlayDanger
from domain.migrato.rules.state import score, without
from domain.net.logistic import CERTAINTY, probability_of
from domain.net.network import Network
from domain.net.reasons import Sentences, strongest, with_reasons

_TABLE: Final = (
    2 * SPECIES_COUNT
)  # parts: own flocks by species, the opponent's, landings and score, own columns,
_COLUMNS: Final = _TABLE + 1
_DARK: Final = _COLUMNS + 1  # the opponent's columns that are all face down, and all else
_REST: Final = _DARK + 1
_NAMES: Final = ("brant geese", "black kites", "stilts", "bee-eaters", "teals")
SENTENCES: Final = Sentences(
    {
        "nearer": "Your {name} come nearer to landing.",
        "further": "Your {name} get further from landing.",
        "landed": "Your {name} have landed and need no more cards.",
        "arrives": "Your {name} arrive: {points}.",
        "lead": "It changes the lead by {points}.",
        "sets-back": "It sets your opponent's {name} back.",
        "helps": "It helps your opponent's {name}.",
        "takes-hidden": "It takes from a column that your opponent hides.",
        "opens-column": "It opens another column.",
        "fills-column": "It fills another column.",
        "tidies-columns": "It tidies your columns up.",
        "mixes-columns": "It mixes your columns up.",
    },
    denies=("sets-back", "takes-hidden"),
)


def judged(observation: Observation, network: Network) -> list[Considered]:
    """Every legal move, the best first; `value` is the lead in points right after it."""
    judge, moments = Judge(observation, network), _Moments(observation, network)
    logits = [judge.logit(move) for move in observation.moves]
    order = sorted(range(len(logits)), key=lambda at: (-logits[at], at))
    return [
        Considered(
            observation.moves[at],
            0,
            float(moments.after(observation.moves[at])[0].lead),
            probability_of(logits[at]) / CERTAINTY,
            _spread(judge.guesses(observation.moves[at])),
        )
        for at in order
    ]


def explained(
    observation: Observation, considered: Sequence[Considered], network: Network
) -> list[Considered]:
    """The same moves, the first of them with reasons."""
    return with_reasons(considered, _Moments(observation, network).reasons)


def _spread(probabilities: list[int]) -> float | None:
    if not probabilities:
        return None
    shares = [probability / CERTAINTY for probability in probabilities]
    mean = sum(shares) / len(shares)
    return sqrt(sum([(share - mean) ** 2 for share in shares]) / len(shares))


class _Moments:
    """What the net is told of the moments that moves lead to, and what it makes of each part of that."""

    def __init__(self, observation: Observation, network: Network) -> None:
        self._observation = observation
        self._network = network
        self._known = InformationSet(observation, network)
        me, other = observation.me, observation.other
        lead = score(me, observation.rules) - score(other, observation.rules)
        self._side = OwnSide(me.hand, me.columns, me.landed, me.flights, lead)
        self._theirs = self._known.theirs(other.shapes, other.landed, len(other.hand))

    def after(self, move: Move) -> tuple[OwnSide, Theirs]:
        """Both sides after the move, and after the discard that the net likes best; a card that is stolen face down is
        left out.
        """
        side, theirs, other = self._side, self._theirs, self._observation.other
        if isinstance(move, Discard):
            return side._replace(hand=without(side.hand, move.card)), theirs
        if isinstance(move, Exchange):
            return side._replace(hand=()), theirs
        if isinstance(move, Abandon):
            columns = list(side.columns)
            columns[move.slot] = ()
            return side._replace(columns=tuple(columns)), theirs
        if isinstance(move, (Play, MoveCards)):
            side = after_action(self._observation, side, move)
        elif isinstance(move, PlayDanger):
            hand = without(side.hand, move.card)
            if move.slot is None:
                pile = other.arrivals[move.pile or 0]
                lead = side.lead + BIRDS[pile[-1]] - BIRDS[pile[-2]]
                side = side._replace(hand=(*hand, pile[-1]), lead=lead)
            else:
                shapes = list(other.shapes)
                card, shapes[move.slot] = shapes[move.slot][-1], shapes[move.slot][:-1]
                theirs = self._known.theirs(shapes, other.landed, len(other.hand))
                side = side._replace(hand=hand if card == DOWN else (*hand, card))
        else:
            return side, theirs
        kept = [side._replace(hand=without(side.hand, card)) for card in dict.fromkeys(side.hand)] or [side]
        return max(kept, key=lambda one: self._logit(self.told(one, theirs))), theirs

    def reasons(self, move: Move) -> tuple[Reason, ...]:
        """What changes the judgement most, each by what it would be without that change."""
        side, theirs = self.after(move)
        before, after = self._parts(self._side, self._theirs), self._parts(side, theirs)
        whole = self._win_probability(after)
        found = list[Reason]()
        for part in range(_REST):
            if sorted(before[part]) == sorted(after[part]):
                continue
            change = whole - self._win_probability([*after[:part], before[part], *after[part + 1 :]])
            found.append(self._reason(part, change, side))
        return strongest(found)

    def told(self, side: OwnSide, theirs: Theirs) -> Inputs:
        """All that the net is told of a moment; `InformationSet.logit` is of the same."""
        known, other = self._known, self._observation.other
        inputs = [*known.inputs, *theirs.inputs, *known.hand_inputs(side.hand)]
        best = [0] * SPECIES_COUNT
        used = muddles = 0
        for column in side.columns:
            if column:
                used += 1
                of_column, flock = known.column_inputs(column, side.landed)
                inputs += of_column
                if flock == NO_FLOCK:
                    muddles += 1
                else:
                    best[flock >> 12] = max(best[flock >> 12], flock & 4095)
        inputs += known.table_inputs(
            (side.landed, other.landed), (side.flights, other.flights), side.lead, used, muddles
        )
        missing = ALL_SPECIES & ~(side.landed | other.landed)
        for s in range(SPECIES_COUNT):
            if side.landed >> s & 1:
                continue
            held = sorted([BIRDS[face] for face in side.hand if SPECIES_OF[face] == s], reverse=True)
            of_species, tempo = known.species_inputs(s, best[s], held)
            inputs += of_species
            if missing == 1 << s:
                bottom = best[s] >> 4 & 15 if best[s] else MAX_BIRDS
                inputs += last_inputs(theirs, s, tempo, bottom, side.lead)
        return inputs

    def _parts(self, side: OwnSide, theirs: Theirs) -> list[Inputs]:
        parts: list[Inputs] = [[] for _ in range(_REST + 1)]
        for at, value in self.told(side, theirs):
            if value:
                parts[_part(at)].append((at, value))
        return parts

    def _logit(self, inputs: Inputs) -> int:
        return self._network.logit(self._network.add(self._network.bias, inputs))

    def _win_probability(self, parts: list[Inputs]) -> float:
        inputs: Inputs = []
        for part in parts:
            inputs += part
        return probability_of(self._logit(inputs)) / CERTAINTY

    def _reason(self, part: int, change: float, side: OwnSide) -> Reason:
        better = change > 0
        if part < SPECIES_COUNT:
            code = "nearer" if better else "further"
            return _told("landed" if side.landed >> part & 1 else code, change, part)
        if part < _TABLE:
            return _told("sets-back" if better else "helps", change, part - SPECIES_COUNT)
        if part == _TABLE:
            return self._landing(change, side)
        if part == _COLUMNS:
            if _used(side) > _used(self._side):
                return _told("opens-column" if better else "fills-column", change)
            return _told("tidies-columns" if better else "mixes-columns", change)
        return _told("takes-hidden", change)

    def _landing(self, change: float, side: OwnSide) -> Reason:
        gained = side.lead - self._side.lead
        new = (side.landed | side.flights) & ~(self._side.landed | self._side.flights)
        if not new:
            return _told("lead", change, None, gained)
        return _told("arrives", change, new.bit_length() - 1, gained)


def _told(code: str, change: float, species: int | None = None, points: int | None = None) -> Reason:
    if species is None:
        return SENTENCES.reason(code, change, None, points)
    return SENTENCES.reason(code, change, SPECIES_IDS[species], points, _NAMES[species])


def _used(side: OwnSide) -> int:
    return sum([1 for column in side.columns if column])


def _part(at: int) -> int:
    """What an input of the net is about."""
    if OWN <= at < OWN_COLUMNS:
        if at < OWN_DAY:
            return (at - OWN) // 25
        return at - OWN_DAY if at < OWN_TOP else (at - OWN_TOP) // 5
    if OWN_COLUMNS <= at < HAND:
        return _COLUMNS
    if LANDED <= at < PROSPECTS:
        return _TABLE
    if PROSPECTS <= at < LAST:
        return (at - PROSPECTS if at < FITS else at - FITS) // 3
    if LAST <= at < LAST + 10:
        return _TABLE
    if THEIRS <= at < THEIR_DARK:
        return SPECIES_COUNT + ((at - THEIRS) // 30 if at < THEIR_DOWN else at - THEIR_DOWN)
    if THEIR_DARK <= at < THEIR_COLUMNS:
        return _DARK
    if THEIR_PROSPECTS <= at < OWN:
        return SPECIES_COUNT + (at - THEIR_PROSPECTS) // 3
    return _REST
