"""Results for ratings: each is made from its game's events alone, so a rebuild makes the same results."""

from datetime import datetime
from typing import Final

from domain.clocks.options import time_class as class_of
from domain.lifecycle import Json, Seat, places_of_those_who_began
from events.features.ratings.port import Counted
from events.log.ratings.unrated import subject_of
from events.log.snapshot import Snapshot

SCORED: Final = "game_scored"


def time_class(snapshot: Snapshot) -> str:
    """The class of a game's clock; each class has ratings of its own."""
    return class_of(None if snapshot.clock is None else snapshot.clock.options)


def leaderboard_of(game: str, time_class: str) -> str:
    """The name of the leaderboard of a game with clocks of this class."""
    return f"{game}:{time_class}"


def member_of(game_id: str, at: str) -> str:
    """A result's place in the order of results: the time at which it was confirmed, then the game's id."""
    return f"{int(datetime.fromisoformat(at).timestamp() * 1000):013d}:{game_id}"


def may_count(line: Json) -> bool:
    """True if a game may count, by its line in the listing: a quick check that rules out most games that do not."""
    return bool(line["rated"])


def counted(snapshot: Snapshot) -> Counted | None:
    """The result that the game adds to its app's ratings; None if the game does not count.

    A player who gave a seat up has lost, even if another plays on there; but the app's verdict decides for all players.
    """
    status, result = snapshot.status, snapshot.status.result
    if result is None or not result.scored or not snapshot.is_rated:
        return None
    named = [subject_of(number, seat, snapshot.versions) for number, seat in enumerate(status.seats)]
    subjects = tuple([name for name in named if name is not None])
    anchors = None if status.pairing is None else tuple([_anchor(seat) for seat in status.seats])
    leaderboard = leaderboard_of(snapshot.game.name, time_class(snapshot))
    member = member_of(
        snapshot.game_id, snapshot.updated_at
    )  # the event that confirms the result is the game's last
    places = places_of_those_who_began(status.seats, result.places)
    return Counted(snapshot.secrets.app, leaderboard, member, subjects, places, anchors)


def _anchor(seat: Seat) -> int | None:
    """Elo points by which the bot that began on the seat is stronger than a new player; None for a person."""
    return seat.elo if seat.leaver is None else None
