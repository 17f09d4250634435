"""Change of the players' ratings by one game: the Plackett-Luce model of Weng and Lin, by OpenSkill.

R. C. Weng, C.-J. Lin: A Bayesian Approximation Method for Online Ranking, JMLR 12 (2011), algorithm 4. A rating is a
normal distribution, and begins with mean 25 and deviation 25/3. Only what folds results imports this module.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from openskill.models import PlackettLuce

from events.log.player_ids import BOT
from events.log.ratings.scale import MEAN, mean_of
from events.ports import Counted, Rating

DIGITS: Final = (
    6  # decimals that are kept: so the last bit of a machine's exponential function makes no difference
)
_MODEL: Final = PlackettLuce(mu=MEAN)
UNRATED: Final = Rating(_MODEL.mu, round(_MODEL.sigma, DIGITS), 0, 0)
KNOWN: Final = 1.0  # the deviation of a bot's rating that results do not move
NEW: Final = 10  # whoever has played fewer games is new: new people move each other wholly
# Games with which a person moves everybody wholly; whoever has played fewer moves others by the share of these.
SETTLED: Final = 150
FREELY: Final = (
    5  # of a person's games against one bot so many count whole, and the k-th by this divided by k,
)
LEAST: Final = 0.1  # but no less than by this


def after_result(counted: Counted, before: Sequence[Rating]) -> list[Rating]:
    """The ratings of the players of a game after it, by those before it."""
    anchors = counted.anchors
    if anchors is None:
        return after_game(before, counted.places)
    at = [
        known if anchor is None else replace(known, mean=mean_of(anchor), deviation=KNOWN)
        for known, anchor in zip(before, anchors, strict=True)
    ]
    after = after_game(at, counted.places)
    bots = [who.split(":")[1] for who in counted.subjects if who.startswith(BOT)]
    people = [seat for seat, anchor in enumerate(anchors) if anchor is None]
    return [
        _moved(at[seat], after[seat], [at[other].games for other in people if other != seat], bots)
        if seat in people
        else replace(known, games=after[seat].games, wins=after[seat].wins)
        for seat, known in enumerate(at)
    ]


def _moved(before: Rating, whole: Rating, games: Sequence[int], bots: Sequence[str]) -> Rating:
    """A person's rating after a game against people who had played so many `games`, and bots."""
    met = {**before.met, **{bot: before.met.get(bot, 0) + 1 for bot in bots}}
    weights = [1.0 if max(before.games, played) < NEW else min(1.0, played / SETTLED) for played in games]
    weights += [max(LEAST, FREELY / max(FREELY, met[bot])) for bot in bots]
    weight = min(weights, default=1.0)
    mean, deviation = (
        round(old + weight * (new - old), DIGITS)
        for old, new in ((before.mean, whole.mean), (before.deviation, whole.deviation))
    )
    return Rating(mean, deviation, whole.games, whole.wins, met)


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
