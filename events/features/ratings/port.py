"""The port of ratings: the questions that its use-cases ask of a store."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Protocol

from events.log.ratings.scale import CERTAIN, DEVIATION, MEAN, POINTS

# Elo points by which games against people lift what is shown above what the games against bots alone show: at first,
# more for each game against a bot, and at most.
ABOVE_AT_FIRST: Final = 5
ABOVE_MORE: Final = 1
ABOVE_MOST: Final = 20


class CountingGames(Protocol):
    """The games of each player that may count for ratings and are not over. Every method may raise StoreUnavailable."""

    def take_place(
        self, app: str, player: str, game_id: str, most: int, free: Sequence[str] = ()
    ) -> Mapping[str, float]:
        """Have one of so many places for a game that is to be created, of which those of `free` games are taken away.

        Harmless when doubled. If there is none: the games that have them, and for how many seconds; otherwise nothing.
        """

    def forget(self, app: str, player: str) -> None:
        """Remove what is kept of the player."""


@dataclass(frozen=True, slots=True)
class Rating:
    """Belief about somebody's strength: a normal distribution, and the numbers of games and of won games behind it.

    `met`: how many of the games were against each bot whose rating no result moves, by its name. `weight`: by how many
    games against people the person moves others; one against somebody who was met lately is a part of one.
    `by_bots`: mean and deviation as the games against these bots alone have them. `limited`: these limit what is shown.
    """

    mean: float
    deviation: float
    games: int
    wins: int
    met: Mapping[str, int] = field(default_factory=dict)
    weight: float = 0.0
    by_bots: tuple[float, float] = (MEAN, DEVIATION)
    limited: bool = False

    @property
    def shown_mean(self) -> float:
        """The mean, as far as games against bots bear it out: nobody loses these to a friend."""
        if not self.limited:
            return self.mean
        above = min(ABOVE_MOST, ABOVE_AT_FIRST + ABOVE_MORE * sum(self.met.values()))
        return min(self.mean, round(self.by_bots[0] + above / POINTS, 6))

    @property
    def shown_deviation(self) -> float:
        """The deviation; games against people make it no smaller than those against bots do."""
        return max(self.deviation, self.by_bots[1]) if self.limited else self.deviation

    @property
    def ordinal(self) -> float:
        """Strength that is as good as certain: people are shown its Elo points, and stand in their order."""
        return round(self.shown_mean - CERTAIN * self.shown_deviation, 6)


@dataclass(frozen=True, slots=True)
class Counted:
    """The result of a game, as it counts for the ratings of its app's `leaderboard`.

    `member` is its place among the results, `time:id`; `subjects` are whom it rates, and `places` theirs, by seat.
    `anchors`, by seat: by how many Elo points a bot, which no result moves, is stronger than somebody new, None for
    people; None if every result moves everybody alike, as in games of older releases.
    """

    app: str
    leaderboard: str
    member: str
    subjects: tuple[str, ...]
    places: tuple[int, ...]
    anchors: tuple[int | None, ...] | None = None

    @property
    def game_id(self) -> str:
        """The game's id."""
        return self.member.partition(":")[2]


UNRATED: Final = Rating(MEAN, DEVIATION, 0, 0)
Pair = tuple[str, str, str]  # the member of a result, and two of its subjects


class Crowd(NamedTuple):
    """The people of a leaderboard who are known, no longer new: how many; and how many are so by games against bots.

    `limits`: so many are that these games limit what is shown of all.
    """

    people: int = 0
    by_bots: int = 0
    limits: bool = False


@dataclass(frozen=True, slots=True)
class LeaderboardPosition:
    """Progress of a leaderboard's ratings through its results: up to the member `mark`, "" for none.

    `revision` changes whenever ratings do, or become out of date.
    """

    revision: int
    mark: str


@dataclass(frozen=True, slots=True)
class RatedGame:
    """A result with the ratings of its subjects after it; None where nobody has worked them out yet.

    `crowd`: the leaderboard's people after it.
    """

    counted: Counted
    after: tuple[Rating, ...] | None
    crowd: Crowd = field(default_factory=Crowd)


@dataclass(frozen=True, slots=True)
class Ranked:
    """Somebody's place in a leaderboard, from 1, with the rating."""

    rank: int
    subject: str
    rating: Rating


class Change(NamedTuple):
    """The rating of a seat's subject before a game, and after it."""

    seat: int
    before: Rating
    after: Rating


class RatingStore(Protocol):
    """The results that count, and the ratings that follow from them. Every method may raise StoreUnavailable.

    Results are a set: it makes no difference in which order, how often and by how many they are put in.
    """

    def look(self, game_ids: Sequence[str]) -> list[tuple[str, bytes | None, RatedGame | None]]:
        """The app of each game ("" where it is not known), its line in the listing, and its result if it is in."""

    def enter(self, counted: Counted) -> bool:
        """Put a result in, unless it is there; whether it was not. Ratings that follow from later ones are void."""

    def leaderboards(self, app: str) -> dict[str, LeaderboardPosition]:
        """The app's leaderboards."""

    def batch(self, app: str, leaderboard: str, mark: str, limit: int) -> list[RatedGame]:
        """At most `limit` results after a mark, in order. Raises CorruptStream where some of it is lost."""

    def before(
        self, app: str, leaderboard: str, member: str, subjects: Sequence[str]
    ) -> tuple[dict[str, Rating], Crowd] | None:
        """The ratings of those of the subjects who have any, after the last game of each before a member; and the
        leaderboard's people there.

        None if one of these is not worked out: somebody has just put it in.
        """

    def meetings(self, app: str, leaderboard: str, pairs: Sequence[Pair], last: int) -> list[int]:
        """Meetings of each pair: the one's results with the other among its `last` against people before the member."""

    def commit(
        self,
        app: str,
        leaderboard: str,
        position: LeaderboardPosition,
        batch: Sequence[RatedGame],
        gone: Sequence[str],
    ) -> bool:
        """Keep the ratings after each game of a batch, which begins after the position's mark.

        Nothing is done, and the answer is False, if the position or the batch is not the present one any more.
        `gone` are subjects of whom no present rating is to be kept.
        """

    def thin(self, app: str, leaderboard: str, before: int, recent: int) -> int:
        """Remove results from before a time, in milliseconds, of which no later rating needs anything. Returns their
        number. No result from before then is entered any more.

        Later ratings need the last result of each subject, and the last `recent` ones of a person against people.
        """

    def wipe(self) -> None:
        """Remove all results and ratings of all apps."""

    def apps(self) -> list[str]:
        """The apps that have results."""

    def ratings(self, app: str, subject: str) -> dict[str, Rating]:
        """The subject's present ratings, by leaderboard."""

    def ranks(self, app: str, subject: str) -> dict[str, int]:
        """The subject's present places, from 1, by leaderboard."""

    def around(self, app: str, leaderboard: str, subject: str, limit: int) -> list[Ranked]:
        """At most `limit` of a leaderboard, the subject in their middle; [] if it has no place there."""

    def top(self, app: str, leaderboard: str, after: tuple[float, str] | None, limit: int) -> list[Ranked]:
        """At most `limit` of the best of a leaderboard, those after an ordinal and a subject that had it.

        None: the first ones.
        """

    def forget(self, app: str, subjects: Sequence[str]) -> None:
        """Remove the present ratings of these subjects; results stay."""
