"""A game of each number of seats through all that the engine offers."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import orjson
import pytest
from pyarrow import parquet

from domain.registry import GAMES
from events.archive.mover import Mover
from events.archive.reader import ArchiveReader
from events.archive.storage import Directory
from events.archive.tables import write
from events.audit.findings import PASSED
from events.audit.verify import verified_origin, verify
from events.redis.connections.client import RedisClient
from events.redis.whole_games import RedisGames
from events.runtime.settings import Settings
from tests.service.migo.conftest import Seat
from tests.service.migo.table import MigoTable, people, random_rounds, round_sizes
from tests.service.table import json_of

Json = dict[str, Any]
BOT = {"kind": "bot", "bot": "random"}


@pytest.fixture(params=[2, 3, 4])
def table(request: pytest.FixtureRequest, seat: Seat) -> MigoTable:
    """People and one bot, in a fair game."""
    return seat([*people(request.param - 1), BOT])


def test_it_is_played_to_its_end(table: MigoTable) -> None:
    """The result has flags, places and scores of all seats, and the listing shows the same."""
    table.finish(Random(1))
    result, seats = table.get()["result"], len(table.tokens)
    assert result["scored"]
    assert result["reason"] in ("two_flags", "round_four")
    assert {len(result[name]) for name in ("flags", "places", "scores")} == {seats}
    assert result["places"][result["winner"]] == 1
    assert result["reason"] == "round_four" or result["flags"][result["winner"]] == 2
    listed = json_of(table.client.get("/v1/games?status=finished"))["games"]
    assert [line["result"] for line in listed if line["id"] == table.id] == [result]


def test_a_stream_shows_the_same_events(table: MigoTable) -> None:
    """One frame an event, and an end."""
    table.finish(Random(2))
    answer = table.client.get(f"{table.path}/events", headers={"Accept": "text/event-stream"})
    frames = [line[6:] for line in answer.text.splitlines() if line.startswith("data: {")]
    events = table.events()
    assert [orjson.loads(frame) for frame in frames][: len(events)] == events
    assert "event: end" in answer.text


def test_it_is_replayed_as_it_was_seen(table: MigoTable) -> None:
    """Every step shows the view of that time and a line for each event."""
    table.play(Random(3), 20)
    takes = sum(event["type"] == "card_taken" for event in table.events())
    for seat in (None, 0):
        items = table.get("/replay?limit=100", seat)["items"]
        assert len(items) == 1 + takes
        for item in items:
            assert item["view"] == table.get(f"?version={item['version']}", seat)
            assert all(event["notation"] for event in item["events"])


def test_a_running_game_is_forked(table: MigoTable) -> None:
    """The table is the same, later rounds are not; the fork is verified against its origin."""
    table.play(Random(4), 5)
    while table.get()["to_act"] == len(table.tokens) - 1:
        table.play(Random(4), 1)
    view = table.get(seat=0)
    fork = table.post("/fork", 0, {"version": view["version"], "resample": True})
    assert fork.status_code == 201, fork.text
    again = MigoTable.__new__(MigoTable)
    again.client, again.application = table.client, table.application
    again.adopt(json_of(fork))
    assert again.get(seat=0)["state"] == view["state"]
    again.finish(Random(5))
    table.finish(Random(5))
    origin = verified_origin(table.export(0))
    report = verify(again.export(0), bots=True, origin=origin)  # type: ignore[arg-type]
    assert (report.verdict, report.wrong) == (PASSED, None)


def test_a_finished_game_is_forked_as_it_was(seat: Seat) -> None:
    """With the same prepared rounds to come; they are what would have been played."""
    rng = Random(6)
    rounds = random_rounds(rng, round_sizes(2))
    table = seat(2, setup={"rounds": rounds})
    table.finish(rng)
    version = next(event["version"] for event in table.events() if event["type"] == "card_taken")
    fork = table.post("/fork", 0, {"version": version, "seats": [{"kind": "human"}] * 2})
    assert fork.status_code == 201, fork.text
    again = MigoTable.__new__(MigoTable)
    again.client, again.application = table.client, table.application
    again.adopt(json_of(fork))
    assert again.get()["rated"] is False
    again.finish(rng)
    laid = [event["data"]["cards"] for event in again.events() if event["type"] == "round_started"]
    assert [[name[:3] for name in cards] for cards in laid] == [
        [name[:3] for name in cards] for cards in rounds[1 : len(laid) + 1]
    ]


def test_its_export_is_verified_offline(table: MigoTable) -> None:
    """While it runs, and with the bot asked again when it is over."""
    table.play(Random(7), 7)
    assert verify(table.export(0)).wrong is None
    table.finish(Random(7))
    report = verify(table.export(0), bots=True)
    assert (report.verdict, report.wrong, report.complete) == (PASSED, None, True)
    assert table.get("/audit")["verdict"] == "passed"


def test_a_prepared_game_is_verified(seat: Seat) -> None:
    """Its rounds are what was prepared; resignations and a limit included."""
    rng = Random(8)
    rounds = random_rounds(rng, round_sizes(4)[:2])
    table = seat(4, setup={"rounds": rounds}, options={"turn_limit": 30})
    table.play(rng, 9)
    table.move(2, {"type": "resign"})
    table.finish(rng)
    assert table.get()["result"]["reason"] == "turn_limit"
    report = verify(table.export(0))
    assert (report.verdict, report.wrong) == (PASSED, None)


def archived(table: MigoTable, settings: Settings) -> ArchiveReader:
    """The finished game, moved into the archive."""
    table.finish(Random(9))
    assert settings.archive is not None
    directory = Directory(Path(settings.archive))
    link = RedisClient.to(settings.redis_url, 5.0)  # type: ignore[arg-type]
    later = lambda: datetime.now(UTC) + timedelta(days=8)  # noqa: E731 -- a clock
    assert Mover(RedisGames(link), directory, GAMES, 7 * 86_400.0, now=later).run() is not None
    return ArchiveReader(directory)


def test_it_is_archived_and_has_rows_in_the_tables(
    table: MigoTable, settings: Settings, tmp_path: Path
) -> None:
    """It still answers from its file, and is a row of games and rows of events."""
    reader = archived(table, settings)
    record = reader.find(table.id, None)
    assert record is not None
    assert verify(table.export(0), bots=True).verdict == PASSED
    write([record], GAMES, tmp_path / "tables")
    (row,) = parquet.read_table(tmp_path / "tables" / "games.parquet").to_pylist()
    view, seats = table.get(), len(table.tokens)
    assert (row["game"], row["reason"], row["winner"]) == (
        "migo",
        view["result"]["reason"],
        view["result"]["winner"],
    )
    assert row["first_seat"] == 0
    assert row["started_at"] is not None
    assert [row[f"place_{seat}"] for seat in range(seats)] == view["result"]["places"]
    assert [row[f"score_{seat}"] for seat in range(seats)] == view["result"]["scores"]
    for name in GAMES["migo"].game_columns:
        assert name in row
    events = parquet.read_table(tmp_path / "tables" / "events.parquet").to_pylist()
    assert [event["type"] for event in events] == [event["type"] for event in table.events()]


def test_bots_give_hints_and_choose(seat: Seat) -> None:
    """Every bot, for the seat that is to act, and for a described position."""
    table = seat(3)
    table.play(Random(10), 4)
    to_act = table.get()["to_act"]
    moves = table.moves(to_act)
    for name in GAMES["migo"].bots:
        assert table.get(f"/hint?bot={name}", to_act)["bot"] == name
    asked = {"game": "migo", "view": table.get(seat=to_act), "history": table.events(to_act)}
    for name in GAMES["migo"].bots:
        chosen = table.client.post(f"/v1/bots/{name}/choose", json=asked)
        assert chosen.status_code == 200, chosen.text
        assert json_of(chosen)["move"] in moves


def test_an_open_seat_starts_the_game(seat: Seat) -> None:
    """Nothing lies before the last seat is taken."""
    table = seat([*people(2), {"kind": "open"}])
    assert (table.get()["status"], table.get()["state"]) == ("waiting", None)
    taken = table.client.post(f"{table.path}/seats/2", json={"player": "cy"})
    assert taken.status_code in (200, 201), taken.text
    assert [event["type"] for event in table.events()][-2:] == ["game_started", "round_started"]
    assert len(table.state()["table"]) == 25
