"""What `migrato verify` says of each game, and of all of them."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from events.audit.findings import (
    ACROSS,
    CHECKS,
    FAILED,
    INCOMPLETE,
    NOT_ASKED,
    NOT_CHECKED,
    NOTHING,
    PARTLY,
    PASSED,
    UNITS,
    UNSCORED,
    Report,
)
from events.audit.signature import UNSIGNED
from events.log.export import Unreadable

MARKS: Final = {PASSED: "✓", FAILED: "✗", PARTLY: "~", NOT_CHECKED: "–", INCOMPLETE: "~", UNSCORED: "~"}
UNREADABLE: Final = "unreadable"
_SUMMED: Final = {
    PASSED: "with nothing wrong",
    INCOMPLETE: "incomplete",
    UNSCORED: "unscored",
    FAILED: "FAILED",
    UNREADABLE: UNREADABLE,
}
_SIGNER: Final = "signer"  # the remark on a signature by a key that nobody vouches for


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one game: the report, or why there is none."""

    file: str
    report: Report | None = None
    unreadable: Unreadable | None = None

    @property
    def exit_code(self) -> int:
        """0: nothing wrong; 1: something is, or not all that was asked for is proven; 2: it could not be read.

        A bot's version is free text: so bots that could not be asked for their moves again are no 0.
        """
        if self.report is None:
            return 2
        return 0 if self.report.passed and not self.report.unasked else 1

    @property
    def verdict(self) -> str:
        """How the audit of the file ended, in one word."""
        return UNREADABLE if self.report is None else self.report.verdict

    @property
    def document(self) -> dict[str, Any]:
        """The result as a JSON object, the shape of a line of `migrato verify --json`."""
        document: dict[str, Any] = {"file": self.file, "verdict": self.verdict}
        if self.report is not None:
            return document | self.report.document
        assert self.unreadable is not None
        return document | {
            "code": self.unreadable.code,
            "detail": self.unreadable.detail,
            "line": self.unreadable.line,
        }


@dataclass(slots=True)
class Totals:
    """What came of all games; it keeps none of them."""

    verdicts: Counter[str] = field(default_factory=Counter)
    codes: Counter[int] = field(default_factory=Counter)
    strangers: int = 0  # games that are signed, and nobody knows by whom
    unsigned: int = 0

    def add(self, outcome: Outcome) -> None:
        """Count the outcome of one more game."""
        self.verdicts[outcome.verdict] += 1
        self.codes[outcome.exit_code] += 1
        self.strangers += outcome.report is not None and any(
            remark.about == _SIGNER for remark in outcome.report.remarks
        )
        self.unsigned += outcome.report is not None and any(
            (checked.note or "").endswith(UNSIGNED) for checked in outcome.report.checks
        )

    @property
    def games(self) -> int:
        """How many there were, with those that could not be read."""
        return self.verdicts.total()

    @property
    def exit_code(self) -> int:
        """The gravest that there was; 2 also where there was no game at all."""
        return 1 if self.codes[1] else max(self.codes, default=2)

    def last_line(self, seconds: float) -> str:
        """The summary line after all games; `seconds` is the time that they took."""
        counts = [f"{self.verdicts[PASSED]} {_SUMMED[PASSED]}"]
        counts += [f"{self.verdicts[one]} {_SUMMED[one]}" for one in list(_SUMMED)[1:] if self.verdicts[one]]
        signer = f"; signer NOT verified of {self.strangers}" if self.strangers else ""
        unsigned = f"; NOT signed: {self.unsigned}" if self.unsigned else ""
        return (
            f"{self.games} games: {', '.join(counts)} ({self.games / seconds:,.0f} games/s){signer}{unsigned}"
        )


def lines(outcome: Outcome, briefly: bool) -> Iterator[str]:
    """What is said of one game; `briefly`: in one line, if nothing is wrong with it."""
    if outcome.report is None:
        assert outcome.unreadable is not None
        yield _harmless(f"{MARKS[FAILED]} {outcome.file}: {UNREADABLE}: {outcome.unreadable.detail}")
    else:
        yield from map(_harmless, _of_report(outcome.file, outcome.report, briefly))


def _of_report(file: str, report: Report, briefly: bool) -> Iterator[str]:
    events = "1 event" if report.version == 1 else f"{report.version} events"
    verdict = _verdict(report)
    if briefly:
        verdict += "".join(f"; {note}" for note in _left_open(report))
        verdict += "".join(f"; {remark.detail}" for remark in report.remarks)
    game = f"game {report.game_id}, {events}: " if report.game_id else ""  # whose header is not even one
    yield f"{MARKS[report.verdict]} {file}: {game}{verdict}"
    for checked in report.checks if not (briefly and report.wrong is None) else ():
        note = f" ({checked.note})" if checked.note else ""
        unit = UNITS[checked.name]
        unit = unit.removesuffix("s") if checked.count == 1 else unit
        count = f": {checked.count:,} {unit}" if checked.count else ""
        yield f"  {MARKS[checked.status]} {checked.name}{count}{note}"
    yield from _wrong(report)
    for remark in () if briefly else report.remarks:
        yield f"  ! {remark.detail}"


def _verdict(report: Report) -> str:
    unproven = "; no signature proves such a game" if report.proof else ""
    if report.wrong is not None:
        return "FAILED"
    if not report.over:
        return f"incomplete: nothing wrong, as far as can be seen{unproven}"
    if not report.complete:
        return f"unscored: nothing wrong, but its result is not confirmed{unproven}"
    if report.unasked:
        return f"incomplete: {report.unasked} moves of bots could not be asked for again"
    return "passed"


def _wrong(report: Report) -> Iterator[str]:
    wrong = report.wrong
    if wrong is None:
        return
    where = "" if wrong.version is None else f"event {wrong.version}: "
    yield f"  {where}{wrong.detail}"
    yield f"  the check is: {wrong.check}: {(CHECKS | ACROSS)[wrong.check]}"
    if wrong.expected is not None:
        yield f"  expected: {wrong.expected}"
    if wrong.found is not None:
        yield f"  found:    {wrong.found}"


def _left_open(report: Report) -> Iterator[str]:
    """What was not checked of a game that is over though there was something to check."""
    for checked in report.checks if report.over and report.wrong is None else ():
        if checked.status in (PARTLY, NOT_CHECKED) and checked.note not in (NOTHING, NOT_ASKED, None):
            yield f"{checked.name}: {checked.note}"


def _harmless(line: str) -> str:
    """What a file says may hold anything: nothing of it shall command the terminal."""
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in line)
