# compiled into rules
"""Reasons of the net for and against a move: its inputs after the move, part by part, against those before."""

from collections.abc import Sequence
from math import sqrt
from typing import Final

from domain.adding import added
from domain.bot import Considered, Reason
from domain.migrato.belief.observation import Observation
from domain.migrato.net.inputs import NO_FLOCK, InformationSet, Inputs, Theirs, last_inputs
from domain.migrato.net.judge import Judge, result_of, unsure
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
from domain.migrato.net.own_side import OwnSide
from domain.migrato.rules.cards import ALL_SPECIES, BIRDS, MAX_BIRDS, SPECIES_IDS, SPECIES_OF
from domain.migrato.rules.moves import Move
from domain.migrato.rules.state import without
from domain.net.logistic import CERTAINTY, probability_of
from domain.net.network import Network
from domain.net.reasons import Sentences, strongest, with_reasons

# What the net is told, in parts: five of the own species and five of the opponent's, then these.
_TABLE: Final = 2 * SPECIES_COUNT  # landings and score
_COLUMNS: Final = _TABLE + 1  # how many own columns there are, and how many of no use
_DARK: Final = _COLUMNS + 1  # the opponent's columns that are all face down
_REST: Final = _DARK + 1  # what gives no reasons
_OF_OWN_LAST: Final = (0, 1, 2, 6, 7)  # inputs from LAST on; the others are of the opponent's
_NAMES: Final = ("brant geese", "black kites", "stilts", "bee-eaters", "teals")
SENTENCES: Final = Sentences(
    {
        "nearer": "Your {name} come nearer to landing.",
        "further": "Your {name} get further from landing.",
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
    judge = Judge(observation, network)
    logits = [judge.logit(move) for move in observation.moves]
    order = sorted(range(len(logits)), key=lambda at: (-logits[at], at))
    return [
        Considered(
            observation.moves[at],
            0,
            float(judge.outcome(observation.moves[at]).side.lead),
            probability_of(logits[at]) / CERTAINTY,
            _spread(judge.guesses(observation.moves[at])),
        )
        for at in order
    ]


def explained(
    observation: Observation, considered: Sequence[Considered], network: Network
) -> list[Considered]:
    """The considered moves again, the first of them with reasons."""
    return with_reasons(considered, _Moments(observation, network).reasons)


def _spread(probabilities: list[int]) -> float | None:
    if not probabilities:
        return None
    shares = [probability / CERTAINTY for probability in probabilities]
    mean = added(shares) / len(shares)
    return sqrt(added([(share - mean) ** 2 for share in shares]) / len(shares))


class _Moments:
    """Inputs of the net for the moments that moves lead to, and its judgement by part."""

    def __init__(self, observation: Observation, network: Network) -> None:
        self._observation = observation
        self._network = network
        self._known = InformationSet(observation, network)
        self._judge = Judge(observation, network, self._known)
        self._side, self._theirs = self._judge.side, self._judge.theirs

    def after(self, move: Move) -> tuple[OwnSide, Theirs]:
        """Both sides after the move, and after the discard that the net likes best; a card that is stolen face down is
        left out.
        """
        outcome, discard = self._judge.outcome(move), self._judge.discarding(move).discard
        side = outcome.side
        if discard is not None:
            side = side._replace(hand=without(side.hand, discard))
        return side, outcome.theirs

    def reasons(self, move: Move) -> tuple[Reason, ...]:
        """The changes that move the judgement most; each is weighed by the judgement without it."""
        side, theirs = self.after(move)
        arrived, last = self._arrived(side), self._last(side)
        before, after = self.parts(self._side, self._theirs, last), self.parts(side, theirs, last)
        whole = self._win_probability(side, after)
        found = list[Reason]()
        for part in range(_REST):
            if part != arrived and sorted(before[part]) != sorted(after[part]):
                together = (part, arrived) if part == _TABLE else (part,)
                put_back = [before[at] if at in together else after[at] for at in range(_REST + 1)]
                standing = self._side if part == _TABLE else side
                change = whole - self._win_probability(standing, put_back)
                found.append(self._reason(part, change, side))
        return strongest(found)

    def _arrived(self, side: OwnSide) -> int | None:
        """The species that arrives by the move, if any."""
        new = side.landed & ~self._side.landed | side.flights & ~self._side.flights
        return new.bit_length() - 1 if new else None

    def _last(self, side: OwnSide) -> int | None:
        """The only species that nobody has landed, if there is one and the move leaves the lead as it was."""
        missing = ALL_SPECIES & ~(self._side.landed | self._observation.other.landed)
        alone = missing.bit_count() == 1 and side.lead == self._side.lead
        return missing.bit_length() - 1 if alone else None

    def told(self, side: OwnSide, theirs: Theirs) -> Inputs:
        """All inputs of the net for a moment; `InformationSet.logit` judges by the same inputs."""
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

    def parts(self, side: OwnSide, theirs: Theirs, last: int | None = None) -> list[Inputs]:
        """Inputs of the net for a moment, part by part; those of the last species count for the table, if
        that species is not given.
        """
        parts: list[Inputs] = [[] for _ in range(_REST + 1)]
        for at, value in self.told(side, theirs):
            if value:
                parts[_part(at, last)].append((at, value))
        return parts

    def logit(self, side: OwnSide, parts: list[Inputs]) -> int:
        """The logit of winning, by the net, or by the result where the game is over; `side` has the own
        landings and the lead.
        """
        if self._known.turns_left == 0 or side.landed | self._observation.other.landed == ALL_SPECIES:
            return result_of(side.lead)
        inputs: Inputs = []
        for part in parts:
            inputs += part
        return unsure(self._network.logit(self._network.add(self._network.bias, inputs)))

    def _win_probability(self, side: OwnSide, parts: list[Inputs]) -> float:
        return probability_of(self.logit(side, parts)) / CERTAINTY

    def _reason(self, part: int, change: float, side: OwnSide) -> Reason:
        better = change > 0
        if part < SPECIES_COUNT:
            return _told("nearer" if better else "further", change, part)
        if part < _TABLE:
            return _told("sets-back" if better else "helps", change, part - SPECIES_COUNT)
        if part == _TABLE:
            arrived = self._arrived(side)
            code = "lead" if arrived is None else "arrives"
            return _told(code, change, arrived, side.lead - self._side.lead)
        if part == _COLUMNS:
            if _used(side) > _used(self._side):
                return _told("opens-column" if better else "fills-column", change)
            return _told("tidies-columns" if better else "mixes-columns", change)
        return _told("takes-hidden", change)


def _told(code: str, change: float, species: int | None = None, points: int | None = None) -> Reason:
    if species is None:
        return SENTENCES.reason(code, change, None, points)
    return SENTENCES.reason(code, change, SPECIES_IDS[species], points, _NAMES[species])


def _used(side: OwnSide) -> int:
    return sum([1 for column in side.columns if column])


def _part(at: int, last: int | None) -> int:
    """Subject of an input of the net."""
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
        if last is None:
            return _TABLE
        return last if at - LAST in _OF_OWN_LAST else SPECIES_COUNT + last
    if THEIRS <= at < THEIR_DARK:
        return SPECIES_COUNT + ((at - THEIRS) // 30 if at < THEIR_DOWN else at - THEIR_DOWN)
    if THEIR_DARK <= at < THEIR_COLUMNS:
        return _DARK
    if THEIR_PROSPECTS <= at < OWN:
        return SPECIES_COUNT + (at - THEIR_PROSPECTS) // 3
    return _REST
