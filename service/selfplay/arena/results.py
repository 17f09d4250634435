"""The results as a CSV file, which grows game by game and is what an interrupted tournament goes on from."""

import csv
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, get_type_hints

from service.cli.exits import Refusal
from service.selfplay.arena.fixtures import Record, Tournament, fixtures, key_of, options_text, version_of

_TYPES: Final[tuple[Callable[[str], object], ...]] = tuple(get_type_hints(Record).values())


def load(path: Path) -> list[Record]:
    """The games of a file; a last line that was cut off while it was written does not count.

    Refusal names the line that is none of a game, or is there twice.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    except (OSError, UnicodeDecodeError) as error:
        raise Refusal(f"{path} cannot be read: {getattr(error, 'strerror', 'it is no text')}.") from error
    whole = [line for line in lines if line.endswith("\n")]
    header, *rows = csv.reader(whole) if whole else [list(Record._fields)]
    if header != list(Record._fields):
        raise Refusal(f"{path} does not hold the results of an arena of this version.")
    records = [_record(path, number, row) for number, row in enumerate(rows, 2)]
    seen = set()
    for number, record in enumerate(records, 2):
        if key_of(record) in seen:
            raise Refusal(f"{path}, line {number}: this game is there already.")
        seen.add(key_of(record))
    return records


def _record(path: Path, number: int, row: Sequence[str]) -> Record:
    try:
        return Record(*(kind(cell) for kind, cell in zip(_TYPES, row, strict=True)))  # type: ignore[arg-type]
    except ValueError as error:
        raise Refusal(f"{path}, line {number}: this is no game's result.") from error


def store(path: Path, records: Iterable[Record]) -> None:
    """Write the file anew, in one step. Refusal if that cannot be."""
    draft = path.with_name(f"{path.name}.new")
    with _writing(path), draft.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(Record._fields)
        writer.writerows(records)
        stream.flush()
        os.fsync(stream.fileno())
    with _writing(path):
        draft.replace(path)


@contextmanager
def appending(path: Path) -> Iterator[Callable[[Record], None]]:
    """What adds a game to the file and is done when the system has it: a kill loses no game that was over."""
    with _writing(path):
        stream = path.open("a", encoding="utf-8", newline="", buffering=1)
    writer = csv.writer(stream, lineterminator="\n")

    def keep(record: Record) -> None:
        with _writing(path):
            writer.writerow(record)

    with stream:
        yield keep


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise Refusal(f"{path} cannot be written: {error.strerror}.") from error


def in_order(tournament: Tournament, records: Iterable[Record]) -> list[Record]:
    """The games in the tournament's order, in whichever they were finished; any beyond it at the end."""
    places = {key_of(fixture): place for place, fixture in enumerate(fixtures(tournament))}
    return sorted(records, key=lambda record: (places.get(key_of(record), len(places)), key_of(record)))


def check_belongs(path: Path, tournament: Tournament, records: Iterable[Record]) -> None:
    """Refusal unless the games are this tournament's: its bots and their versions, options, seed and build."""
    versions = {entrant.name: version_of(entrant) for entrant in tournament.entrants}
    here = {"seed": tournament.seed, "options": options_text(tournament.options), "build": tournament.build}
    for record in records:
        for name, version in ((record.bot_0, record.version_0), (record.bot_1, record.version_1)):
            if name not in versions:
                _refuse(path, f"has games of {name}, which does not take part")
            if version != versions[name]:
                _refuse(path, f"has games of {name} in version {version}, and here it is {versions[name]}")
        for what, value in here.items():
            if getattr(record, what) != value:
                _refuse(path, f"was played with {what} {getattr(record, what)}, and this would be {value}")


def check_alike(path: Path, records: Sequence[Record]) -> None:
    """Refusal unless all the games were played by the same versions, with the same options and seed."""
    versions: dict[str, str] = {}
    for record in records:
        for name, version in ((record.bot_0, record.version_0), (record.bot_1, record.version_1)):
            if versions.setdefault(name, version) != version:
                _refuse(path, f"mixes versions {versions[name]} and {version} of {name}")
        for what in ("options", "build"):
            if getattr(record, what) != getattr(records[0], what):
                _refuse(path, f"mixes games of different {what}")


def _refuse(path: Path, why: str) -> None:
    raise Refusal(f"{path} {why}: such results cannot be put together.")
