"""The archive as tables: the columns that the docs tell of, and their example queries, over games of sensible bots."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import fmean
from typing import Any, ClassVar, NamedTuple

import pytest
from pyarrow import parquet

from domain.lifecycle import GameStatus, Json, Seat
from domain.migrato.rules.cards import SPECIES_IDS
from domain.registry import GAMES
from events.archive import tables
from events.archive.mover import Mover
from events.archive.reader import ArchiveReader
from events.archive.record import ArchivedGame
from events.archive.storage import Directory
from events.engine.access import Caller
from events.log.envelope import RecordedEvent
from events.log.snapshot import Snapshot
from events.runtime import bootstrap, key_files
from events.runtime.embedded import EmbeddedServer
from events.runtime.settings import Settings
from events.store.link import link_to
from events.store.whole_games import RedisGames
from tests.archive.conftest import Place, finished
from tests.audit.games import ADA, Table
from tests.events.counter import Counter
from tests.support.markdown import ROOT, blocks
from tests.support.sure import sure

COLUMNS = ROOT / "docs/reference/archive-tables.md"
(BOTH_RELEASES,) = blocks(COLUMNS, "sql")
NOT_KEPT, DOUBTS = blocks(ROOT / "docs/how-to/audit-games.md", "sql")
QUERIES = blocks(ROOT / "docs/how-to/analyse-games.md", "sql")
BOTS = ("heuristic", "greedy")
MIGO_BOTS = ("random", "greedy", "random", "heuristic")  # random drinks whenever it comes to its mind
MIGRATO_GAMES, MIGO_GAMES = 8, 9


class Played(NamedTuple):
    """Games that were played to their ends, as they are in tables and as the engine had them."""

    directory: Path
    snapshots: dict[str, Snapshot]
    histories: dict[str, list[RecordedEvent]]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """Each bot began as often."""
    place = tmp_path_factory.mktemp("tables")
    with EmbeddedServer(None) as server:
        settings = Settings(redis_url=server.url, queue_url=server.url, signing_keys=place / "keys")
        key_files.ensure(place / "keys")
        application = bootstrap.application(settings)
        ids = []
        for number in range(MIGRATO_GAMES):
            seats = tuple(Seat("bot", bot=bot) for bot in BOTS)
            rules = "digital" if number < 6 else "opla"
            ids.append(
                finished(application, None, seats=seats, options={"first_seat": number % 2, "rules": rules})
            )
        for number in range(MIGO_GAMES):
            seats = tuple(Seat("bot", bot=bot) for bot in MIGO_BOTS[: 2 + number % 3])
            options = {"first_seat": number % 2, "layout_size": "large" if number >= 6 else "standard"}
            ids.append(finished(application, None, game="migo", seats=seats, options=options))
        snapshots = {
            game_id: application.heads.with_final(application.views.snapshot(game_id)) for game_id in ids
        }
        histories = {game_id: list(application.views.history(game_id)) for game_id in ids}
        archive, link = Directory(place / "archive"), link_to(server.url, 10.0)
        later = datetime.now(UTC) + timedelta(days=1)
        Mover(RedisGames(link), archive, GAMES, 60.0, now=lambda: later).run()
        link.close()
    tables.write(ArchiveReader(archive).records(), GAMES, place / "tables")
    return Played(place / "tables", snapshots, histories)


@pytest.fixture
def directory(played: Played) -> Path:
    return played.directory


def ask(directory: Path, query: str) -> list[dict[str, Any]]:
    """The rows that a query gives, in the directory of the tables."""
    import duckdb  # here, so that only one worker imports it

    asked = re.sub(r"'(\w+\.(?:parquet|csv))'", lambda match: f"'{directory / match[1]}'", query)
    found = sure(duckdb.sql(asked))
    return [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]


def test_the_example_queries(directory: Path) -> None:
    """Five on Migrato, and what they say is so; Migo's games, which are in the same tables, do not count there."""
    assert len(QUERIES) == 5 + 4
    lengths, beginning, buried, teals, dangers = (ask(directory, query) for query in QUERIES[:5])
    assert [(row["rules"], row["games"]) for row in lengths] == [("digital", 6), ("opla", 2)]
    assert all(5 < row["mean"] <= row["longest"] for row in lengths)
    assert [(row["bot_0"], row["bot_1"]) for row in beginning] == [BOTS]
    assert 0 <= beginning[0]["first_wins"] <= 1
    (decided,) = ask(directory, "SELECT count(winner) AS n FROM 'games.parquet' WHERE game = 'migrato'")
    assert beginning[0]["games"] == teals[0]["games"] == decided["n"]
    told = {row["buried"]: row["failed"] for row in buried}
    assert 0 in told
    assert max(told) > 0
    assert told[0] <= max(told.values())
    assert 0 <= teals[0]["decided_by_teals"] <= 1
    assert {row["danger"] for row in dangers} <= {"HUN", "HAB", "LIG"}
    assert {row["target"] for row in dangers} <= {"column", "pile"}
    assert all(1 <= row["birds"] <= 6 for row in dangers)


