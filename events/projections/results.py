"""What counts for ratings: the result of a game, made from its events alone, so that a rebuild makes the same."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final

from domain.annotations import BEFORE_A_MOVE
from domain.clocks.options import time_class as class_of
from domain.interventions import REASON as ADJUDICATED
from domain.lifecycle import GameStatus, Json, places_of_those_who_began
from events.games.access import OF_A_SEAT
from events.log.envelope import RecordedEvent
from events.log.player_ids import BOT
from events.log.snapshot import Snapshot, rated_name
from events.ports import Counted

SCORED: Final = "game_scored"


def time_class(snapshot: Snapshot) -> str:
    """Which kind of clock a game is played with: games of different classes rate apart."""
    return class_of(None if snapshot.clock is None else snapshot.clock.options)


def ladder_of(game: str, time_class: str) -> str:
    """The name of the ladder that rates those who play the game with such clocks."""
    return f"{game}:{time_class}"


def member_of(game_id: str, at: str) -> str:
    """A result's place in the order of results: the time at which it was confirmed, then the game's id."""
    return f"{int(datetime.fromisoformat(at).timestamp() * 1000):013d}:{game_id}"


def may_count(line: Json) -> bool:
    """Whether a game may count, by its line in the listing: a quick no for most games that do not."""
    return bool(line["rated"])


def counted(snapshot: Snapshot, history: Iterable[RecordedEvent]) -> Counted | None:
    """What the game adds to its app's ratings; None for one that does not count. `history`: all its events.

    It counts if it is rated, its result is confirmed, and at least two sat there, each with a name of its own to be
    rated by: players whom the app named, and bots in the version of their last move, or else in the one that the game
    was created with. Nobody can play against themself.

    Whoever gave a seat up has lost, whoever plays on there; but the app's verdict holds for all.
    """
    status, result = snapshot.status, snapshot.status.result
    if result is None or not result.scored or not snapshot.is_rated or snapshot.secrets.app == OF_A_SEAT:
        return None
    versions, scored_at = dict[int, str](), ""
    for event in history:
        if event.type == SCORED:
            scored_at = event.at
        elif event.type == BEFORE_A_MOVE and event.data["bot"] == status.seats[event.seat or 0].bot:
            versions[event.seat or 0] = event.data["version"]
    subjects = _subjects(status, versions)
    if subjects is None or not scored_at:
        return None
    ladder = ladder_of(snapshot.game.name, time_class(snapshot))
    member = member_of(snapshot.game_id, scored_at)
    places = result.places
    if result.reason != ADJUDICATED:
        places = places_of_those_who_began(status.seats, places)
    return Counted(snapshot.secrets.app, ladder, member, subjects, places)


def _subjects(status: GameStatus, versions: Mapping[int, str]) -> tuple[str, ...] | None:
    subjects = list[str]()
    for number, seat in enumerate(status.seats):
        name, version = str(rated_name(seat)), versions.get(number, seat.version)
        if name.startswith(BOT) and version is None:
            return None  # it has not moved in a game of a former release
        subjects.append(f"{name}:{version}" if name.startswith(BOT) else name)
    return tuple(subjects) if len(subjects) > 1 else None
