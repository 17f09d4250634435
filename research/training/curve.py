"""Picture of the net's strength during training."""

from collections.abc import Sequence
from typing import Any, Final

_WIDTH: Final = 640
_HEIGHT: Final = 320
_MARGIN: Final = 40
_STYLE: Final = 'font-family="sans-serif" font-size="12" fill="#666"'


def curve(stages: Sequence[Sequence[dict[str, Any]]]) -> str:
    """Score against `heuristic` by games played, with 95 % intervals, as SVG: a line for the reports of each stage, the
    next one from where the former ends.
    """
    most = sum(reports[-1]["of"] for reports in stages)

    def place(games: float, score: float) -> tuple[float, float]:
        x = _MARGIN + games / most * (_WIDTH - 2 * _MARGIN)
        return round(x, 1), round(_HEIGHT - _MARGIN - score * (_HEIGHT - 2 * _MARGIN), 1)

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}">']
    for tenth in range(0, 11, 2):
        x, y = place(0, tenth / 10)
        parts.append(f'<path d="M{x} {y}H{_WIDTH - _MARGIN}" stroke="#ddd"/>')
        parts.append(f'<text x="{x - 8}" y="{y + 4}" text-anchor="end" {_STYLE}>{tenth * 10}</text>')
    before = 0
    for reports in stages:
        for report in reports:
            x, low = place(before + report["games"], report["score"] - report["error"])
            _, high = place(before + report["games"], report["score"] + report["error"])
            parts.append(f'<path d="M{x} {low}V{high}" stroke="#9bb"/>')
        line = " ".join(
            ",".join(map(str, place(before + report["games"], report["score"]))) for report in reports
        )
        parts.append(f'<polyline points="{line}" fill="none" stroke="#276" stroke-width="2"/>')
        before += reports[-1]["of"]
    caption = f"score in % against heuristic, by games of training up to {most:,}"
    parts.append(f'<text x="{_MARGIN}" y="{_HEIGHT - 12}" {_STYLE}>{caption}</text></svg>')
    return "\n".join(parts) + "\n"
