"""Change of the players' ratings by one game: the Plackett-Luce model of Weng and Lin, by OpenSkill.

R. C. Weng, C.-J. Lin: A Bayesian Approximation Method for Online Ranking, JMLR 12 (2011), algorithm 4. A rating is a
normal distribution, and begins with mean 25 and deviation 25/3. Only what folds results imports this module.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from openskill.models import PlackettLuce

from events.features.ratings.port import Counted, Crowd, Pair, Rating
from events.log.player_ids import BOT
from events.log.ratings.scale import DEVIATION, KNOWN, MEAN, mean_of

DIGITS: Final = (
    6  # decimals that are kept: so the last bit of a machine's exponential function makes no difference
)
_MODEL: Final = PlackettLuce(mu=MEAN)
NEW: Final = 10  # a person with fewer games is new
# Games against bots limit what is shown once more than a half of the known people, of whom there are no fewer than NEW,
# have as many against bots; and until fewer than a fifth have. If a half were the end, too, as many new names as there
# are people could end it by games among themselves.
BEGINS: Final = 2
ENDS: Final = 5
# New people move each other by this part; wholly, nine friends would lift a rating by 60 points.
AMONG_NEW: Final = 0.5
# Games against people with which a person moves everybody wholly; who has played fewer moves others by the share of
# these. Games against bots are none of them: a program has hundreds overnight.
SETTLED: Final = 300
FREELY: Final = (
    5  # of a person's games against one bot so many count whole, and the k-th by this divided by k,
)
LEAST: Final = 0.1  # but no less than by this
RECENT: Final = (
    50  # last games of a person against people, in which those against the same other one are counted
)


def after_result(
    counted: Counted, before: Sequence[Rating], crowd: Crowd, met: Mapping[Pair, int]
) -> list[Rating]:
    """The ratings of the players of a game after it, by those before it.

    `crowd`: the leaderboard's people before it; `met`: how often two met lately.
    """
    anchors, subjects = counted.anchors, counted.subjects
    persons = [seat for seat, who in enumerate(subjects) if not who.startswith(BOT)]
    if anchors is None:
        after = after_game(before, counted.places)
        return [
            replace(one, weight=one.weight + 1) if seat in persons and len(persons) > 1 else one
            for seat, one in enumerate(after)
        ]
    at = [
        known if anchor is None else replace(known, mean=mean_of(anchor), deviation=KNOWN)
        for known, anchor in zip(before, anchors, strict=True)
    ]
    after = after_game(at, counted.places)
    own = [who.startswith(BOT) and anchor is None for who, anchor in zip(subjects, anchors, strict=True)]
    if any(own):  # an app's own bot moves nobody else: who has chosen it is not known
        return [
            now if is_own else known if seat in persons else replace(known, games=now.games, wins=now.wins)
            for seat, (is_own, known, now) in enumerate(zip(own, at, after, strict=True))
        ]
    bots = [who.split(":")[1] for who in subjects if who.startswith(BOT)]
    alone = (
        bots and len(persons) == 1
    )  # with other people at the table, a friend could lose to the bot's cost
    by_bots = [
        replace(one, mean=one.by_bots[0], deviation=one.by_bots[1]) if seat in persons else one
        for seat, one in enumerate(at)
    ]
    bots_say = after_game(by_bots, counted.places) if alone else [_aged(one) for one in by_bots]

    def part(seat: int, other: int) -> float:
        return _part(met.get((counted.member, subjects[seat], subjects[other]), 0), crowd.people)

    def moved(seat: int) -> Rating:
        people = [(at[one], part(seat, one)) for one in persons if one != seat]
        return _moved(at[seat], after[seat], bots_say[seat], people, bots, limited=crowd.limits)

    return [
        moved(seat) if seat in persons else replace(known, games=after[seat].games, wins=after[seat].wins)
        for seat, known in enumerate(at)
    ]


def crowd_after(
    crowd: Crowd, subjects: Sequence[str], before: Sequence[Rating], after: Sequence[Rating]
) -> Crowd:
    """The leaderboard's people after a game of these, who had and have these ratings."""
    people, by_bots, limits = crowd
    for who, old, new in zip(subjects, before, after, strict=True):
        if not who.startswith(BOT):
            people += old.games < NEW <= new.games
            by_bots += sum(old.met.values()) < NEW <= sum(new.met.values())
    begins = people >= NEW and BEGINS * by_bots > people
    return Crowd(people, by_bots, begins or (limits and ENDS * by_bots >= people))


def _aged(by_bots: Rating) -> Rating:
    """The rating by games against bots alone, after a game against people: the model takes strength to change in it."""
    return replace(by_bots, deviation=min(DEVIATION, math.hypot(by_bots.deviation, _MODEL.tau)))


def _part(met: int, people: int) -> float:
    """The part for which a game counts of two who met so often lately: 1, unless that is twice what chance has it
    where so many play.
    """
    often = max(1.0, 2 * RECENT / max(1, people))
    return min(1.0, often / (met + 1)) ** 2


def _moved(
    before: Rating,
    whole: Rating,
    bots_say: Rating,
    people: Sequence[tuple[Rating, float]],
    bots: Sequence[str],
    *,
    limited: bool,
) -> Rating:
    """A person's rating after a game against bots, and against people, each with the part by which that counts.

    `whole`: if it counted wholly; `bots_say`: then by the games against bots alone.
    """
    met = {**before.met, **{bot: before.met.get(bot, 0) + 1 for bot in bots}}
    weights = [
        part * (AMONG_NEW if max(before.games, other.games) < NEW else min(1.0, other.weight / SETTLED))
        for other, part in people
    ]
    weights += [max(LEAST, FREELY / max(FREELY, met[bot])) for bot in bots]
    weight = min(weights, default=1.0)

    def step(old: float, new: float) -> float:
        return round(old + weight * (new - old), DIGITS)

    return Rating(
        step(before.mean, whole.mean),
        step(before.deviation, whole.deviation),
        whole.games,
        whole.wins,
        met,
        round(before.weight + min([part for _, part in people], default=0.0), DIGITS),
        (step(before.by_bots[0], bots_say.mean), step(before.by_bots[1], bots_say.deviation)),
        limited,
    )


def after_game(before: Sequence[Rating], places: Sequence[int]) -> list[Rating]:
    """The ratings of the players of a game after it; `places`: 1 is the best, ties share one. At least two players.

    A first place that nobody shares is a win.
    """
    teams = [[_MODEL.rating(mu=rating.mean, sigma=rating.deviation)] for rating in before]
    rated = _MODEL.rate(teams, ranks=[float(place) for place in places])
    won = places.index(1) if places.count(1) == 1 else None
    return [
        replace(
            known,
            mean=round(after.mu, DIGITS),
            deviation=round(after.sigma, DIGITS),
            games=known.games + 1,
            wins=known.wins + (seat == won),
        )
        for seat, ((after,), known) in enumerate(zip(rated, before, strict=True))
    ]
