"""Report of a drill, as a table for people."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import median

from rich import box
from rich.console import Console
from rich.table import Table

from drills.checker.check import Verdict
from drills.checker.violation import RULES
from drills.checker.waits import NEVER

SHOWN = 20  # violations; all of them are counted


@dataclass(slots=True)
class Row:
    """One kind of fault. `games`: how often a game ran when it struck; `waits`: seconds until each went on."""

    times: int = 0
    kills: int = 0
    games: int = 0
    waits: list[float] = field(default_factory=list)


def rows(verdict: Verdict) -> dict[str, Row]:
    """The faults by name, in the order of names."""
    found: dict[str, Row] = {}
    for fault in verdict.faults:
        row = found.setdefault(fault["name"], Row())
        row.times += 1
        row.kills += fault["kills"]
        waits = verdict.waits.get(fault["number"], [])
        row.games += len(waits)
        row.waits += waits
    return dict(sorted(found.items()))


def show(verdict: Verdict, left_out: Mapping[str, str], console: Console) -> None:
    """Print the table of faults, what was left out, what was lost, and what is wrong."""
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("fault")
    for title in ("times", "kills", "games hit", "goes on p50", "max"):
        table.add_column(title, justify="right")
    everything = Row()
    for name, row in rows(verdict).items():
        table.add_row(name, *_figures(row))
        everything.times += row.times
        everything.kills += row.kills
        everything.games += row.games
        everything.waits += row.waits
    table.add_section()
    table.add_row("all", *_figures(everything))
    console.print(table)
    for name, why in left_out.items():
        console.print(f"left out: {name}: {why}", soft_wrap=True)
    console.print(
        f"{verdict.games} games, {verdict.answers:,} answers, {verdict.moves:,} acknowledged moves; "
        f"lost where loss is allowed: {verdict.lost_events} events, {verdict.lost_moves} moves, "
        f"in {verdict.lost_games} games",
        soft_wrap=True,
    )
    counts = Counter(violation.rule for violation in verdict.violations)
    for violation in verdict.violations[:SHOWN]:
        console.print(
            f"{violation.rule}: {violation.game_id or ''} {violation.detail}"[:600],
            markup=False,
            soft_wrap=True,
        )
    for rule, count in counts.items():
        console.print(f"{count} x {rule}: {RULES[rule]}", style="red")
    if verdict.passed:
        console.print("nothing is lost, doubled, leaked or stalled", style="green")


def _figures(row: Row) -> tuple[str, ...]:
    return (
        f"{row.times}",
        f"{row.kills}",
        f"{row.games}",
        _seconds(median(row.waits)) if row.waits else "",
        _seconds(max(row.waits)) if row.waits else "",
    )


def _seconds(wait: float) -> str:
    return "never" if wait == NEVER else f"{wait:.2f} s"
