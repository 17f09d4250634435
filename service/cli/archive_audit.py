"""The audit of a whole archive: each file by its name, each game by index and private line, and by its rules."""

import io
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Final, NamedTuple

import orjson

from events.archive import file_format
from events.archive.file_format import Member
from events.archive.reader import ArchiveReader
from events.archive.rolls import Rolls
from events.archive.rolls import day_of as rolls_day_of
from events.audit.findings import Report
from events.audit.histories import Histories
from events.audit.verify import verify
from events.errors import CorruptStream
from events.log.export import Exported, Unreadable, games_in
from service.cli.in_order import in_order
from service.cli.verify_report import Outcome
from service.cli.verify_run import outcome_of

_LOOKS: Final = 3  # looks at the names of all files: a file may give way to another one meanwhile


class Filed(NamedTuple):
    """A game of a file, by its id and not yet read; or the reason why the file cannot be gone through."""

    file: str
    game_id: str
    member: Member | Unreadable


@dataclass(frozen=True, slots=True)
class Trust:
    """The public keys in base64url, by key id, of which one must have signed; None: any key will do.

    `unsigned`: a game that nobody has signed passes all the same.
    """

    keys: dict[str, str] | None
    unsigned: bool = False

    def of(self, exported: Exported) -> dict[str, str] | None:
        """The keys of which one must have signed this game; None: nobody need have."""
        return None if self.unsigned and not _is_signed(exported) else self.keys


def outcomes(
    reader: ArchiveReader, trust: Trust, bots: bool, jobs: int, advance: Callable[[], None]
) -> Generator[Outcome, None, None]:
    """The outcome of every game, in the order of the files; a damaged game or file does not stop the others.

    `advance` is called for each file. Raises StoreUnavailable, WorkerDied.
    """
    judge, histories = partial(_judged, partial(_audited, trust, bots)), Histories()
    for filed, judged in in_order(judge, _filed(reader, advance), jobs, lambda filed: filed):
        if isinstance(judged, Unreadable):
            yield Outcome(filed.file, unreadable=judged)
        else:
            assert isinstance(filed.member, Member)
            exported = _exported(file_format.unzipped(filed.member.export))
            yield outcome_of(filed.file, judged, exported, histories)


@dataclass(slots=True)
class RollTotals:
    """The sum over all rolls: their number, and that of the games that were pruned."""

    rolls: int = 0
    pruned: int = 0


def roll_faults(
    reader: ArchiveReader, trusted: dict[str, str] | None, total: RollTotals
) -> Generator[Outcome, None, None]:
    """The rolls that prove nothing, and the games that a roll names but that are in no file and were not pruned.

    `total` gets the sum. Raises StoreUnavailable.
    """
    rolls = Rolls(reader.storage)
    by_day = groupby(rolls.names(), rolls_day_of)
    for day, names in by_day:
        told = set[str]()
        pruned = set[str]()
        for name in list(names):
            try:
                roll = rolls.read(name)
            except FileNotFoundError:
                continue  # another roll has all its entries
            except CorruptStream as error:
                yield Outcome(name, unreadable=_damaged(error))
                continue
            total.rolls += 1
            fault = roll.fault(trusted)
            if fault is not None:
                yield Outcome(name, unreadable=Unreadable("roll", f"Roll {name}: {fault}"))
                continue
            told |= roll.entries.keys()
            pruned.update(roll.pruned)
        total.pruned += len(pruned)
        filed = set[str]()
        for name in reader.files(str(day), str(day)):
            with suppress(CorruptStream, FileNotFoundError):  # the audit of the file itself tells this
                filed |= reader.index(name).keys()
        for game_id in sorted(told - pruned - filed):
            detail = f"Game {game_id} is in the roll of {day} and in no file of that day: it was dropped, not pruned."
            yield Outcome(f"{day}/", unreadable=Unreadable("dropped", detail))


def _filed(reader: ArchiveReader, advance: Callable[[], None]) -> Iterator[Filed]:
    """The games of all files. If a file has gone meanwhile, other files have its games, so the names are read again."""
    known = set[str]()
    for _ in range(_LOOKS):
        gone = False
        for name in reader.files():
            if name in known:
                continue
            known.add(name)
            try:
                members = file_format.unpack(name, reader.storage.read(name))
            except FileNotFoundError:
                gone = True
                continue
            except CorruptStream as error:
                yield Filed(name, "", _damaged(error))
            else:
                for game_id, member in members.items():
                    yield Filed(name, game_id, member)
            advance()
        if not gone:
            return


def _audited(trust: Trust, bots: bool, exported: Exported) -> Report:
    return verify(exported, trusted=trust.of(exported), bots=bots)


def _is_signed(exported: Exported) -> bool:
    """False only where the end says that nobody has signed."""
    try:
        return orjson.loads(exported.end)["end"]["signature"] is not None
    except (LookupError, TypeError, ValueError):
        return True


def _judged(check: Callable[[Exported], Report], filed: Filed) -> Report | Unreadable:
    if isinstance(filed.member, Unreadable):
        return filed.member
    try:
        _, record = file_format.check_member(filed.file, filed.game_id, filed.member)
        return check(_exported(record.export))
    except CorruptStream as error:
        return _damaged(error)
    except Unreadable as reason:
        return Unreadable(reason.code, f"Game {filed.game_id}: {reason.detail}", reason.line)


def _exported(export: bytes) -> Exported:
    """The one game in an export. Raises Unreadable."""
    exported, *more = games_in(io.BytesIO(export))
    if more:
        raise Unreadable("trailing-data", "There is another game in its export.")
    return exported


def _damaged(error: CorruptStream) -> Unreadable:
    return Unreadable("damaged", error.detail)
