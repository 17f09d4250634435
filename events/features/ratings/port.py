"""The port of ratings: the questions that its use-cases ask of a store."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Protocol

from events.log.ratings.scale import CERTAIN, DEVIATION, MEAN, POINTS

# Elo points by which games against people can lift the shown rating above the one by games against bots alone: at
# first, more for each game against a bot, and at most.
ABOVE_AT_FIRST: Final = 5
ABOVE_MORE: Final = 1
ABOVE_MOST: Final = 20


class CountingGames(Protocol):
    """The games of each player that may count for ratings and are not over. Every method may raise StoreUnavailable."""

    def take_place(
        self, app: str, player: str, game_id: str, most: int, free: Sequence[str] = ()
    ) -> Mapping[str, float]:
        """Take one of `most` places for a game that is about to be created, after the places of the `free` games were
        given back.

        Safe to repeat. Returns nothing if there is a place; otherwise the games that have the places, with their ages
        in seconds.
        """

    def forget(self, app: str, player: str) -> None:
        """Remove the stored places of the player."""


@dataclass(frozen=True, slots=True)
class Rating:
    """Belief about a subject's strength: a normal distribution, and the numbers of games and of won games behind it.

    `met`: the number of games against each bot of fixed strength, by its name. `weight`: the games against people that
    decide how far the person moves others; a game against somebody who was met lately counts as a part of one.
    `by_bots`: mean and deviation from the games against bots of fixed strength alone. `limited`: these limit what is
    shown.
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
        """The mean, limited by what games against bots confirm: no player loses such games as a favour to a friend."""
        if not self.limited:
            return self.mean
        above = min(ABOVE_MOST, ABOVE_AT_FIRST + ABOVE_MORE * sum(self.met.values()))
        return min(self.mean, round(self.by_bots[0] + above / POINTS, 6))

    @property
    def shown_deviation(self) -> float:
        """The deviation; games against people make it no smaller than games against bots do."""
        return max(self.deviation, self.by_bots[1]) if self.limited else self.deviation

    @property
    def ordinal(self) -> float:
        """A strength that the player has almost certainly; people are shown its Elo points, and are ranked by it."""
        return round(self.shown_mean - CERTAIN * self.shown_deviation, 6)


@dataclass(frozen=True, slots=True)
class Counted:
    """The result of a game, as it counts for the ratings of its app's `leaderboard`.

    `member` is its place among the results, `time:id`; `subjects` are the rated players and bots, and `places` their
    places, by seat. `anchors`, by seat: the strength of a bot of fixed strength above a new player, in Elo points, None
    for people; `anchors` itself is None if every result moves all subjects alike, as in games of older releases.
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
    """The people of a leaderboard who are no longer new: how many they are, and how many of them are so by games
    against bots.

    `limits`: these are so many that games against bots limit all shown ratings.
    """

    people: int = 0
    by_bots: int = 0
    limits: bool = False


@dataclass(frozen=True, slots=True)
class LeaderboardPosition:
    """Progress of a leaderboard's ratings through its results: up to the member `mark`, "" for none.

    `revision` changes whenever ratings change or become out of date.
    """

    revision: int
    mark: str


@dataclass(frozen=True, slots=True)
class RatedGame:
    """A result with the ratings of its subjects after it; None while these are not computed."""

    counted: Counted
    after: tuple[Rating, ...] | None
    crowd: Crowd = field(default_factory=Crowd)


@dataclass(frozen=True, slots=True)
class Ranked:
    """A subject's place in a leaderboard, from 1, with the rating."""

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

    Results are a set: the order, the number of times and the processes in which they are entered make no difference.
    """

    def look(self, game_ids: Sequence[str]) -> list[tuple[str, bytes | None, RatedGame | None]]:
        """The app of each game ("" if it is not known), its line in the listing, and its result if that was entered."""

    def enter(self, counted: Counted) -> bool:
        """Enter a result, unless it is there. Returns True if it was not. Ratings computed from later results become
        void.
        """

    def leaderboards(self, app: str) -> dict[str, LeaderboardPosition]:
        """The app's leaderboards."""

    def batch(self, app: str, leaderboard: str, mark: str, limit: int) -> list[RatedGame]:
        """At most `limit` results after a mark, in order. Raises CorruptStream if data of them are lost."""

    def before(
        self, app: str, leaderboard: str, member: str, subjects: Sequence[str]
    ) -> tuple[dict[str, Rating], Crowd] | None:
        """The ratings of those subjects who have some, after the last game of each before a member; and the
        leaderboard's people at that time.

        None if one of these is not computed, because another result was just entered.
        """

    def meetings(self, app: str, leaderboard: str, pairs: Sequence[Pair], last: int) -> list[int]:
        """Meetings of each pair: of the first one's `last` results against people before the member, how many also have
        the other.
        """

    def commit(
        self,
        app: str,
        leaderboard: str,
        position: LeaderboardPosition,
        batch: Sequence[RatedGame],
        gone: Sequence[str],
    ) -> bool:
        """Store the ratings after each game of a batch, which begins after the position's mark.

        Nothing is done, and False is returned, if the position or the batch is not the present one any more. `gone` are
        subjects whose present rating must not be kept.
        """

    def thin(self, app: str, leaderboard: str, before: int, recent: int) -> int:
        """Remove results from before a time, in milliseconds, that no later rating needs. Returns how many. No result
        from before that time can be entered any more.
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
        """At most `limit` places of a leaderboard, with the subject's in the middle; [] if it has no place there."""

    def top(self, app: str, leaderboard: str, after: tuple[float, str] | None, limit: int) -> list[Ranked]:
        """The best places of a leaderboard, at most `limit`, after the place of that ordinal and subject.

        None stands for the first place.
        """

    def forget(self, app: str, subjects: Sequence[str]) -> None:
        """Remove the present ratings of these subjects; results stay."""
