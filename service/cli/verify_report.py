"""Report of `migrato verify` on each game, and on all of them."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from events.audit.findings import (
    ACROSS,
    CHECKS,
    FAILED,
    HISTORY,
    INCOMPLETE,
    KEPT,
    NOT_ASKED,
    NOT_CHECKED,
    NOTHING,
    PARTLY,
    PASSED,
    REMARKS,
    UNITS,
    UNSCORED,
    Checked,
    CheckFailed,
    Remark,
    Report,
)
from events.audit.kept.comparing import Compared, KeptThings
from events.audit.kept.reading import KeptFile, Stream
from events.audit.signature import UNSIGNED
from events.log.export import Unreadable
from service.cli.wording import counted, harmless

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
    """The outcome of one game: the report, or why there is none.

    `double_of`: another file has the same game; `kept`: the kept things that agree with it, None if there are none.
    """

    file: str
    report: Report | None = None
    unreadable: Unreadable | None = None
    double_of: str | None = None
    kept: Compared | None = None

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
            return (
                document
                | self.report.document
                | {
                    "head": self.report.head,
                    "key_id": self.report.signer,
                    "double_of": self.double_of,
                    "kept": None if self.kept is None else self.kept.document,
                }
            )
        assert self.unreadable is not None
        return document | {
            "code": self.unreadable.code,
            "detail": self.unreadable.detail,
            "line": self.unreadable.line,
        }


_BESIDE: Final = ("unasked", "over", "proof", "signer", "aborted", "head")  # what a report's document lacks


def report_state(report: Report) -> dict[str, Any]:
    """All of the report as a JSON object, from which `report_of` makes it again."""
    return {**report.document, **{name: getattr(report, name) for name in _BESIDE}}


def report_of(state: dict[str, Any]) -> Report:
    """The report of such an object."""
    wrong = state["wrong"]
    return Report(
        state["game_id"],
        state["game"],
        state["version"],
        state["complete"],
        tuple(Checked(one["check"], one["status"], one["count"], one["note"]) for one in state["checks"]),
        None if wrong is None else CheckFailed(**wrong),
        remarks=tuple(Remark(**one) for one in state["remarks"]),
        **{name: state[name] for name in _BESIDE},
    )


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
    altered: int = 0  # games of which something else was kept than is recorded
    kept: int = 0  # things that agree with the record of their game
    beside: KeptThings | None = None  # whatever was kept
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
        self.contradictions += report.wrong is not None and report.wrong.check == HISTORY
        self.altered += report.wrong is not None and report.wrong.check == KEPT
        self.kept += 0 if outcome.kept is None else outcome.kept.things
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
        """The gravest that there was; 2 also where there was no game at all.

        Kept things that fit no game are as grave as one that contradicts it.
        """
        beside = self.beside
        if self.codes[1] or self.stopped is not None or (beside is not None and beside.unknown):
            return 1
        if beside is not None and any(file.bad for file in beside.files):
            return 2
        return max(self.codes, default=2)

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
            "kept": None if self.beside is None else self._kept(self.beside),
            "signer_not_verified": self.strangers,
            "unsigned": self.unsigned,
            "remarks": {about: self.remarks[about] for about in REMARKS if self.remarks[about]},
            "seconds": round(self.seconds, 3),
            "stopped": self.stopped,
        }

    def _kept(self, beside: KeptThings) -> dict[str, Any]:
        return {
            "things": sum(file.count for file in beside.files),
            "agree": self.kept,
            "contradicted": self.altered,
            "of_other_games": beside.strange,
            "of_no_game": sum(len(stream.things) for _, stream in beside.unknown),
            "unreadable": {file.name: file.fault for file in beside.files if file.bad},
            "cut": [file.name for file in beside.files if file.cut],
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


def kept_lines(total: Totals) -> Iterator[tuple[str, bool]]:
    """The last lines: how much of what anybody kept was compared; and True for one that is about a fault."""
    beside = total.beside
    if beside is None:
        yield "! nothing that anybody kept was compared; --kept does so", False
        return
    for file in beside.files:
        yield from ((harmless(line), True) for line in _faults(file))
    for name, stream in beside.unknown:
        what = f"{_placed(stream)} fit no game here: they are of another one, or of another history of it"
        yield harmless(f"{MARKS[FAILED]} {name}: {what}"), True
    things = sum(file.count for file in beside.files)
    agree = "agrees" if total.kept == 1 else "agree"
    said = [f"{total.kept:,} of {counted(things, 'kept thing')} {agree} with what is recorded"]
    said += [f"{counted(total.altered, 'game')} NOT as kept"] if total.altered else []
    are = "is of a game that is" if beside.strange == 1 else "are of games that are"
    said += [f"{beside.strange:,} {are} not here"] if beside.strange else []
    said += [harmless(f"the last line of {file.name} is cut off") for file in beside.files if file.cut]
    yield f"{MARKS[PASSED] if total.kept and not total.altered else '!'} {'; '.join(said)}", False


def _faults(file: KeptFile) -> Iterator[str]:
    if file.bad:
        more = f" (and {file.bad - 1:,} more)" if file.bad > 1 else ""
        yield f"{MARKS[FAILED]} {file.name}: {file.fault}{more}; what could be read was compared"


def _placed(stream: Stream) -> str:
    first, last = stream.things[0], stream.things[-1]
    return f"line {first.line} to {last.line}, versions {first.version} to {last.version},"


def lines(outcome: Outcome, briefly: bool) -> Iterator[str]:
    """Lines about one game; `briefly`: in one line, if nothing is wrong with it."""
    if outcome.report is None:
        assert outcome.unreadable is not None
        yield harmless(f"{MARKS[FAILED]} {outcome.file}: {UNREADABLE}: {outcome.unreadable.detail}")
    else:
        yield from map(harmless, _of_report(outcome, outcome.report, briefly))


def _of_report(outcome: Outcome, report: Report, briefly: bool) -> Iterator[str]:
    file, double_of, kept = outcome.file, outcome.double_of, outcome.kept
    events = "1 event" if report.version == 1 else f"{report.version} events"
    verdict = _verdict(report)
    if briefly:
        verdict += "" if double_of is None else f"; the same game is in {double_of}"
        verdict += "" if kept is None else f"; {_agreed(kept)}"
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
    if kept is not None and not briefly:
        yield f"  {MARKS[PASSED]} kept: {counted(kept.things, 'thing')} ({_agreed(kept)})"
    yield from _wrong(report)
    for remark in () if briefly else report.remarks:
        yield f"  ! {remark.detail}"


def _agreed(kept: Compared) -> str:
    """The kept things that agree, in words."""
    said = [f"what was seen is what is recorded: {kept.events} of {counted(kept.of, 'event')}"]
    said += [counted(kept.heads, "head")] if kept.heads else []
    said += [counted(kept.looks, "look")] if kept.looks else []
    said += [f"{kept.later} later than the record"] if kept.later else []
    return ", ".join(said)


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