def test_the_example_queries_on_migo(played: Played, directory: Path) -> None:
    """Four, of which each is compared with the same counted along the games themselves."""
    lengths, beginning, bottles, kinds = (ask(directory, query) for query in QUERIES[5:])
    told = {name: defaultdict[Any, list[Any]](list) for name in ("lengths", "wins", "drunk", "pieces")}
    for row in ask(
        directory, "SELECT game_id, first_seat, layout_size FROM 'games.parquet' WHERE game = 'migo'"
    ):
        status, rounds = ended_rounds(played.histories[row["game_id"]])
        seats = len(status.seats)
        told["lengths"][seats, row["layout_size"]].append((len(rounds), status.turn))
        for step in range(seats):
            won = status.result is not None and status.result.winner == (row["first_seat"] + step) % seats
            told["wins"][seats, step + 1].append(won)
        for players, winner in rounds:
            for seat, player in enumerate(players):
                told["drunk"][seats, player["bottles"]["empty"]].append(seat == winner)
                for up in (card["up"] for card in player["cards"]):
                    told["pieces"][seats, up["kind"]] += up["count"] * [seat == winner]
    assert [tuple(row.values()) for row in lengths] == [
        (*key, len(games), fmean(n for n, _ in games), fmean(n for _, n in games), max(n for _, n in games))
        for key, games in sorted(told["lengths"].items())
    ]
    for rows, name in ((beginning, "wins"), (bottles, "drunk"), (kinds, "pieces")):
        assert {
            (one, other): (count, share) for one, other, count, share in (row.values() for row in rows)
        } == {key: (len(won), pytest.approx(fmean(won))) for key, won in told[name].items()}
    assert {drunk for _, drunk in told["drunk"]} > {0}


def ended_rounds(history: Sequence[RecordedEvent]) -> tuple[GameStatus, list[tuple[list[Json], int]]]:
    """The result of a game of Migo; of each round the players as a view shows them at its end, and its winner."""
    game, rounds = GAMES["migo"], []
    state = game.initial()
    for event in history:
        if event.type == "round_ended":
            view = sure(game.view(state, None))
            rounds.append((view["players"], event.data["winner"]))
        state = game.evolve(state, game.decode(event.record))
    return game.status(state), rounds


def test_the_tables_agree_with_the_games(played: Played, directory: Path) -> None:
    """Points of piles make the scores; turns, ends and events are those that the game has."""
    piles = " + ".join(f"coalesce({species}_0, 0)" for species in SPECIES_IDS)
    assert (
        ask(directory, f"SELECT * FROM 'games.parquet' WHERE game = 'migrato' AND {piles} <> score_0") == []
    )
    for row in ask(directory, "SELECT * FROM 'games.parquet'"):
        snapshot = played.snapshots[row["game_id"]]
        assert (row["turns"], row["events"]) == (snapshot.status.turn, snapshot.version)
        signed = sure(snapshot.secrets.signature)
        assert (row["head"], row["key_id"]) == (snapshot.stream_head.head, signed.key_id)
        seeds = [seat.client_seed for seat in snapshot.status.seats]
        assert [row[f"client_seed_{seat}"] for seat in range(4)] == seeds + [None] * (4 - len(seeds))
        result, seats = snapshot.status.result, range(len(snapshot.status.seats))
        assert result is not None
        assert row["winner"] == result.winner
        assert tuple(row[f"score_{seat}"] for seat in seats) == result.scores
        assert tuple(row[f"place_{seat}"] for seat in seats) == result.places
        assert [row[f"{name}_3"] for name in ("kind", "score", "place")] == [None] * 3 or len(seats) == 4
        assert row["created_at"] <= row["started_at"] <= row["ended_at"]
    counted = ask(
        directory,
        "SELECT game_id, max(version) = count(*) AS whole, max(turn) AS turns FROM 'events.parquet' GROUP BY game_id",
    )
    assert len(counted) == MIGRATO_GAMES + MIGO_GAMES
    assert all(row["whole"] and row["turns"] > 5 for row in counted)
    heads = ask(directory, "SELECT game_id, head FROM 'events.parquet' ORDER BY game_id, version")
    assert [(row["game_id"], row["head"]) for row in heads] == [
        (game_id, event.head) for game_id, history in sorted(played.histories.items()) for event in history
    ]


def test_the_table_of_events_says_what_was_taken_back(server: EmbeddedServer) -> None:
    """The move, and that its player asked for it back; the bot agrees at once."""
    table = Table(bootstrap.application(Settings(redis_url=server.url, queue_url=server.url)))
    game_id = table.create(ADA, Seat("bot", bot="greedy"))
    table.play(game_id, 1, lambda now: table.unseen(now, 0) or {})
    table.application.takebacks.ask(game_id, 0, Caller("seat", seat=0, game_id=game_id))
    rows = list(tables.event_rows(game_id, table.application.views.history(game_id), GAMES["migrato"]))
    assert [(row["type"], row["taken_back"]) for row in rows[2:]] == [
        ("bird_played", True),
        ("takeback_requested", True),
        ("moves_taken_back", False),
    ]
    assert not any(row["taken_back"] for row in rows[:2])


