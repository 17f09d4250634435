"""The results as a CSV file, which grows game by game; an interrupted tournament goes on from it.

A line is a game, and the columns that end in a number are those of a seat. With two seats a column names the winner
(empty: a draw); with more, each seat has its place. Where external bots take part, the moves that another bot made in
their place are counted. The last column, the game's name, is left out for the default game.
"""

import csv
import json
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from domain.lifecycle import places_in_duel
from domain.registry import DEFAULT_GAME, game_named
from service.cli.selfplay.arena.fixtures import (
    Record,
    Side,
    Tournament,
    fixtures,
    key_of,
    options_text,
    seated,
)


class ResultsError(Exception):
    """A file of results cannot be read or written, or not be used for what is asked; the text says why."""


def columns(seats: int, game: str, external: bool = False) -> list[str]:
    """The names of the columns, as in the file's first line; `external`: external bots take part."""
    placed = ["winner"] if seats == 2 else _by_seat("place", seats)
    times = [f"ms_{figure}_{seat}" for seat in range(seats) for figure in ("mean", "p95", "max")]
    named = [] if game == DEFAULT_GAME else ["game_name"]
    return [
        "game",
        *_by_seat("bot", seats),
        *placed,
        "reason",
        "turns",
        *_by_seat("score", seats),
        *_by_seat("moves", seats),
        *times,
        *_by_seat("version", seats),
        *(_by_seat("fallbacks", seats) if external else ()),
        *("seed", "options", "build"),
        *named,
    ]


def _by_seat(what: str, seats: int) -> list[str]:
    return [f"{what}_{seat}" for seat in range(seats)]


def _row(record: Record, external: bool) -> list[object]:
    """The record's cells, in the order of its columns."""
    cells: dict[str, object] = {
        "game": record.number,
        "winner": record.winner,
        "reason": record.reason,
        "turns": record.turns,
        "seed": record.seed,
        "options": record.options,
        "build": record.build,
        "game_name": record.game,
    }
    for seat, side in enumerate(record.sides):
        cells |= {f"{name}_{seat}": value for name, value in side._asdict().items()}
    return [cells[column] for column in columns(len(record.sides), record.game, external)]


def load(path: Path) -> list[Record]:
    """The games of a file; a last line that was cut off while it was written does not count.

    ResultsError names the line that is none of a game, or is there twice.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    except (OSError, UnicodeDecodeError) as error:
        raise ResultsError(
            f"{path} cannot be read: {getattr(error, 'strerror', 'it is no text')}."
        ) from error
    whole = [line for line in lines if line.endswith("\n")]
    if not whole:
        return []
    header, *rows = csv.reader(whole)
    seats = max(2, len([column for column in header if column.startswith("bot_")]))
    if header not in [
        columns(seats, game, external) for game in (DEFAULT_GAME, "") for external in (False, True)
    ]:
        raise ResultsError(f"{path} does not hold the results of an arena of this version.")
    records = [_record(path, number, header, row) for number, row in enumerate(rows, 2)]
    seen = set()
    for number, record in enumerate(records, 2):
        game = (record.seed, *key_of(record))
        if game in seen:
            raise ResultsError(f"{path}, line {number}: this game is there already.")
        seen.add(game)
    return records


def _record(path: Path, number: int, header: Sequence[str], row: Sequence[str]) -> Record:
    try:
        return _parsed(dict(zip(header, row, strict=True)))
    except (ValueError, RecursionError) as error:
        raise ResultsError(f"{path}, line {number}: this is no game's result.") from error


def _parsed(cells: Mapping[str, str]) -> Record:
    """The record of a line's cells by column; ValueError if that cannot be."""
    seats = range(len([column for column in cells if column.startswith("bot_")]))
    places = _places(cells, len(seats))
    sides = tuple([_side(cells, seat, places[seat]) for seat in seats])
    if len({side.bot for side in sides}) < len(sides) or not isinstance(json.loads(cells["options"]), dict):
        raise ValueError
    return Record(
        _count(cells["game"]),
        sides,
        _name(cells["reason"]),
        _count(cells["turns"]),
        _number(cells["seed"]),
        cells["options"],
        _name(cells["build"]),
        _name(cells.get("game_name", DEFAULT_GAME)),
    )


def _number(cell: str) -> int:
    if re.fullmatch(r"-?[0-9]{1,18}", cell) is None:
        raise ValueError
    return int(cell)


def _count(cell: str) -> int:
    if cell.startswith("-"):
        raise ValueError
    return _number(cell)


def _time(cell: str) -> float:
    time = float(cell)
    if not 0 <= time < math.inf:
        raise ValueError
    return time


