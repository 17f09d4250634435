"""Ratings: they follow from the results of an app's games, in the order in which these were confirmed.

Results are a set, ordered by the recorded time of their confirmation and the game's id. Ratings are the fold of that
set, stored after each game. So a late result can be folded in its place: entering it moves the leaderboard's mark back
before it, and folding continues from the mark. The numbers depend on the events alone, and not on which process counted
them, when, or how often.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from typing import Final

from events.errors import BadCursor, CorruptStream
from events.features.ratings.port import (
    UNRATED,
    Change,
    Counted,
    Crowd,
    Pair,
    Ranked,
    RatedGame,
    Rating,
    RatingStore,
)
from events.log.player_ids import BOT, is_player_id

BATCH: Final = 200  # results that are folded together
LOOKS: Final = 3  # attempts to read a game's ratings while late results change them


class Ratings:
    """The ratings of all apps' players and bots."""

    def __init__(self, store: RatingStore | None, erased: Callable[[Sequence[str]], set[str]]) -> None:
        """`erased`: returns those of the given players who no longer exist. Without a store no method may be called."""
        self._given = store
        self._erased = erased

    @property
    def _store(self) -> RatingStore:
        assert self._given is not None, "this application was wired without ratings"
        return self._given

    def look(self, game_ids: Sequence[str]) -> list[tuple[str, bytes | None, RatedGame | None]]:
        """The app of each game, its line in the listing, and its result if that was entered."""
        return self._store.look(game_ids)

    def enter(self, counted: Counted) -> bool:
        """Enter a result. Returns True if it was not there. Safe to repeat, and harmless when it comes late. Call
        `fold` afterwards.
        """
        return self._store.enter(counted)

    def fold(self, app: str, leaderboard: str) -> int:
        """Fold the results that are not folded yet. Returns how many. Any number of processes may do so at the same
        time, and die at any point.
        """
        done = 0
        while True:
            position = self._store.leaderboards(app).get(leaderboard)
            batch = [] if position is None else self._store.batch(app, leaderboard, position.mark, BATCH)
            if position is None or not batch:
                return done
            subjects = list(dict.fromkeys(who for game in batch for who in game.counted.subjects))
            before = self._store.before(app, leaderboard, batch[0].counted.member, subjects)
            if before is None:
                first = self._store.batch(app, leaderboard, position.mark, 1)
                if first[:1] == batch[:1] and self._store.leaderboards(app).get(leaderboard) == position:
                    raise CorruptStream(f"Ratings of app {app} are lost: run `migrato projections rebuild`.")
                continue  # another process has entered a result, or has folded this batch
            met = meetings(self._store, app, leaderboard, batch)
            gone = self._erased([subject for subject in subjects if is_player_id(subject)])
            if self._store.commit(app, leaderboard, position, folded(batch, *before, met), sorted(gone)):
                done += len(batch)

    def fold_all(self, progress: Callable[[int], None] = lambda _: None) -> None:
        """Fold all leaderboards of all apps; `progress` is called with the number of games of each."""
        for app in self._store.apps():
            for leaderboard in self._store.leaderboards(app):
                progress(self.fold(app, leaderboard))

    def change(self, app: str, game_id: str) -> list[Change] | None:
        """The rating of each seat's subject before and after the game, without subjects that were erased.

        Both follow from the same results. None while the game's ratings are not computed, or while they change.
        """
        ((_, _, rated),) = self._store.look([game_id])
        for _ in range(LOOKS):
            if rated is None or rated.after is None:
                return None
            result = rated.counted
            try:
                before = self._store.before(app, result.leaderboard, result.member, result.subjects)
            except CorruptStream:  # folding reports the loss; the game can still be shown
                return None
            # A fold works out what comes before this game no later than the game itself. So no late result is in
            # `before` alone or in `after` alone if, once `before` was read, the mark is at the game or later, and the
            # game's own ratings are still the same.
            position = self._store.leaderboards(app).get(result.leaderboard)
            ((_, _, again),) = self._store.look([game_id])
            if before is None or position is None or position.mark < result.member:
                return None
            if again == rated:
                return self._changes(result, before[0], rated.after)
            rated = again
        return None

    def _changes(
        self, result: Counted, before: Mapping[str, Rating], after: Sequence[Rating]
    ) -> list[Change]:
        gone = self._erased([who for who in result.subjects if is_player_id(who)])
        anchors = result.anchors or (None,) * len(after)
        return [
            Change(seat, now if anchor is not None else before.get(who, UNRATED), now)
            for seat, (who, now, anchor) in enumerate(zip(result.subjects, after, anchors, strict=True))
            if who not in gone
        ]

    def thin(self, app: str, before: int) -> int:
        """Remove the app's results from before a time, in milliseconds, that no rating needs any more. Returns how
        many.

        The ratings after these games are no longer known; all other ratings stay as they are. Raises StoreUnavailable.
        """
        from events.features.ratings.model import RECENT

        leaderboards = self._store.leaderboards(app)
        return sum(self._store.thin(app, leaderboard, before, RECENT) for leaderboard in leaderboards)

    def wipe(self) -> None:
        """Remove all results and ratings of all apps."""
        self._store.wipe()

    def leaderboards(self, app: str) -> Collection[str]:
        """The leaderboards in which the app's games count."""
        return self._store.leaderboards(app).keys()

    def of(self, app: str, subject: str) -> dict[str, Rating]:
        """A subject's ratings, by leaderboard."""
        return self._store.ratings(app, subject)

    def ranks(self, app: str, subject: str) -> dict[str, int]:
        """A subject's places, by leaderboard."""
        return self._store.ranks(app, subject)

    def page(
        self, app: str, leaderboard: str, limit: int, cursor: str | None, around: str | None = None
    ) -> tuple[list[Ranked], str | None]:
        """At most `limit` places of a leaderboard, the best first, from `cursor` on, and the next cursor. Raises
        BadCursor.

        `around`: without a cursor, the places around this subject. A player whose rating changes meanwhile may come
        twice, or not at all. A page may be short because a player was erased.
        """
        if around is not None and cursor is None:
            found = self._store.around(app, leaderboard, around, limit + 1)
        else:
            found = self._store.top(app, leaderboard, None if cursor is None else _place(cursor), limit + 1)
        page = found[:limit]
        gone = self._erased([one.subject for one in page if is_player_id(one.subject)])
        if gone:
            self._store.forget(app, sorted(gone))
        return [one for one in page if one.subject not in gone], _cursor(page[-1]) if len(
            found
        ) > limit else None

    def forget(self, app: str, player_id: str) -> None:
        """Remove the present ratings of a player who was erased. The games stay, because other players' ratings follow
        from them.
        """
        self._store.forget(app, [player_id])