def test_no_column_needs_quotes(directory: Path) -> None:
    """No column needs quotes in a query, alone or among others."""
    for name, schema in (("games", tables.games_schema(GAMES)), ("events", tables.events_schema(GAMES))):
        for columns in (*schema.names, ", ".join(schema.names)):
            assert ask(directory, f"SELECT {columns} FROM '{name}.parquet' LIMIT 1"), columns


def test_an_auditor_s_queries(played: Played, tmp_path: Path) -> None:
    """Heads that were kept and are not in the tables; games that were aborted, and those without a client seed."""
    (game_id, history), *_ = played.histories.items()
    kept = [f"{game_id},{event.version},{event.head}" for event in history[3:5]]
    other = f"{game_id},5,{'0' * 64}"
    (tmp_path / "kept.csv").write_text("\n".join(["game_id,version,head", *kept, other, ""]))
    for name in ("events", "games"):
        (tmp_path / f"{name}.parquet").symlink_to(played.directory / f"{name}.parquet")
    assert [tuple(row.values()) for row in ask(tmp_path, NOT_KEPT)] == [(game_id, 5, "0" * 64)]
    (row,) = ask(tmp_path, DOUBTS)
    assert row == {
        "player_0": None, "player_1": None, "games": len(played.snapshots), "aborted": 0.0, "seedless": 1.0
    }  # fmt: skip


def test_tables_of_former_releases_are_read_beside_those_of_this_one(directory: Path, tmp_path: Path) -> None:
    """Tables of former releases, whose times were in a column `at`, are read beside those of this one."""
    events = parquet.read_table(directory / "events.parquet")
    former = [{"happened_at": "at"}.get(name, name) for name in events.schema.names]
    parquet.write_table(events.rename_columns(former).drop_columns("head"), tmp_path / "former.parquet")
    parquet.write_table(events, tmp_path / "events.parquet")
    rows = ask(tmp_path, BOTH_RELEASES)
    assert len(rows) == 2 * events.num_rows
    assert all(row["happened_at"] is not None for row in rows)


def test_the_columns_are_those_of_the_docs(directory: Path) -> None:
    """Each column is told of, in its table."""
    text = COLUMNS.read_text()
    for name, schema in (("games", tables.games_schema(GAMES)), ("events", tables.events_schema(GAMES))):
        table = text[text.index(f"| `{name}` | type |") :].partition("\n\n")[0]
        told = {
            word
            for row in re.findall(r"^\| (.+?) \|", table, re.MULTILINE)
            for word in re.findall(r"`(\w+)`", row)
        }
        told |= {f"{word[:-2]}_1" for word in told if word[:-2] in SPECIES_IDS} | {"_1"}
        told |= {f"{of}_{seat}" for of in re.findall(r"`(\w+)_0` \.\.\. `\1_3`", table) for seat in (1, 2)}
        assert told - {name, "_1"} == set(schema.names)
        assert parquet.read_schema(directory / f"{name}.parquet").names == schema.names


def test_rows_are_written_in_groups(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that memory does not grow; and a table that could not be ended has no name."""
    monkeypatch.setattr(tables, "ROWS", 10)
    place.finished()
    place.move()
    _, events = tables.write(place.reader.records(), GAMES, tmp_path)
    assert parquet.ParquetFile(tmp_path / "events.parquet").num_row_groups == -(-events // 10)

    def broken() -> Iterator[ArchivedGame]:
        yield from place.reader.records()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tables.write(broken(), GAMES, tmp_path / "other")
    assert list((tmp_path / "other").iterdir()) == []


def test_the_command_writes_the_days_that_are_asked_for(place: Place, tmp_path: Path) -> None:
    """The command writes the days that are asked for, whole, both ends included."""
    place.finished()
    place.move()
    said = place.archive("export", "--parquet", str(tmp_path / "all"))
    assert (said.exit_code, said.stdout[:7]) == (0, "1 game,"), said.output
    said = place.archive("export", "--parquet", str(tmp_path / "no"), "--to", "2020-12-31")
    assert (said.exit_code, said.stdout[:8]) == (0, "0 games,")
    assert parquet.read_metadata(tmp_path / "no" / "games.parquet").num_rows == 0


def test_columns_by_seat_are_for_as_many_as_any_game_has() -> None:
    """Those of two stay where a game of three comes; two games may not mean different things by one column."""

    class Trio(Counter):
        seat_counts = (2, 3)

    class Unlike(Counter):
        game_columns: ClassVar = {"total": "string"}

    of_two = tables.games_schema({"counter": Counter()}).names
    names = tables.games_schema({"counter": Counter(), "trio": Trio()}).names
    assert {"kind_1", "total"} <= set(of_two) < set(names)
    assert {"kind_2", "player_2", "bot_2", "place_2", "score_2", "client_seed_2"} == set(names) - set(of_two)
    assert "amount" in tables.events_schema({"counter": Counter()}).names
    with pytest.raises(ValueError, match="total"):
        tables.games_schema({"one": Counter(), "other": Unlike()})
