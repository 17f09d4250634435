"""`python -m benchmarks [playouts] [moves] [redis]`: measure and print Markdown for results.md."""

import sys
from collections.abc import Sequence
from statistics import median

from benchmarks import moves, playouts


def _playouts() -> list[str]:
    figures = sorted(playouts.run())
    return [
        "## Random playouts of the pure domain, one core",
        "",
        "| | moves/s |",
        "|---|---|",
        f"| median of {len(figures)} rounds | {median(figures):,.0f} |",
        f"| lowest, highest | {figures[0]:,.0f}, {figures[-1]:,.0f} |",
    ]


def _moves() -> list[str]:
    figures = [
        (m.per_second, m.p50, m.p99, h.per_second, h.p50, h.p99, m.per_second / h.per_second)
        for m, h in moves.run()
    ]
    rows = [_row(str(number), row) for number, row in enumerate(figures, 1)]
    return [
        f"## Moves through HTTP: {moves.LANES} games at once, two web workers, durable",
        "",
        "| round | moves/s | p50 ms | p99 ms | healthz/s | p50 ms | p99 ms | ratio |",
        "|---|---|---|---|---|---|---|---|",
        *rows,
        _row("median", [median(column) for column in zip(*figures, strict=True)]),
    ]


def _row(name: str, row: Sequence[float]) -> str:
    moves_s, p50, p99, health_s, health_p50, health_p99, ratio = row
    return (
        f"| {name} | {moves_s:,.0f} | {p50:.1f} | {p99:.1f} "
        f"| {health_s:,.0f} | {health_p50:.1f} | {health_p99:.1f} | {ratio:.2f} |"
    )


def _redis() -> list[str]:
    calls = moves.redis_calls_per_move()
    rows = [f"| {name} | {count:.2f} |" for name, count in calls.items() if count >= 0.01]
    return ["## Redis commands per move", "", "| command | calls per move |", "|---|---|", *rows]


PARTS = {"playouts": _playouts, "moves": _moves, "redis": _redis}


def main(names: list[str]) -> int:
    """Run the named parts, or all."""
    unknown = set(names) - set(PARTS)
    if unknown:
        sys.stderr.write(
            f"There is no benchmark {', '.join(sorted(unknown))}; there is: {', '.join(PARTS)}.\n"
        )
        return 2
    for name in names or PARTS:
        sys.stdout.write("\n".join([*PARTS[name](), "", ""]))
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
