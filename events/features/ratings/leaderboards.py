"""Ratings of players and bots as use cases: games that count are entered, and apps get answers."""

from collections.abc import Callable, Sequence

import orjson

from domain.clocks.options import TIME_CLASSES
from domain.game import Bots
from domain.lifecycle import Json
from events.engine import access
from events.engine.access import Caller
from events.engine.repository import GameRepository
from events.features.apps.keys import AppKeys
from events.features.listings.projection import Filters, Listings
from events.features.players.players import Players
from events.features.ratings.port import Counted, Rating
from events.features.ratings.ratings import Ratings
from events.features.ratings.results import counted, leaderboard_of, may_count
from events.log.player_ids import BOT, is_player_id
from events.log.ratings.scale import POINTS, elo_of
from events.log.snapshot import Snapshot

Leaderboard = tuple[str, str]  # an app and the name of one of its leaderboards


class Leaderboards:
    """The use cases of ratings. Entering games is safe to repeat, and harmless when it comes late."""

    def __init__(
        self,
        ratings: Ratings,
        listings: Listings,
        games: GameRepository,
        players: Players,
        app_keys: AppKeys,
    ) -> None:
        self._ratings = ratings
        self._listings = listings
        self._games = games
        self._players = players
        self._app_keys = app_keys

    def changes(self, app: str, game_id: str) -> list[Json] | None:
        """The ratings of the game's seats before and after it; None while they are not computed, or if the game does
        not count.
        """
        return self._changes(app, self._games.current(game_id))

    def _changes(self, app: str, game: Snapshot) -> list[Json] | None:
        if not game.is_settled or not game.is_rated or game.status.result is None:
            return None
        found = self._ratings.change(app, game.game_id)
        if found is None:
            return None
        return [
            {"seat": seat, "before": _shown(game.game, before), "after": _shown(game.game, after)}
            for seat, before, after in found
        ]

    def show(self, view: Json, game: Snapshot, caller: Caller) -> None:
        """Add the changes of ratings to a view of the present game, if there are any that the caller may see."""
        if not game.is_settled or not access.may_see_ratings(caller, game.secrets, self._app_keys):
            return
        changes = self._changes(game.secrets.app, game)
        if changes is not None:
            view["ratings"] = changes

    def outstanding(self, game_ids: Sequence[str]) -> tuple[list[str], dict[str, Leaderboard]]:
        """The games with a confirmed result that are not entered yet, and the leaderboards of the entered ones."""
        left, leaderboards = list[str](), dict[str, Leaderboard]()
        for game_id, (app, line, rated) in zip(game_ids, self._ratings.look(game_ids), strict=True):
            if rated is None:
                if _may_count(line):
                    left.append(game_id)
            else:  # the process that entered it may have died before it folded the leaderboard
                leaderboards[game_id] = app, rated.counted.leaderboard
        return left, leaderboards

    def enter(self, game_id: str) -> Leaderboard | None:
        """Enter the game if it counts. Returns the leaderboard that must be folded then."""
        snapshot = self._games.current(game_id)
        if not snapshot.is_rated or not snapshot.is_settled:
            return None
        result = counted(snapshot)
        if result is None:
            return None
        self._ratings.enter(result)
        return result.app, result.leaderboard

    def enter_result(self, result: Counted) -> bool:
        """Enter the result of a game that is no longer kept. Returns True if it was not entered before."""
        return self._ratings.enter(result)

    def fold(self, app: str, leaderboard: str) -> None:
        """Bring the leaderboard's ratings up to date with the results that were entered."""
        self._ratings.fold(app, leaderboard)

    def of(self, app: str, player_id: str) -> list[Json]:
        """The ratings of the app's player and the places by them, by game and time class."""
        found, ranks = self._ratings.of(app, player_id), self._ratings.ranks(app, player_id)
        lines = list[Json]()
        for leaderboard, rating in sorted(found.items()):
            game, _, time_class = leaderboard.partition(":")
            shown = rating_document(self._games.kind(game), rating)
            lines.append({"game": game, "time_class": time_class, **shown, "rank": ranks.get(leaderboard)})
        return lines

    def games_of(
        self, app: str, player_id: str, limit: int, cursor: str | None = None
    ) -> tuple[list[str], str | None]:
        """The ids of the games of the app's player, the latest first, and the next cursor. Raises BadCursor."""
        page = self._listings.page(app, Filters(player=player_id), limit=limit, cursor=cursor)
        return [line["id"] for line in page.games], page.cursor

    def time_classes(self, app: str, game: str) -> list[str]:
        """The classes of clocks with rated games of this kind in the app, the fastest first."""
        there = self._ratings.leaderboards(app)
        return [one for one in TIME_CLASSES if leaderboard_of(game, one) in there]

    def page(
        self,
        app: str,
        game: str,
        time_class: str,
        limit: int,
        cursor: str | None = None,
        around: str | None = None,
    ) -> tuple[list[Json], str | None]:
        """A page of the app's players and bots in a game, the best first, and the next cursor.

        `around`: without a cursor, the places around this player (a name or an id); none if the player has no place.
        Raises BadCursor, and DomainError "unknown-game".
        """
        rules = self._games.kind(game)
        middle = None if around is None else self._players.listed_as(app, around)
        page, following = self._ratings.page(app, leaderboard_of(game, time_class), limit, cursor, middle)
        entries = [
            {"rank": one.rank} | _subject_document(one.subject) | rating_document(rules, one.rating)
            for one in page
        ]
        self._players.show(entries)
        return entries, following

    def wipe(self) -> None:
        """Remove all results and ratings, before all games are entered anew."""
        self._ratings.wipe()

    def fold_all(self, progress: Callable[[int], None]) -> None:
        """Bring all leaderboards up to date; `progress` is called with the number of results folded in each."""
        self._ratings.fold_all(progress)


def _may_count(line: bytes | None) -> bool:
    """True if a game may count, by its line in the listing; also for a line that cannot be read."""
    try:
        return line is None or may_count(orjson.loads(line))
    except (LookupError, TypeError, ValueError):
        return True


def _subject_document(subject: str) -> Json:
    """Subject of a rating as a document; the players' names are added later."""
    if is_player_id(subject):
        return {"kind": "player", "player": None, "player_id": subject}
    bot, _, version = subject.removeprefix(BOT).partition(":")
    return {"kind": "bot", "bot": bot, "version": version}


def rating_document(game: Bots, rating: Rating) -> Json:
    """A rating as a document: with two decimals, and as one number in whole Elo points."""
    return {"rating": _shown(game, rating), "games": rating.games, "wins": rating.wins}


def _shown(game: Bots, rating: Rating) -> Json:
    return {
        "mean": round(rating.shown_mean, 2),
        "deviation": round(rating.shown_deviation, 2),
        "ordinal": round(rating.ordinal, 2),
        "elo": elo_of(game, rating.ordinal),
        "elo_deviation": round(rating.shown_deviation * POINTS),
    }
