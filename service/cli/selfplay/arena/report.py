"""Standings as tables, for a terminal or in Markdown."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rich import box
from rich.console import Console
from rich.table import Table

from domain.registry import DEFAULT_GAME
from service.cli.selfplay.arena.standings import Placings, Standings, Thinking, can_fit


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table of texts; the columns after the first `left` are numbers and lie to the right."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left: int


def print_tables(shown: Standings) -> None:
    """Print the tables to the terminal."""
    console = Console()
    if not console.is_terminal:
        console.width = 120
    for sheet in _sheets(shown):
        table = Table(box=box.SIMPLE)
        for place, head in enumerate(sheet.head):
            table.add_column(
                head, justify="left" if place < sheet.left else "right", no_wrap=place < sheet.left
            )
        for row in sheet.rows:
            table.add_row(*row)
        console.print(table)
    console.print(caption(shown), soft_wrap=True, highlight=False)


def markdown(shown: Standings) -> str:
    """The tables as Markdown, the caption below."""
    parts = ["\n".join(_markdown_lines(sheet)) for sheet in _sheets(shown)]
    return "\n\n".join([*parts, caption(shown)]) + "\n"


def _markdown_lines(sheet: Sheet) -> Iterator[str]:
    rules = ["---" if place < sheet.left else "--:" for place in range(len(sheet.head))]
    for cells in (sheet.head, rules, *sheet.rows):
        yield f"| {' | '.join(cells)} |"


def caption(shown: Standings) -> str:
    """The games, and the meaning of the figures, in sentences."""
    return " ".join(_sentences(shown))


def _sentences(shown: Standings) -> Iterator[str]:
    seeds = ", ".join(map(str, shown.seeds))
    what = [", ".join(f"{name} {json.dumps(value)}" for name, value in shown.options.items())]
    what += [f"seed {seeds}", f"{shown.build} domain"]
    of = "" if shown.game == DEFAULT_GAME else f" of {shown.game}"
    yield f"{shown.games:,} games{of} ({'; '.join(filter(None, what))})."
    if shown.seats == 2:
        if shown.unpaired:
            yield f"{shown.unpaired} of them wait for their counterparts with swapped seats and do not count yet."
        yield "Each shuffle was played twice, with the seats swapped; a draw is half a win."
    else:
        if shown.unpaired:
            yield f"{shown.unpaired} of them wait for the rest of their shuffles and do not count yet."
        yield f"Each shuffle was played {shown.seats} times, the line-up moved on by a seat each time."
        yield "Of a pair, the one with the better place wins, and a shared place is half a win."
    intervals = "in brackets 95 % intervals by bootstrap over the shuffles"
    if shown.anchor is None:
        yield f"{intervals.capitalize()}."
        if can_fit():
            yield "There are no ratings before all bots have met, if only through others."
    else:
        model = "Bradley-Terry" if shown.seats == 2 else "Plackett-Luce"
        yield f"Elo by the {model} model, anchored at {shown.anchor}; {intervals}."
    if shown.boundless:
        yield f"{' and '.join(shown.boundless)} took all points or none: such a distance has a lower bound only."
    yield "ms: processor time of a decision in milliseconds, of a bot on a server the time until its answer;"
    yield "p95: of a game's decisions, the mean over the games."
    if _has_fallbacks(shown):
        yield "fallbacks: moves that the game's cheap bot made, because no legal one came in time."


def _has_fallbacks(shown: Standings) -> bool:
    return any(bot.fallbacks for bot in shown.bots)


def _sheets(shown: Standings) -> Iterable[Sheet]:
    rated = shown.anchor is not None
    head = (
        ("bot", "version")
        + (("Elo", "above the next") if rated else ())
        + (("places", "shared") if shown.seats > 2 else ())
        + ("score", "ms: mean", "p95", "max")
        + (("fallbacks",) if _has_fallbacks(shown) else ())
    )
    yield Sheet(head, tuple(_bot_rows(shown)), left=2)
    if shown.seats > 2:
        rows = tuple((str(seat), *_places(placings)) for seat, placings in enumerate(shown.placings))
        yield Sheet(("seat", "places", "shared"), rows, left=1)
    duels = tuple(
        (
            f"{duel.a} - {duel.b}",
            str(duel.games),
            f"+{duel.wins} ={duel.draws} -{duel.losses}",
            f"{duel.score.value:.1%} ({duel.score.low:.1%} to {duel.score.high:.1%})",
            *((f"{duel.expected:.1%}",) if duel.expected is not None else ()),
        )
        for duel in shown.duels
    )
    yield Sheet(("pair", "games", "result", "score") + (("by Elo",) if rated else ()), duels, left=1)


def _bot_rows(shown: Standings) -> Iterator[tuple[str, ...]]:
    for bot in shown.bots:
        ratings: tuple[str, ...] = ()
        if bot.elo is not None:
            interval = f" ({bot.elo.low:.0f} to {bot.elo.high:.0f})" if bot.bot != shown.anchor else ""
            step = bot.step
            above = "" if step is None else f"{step.value:.0f} ({step.low:.0f} to {step.high:.0f})"
            ratings = (f"{bot.elo.value:.0f}{interval}", above)
        places = _places(bot.placings) if shown.seats > 2 else ()
        fallbacks = (f"{bot.fallbacks:,}",) if _has_fallbacks(shown) else ()
        yield (bot.bot, bot.version, *ratings, *places, f"{bot.score:.1%}", *_times(bot.thinking), *fallbacks)


def _places(placings: Placings) -> tuple[str, str]:
    """The numbers of first, second, ... places, and of shared ones."""
    return " / ".join(map(str, placings.places)), str(placings.shared)


def _times(thinking: Thinking) -> tuple[str, ...]:
    """Milliseconds with three digits that tell something, and no more decimals than that takes."""
    return tuple(f"{ms:,.{2 if ms < 10 else 1 if ms < 100 else 0}f}" for ms in _figures(thinking))


def _figures(thinking: Thinking) -> tuple[float, float, float]:
    return thinking.mean, thinking.p95, thinking.maximum