def meetings(store: RatingStore, app: str, leaderboard: str, batch: Sequence[RatedGame]) -> dict[Pair, int]:
    """The number of times that each person of each game met each other person lately, by results before that game."""
    from events.features.ratings.model import RECENT

    pairs = [
        (game.counted.member, one, other)
        for game in batch
        if game.counted.anchors is not None
        for one, other in permutations([who for who in game.counted.subjects if not who.startswith(BOT)], 2)
    ]
    return dict(zip(pairs, store.meetings(app, leaderboard, pairs, RECENT), strict=True))


def folded(
    batch: Sequence[RatedGame], known: dict[str, Rating], crowd: Crowd, met: Mapping[Pair, int]
) -> list[RatedGame]:
    """The games with the ratings after each. `known` holds the ratings before the first game, and in the end those
    after the last.

    `crowd`: the leaderboard's people before; `met`: see `meetings`.
    """
    # Only code that folds needs the model.
    from events.features.ratings.model import after_result, crowd_after

    done = list[RatedGame]()
    for game in batch:
        subjects = game.counted.subjects
        before = [known.get(who, UNRATED) for who in subjects]
        after = after_result(game.counted, before, crowd, met)
        known.update(zip(subjects, after, strict=True))
        crowd = crowd_after(crowd, subjects, before, after)
        done.append(replace(game, after=tuple(after), crowd=crowd))
    return done


def _cursor(last: Ranked) -> str:
    return urlsafe_b64encode(f"{last.rating.ordinal!r}:{last.subject}".encode()).decode().rstrip("=")


def _place(cursor: str) -> tuple[float, str]:
    try:
        text = urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4)).decode()
        ordinal, _, subject = text.partition(":")
        place = float(ordinal), subject
    except (NotBase64, ValueError):
        raise BadCursor from None
    if not subject or not abs(place[0]) < 1e6:  # not a number, or larger than any ordinal
        raise BadCursor
    return place
