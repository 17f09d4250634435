"""The change of the players' ratings by one game: the Plackett-Luce model of Weng and Lin, computed by OpenSkill.

R. C. Weng, C.-J. Lin: A Bayesian Approximation Method for Online Ranking, JMLR 12 (2011), algorithm 4. A rating is a
normal distribution, and begins with mean 25 and deviation 25/3. Only code that folds results imports this module.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from openskill.models import PlackettLuce

from events.features.ratings.port import Counted, Crowd, Pair, Rating
from events.log.player_ids import BOT
from events.log.ratings.scale import DEVIATION, KNOWN, MEAN, mean_of

DIGITS: Final = 6  # decimals that are kept: few enough that the exponential functions of all machines agree
_MODEL: Final = PlackettLuce(mu=MEAN)
NEW: Final = 10  # a person with fewer games counts as new
# Games against bots limit the shown ratings once more than a half of the known people (at least NEW people) have played
# NEW games against bots, and until fewer than a fifth have. If the limit also ended at a half, as many new names as
# there are people could end it by games among themselves.
BEGINS: Final = 2
ENDS: Final = 5
# New people move each other's ratings by this part. If they moved them wholly, nine friends could lift a rating by 60
# points.
AMONG_NEW: Final = 0.5
# Games against people after which a person moves others wholly; a person with fewer games moves others by the share of
# these games. Games against bots do not count here: a program plays hundreds of them overnight.
SETTLED: Final = 300
FREELY: Final = (
    5  # a person's games against one bot that count whole; the k-th game counts by this number divided by k,
)
LEAST: Final = 0.1  # but by no less than this
RECENT: Final = (
    # a person's last games against people, among which the games against the same other person are counted
    50
)


def after_result(
    counted: Counted, before: Sequence[Rating], crowd: Crowd, met: Mapping[Pair, int]
) -> list[Rating]:
    """The ratings of a game's players after it, from those before it.

    `crowd`: the leaderboard's people before it; `met`: how often each two people met lately.
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
    if any(own):  # an app's own bot moves nobody else: nobody knows who chose it
        return [
            now if is_own else known if seat in persons else replace(known, games=now.games, wins=now.wins)
            for seat, (is_own, known, now) in enumerate(zip(own, at, after, strict=True))
        ]
    bots = [who.split(":")[1] for who in subjects if who.startswith(BOT)]
    alone = (
        bots and len(persons) == 1
    )  # with other people at the table, a friend could lose on purpose, at the bot's cost
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
    """The leaderboard's people after a game of these subjects, from their ratings before and after it."""
    people, by_bots, limits = crowd
    for who, old, new in zip(subjects, before, after, strict=True):
        if not who.startswith(BOT):
            people += old.games < NEW <= new.games
            by_bots += sum(old.met.values()) < NEW <= sum(new.met.values())
    begins = people >= NEW and BEGINS * by_bots > people
    return Crowd(people, by_bots, begins or (limits and ENDS * by_bots >= people))


def _aged(by_bots: Rating) -> Rating:
    """The rating by games against bots alone, after a game against people, during which the model expects strength to
    change.
    """
    return replace(by_bots, deviation=min(DEVIATION, math.hypot(by_bots.deviation, _MODEL.tau)))


def _part(met: int, people: int) -> float:
    """The part for which a game counts between two people who met so often lately: 1, unless they met more than twice
    as often as chance pairs two of so many people.
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
    """A person's rating after a game against bots, and against people, each with the part for which that counts.

    `whole`: the rating if the game counted wholly; `bots_say`: the same by games against bots alone.
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
    """The ratings of a game's players after it; `places`: 1 is the best, ties share one. At least two players.

    A first place that no other player shares is a win.
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
