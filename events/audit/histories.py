"""One history of each game: exports of a game that come together must not contradict each other.

Each may be sound by itself: the holder of a game's seed and the key can write any number of sound histories of it. Two
of them show that he did. Of each game a few bytes an event are kept, not the events.
"""

from array import array
from collections import defaultdict
from dataclasses import dataclass
from typing import Final

from domain.lifecycle import Json
from events.audit.findings import HISTORY, CheckFailed, Report
from events.audit.forks import Origin, named_origin
from events.log.export import Exported

_HEAD: Final = b'"head":"'  # of an event: nothing after it in the line has such a member
_DIGITS: Final = 64
_KEPT: Final = 2**32 - 1


@dataclass(frozen=True, slots=True)
class Met:
    """An earlier export of the same game: its file, and its last version."""

    where: str
    version: int


@dataclass(frozen=True, slots=True)
class _History:
    """The history that an export tells: a mark of the head after each event, and the id of the key that signed."""

    where: str
    marks: "array[int]"
    is_complete: bool
    signer: str | None


@dataclass(frozen=True, slots=True)
class _Claim:
    """The head of another game that a fork names as its beginning."""

    where: str
    version: int
    mark: int
    signer: str | None


class Histories:
    """The histories so far: of every game the longest, and a signed one rather than one that is not."""

    def __init__(self) -> None:
        self._told = dict[str, _History]()
        self._claims = defaultdict[str, list[_Claim]](list)

    def know(self, origin: Origin, where: str) -> None:
        """Take in a complete game, as one more history."""
        self._told[origin.game_id] = _History(where, _marks(origin.exported), True, origin.signer)

    def meet(self, report: Report, exported: Exported, where: str) -> Met | None:
        """Take in one more export; return the earlier one of the same game, or None if this is the first.

        Raises CheckFailed "history" if it contradicts another one. A game with a fault of its own is not compared.
        """
        if report.wrong is not None:
            return None
        told = _History(where, _marks(exported), report.complete, report.signer)
        before = self._told.get(report.game_id)
        try:
            if before is not None:
                _compare(before, told)
            for claim in self._claims.get(report.game_id, ()):
                _check(claim, told)
            self._check_origin(named_origin(exported), told)
        except CheckFailed:
            if before is not None and before.signer is None and told.signer is not None:
                self._told[report.game_id] = told
            raise
        if before is None or len(before.marks) < len(told.marks):
            self._told[report.game_id] = told
        return None if before is None else Met(before.where, len(before.marks))

    def _check_origin(self, named: Json | None, told: _History) -> None:
        if named is None:
            return
        claim = _Claim(told.where, named["version"], _mark(named["head"].encode()), told.signer)
        self._claims[named["game_id"]].append(claim)
        origin = self._told.get(named["game_id"])
        if origin is not None and not _agree(claim, origin):
            has = "has another head at" if claim.version <= len(origin.marks) else "is complete, and has no"
            what = f"The game from which it was forked {has} event {claim.version} in {origin.where}."
            raise CheckFailed(HISTORY, 1, f"{what} {_signed(origin.signer, told.signer)}", None, named)


def _marks(exported: Exported) -> "array[int]":
    """The marks of the heads of a game with which nothing is wrong."""
    marks = array("I")
    for line in exported.events:
        at = line.rindex(_HEAD) + len(_HEAD)
        marks.append(_mark(line[at : at + _DIGITS]))
    return marks


def _mark(head: bytes) -> int:
    """A hash of the head with a secret of this process, so that nobody can make two heads with one mark."""
    return hash(head) & _KEPT


def _compare(before: _History, told: _History) -> None:
    """CheckFailed unless both histories are the same, or the shorter one is an incomplete beginning of the other."""
    common, other = (
        min(len(before.marks), len(told.marks)),
        f"Another history of this game is in {before.where}",
    )
    if before.marks[common - 1] != told.marks[common - 1]:  # each head depends on all before
        both = enumerate(zip(before.marks, told.marks, strict=False), 1)
        version = next(version for version, (that, this) in both if that != this)
        raise CheckFailed(
            HISTORY,
            version,
            f"{other}: the two differ from this event on. {_signed(before.signer, told.signer)}",
        )
    shorter = before if len(before.marks) == common else told
    if shorter.is_complete and len(before.marks) != len(told.marks):
        what = f"{other}: one is complete, and the other goes on with this event."
        raise CheckFailed(HISTORY, common + 1, f"{what} {_signed(before.signer, told.signer)}")


def _check(claim: _Claim, told: _History) -> None:
    if not _agree(claim, told):
        named = "another head of this event" if claim.version <= len(told.marks) else "an event after its end"
        what = f"A fork of this game, in {claim.where}, names {named}."
        raise CheckFailed(HISTORY, claim.version, f"{what} {_signed(claim.signer, told.signer)}")


def _agree(claim: _Claim, told: _History) -> bool:
    """True if the history has the head that the fork names, or may still come to it."""
    if claim.version > len(told.marks):
        return not told.is_complete
    return told.marks[claim.version - 1] == claim.mark


def _signed(that: str | None, this: str | None) -> str:
    if that is None and this is None:
        return "Neither is signed."
    if that == this:
        return f"Both are signed by the key {this}."
    if that is None or this is None:
        return f"Only {'this' if that is None else 'that'} one is signed, by the key {that or this}."
    return f"That one is signed by the key {that}, this one by the key {this}."