def _name(cell: str) -> str:
    """The name of a bot, perhaps with its budget; ValueError for what a terminal might take for markup."""
    if re.fullmatch(r"[\w.@-]{1,100}", cell, re.ASCII) is None:
        raise ValueError
    return cell


def _places(cells: Mapping[str, str], seats: int) -> tuple[int, ...]:
    if seats != 2:
        return tuple([_place(cells[f"place_{seat}"], seats) for seat in range(seats)])
    bots = [cells["bot_0"], cells["bot_1"]]
    return places_in_duel(bots.index(cells["winner"]) if cells["winner"] else None)


def _place(cell: str, seats: int) -> int:
    place = _count(cell)
    if not 1 <= place <= seats:
        raise ValueError
    return place


def _side(cells: Mapping[str, str], seat: int, place: int) -> Side:
    return Side(
        _name(cells[f"bot_{seat}"]),
        place,
        _number(cells[f"score_{seat}"]),
        _count(cells[f"moves_{seat}"]),
        _time(cells[f"ms_mean_{seat}"]),
        _time(cells[f"ms_p95_{seat}"]),
        _time(cells[f"ms_max_{seat}"]),
        _name(cells[f"version_{seat}"]),
        _count(cells.get(f"fallbacks_{seat}", "0")),
    )


def store(
    path: Path, records: Sequence[Record], seats: int = 2, game: str = DEFAULT_GAME, external: bool = False
) -> None:
    """Write the file anew, in one step; all records are of games with so many seats. ResultsError if that cannot be."""
    draft = path.with_name(f"{path.name}.new")
    with _writing(path), draft.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(columns(seats, game, external))
        writer.writerows([_row(record, external) for record in records])
        stream.flush()
        os.fsync(stream.fileno())
    with _writing(path):
        draft.replace(path)


@contextmanager
def appending(path: Path, external: bool = False) -> Iterator[Callable[[Record], None]]:
    """Function that adds a game to the file, and ends when the system has it: a kill loses no game that was over."""
    with _writing(path):
        stream = path.open("a", encoding="utf-8", newline="", buffering=1)
    writer = csv.writer(stream, lineterminator="\n")

    def keep(record: Record) -> None:
        with _writing(path):
            writer.writerow(_row(record, external))

    with stream:
        yield keep


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ResultsError(f"{path} cannot be written: {error.strerror}.") from error


def in_order(tournament: Tournament, records: Iterable[Record]) -> list[Record]:
    """The games in the tournament's order, in whichever they were finished; any beyond it at the end."""
    places = {key_of(fixture): place for place, fixture in enumerate(fixtures(tournament))}
    return sorted(records, key=lambda record: (places.get(key_of(record), len(places)), key_of(record)))


def check_belongs(path: Path, tournament: Tournament, records: Iterable[Record]) -> None:
    """ResultsError unless the games are this tournament's: its game, bots and versions, seats, options, seed, build."""
    game = game_named(tournament.game)
    versions = {entrant.name: entrant.version(game) for entrant in tournament.entrants}
    here = {"seed": tournament.seed, "options": options_text(tournament.options), "build": tournament.build}
    for record in records:
        if record.game != tournament.game:
            _refuse(path, f"has games of {record.game}, and this would be {tournament.game}")
        if len(record.sides) != tournament.seats:
            _refuse(path, f"has games of {len(record.sides)} seats, and this would be {tournament.seats}")
        for side in record.sides:
            if side.bot not in versions:
                _refuse(path, f"has games of {side.bot}, which does not take part")
            if side.version != versions[side.bot]:
                current = versions[side.bot]
                _refuse(path, f"has games of {side.bot} in version {side.version}, and here it is {current}")
        for what, value in here.items():
            if getattr(record, what) != value:
                _refuse(path, f"was played with {what} {getattr(record, what)}, and this would be {value}")
        if record.bots != seated(record.bots, record.number):
            _refuse(
                path,
                f"has a game {record.number} in which {' and '.join(record.bots)} sit in another order than here",
            )


def check_alike(path: Path, records: Sequence[Record]) -> None:
    """ResultsError unless all games were played by the same versions, with the same game, options and build."""
    versions: dict[str, str] = {}
    for record in records:
        for side in record.sides:
            if versions.setdefault(side.bot, side.version) != side.version:
                _refuse(path, f"mixes versions {versions[side.bot]} and {side.version} of {side.bot}")
        for what in ("game", "options", "build"):
            if getattr(record, what) != getattr(records[0], what):
                _refuse(path, f"mixes games of different {what}")


def _refuse(path: Path, why: str) -> None:
    raise ResultsError(f"{path} {why}: such results cannot be put together.")
