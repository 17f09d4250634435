"""Report on players as tables for people, as a JSON object and as rows of CSV."""

import csv
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from domain.registry import GAMES
from events.audit.players.facts import QUICK
from events.audit.players.report import (
    ENOUGH,
    ENOUGH_GAMES,
    EVEN,
    QUICK_SHARE,
    Agreement,
    Pair,
    Player,
    PlayersReport,
)
from events.audit.statistics.discoveries import FALSE_ALARMS
from service.cli.exits import writing
from service.cli.wording import counted, harmless, inert

CAUTION: Final = (
    "None of this proves that anybody cheats.",
    "A rate says how alike choices are, not why: players learn from bots, and strong ones play more like strong bots.",
    "Times are by the operator's clock, and names are the operator's word.",
    "It does not find people who use a bot now and then, make it wait like a person, or ask another program.",
    f"One report in {1 / FALSE_ALARMS:.0f} on honest players may mark one, if they are like those that were measured.",
    "In a second report on players that you chose by this one, figures look rarer than they are.",
    "Before you accuse anybody, look at the games, and ask the player.",
)
UNMEASURED: Final = (
    "nobody has measured honest players; `honest` is the bot here that is most like the one in question."
)
_UNUSUAL_PAIRS: Final = 10  # that are shown, the least probable first
_COLUMNS: Final = (
    "player", "games", "moves", "choices", "hints", "alarms", "game", "bot", "asked", "rate", "low", "high", "honest",
    "log_ratio", "p", "p_corrected", "seconds", "spread", "quick", "p_even", "p_even_corrected", "p_quick",
    "p_quick_corrected",
)  # fmt: skip


def document(report: PlayersReport, left_out: dict[str, int], options: dict[str, Any]) -> dict[str, Any]:
    """The report as a JSON object."""
    return {
        "games": report.games,
        "left_out": left_out,
        "options": options,
        "comparisons": report.comparisons,
        "false_alarms": FALSE_ALARMS,
        "players": [_player(player) for player in report.players],
        "pairs": [_pair(pair) for pair in report.pairs],
        "bots": report.bots,
        "unmeasured": _unmeasured(report),
        "caution": list(CAUTION),
    }


def _unmeasured(report: PlayersReport) -> list[str]:
    """The games of the report for which no honest player was measured."""
    return [game for game in report.bots if not GAMES[game].agreements]


def _player(player: Player) -> dict[str, Any]:
    pace = player.pace
    return {
        "player": player.name,
        "games": player.games,
        "moves": player.moves,
        "choices": player.choices,
        "hints": player.hints,
        "alarms": player.alarms,
        "agreement": [_agreement(one) for one in player.agreement],
        "times": None if pace is None else {
            "of": pace.of,
            "seconds": _rounded(pace.seconds),
            "spread": _rounded(pace.spread),
            "quick": _rounded(pace.quick),
            "p_even": _rounded(pace.too_even),
            "p_even_corrected": _rounded(pace.corrected_even),
            "p_quick": _rounded(pace.too_quick),
            "p_quick_corrected": _rounded(pace.corrected_quick),
        },
    }  # fmt: skip


def _agreement(one: Agreement) -> dict[str, Any]:
    return {
        "game": one.game,
        "bot": one.bot,
        "asked": one.rate.of,
        "rate": _rounded(one.rate.share),
        "low": _rounded(one.rate.low),
        "high": _rounded(one.rate.high),
        "honest": _rounded(one.honest),
        "log_ratio": _rounded(one.ratio),
        "p": _rounded(one.chance),
        "p_corrected": _rounded(one.corrected),
    }


def _pair(pair: Pair) -> dict[str, Any]:
    return {
        "winner": pair.one,
        "loser": pair.other,
        "games": pair.games,
        "points": pair.points,
        "expected": _rounded(pair.games * pair.expected.share),
        "p": _rounded(pair.chance),
        "p_corrected": _rounded(pair.corrected),
        "alarm": pair.is_unusual,
    }


def _rounded(value: float | None) -> float | None:
    """Six digits that mean something: machines that differ in the last bit give the same."""
    return None if value is None else float(f"{value:.6g}")


def write_csv(report: PlayersReport, path: Path) -> None:
    """A row for each player and bot; names are no formulas. OSError."""
    with writing(path), path.open("w", newline="", encoding="utf-8") as stream:
        rows = csv.DictWriter(stream, _COLUMNS, lineterminator="\n")
        rows.writeheader()
        for player in report.players:
            told = _player(player)
            agreement, times = told.pop("agreement"), told.pop("times") or {}
            common = (
                told
                | {"player": inert(player.name), "alarms": "; ".join(player.alarms)}
                | {k: v for k, v in times.items() if k != "of"}
            )
            for one in agreement or [{}]:
                rows.writerow(common | one)


