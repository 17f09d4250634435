"""Ratings as a picture that is readable on a light and on a dark page."""

from pathlib import Path
from typing import Final

import matplotlib as mpl
from matplotlib.figure import Figure

from service.cli.selfplay.arena.standings import Standings

_INK: Final = "#7a7a7a"  # contrasts with white and with near-black alike: the background is transparent
_MARK: Final = "#2f81f7"


def plot(shown: Standings, path: Path) -> None:
    """Each bot's Elo with its 95 % interval, the best on top; SVG or PNG by the path's suffix. OSError."""
    bots = [bot for bot in reversed(shown.bots) if bot.elo is not None]
    ratings = [bot.elo for bot in bots if bot.elo is not None]
    with mpl.rc_context({"svg.hashsalt": "migrato", "font.size": 12, "text.color": _INK}):
        figure = Figure(figsize=(8, 1.1 + 0.55 * len(bots)), layout="constrained")
        axes = figure.add_subplot()
        values = [rating.value for rating in ratings]
        errors = [[r.value - r.low for r in ratings], [r.high - r.value for r in ratings]]
        axes.errorbar(
            values,
            range(len(bots)),
            xerr=errors,
            fmt="o",
            color=_MARK,
            markersize=8,
            capsize=5,
            linewidth=2.5,
        )
        for row, rating in enumerate(ratings):
            axes.annotate(
                f"{rating.value:.0f}",
                (rating.value, row),
                xytext=(0, 9),
                textcoords="offset points",
                ha="center",
                fontweight="bold",
            )
        axes.set_yticks(range(len(bots)), [bot.bot for bot in bots])
        axes.set_ylim(-0.6, len(bots) - 0.2)
        axes.margins(x=0.07)
        axes.set_xlabel(
            f"Elo, {shown.anchor} = {_anchor_rating(shown):.0f}; bars: 95 % intervals", color=_INK
        )
        axes.tick_params(colors=_INK, length=0)
        axes.grid(axis="x", color=_INK, alpha=0.3)
        axes.set_axisbelow(True)
        for spine in axes.spines.values():
            spine.set_visible(False)
        metadata = {"Date": None} if path.suffix == ".svg" else None
        figure.savefig(path, transparent=True, dpi=160, metadata=metadata)


def _anchor_rating(shown: Standings) -> float:
    return next(bot.elo.value for bot in shown.bots if bot.bot == shown.anchor and bot.elo is not None)
