"""Games through all that the engine offers."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import orjson
from pyarrow import parquet

from domain.registry import GAMES
from events.archive.mover import Mover
from events.archive.reader import ArchiveReader
from events.archive.storage import Directory
from events.archive.tables import write
from events.audit.findings import PASSED
from events.audit.verify import verified_origin, verify
from events.runtime.settings import Settings
from events.store.link import link_to
from events.store.whole_games import RedisGames
from tests.service.migo.conftest import Seat
from tests.service.migo.table import MigoTable, random_rounds, round_sizes
from tests.service.table import Json, json_of, people

BOT = {"kind": "bot", "bot": "random"}


def passes(*checked: Any, **more: Any) -> None:
    """AssertionError unless the audit of the exported game has nothing against it."""
    report = verify(*checked, **more)
    assert (report.verdict, report.wrong, report.complete) == (PASSED, None, True)


def test_a_game_with_a_bot(seat: Seat, settings: Settings, tmp_path: Path) -> None:
    """Replayed, exported and verified, listed, streamed, archived, and a row of tables."""
    table, rng = seat([*people(3), BOT]), Random(1)
    table.play(rng, 20)
    assert verify(table.export(0)).wrong is None
    takes = sum(event["type"] == "card_taken" for event in table.events())
    for viewer in (None, 0):
        items = table.get("/replay?limit=100", viewer)["items"]
        assert len(items) == 1 + takes
        for item in items:
            assert item["view"] == table.get(f"?version={item['version']}", viewer)
            assert all(event["notation"] for event in item["events"])
    table.finish(rng)
    events, result = table.events(), table.get()["result"]
    assert result["scored"]
    assert result["reason"] in ("two_flags", "round_four")
    assert {len(result[name]) for name in ("flags", "places", "scores")} == {4}
    assert result["places"][result["winner"]] == 1
    assert result["reason"] == "round_four" or result["flags"][result["winner"]] == 2
    listed = json_of(table.client.get("/v1/games?status=finished"))["games"]
    assert [line["result"] for line in listed if line["id"] == table.id] == [result]
    stream = table.client.get(f"{table.path}/events", headers={"Accept": "text/event-stream"}).text
    frames = [line[6:] for line in stream.splitlines() if line.startswith("data: {")]
    assert [orjson.loads(frame) for frame in frames][: len(events)] == events
    assert "event: end" in stream
    assert table.get("/audit")["verdict"] == "passed"
    record = archived(settings).find(table.id, None)
    assert record is not None
    passes(table.export(0), bots=True)  # of its file, by way of the bot, which is asked again
    write([record], GAMES, tmp_path / "tables")
    (row,) = parquet.read_table(tmp_path / "tables" / "games.parquet").to_pylist()
    told = ["migo", result["reason"], result["winner"], 0]
    assert [row[name] for name in ("game", "reason", "winner", "first_seat")] == told
    assert row["started_at"] is not None
    assert [row[f"place_{seat}"] for seat in range(4)] == result["places"]
    assert [row[f"score_{seat}"] for seat in range(4)] == result["scores"]
    assert set(GAMES["migo"].game_columns) <= set(row)
    rows = parquet.read_table(tmp_path / "tables" / "events.parquet").to_pylist()
    assert [row["type"] for row in rows] == [event["type"] for event in events]


def archived(settings: Settings) -> ArchiveReader:
    """The archive, a week after all games were over."""
    assert settings.archive is not None
    directory = Directory(Path(settings.archive))
    link = link_to(str(settings.redis_url), 5.0)
    later = lambda: datetime.now(UTC) + timedelta(days=8)  # noqa: E731 -- a clock
    assert Mover(RedisGames(link), directory, GAMES, 7 * 86_400.0, now=later).run() is not None
    return ArchiveReader(directory)


def test_a_running_game_is_forked(seat: Seat) -> None:
    """The table is the same, later rounds are not; the fork is verified against its origin."""
    table, rng = seat([*people(1), BOT]), Random(4)
    table.play(rng, 5)
    while table.get()["to_act"] == 1:
        table.play(rng, 1)
    view = table.get(seat=0)
    fork = table.fork(0, version=view["version"], resample=True)
    assert fork.get(seat=0)["state"] == view["state"]
    fork.finish(rng)
    table.finish(rng)
    origin = verified_origin(table.export(0))
    passes(fork.export(0), bots=True, origin=origin)


def test_a_finished_game_is_forked_as_it_was(seat: Seat) -> None:
    """With the same prepared rounds to come; they are what would have been played."""
    rng = Random(6)
    rounds = random_rounds(rng, round_sizes(2))
    table = seat(2, setup={"rounds": rounds})
    table.play(rng, 1)
    version = table.get()["version"]
    table.move(0, {"type": "resign"})
    fork = table.fork(0, version=version, seats=[{"kind": "human"}] * 2)
    assert fork.get()["rated"] is False
    fork.finish(rng)
    laid = [[name[:3] for name in data["cards"]] for data in fork.rounds()]
    assert laid == [[name[:3] for name in cards] for cards in rounds[1 : len(laid) + 1]]


def test_bots_give_hints_and_choose(seat: Seat) -> None:
    """Every bot, for the seat that is to act, and for a described position."""
    table: MigoTable = seat(3)
    table.play(Random(10), 4)
    to_act = table.get()["to_act"]
    moves = table.moves(to_act)
    asked: Json = {"game": "migo", "view": table.get(seat=to_act), "history": table.events(to_act)}
    for name in GAMES["migo"].bots:
        assert table.get(f"/hint?bot={name}", to_act)["bot"] == name
        chosen = table.client.post(f"/v1/bots/{name}/choose", json=asked)
        assert chosen.status_code == 200, chosen.text
        assert json_of(chosen)["move"] in moves
