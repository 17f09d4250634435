"""The archive as two tables in Parquet: of games and of events; docs/reference/archive-tables.md lists the columns.

Written in groups of rows, so that the memory it takes does not grow with the archive.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final, Self

import orjson
import pyarrow as pa
from pyarrow import parquet

from domain.game import Game
from domain.lifecycle import Json
from domain.takebacks.takebacks import undone_by
from events.archive.record import ArchivedGame, folded
from events.log.envelope import RecordedEvent
from events.log.serialisers import result_document
from events.log.snapshot import Snapshot

ROWS: Final = 20_000  # in a group of rows: so many are in memory
FEWEST_SEATS: Final = 2  # that have columns, also where every game has one seat

_TIME: Final = pa.timestamp("ms")  # UTC, without a zone: so DuckDB reads it in Python without another package
_NAME: Final = pa.dictionary(pa.int32(), pa.string())
_Columns = list[tuple[str, pa.DataType]]
# The types of a game's own columns (`domain.game.Game`).
_TYPES: Final = {
    "int8": pa.int8(),
    "int16": pa.int16(),
    "string": pa.string(),
    "strings": pa.list_(pa.string()),
    "name": _NAME,
}


def games_schema(games: Mapping[str, Game]) -> pa.Schema:
    """The columns of the table of games: those of every game, and each game's own.

    Of what comes by seat there are as many columns as any of the games may have seats. ValueError where two games give
    one column different types, or a game names one of the common ones.
    """
    seats = range(max([FEWEST_SEATS, *(game.seat_counts[-1] for game in games.values())]))
    return _schema(
        [
            ("game_id", pa.string()),
            ("game", _NAME),
            ("app", _NAME),
            ("visibility", _NAME),
            ("rules", _NAME),
            ("options", pa.string()),
            ("rated", pa.bool_()),
            ("setup", pa.bool_()),
            ("created_at", _TIME),
            ("started_at", _TIME),
            ("ended_at", _TIME),
            ("events", pa.int32()),
            ("turns", pa.int32()),
            ("first_seat", pa.int8()),
            ("winner", pa.int8()),
            ("reason", _NAME),
            *((f"kind_{seat}", _NAME) for seat in seats),
            *((f"player_{seat}", pa.string()) for seat in seats),
            *((f"bot_{seat}", _NAME) for seat in seats),
            *((f"score_{seat}", pa.int16()) for seat in seats),
        ],
        (game.game_columns for game in games.values()),
        [
            *((f"place_{seat}", pa.int8()) for seat in seats),
            ("head", pa.string()),
            ("key_id", _NAME),
            *((f"client_seed_{seat}", pa.string()) for seat in seats),
            ("unrated_because", _NAME),
        ],
    )


def events_schema(games: Mapping[str, Game]) -> pa.Schema:
    """The columns of the table of events: those of every game, what games have columns for, and all data as JSON.

    ValueError as `games_schema`.
    """
    common = [
        ("game_id", pa.string()),
        ("version", pa.int32()),
        ("turn", pa.int32()),
        ("type", _NAME),
        ("schema", pa.int16()),
        ("happened_at", _TIME),  # `at` is a word of SQL
        ("seat", pa.int8()),
    ]
    own = (game.event_columns for game in games.values())
    return _schema(common, own, [("data", pa.string()), ("head", pa.string()), ("taken_back", pa.bool_())])


def _schema(common: _Columns, of_games: Iterable[Mapping[str, str]], newer: _Columns) -> pa.Schema:
    """The columns in their order; those that are newer than games' own stand last, so that the others keep theirs."""
    columns = dict(common)
    reserved = columns.keys() | dict(newer).keys()
    for own in of_games:
        for name, kind in own.items():
            if name in reserved or columns.setdefault(name, _TYPES[kind]) != _TYPES[kind]:
                raise ValueError(f"The column {name} of a game has the name of another column.")
    return pa.schema([*columns.items(), *newer])


