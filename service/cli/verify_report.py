"""Report of `migrato verify` on each game, and on all of them."""

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
    REMARKS,
    UNITS,
    UNSCORED,
    Report,
)
from events.audit.signature import UNSIGNED
from events.log.export import Unreadable
from service.cli.wording import counted

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
    """The outcome of one game: the report, or why there is none. `double_of`: another file has the same game."""

    file: str
    report: Report | None = None
    unreadable: Unreadable | None = None
    double_of: str | None = None

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
        """Verdict of the audit of the file, in one word."""
        return UNREADABLE if self.report is None else self.report.verdict

    @property
    def document(self) -> dict[str, Any]:
        """The result as a JSON object, the shape of a line of `migrato verify --json`."""
        document: dict[str, Any] = {"file": self.file, "verdict": self.verdict}
        if self.report is not None:
            return document | self.report.document | {"double_of": self.double_of}
        assert self.unreadable is not None
        return document | {
            "code": self.unreadable.code,
            "detail": self.unreadable.detail,
            "line": self.unreadable.line,
        }


@dataclass(slots=True)
class Totals:
    """The sum over all games; it keeps only the ids of those that are over. `stopped`: why some were left out."""

    verdicts: Counter[str] = field(default_factory=Counter)
    codes: Counter[int] = field(default_factory=Counter)
    remarks: Counter[str] = field(default_factory=Counter)
    strangers: int = 0  # games that are signed, and nobody knows by whom
    unsigned: int = 0
    doubles: int = 0
    contradictions: int = 0
    over: set[str] = field(default_factory=set)  # ids of games with nothing wrong
    aborted: int = 0  # of these
    seconds: float = 0.0
    stopped: str | None = None

    def add(self, outcome: Outcome) -> None:
        """Count the outcome of one more game."""
        self.verdicts[outcome.verdict] += 1
        self.codes[outcome.exit_code] += 1
        report = outcome.report
        if report is None:
            return
        self.remarks.update({remark.about for remark in report.remarks})
        self.strangers += any(remark.about == _SIGNER for remark in report.remarks)
        self.unsigned += any((checked.note or "").endswith(UNSIGNED) for checked in report.checks)
        self.contradictions += report.wrong is not None and report.wrong.check in ACROSS
        self.doubles += outcome.double_of is not None
        if report.over and report.wrong is None and report.game_id not in self.over:
            self.over.add(report.game_id)
            self.aborted += report.aborted

    @property
    def games(self) -> int:
        """Number of games, with those that could not be read."""
        return self.verdicts.total()

    @property
    def exit_code(self) -> int:
        """The gravest that there was; 2 also where there was no game at all."""
        return 1 if self.codes[1] or self.stopped is not None else max(self.codes, default=2)

    @property
    def document(self) -> dict[str, Any]:
        """The sum as a JSON object, as the last line of `--json` gives it."""
        return {
            "games": self.games,
            "verdicts": {verdict: self.verdicts[verdict] for verdict in _SUMMED},
            "doubles": self.doubles,
            "contradictions": self.contradictions,
            "over": len(self.over),
            "aborted": self.aborted,
            "signer_not_verified": self.strangers,
            "unsigned": self.unsigned,
            "remarks": {about: self.remarks[about] for about in REMARKS if self.remarks[about]},
            "seconds": round(self.seconds, 3),
            "stopped": self.stopped,
        }

    @property
    def last_line(self) -> str:
        """The summary line after all games."""
        counts = [f"{self.verdicts[PASSED]} {_SUMMED[PASSED]}"]
        counts += [f"{self.verdicts[one]} {_SUMMED[one]}" for one in list(_SUMMED)[1:] if self.verdicts[one]]
        if self.doubles:
            counts.append(counted(self.doubles, "double"))
        if self.aborted:
            counts.append(f"{self.aborted} of {len(self.over)} aborted ({self.aborted / len(self.over):.1%})")
        signer = f"; signer NOT verified of {self.strangers}" if self.strangers else ""
        unsigned = f"; NOT signed: {self.unsigned}" if self.unsigned else ""
        rate = self.games / max(self.seconds, 0.001)
        return f"{counted(self.games, 'game')}: {', '.join(counts)} ({rate:,.0f} games/s){signer}{unsigned}"


def lines(outcome: Outcome, briefly: bool) -> Iterator[str]:
    """Lines about one game; `briefly`: in one line, if nothing is wrong with it."""
    if outcome.report is None:
        assert outcome.unreadable is not None
        yield _harmless(f"{MARKS[FAILED]} {outcome.file}: {UNREADABLE}: {outcome.unreadable.detail}")
    else:
        yield from map(_harmless, _of_report(outcome.file, outcome.report, briefly, outcome.double_of))


def _of_report(file: str, report: Report, briefly: bool, double_of: str | None) -> Iterator[str]:
    events = "1 event" if report.version == 1 else f"{report.version} events"
    verdict = _verdict(report)
    if briefly:
        verdict += "" if double_of is None else f"; the same game is in {double_of}"
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
    """Parts of a game that is over which were not checked though there was something to check."""
    for checked in report.checks if report.over and report.wrong is None else ():
        if checked.status in (PARTLY, NOT_CHECKED) and checked.note not in (NOTHING, NOT_ASKED, None):
            yield f"{checked.name}: {checked.note}"


def _harmless(line: str) -> str:
    """Text of a file without anything that could command the terminal."""
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in line)
