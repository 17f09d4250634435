"""Report on all players of many games, from the facts of each: what is unusual, and how unusual, in figures.

Every p-value of the report is corrected together with all others (Holm): of reports on honest players alone, at most
FALSE_ALARMS tell of anybody, as far as honest players are as the comparisons assume.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from domain.lifecycle import Json
from domain.registry import GAMES
from events.audit.players.agreement import STRATA, Counts
from events.audit.players.facts import Facts, Times, is_bot
from events.audit.players.likelihood import Likelihood
from events.audit.statistics.discoveries import FALSE_ALARMS, adjusted
from events.audit.statistics.intervals import FEW, Cluster, Interval, clustered
from events.audit.statistics.strengths import Expected, Played, Strengths, pairs, points_or_more
from events.audit.statistics.tails import Trials, below_chi_square, binomial_or_more, hits_or_more

ENOUGH: Final = 20  # choices of which a rate or times are judged
ENOUGH_GAMES: Final = 5  # of a pair
ENOUGH_HERE: Final = 100  # choices of a stratum, by which bots here show how often one agrees with another
QUICK_SHARE: Final = 0.1  # of a person's choices may be QUICK
EVEN: Final = 0.3  # the least standard deviation of the logarithms of a person's times
_FAITHFUL: Final = (
    0.95  # of the choices that somebody with a bot makes as the bot does, by which choices are weighed
)
_MOST_WEIGHT: Final = 4
_SURE: Final = 0.02  # nothing is surer than this, and less than one less this


@dataclass(frozen=True, slots=True)
class Agreement:
    """A player's agreement with a bot of a game: the rate, what honest players show at most, and a p-value.

    `honest` and `chance` are None where there is nothing to compare with, or too few choices; `ratio`: the logarithm
    of the likelihood of these choices for somebody with the bot by that for people, None where nobody knows how people
    choose. `chance` is by the rate and by the ratio; `corrected` is the p-value among all of the report.
    """

    game: str
    bot: str
    rate: Interval
    honest: float | None
    chance: float | None
    ratio: float | None = None
    corrected: float | None = None


@dataclass(frozen=True, slots=True)
class Pace:
    """A player's times of thinking: their geometric mean in seconds, the spread of their logarithms, the QUICK share.

    The p-values say how probable so even, or so many quick, times are of a person; None of fewer than ENOUGH.
    """

    of: int
    seconds: float
    spread: float
    quick: float
    too_even: float | None
    too_quick: float | None
    corrected_even: float | None = None
    corrected_quick: float | None = None


@dataclass(frozen=True, slots=True)
class Player:
    """All that the report says about one player."""

    name: str
    games: int
    moves: int
    choices: int
    hints: int
    agreement: tuple[Agreement, ...]
    pace: Pace | None

    @property
    def alarms(self) -> list[str]:
        """Marks of what is unusual: bots as `game bot`, "too even", "too quick"."""
        found = [f"{one.game} {one.bot}" for one in self.agreement if _stands(one.corrected)]
        if self.pace is not None:
            found += ["too even"] if _stands(self.pace.corrected_even) else []
            found += ["too quick"] if _stands(self.pace.corrected_quick) else []
        return found


@dataclass(frozen=True, slots=True)
class Pair:
    """Two players, in the order in which `one` got more points than was to be expected."""

    one: str
    other: str
    games: int
    points: float
    expected: Expected
    chance: float
    corrected: float | None = None

    @property
    def is_unusual(self) -> bool:
        """True if hardly any report on honest players tells of such a pair."""
        return _stands(self.corrected)


@dataclass(frozen=True, slots=True)
class PlayersReport:
    """The whole report. `bots`: by game and bot, what honest players show at most, and each other bot here."""

    games: int
    comparisons: int
    players: tuple[Player, ...]
    pairs: tuple[Pair, ...]
    bots: dict[str, dict[str, Json]]


def _stands(corrected: float | None) -> bool:
    return corrected is not None and corrected <= FALSE_ALARMS


@dataclass(slots=True)
class _Seen:
    """All about one player, game by game."""

    games: int = 0
    moves: int = 0
    choices: int = 0
    hints: int = 0
    times: Times = field(default_factory=Times)
    agreed: dict[tuple[str, str], list[Counts]] = field(default_factory=lambda: defaultdict(list))
    likely: dict[tuple[str, str], Likelihood] = field(default_factory=dict)


class Collected:
    """Facts of games, summed up as they come; the same game counts once."""

    def __init__(self) -> None:
        self.games = 0
        self._known = set[str]()
        self._people = defaultdict[str, _Seen](_Seen)
        self._bots = dict[
            str, dict[str, dict[str, list[list[int]]]]
        ]()  # by game, bot, and who is held against it
        self._results = list[Played]()

    def add(self, facts: Facts) -> bool:
        """Add one more game; False if it was added before."""
        if facts.game_id in self._known:
            return False
        self._known.add(facts.game_id)
        self.games += 1
        for name, person in facts.people.items():
            seen = self._people[name]
            seen.games += 1
            seen.moves += person.moves
            seen.choices += person.choices
            seen.hints += person.hints
            seen.times = seen.times.together(person.times)
            for bot, counts in facts.answers.people.get(name, {}).items():
                seen.agreed[facts.game, bot].append(counts)
            for bot, likelihood in facts.answers.likelihoods.get(name, {}).items():
                known = seen.likely.get((facts.game, bot))
                seen.likely[facts.game, bot] = likelihood if known is None else known.together(likelihood)
        for bot, others in facts.answers.bots.items():
            for other, counts in others.items():
                sums = self._bots.setdefault(facts.game, {}).setdefault(bot, {})
                cells = sums.setdefault(other, [[0, 0] for _ in STRATA])
                for cell, (hits, of) in zip(cells, counts, strict=True):
                    cell[0] += hits
                    cell[1] += of
        self._results += facts.results
        return True

    def report(self, only: Iterable[str] | None = None) -> PlayersReport:
        """The report, on all players or `only` on some; fewer players mean fewer comparisons."""
        names = sorted(self._people if only is None else set(only) & self._people.keys())
        players = [self._player(name) for name in names]
        told = self._pairs(None if only is None else set(names))
        chances = [chance for player in players for chance in _chances(player)] + [
            pair.chance for pair in told
        ]
        corrected = iter(adjusted(chances))
        players = [_corrected(player, corrected) for player in players]
        told = [replace(pair, corrected=next(corrected)) for pair in told]
        players.sort(key=lambda player: (min(_chances(player), default=1.0), -player.choices, player.name))
        told.sort(key=lambda pair: (pair.chance, pair.one, pair.other))
        return PlayersReport(self.games, len(chances), tuple(players), tuple(told), self._baseline())

    def _player(self, name: str) -> Player:
        seen = self._people[name]
        agreement = [
            self._agreement(game, bot, games, seen.likely.get((game, bot)))
            for (game, bot), games in sorted(seen.agreed.items())
        ]
        return Player(
            name, seen.games, seen.moves, seen.choices, seen.hints, tuple(agreement), _pace(seen.times)
        )

    def _agreement(
        self, game: str, bot: str, games: Sequence[Counts], likely: Likelihood | None
    ) -> Agreement:
        found = self._by_rate(game, bot, games)
        if likely is None or likely.of < ENOUGH:
            return found
        by_ratio = math.exp(min(0.0, -likely.log_ratio))  # Markov's bound
        chance = by_ratio if found.chance is None else min(1.0, 2 * min(found.chance, by_ratio))
        return replace(found, chance=chance, ratio=likely.log_ratio)

    def _by_rate(self, game: str, bot: str, games: Sequence[Counts]) -> Agreement:
        rate = clustered([Cluster(*_sum(counts)) for counts in games])
        known = {at: chance for at, chance in enumerate(self._honest(game, bot)) if chance is not None}
        of = sum(counts[stratum][1] for counts in games for stratum in known)
        if of < ENOUGH:
            return Agreement(game, bot, rate, None, None)
        honest = (
            sum(counts[stratum][1] * chance for counts in games for stratum, chance in known.items()) / of
        )
        return Agreement(game, bot, rate, honest, _chance(games, known))

    def _honest(self, game: str, bot: str) -> list[float | None]:
        """The highest rates at which an honest player makes the bot's choice, by stratum: those of any kind of player
        that was measured, else of any other bot here; None where neither is known.
        """
        measured = GAMES[game].agreements.get(bot)
        if measured is not None:
            return [min(1 - _SURE, max(_SURE, chance)) for chance in measured]
        here, chances = self._bots.get(game, {}).get(bot, {}), list[float | None]()
        for stratum in STRATA:
            shown = [
                hits / of for hits, of in (cells[stratum] for cells in here.values()) if of >= ENOUGH_HERE
            ]
            chances.append(min(1 - _SURE, max(_SURE, *shown)) if shown else None)
        return chances

    def _baseline(self) -> dict[str, dict[str, Json]]:
        bots: dict[str, dict[str, Json]] = {}
        for game, asked in sorted(self._bots.items()):
            for bot, others in sorted(asked.items()):
                bots.setdefault(game, {})[bot] = {
                    "honest": self._honest(game, bot),
                    "others": {other: _share(*_sum(cells)) for other, cells in sorted(others.items())},
                }
        return bots

    def _pairs(self, only: set[str] | None) -> list[Pair]:
        """The pairs of people with ENOUGH_GAMES; the first of each got more points than expected."""
        together = pairs(self._results)
        strengths, told = Strengths(together), list[Pair]()
        for played in together:
            if played.of < ENOUGH_GAMES or is_bot(played.one) or is_bot(played.other):
                continue
            if only is not None and not only & {played.one, played.other}:
                continue
            expected = strengths.expected(played.one, played.other)
            one, other, points = played.one, played.other, played.points
            if points < played.of * expected.share:
                one, other, points = other, one, played.of - points
                expected = Expected(1 - expected.share, -expected.log_odds, expected.deviation)
            chance = min(
                1.0, 2 * points_or_more(points, played.of, expected)
            )  # either could have been the one
            told.append(Pair(one, other, played.of, points, expected, chance))
        return told


def _sum(counts: Iterable[Sequence[int]]) -> tuple[int, int]:
    cells = list(counts)
    return sum(hits for hits, _ in cells), sum(of for _, of in cells)


def _share(hits: int, of: int) -> float | None:
    return hits / of if of else None


def weight(chance: float) -> int:
    """The weight of a choice that an honest player makes with that probability: the log-likelihood ratio, rounded."""
    ratio = _FAITHFUL * (1 - chance) / ((1 - _FAITHFUL) * chance)
    return max(0, min(_MOST_WEIGHT, round(math.log(ratio))))


def _chance(games: Sequence[Counts], honest: Mapping[int, float]) -> float:
    """The probability that an honest player agrees as much, choices weighed by what they say."""
    hits, trials = 0, []
    for stratum, chance in honest.items():
        of = sum(counts[stratum][1] for counts in games)
        hits += weight(chance) * sum(counts[stratum][0] for counts in games)
        trials.append(Trials(chance, weight(chance), of))
    return hits_or_more(hits, trials, _effect(games, honest))


def _effect(games: Sequence[Counts], honest: Mapping[int, float]) -> float:
    """Design effect of the weighed choices: how much more alike those of one game are than others; at least 1."""
    if len(games) < FEW:
        return 1.0
    rates = dict[int, float]()
    for stratum in honest:
        hits, of = _sum(counts[stratum] for counts in games)
        rates[stratum] = hits / of if of else 0.0
    within = between = 0.0
    for counts in games:
        off = 0.0
        for stratum, rate in rates.items():
            hits, of = counts[stratum]
            heavy = weight(honest[stratum])
            off += heavy * (hits - rate * of)
            within += heavy * heavy * of * rate * (1 - rate)
        between += off * off
    return max(1.0, between * len(games) / (len(games) - 1) / within) if within else 1.0


def _pace(times: Times) -> Pace | None:
    if not times.of:
        return None
    mean = times.logs / times.of
    variance = max(0.0, times.squares - times.of * mean * mean) / max(1, times.of - 1)
    too_even = too_quick = None
    if times.of >= ENOUGH:
        too_even = below_chi_square((times.of - 1) * variance / EVEN**2, times.of - 1)
        too_quick = binomial_or_more(times.quick, times.of, QUICK_SHARE)
    return Pace(
        times.of, math.exp(mean) / 1000, math.sqrt(variance), times.quick / times.of, too_even, too_quick
    )


def _chances(player: Player) -> list[float]:
    """The p-values that the report has of the player, in the order of `_corrected`."""
    pace = player.pace
    of_pace = [] if pace is None else [pace.too_even, pace.too_quick]
    return [chance for chance in [*(one.chance for one in player.agreement), *of_pace] if chance is not None]


def _corrected(player: Player, coming: Iterator[float]) -> Player:
    """The player with p-values corrected among all of the report, which come in the order of `_chances`."""
    agreement = tuple(
        [one if one.chance is None else replace(one, corrected=next(coming)) for one in player.agreement]
    )
    pace = player.pace
    if pace is not None and pace.too_even is not None:
        pace = replace(pace, corrected_even=next(coming), corrected_quick=next(coming))
    return replace(player, agreement=agreement, pace=pace)