def show(report: PlayersReport, left_out: dict[str, int], console: Console) -> None:
    """Tables of players, unusual pairs and bots, and what they do not prove."""
    out = ", ".join(f"{count:,} {why}" for why, count in sorted(left_out.items()))
    console.print(f"{counted(report.games, 'game')}{f' (left out: {out})' if out else ''}, "
                  f"{counted(len(report.players), 'player')}, {counted(report.comparisons, 'comparison')}")  # fmt: skip
    console.print(_players(report.players))
    if report.pairs:
        console.print(_pairs(report.pairs))
    for game, bots in report.bots.items():
        console.print(_bots(game, bots))
    for game in _unmeasured(report):
        console.print(Text(harmless(f"{game}: {UNMEASURED}")))
    for sentence in CAUTION:
        console.print(sentence)


def _players(players: Sequence[Player]) -> Table:
    title = f"Players; ! where an honest player hardly ever shows it (p {FALSE_ALARMS}, corrected for all comparisons)"
    table = Table(title=title, title_justify="left", box=None, padding=(0, 1))
    for name in (
        "",
        "player",
        "games",
        "hints",
        "bot",
        "agrees",
        "95 %",
        "honest",
        "ratio",
        "p",
        "s",
        "spread",
        "quick",
    ):
        table.add_column(name, justify="left" if name in ("", "player", "bot", "95 %") else "right")
    for player in players:
        for row in _rows(player):
            table.add_row(*map(Text, row))
    return table


def _rows(player: Player) -> Iterator[tuple[str, ...]]:
    pace = player.pace
    marked = {alarm for alarm in player.alarms if alarm.startswith("too ")}
    times = ("", "", "") if pace is None else (
        f"{pace.seconds:.1f}",
        f"{pace.spread:.2f}{'!' if 'too even' in marked else ''}",
        f"{pace.quick:.0%}{'!' if 'too quick' in marked else ''}",
    )  # fmt: skip
    mark = "!" if player.alarms else ""
    first = (mark, harmless(player.name), f"{player.games:,}", f"{player.hints:,}")
    for one in player.agreement or (None,):
        agreement = ("",) * 6
        if one is not None:
            rate = one.rate
            agreement = (
                harmless(f"{one.game} {one.bot}"),
                f"{rate.share:.0%}" if rate.of else "",
                f"{rate.low:.0%} to {rate.high:.0%} of {rate.of:,}" if rate.of else "",
                "" if one.honest is None else f"{one.honest:.0%}",
                "" if one.ratio is None else _ratio(one.ratio),
                "" if one.corrected is None else _probability(one.corrected),
            )
        yield (*first, *agreement, *times)
        first, times = ("", "", "", ""), ("", "", "")


def _pairs(pairs: Sequence[Pair]) -> Table:
    title = (
        f"Pairs that played {ENOUGH_GAMES} games or more, the most improbable first ({len(pairs):,} in all)"
    )
    table = Table(title=title, title_justify="left", box=None, padding=(0, 1))
    for name in ("", "winner", "loser", "games", "points", "expected", "p"):
        table.add_column(name, justify="left" if name in ("", "winner", "loser") else "right")
    for pair in pairs[:_UNUSUAL_PAIRS]:
        row = (
            "!" if pair.is_unusual else "",
            harmless(pair.one),
            harmless(pair.other),
            f"{pair.games:,}",
            f"{pair.points:g}",
            f"{pair.games * pair.expected.share:.1f}",
            _probability(pair.corrected or 0.0),
        )
        table.add_row(*map(Text, row))
    return table


def _bots(game: str, bots: dict[str, Any]) -> Table:
    title = f"{harmless(game)}: how often other bots make a bot's choice, in these games"
    table = Table(title=Text(title), title_justify="left", box=None, padding=(0, 1))
    others = sorted({other for told in bots.values() for other in told["others"]})
    table.add_column("bot")
    for other in others:
        table.add_column(Text(harmless(other)), justify="right")
    for bot, told in bots.items():
        shares = [told["others"].get(other) for other in others]
        table.add_row(Text(harmless(bot)), *("" if share is None else f"{share:.0%}" for share in shares))
    return table


def _probability(chance: float) -> str:
    return f"{chance:.3f}" if chance >= 0.001 else "<0.001"


def _ratio(logarithm: float) -> str:
    """A likelihood ratio, from its natural logarithm, in a few characters."""
    if logarithm < math.log(0.001):
        return "<0.001"
    return f"{math.exp(logarithm):.2g}" if logarithm < math.log(100) else f"10^{logarithm / math.log(10):.0f}"


THRESHOLDS: Final = {
    "choices": ENOUGH,
    "quick_milliseconds": QUICK,
    "quick_share": QUICK_SHARE,
    "even_spread": EVEN,
    "games_of_a_pair": ENOUGH_GAMES,
}
