"""Faults of ratings: they do not follow from the results, or the results from games that are there."""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Final

from redis.exceptions import ResponseError

from events.errors import CorruptStream
from events.features.ratings.port import Crowd, Rating
from events.features.ratings.ratings import folded, meetings
from events.features.ratings.redis.ratings import RedisRatings
from events.fsck.findings import Finding
from events.log.player_ids import BOT
from events.store import keys
from events.store.connections.client import RedisClient
from events.store.whole_games import RedisGames

PAGE: Final = 500  # results looked at in one request


def check_ratings(
    link: RedisClient, redis: RedisGames, archived: Callable[[Collection[str]], set[str]]
) -> Iterator[Finding]:
    """Every leaderboard of every app, as far as its ratings are worked out; it keeps a few numbers for each player."""
    ratings = RedisRatings(link)
    for app in ratings.apps():
        try:
            leaderboards = ratings.leaderboards(app)
        except (ResponseError, ValueError) as error:
            yield _wrong(keys.leaderboards(app), f"It cannot be read: {error}.")
            continue
        for leaderboard in leaderboards:
            try:
                yield from _check_leaderboard(ratings, redis, app, leaderboard, archived)
            except (CorruptStream, ResponseError, LookupError, TypeError, ValueError) as error:
                yield _wrong(keys.results_of(app, leaderboard), f"It cannot be read: {error}.")


def _check_leaderboard(
    ratings: RedisRatings,
    redis: RedisGames,
    app: str,
    leaderboard: str,
    archived: Callable[[Collection[str]], set[str]],
) -> Iterator[Finding]:
    """Faults of a leaderboard; if others change it meanwhile, only those of games that two looks find."""
    first, at_rest = _look(ratings, redis, app, leaderboard, archived)
    if at_rest or not first:
        yield from first
        return
    again, _ = _look(ratings, redis, app, leaderboard, archived)
    yield from (finding for finding in first if finding in again and finding.game_id is not None)


def _look(
    ratings: RedisRatings,
    redis: RedisGames,
    app: str,
    leaderboard: str,
    archived: Callable[[Collection[str]], set[str]],
) -> tuple[list[Finding], bool]:
    """Faults, and whether nobody has changed anything meanwhile."""
    position, mark, known, crowd = ratings.leaderboards(app)[leaderboard], "", dict[str, Rating](), Crowd()
    found, old = list[Finding](), f"{ratings.horizon(app):013d}:"
    while batch := ratings.batch(app, leaderboard, mark, PAGE):
        ids = [game.counted.game_id for game in batch]
        moved = set(ids) - redis.existing(ids)
        for game_id in sorted(moved - archived(moved)):
            detail = f"A rating rests on a game of which there is no {keys.stream(game_id)}, nor a file."
            found.append(Finding("rating-orphan", game_id, keys.results(app), detail))
        mark = batch[-1].counted.member
        batch = [game for game in batch if game.counted.member <= position.mark]
        while (
            batch and batch[0].counted.member < old
        ):  # what is kept of old results is what later ones rest on
            first = batch.pop(0)
            crowd = first.crowd
            known.update(zip(first.counted.subjects, first.after or (), strict=False))
        met = meetings(ratings, app, leaderboard, batch)
        for game, right in zip(batch, folded(batch, known, crowd, met), strict=True):
            crowd = right.crowd
            if game != right:
                detail = "The ratings after this game do not follow from those before it."
                found.append(Finding("rating-wrong", game.counted.game_id, keys.results(app), detail))
    if mark <= position.mark:  # else there are results that nobody has worked out yet
        found += _misplaced(ratings, app, leaderboard, known)
    return found, ratings.leaderboards(app).get(leaderboard) == position


def _misplaced(
    ratings: RedisRatings, app: str, leaderboard: str, known: Mapping[str, Rating]
) -> Iterator[Finding]:
    """Players whose present rating, or place by it, does not follow from the last results; players may be erased."""
    ranked_ratings = ratings.ranked_ratings(app, leaderboard)
    for subject, (kept, place) in ranked_ratings.items():
        if kept != known.get(subject):
            detail = f"The rating of {subject} is not the one after the last game."
            yield _wrong(keys.ratings(app, leaderboard), detail)
        elif place != kept.ordinal:
            detail = f"The place of {subject} does not follow from the rating."
            yield _wrong(keys.ranks(app, leaderboard), detail)
    for subject in known.keys() - ranked_ratings.keys():
        if subject.startswith(BOT):
            yield _wrong(keys.ratings(app, leaderboard), f"There is no rating of {subject}.")


def _wrong(where: str, detail: str) -> Finding:
    return Finding("rating-wrong", None, where, detail)