class Table:
    """A Parquet file that grows by groups of rows, and gets its name when it is whole."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self._path = path
        self._staged = path.with_name(f"{path.name}.tmp")
        self._schema = schema
        os.close(
            os.open(self._staged, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        )  # private games are in it
        self._writer = parquet.ParquetWriter(self._staged, schema, compression="zstd")
        self._rows: list[Json] = []

    def add(self, row: Json) -> None:
        """Add a row; it is written with its group, once that is full."""
        self._rows.append(row)
        if len(self._rows) >= ROWS:
            self._flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self._flush()
        self._writer.close()
        if kind is None:
            self._staged.replace(self._path)
        else:
            self._staged.unlink(missing_ok=True)

    def _flush(self) -> None:
        if self._rows:
            self._writer.write_batch(pa.RecordBatch.from_pylist(self._rows, schema=self._schema))
            self._rows = []


def write(
    records: Iterable[ArchivedGame],
    games: Mapping[str, Game],
    directory: Path,
) -> tuple[int, int]:
    """Write `games.parquet` and `events.parquet` into the directory; the numbers of their rows.

    `games`: the rules of the games, by name. Raises CorruptStream, StoreUnavailable, and OSError for the directory.
    """
    directory.mkdir(parents=True, exist_ok=True)
    counts = [0, 0]
    with (
        Table(directory / "games.parquet", games_schema(games)) as table_of_games,
        Table(directory / "events.parquet", events_schema(games)) as table_of_events,
    ):
        for record in records:
            events = record.raw.events()
            table_of_games.add(game_row(folded(record.raw, events, games), events))
            for row in event_rows(record.raw.game_id, events, games[record.raw.secrets.game]):
                table_of_events.add(row)
            counts[0] += 1
            counts[1] += len(events)
    return counts[0], counts[1]


def game_row(snapshot: Snapshot, events: list[RecordedEvent]) -> Json:
    """A game's row."""
    status, secrets = snapshot.status, snapshot.secrets
    result = result_document(snapshot)  # None where the game was aborted
    started = next((event for event in events if event.type == "game_started"), None)
    ended = next((event for event in reversed(events) if event.type == "game_ended"), events[-1])
    row: Json = {
        "game_id": snapshot.game_id,
        "game": snapshot.game.name,
        "app": secrets.app,
        "visibility": secrets.visibility,
        "rules": status.options.get("rules"),
        "options": orjson.dumps(status.options, option=orjson.OPT_SORT_KEYS).decode(),
        "rated": snapshot.is_rated,
        "unrated_because": snapshot.unrated_because,
        "setup": status.setup,
        "created_at": datetime.fromisoformat(secrets.created_at),
        "started_at": None if started is None else datetime.fromisoformat(started.at),
        "ended_at": datetime.fromisoformat(ended.at),
        "events": len(events),
        "turns": status.turn,
        "first_seat": None if started is None else started.data.get("first_seat"),
        "winner": None if result is None else result["winner"],
        "reason": None if status.result is None else status.result.reason,
        "head": snapshot.stream_head.head,
        "key_id": None if secrets.signature is None else secrets.signature.key_id,
    }
    for number, seat in enumerate(status.seats):
        row |= {f"kind_{number}": seat.kind, f"player_{number}": seat.player, f"bot_{number}": seat.bot}
        row[f"client_seed_{number}"] = seat.client_seed
        if result is not None:
            row |= {f"place_{number}": result["places"][number], f"score_{number}": result["scores"][number]}
    return row | snapshot.game.game_row(snapshot.state)


def event_rows(game_id: str, events: Sequence[RecordedEvent], game: Game) -> Iterator[Json]:
    """A row for each event; `turn` is the turn in which it happened."""
    state = game.initial()
    undone = {version for event in events for version in undone_by(event.version, event.record)}
    for event in events:
        before = game.status(state).turn if event.version > 1 else 0
        record = event.record
        state, data = game.evolve(state, game.decode(record)), record.data
        yield {
            "game_id": game_id,
            "version": event.version,
            "turn": before,
            "type": record.type,
            "schema": record.schema,
            "happened_at": datetime.fromisoformat(event.at),
            "seat": event.seat,
            **{name: data.get(name) for name in game.event_columns},
            "data": orjson.dumps(data, option=orjson.OPT_SORT_KEYS).decode(),
            "head": event.head,
            "taken_back": event.version in undone,
        }
