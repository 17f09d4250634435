"""Games that an app has aborted, adjudicated, or given to a bot: moved, checked and counted like any others."""

from pathlib import Path

import pytest
from pyarrow import parquet

from domain.lifecycle import Seat
from domain.registry import GAMES
from events.application import Application
from events.archive import tables
from events.engine.access import STRANGER
from events.engine.new_game import NewGame
from events.features.interventions import Verdict
from tests.archive.conftest import Place, play_on
from tests.support.sure import sure

PEOPLE = tuple(Seat("human", name) for name in ("ada", "bo", "cy"))


def ended(application: Application, game: str) -> dict[str, str]:
    """A game of each kind that is over, by the kind."""

    def created(seats: tuple[Seat, ...], **options: int) -> str:
        new = NewGame(game, dict(options), seats, "public")
        return application.creation.create("anonymous", new).snapshot.game_id

    seats = PEOPLE[: GAMES[game].seat_counts[-1]]
    games = {kind: created(seats) for kind in ("aborted", "adjudicated")}
    games["never begun"] = created((*seats[:-1], Seat("open")))
    games["replaced"] = created(seats, turn_limit=8)
    decisions = application.interventions
    decisions.abort(games["aborted"], STRANGER)
    decisions.abort(games["never begun"], STRANGER)
    decisions.adjudicate(games["adjudicated"], Verdict(winner=1), STRANGER)
    for seat in range(len(seats)):
        decisions.replace_player(games["replaced"], seat, "greedy", STRANGER)
    play_on(application, games["replaced"])
    application.bot_turns.score_game(games["adjudicated"])
    for game_id in games.values():
        application.listing.update(game_id)
    return games


@pytest.mark.parametrize("game", ["migrato", "migo"])
def test_they_are_archived_as_they_are(place: Place, tmp_path: Path, game: str) -> None:
    """Such games are archived as they are: nothing is wrong before or after, and each has a row in the tables."""
    games = ended(place.application, game)
    assert place.fsck().findings == []
    before = {game_id: place.raw(game_id) for game_id in games.values()}
    moved = place.move()
    assert (moved.games, moved.left) == (len(games), {})
    for game_id, raw in before.items():
        assert sure(place.reader.find(game_id, "any")).raw == raw
    assert place.fsck().findings == []
    tables.write(place.reader.records(), GAMES, tmp_path / "tables")
    rows = {row["game_id"]: row for row in parquet.read_table(tmp_path / "tables/games.parquet").to_pylist()}
    for kind in ("aborted", "never begun"):
        row = rows[games[kind]]
        assert (row["reason"], row["winner"], row["place_0"], row["score_1"]) == ("aborted", None, None, None)
        assert (row["rated"], row["started_at"] is None) == (False, kind == "never begun")
        assert row["ended_at"] is not None
    row = rows[games["adjudicated"]]
    assert (row["reason"], row["winner"], row["place_0"], row["place_1"]) == ("adjudicated", 1, 2, 1)
    row = rows[games["replaced"]]
    assert (row["kind_0"], row["bot_0"], row["player_0"], row["rated"]) == ("bot", "greedy", None, False)
