"""`python -m benchmarks [PART ...]`: measure, print Markdown for results.md.

The parts: playouts, thinking, moves, create, redis, bots, jobs, verify, bursts, stalls, streams, neighbours, flat,
lengths, cluster, capacity, peer, webhooks; or all. `peer --beside PATH`: with the engine of another checkout.
Apart, with arguments of their own: `bots-behind-people --help`, what the report on players says of bots and of honest
people; `openspiel --help`, which takes an hour and needs the extra `openspiel`; `suite`,
what the tests take by folder; `reached`, which lines they reach; `rating-abuse --help`, what is gained by choosing what
counts for ratings; `askers`, who is served of many askers of bots; `thinkers`, several side by side; `retention DAYS
GAMES PLAYERS LISTED KEPT`, what stays of old games; `idle PID`, what an engine takes that has nothing to do; and
`python -m benchmarks.mutants --help`, which changes of the code the tests see.
"""

import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import median

import compiled.preferred  # noqa: F401 (before anything imports the domain)
from benchmarks import (
    askers,
    bot_load,
    bots_behind_people,
    bursts,
    capacity,
    cluster,
    creating,
    flat,
    idle,
    jobs,
    lengths,
    moves,
    neighbours,
    peer,
    playouts,
    rating_abuse,
    reached,
    retention,
    stalls,
    streams,
    suite,
    thinkers,
    thinking,
    verify,
    webhooks,
)
from benchmarks.processor_time import CLIENT


def _playouts() -> list[str]:
    rounds = playouts.run()
    rows = []
    for at, (game, seats) in enumerate(playouts.TABLES):
        plain, fast = ([run[which][at] for run in rounds] for which in (0, 1))
        figures = [median(column) for column in zip(*plain, strict=True)]
        figures += [median(column) for column in zip(*fast, strict=True)]
        gained = median(f.within / p.within for p, f in zip(plain, fast, strict=True))
        beside = [f.within / run[1][0].within for f, run in zip(fast, rounds, strict=True)]
        rows.append(
            f"| {game}, {seats} seats | {' | '.join(f'{figure:,.0f}' for figure in figures)} | {gained:.1f} "
            f"| {median(beside):.2f} ({min(beside):.2f} to {max(beside):.2f}) |"
        )
    first = playouts.TABLES[0][0]
    return [
        f"## Random playouts of the pure domain, one core, medians of {len(rounds)} rounds",
        "",
        f"| | plain, moves/s | own loop | compiled | own loop | own loops: compiled / plain | compiled / {first}'s |",
        "|---|---|---|---|---|---|---|",
        *rows,
    ]


def _thinking() -> list[str]:
    plain, fast = thinking.run()
    pace = [
        f"{new:,.0f} and {again:,.0f}" for new, again, _ in (t.pop(thinking.JUDGED) for t in (plain, fast))
    ]
    rows = [
        f"| `{name}` | {' | '.join(f'{figure:,.2f}' for figure in (*plain[name], *fast[name]))} |"
        for name in plain
    ]
    return [
        f"## Thinking time of Migrato's bots: {thinking.MOMENTS} decisions, processor time, ms",
        "",
        "| | plain p50 | p99 | most | compiled p50 | p99 | most |",
        "|---|---|---|---|---|---|---|",
        *rows,
        "",
        f"Moments judged in a second, new and again: {pace[0]} plain, {pace[1]} compiled.",
    ]


def _moves() -> list[str]:
    rounds = moves.run()
    figures = [
        (m.per_second, m.p50, m.p99, h.per_second, h.p50, h.p99, m.per_second / h.per_second)
        for m, h in rounds
    ]
    rows = [_row(str(number), row) for number, row in enumerate(figures, 1)]
    return [
        f"## Moves through HTTP: {moves.LANES} games at once, two web workers, durable",
        "",
        "| round | moves/s | p50 ms | p99 ms | healthz/s | p50 ms | p99 ms | ratio |",
        "|---|---|---|---|---|---|---|---|",
        *rows,
        _row("median", [median(column) for column in zip(*figures, strict=True)]),
        "",
        *_processor_time("move", [m.microseconds for m, _ in rounds]),
    ]


def _create() -> list[str]:
    rounds = creating.run()
    lines = [
        f"## Creating games through HTTP: {moves.LANES} connections, two web workers, durable",
        "",
        f"Medians of {len(rounds)} rounds, in which the kinds take turns.",
        "",
        "| with | games/s | lowest | highest | p50 ms | p99 ms |",
        "|---|---|---|---|---|---|",
    ]
    for kind in creating.KINDS:
        figures = [one[kind] for one in rounds]
        rates = [f.per_second for f in figures]
        lines.append(
            f"| {kind} | {median(rates):,.0f} | {min(rates):,.0f} | {max(rates):,.0f} "
            f"| {median(f.p50 for f in figures):.1f} | {median(f.p99 for f in figures):.1f} |"
        )
    for kind in creating.KINDS:
        took = [one[kind].microseconds for one in rounds]
        lines += ["", f"With {kind}:", "", *_processor_time("created game", took)]
    return lines


def _processor_time(thing: str, rounds: Sequence[Mapping[str, float]]) -> list[str]:
    roles = sorted(set[str]().union(*rounds), key=lambda role: -median(one.get(role, 0.0) for one in rounds))
    rows = [(role, [one.get(role, 0.0) for one in rounds]) for role in roles]
    rows.append(("all", [sum(one.values()) for one in rounds]))
    return [
        f"| process | processor time of a {thing}, us | lowest | highest |",
        "|---|---|---|---|",
        *(f"| {role} | {median(us):,.0f} | {min(us):,.0f} | {max(us):,.0f} |" for role, us in rows),
    ]


def _figure(figure: float) -> str:
    return f"{figure:,.0f}" if figure >= 100 else f"{figure:.1f}"


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


def _bots() -> list[str]:
    rows = [
        f"| {pace} | {a.per_second:,.0f} | {a.p50:,.0f} | {a.p99:,.0f} | {a.most:,.0f} "
        f"| {a.queue_wait:,.0f} | {a.within_a_second:.2%} |"
        for pace, a in bot_load.run()
    ]
    return [
        f"## Waiting for `{bot_load.BOT}`: {bot_load.GAMES} games, durable; bot workers: {bot_load.BOT_WORKERS}",
        "",
        "| pace | answers/s | p50 ms | p99 ms | most ms | mean wait of a job, ms | recorded within 1 s |",
        "|---|---|---|---|---|---|---|",
        *rows,
    ]


def _jobs() -> list[str]:
    rows = [
        f"| {name} | {waiting.requests:.1f} | {waiting.microseconds:,.0f} "
        f"| {coming.requests:.1f} | {coming.microseconds:,.0f} |"
        for name, waiting, coming in jobs.run()
    ]
    return [
        f"## What a job costs its worker, medians of {jobs.ROUNDS} rounds of {jobs.JOBS} jobs",
        "",
        "| worker | requests, jobs wait | us | requests, jobs are waited for | us |",
        "|---|---|---|---|---|",
        *rows,
    ]


def _verify() -> list[str]:
    rounds = verify.run()
    rows = []
    for at, kind in enumerate(verify.KINDS):
        plain, fast = ([run[which][at] for run in rounds] for which in (0, 1))
        figures = [median(one.games for one in runs) for runs in (plain, fast)]
        hashed = median(one.hashed for one in [*plain, *fast])
        events = median(one.events for one in plain)
        rows.append(f"| {kind} | {events:,.0f} | {figures[0]:,.0f} | {figures[1]:,.0f} | {hashed:,.0f} |")
    return [
        f"## Verifying exports, one core, medians of {len(rounds)} rounds",
        "",
        "| games of | events a game | plain, games/s | compiled | reading, writing and hashing alone |",
        "|---|---|---|---|---|",
        *rows,
    ]


def _stalls() -> list[str]:
    rows = [
        f"| {name} | {', '.join(f'{count} x {code}' for code, count in sorted(s.statuses.items()))} "
        f"| {s.looks} | {s.p50:.1f} | {s.p99:.1f} | {s.most:.0f} |"
        for name, s in stalls.run()
    ]
    return [
        f"## `/healthz` while {stalls.CALLERS} callers ask all the time, a game of {bursts.EVENTS:,} events",
        "",
        "| asked for | answers | looks | healthz p50 ms | p99 ms | most ms |",
        "|---|---|---|---|---|---|",
        *rows,
    ]


def _bursts() -> list[str]:
    rows = [
        f"| {game} | `{name}` | {', '.join(f'{count} x {code}' for code, count in sorted(b.statuses.items()))} "
        f"| {b.seconds:.1f} | {b.p50:.1f} | {b.p99:.1f} | {b.most:.0f} |"
        for game, name, b in bursts.run()
    ]
    return [
        f"## `/healthz` during {bursts.REQUESTS} requests at once, a game of {bursts.EVENTS:,} events, one web worker",
        "",
        "| game | asked for | answers | all, s | healthz p50 ms | p99 ms | most ms |",
        "|---|---|---|---|---|---|---|",
        *rows,
    ]


def _streams() -> list[str]:
    events, states = streams.run(), streams.run(views=True)
    rows = [
        (
            (
                "connections of the event store before, with the streams",
                f"{found.connections_before}, {found.connections}",
            ),
            ("kB of the web workers for each stream", f"{found.kilobytes:.1f}"),
            ("from a move to the first of 20 watchers, ms", f"{found.few_told:.1f}"),
            (
                "to the first, 99 of 100 and the last of 1,000 watchers, ms",
                f"{found.many_told_first:.0f}, {found.many_told_p99:.0f}, {found.many_told_last:.0f}",
            ),
            ("creating a game meanwhile, ms", f"{found.creating:.0f}"),
        )
        for found in (events, states)
    ]
    return [
        f"## {events.streams:,} streams, two web workers",
        "",
        "| | events | states (`views=true`) |",
        "|---|---|---|",
        *(f"| {what} | {event} | {state} |" for (what, event), (_, state) in zip(*rows, strict=True)),
    ]


def _neighbours() -> list[str]:
    tables = (
        ("Questions to bots while an app asks for much, one thinker", "refused", neighbours.questions()),
        ("One app's bot beside another app's", "played by another bot", neighbours.remote_bots()),
    )
    lines = []
    for title, refused, found in tables:
        lines += [
            f"## {title}",
            "",
            f"| | answered | {refused} | p50 s | p99 s | most s |",
            "|---|---|---|---|---|---|",
        ]
        for name, waits in sorted(found.items()):
            told = waits.seconds or [float("nan")]
            p50, p99 = told[len(told) // 2], told[len(told) * 99 // 100]
            counts = f"{len(waits.seconds):,} | {waits.refused:,}"
            lines.append(f"| {name} | {counts} | {p50:.2f} | {p99:.2f} | {told[-1]:.2f} |")
        lines.append("")
    return lines


def _flat() -> list[str]:
    rows = []
    for kind, rounds in flat.run().items():
        rates = [[side.per_second for side in pair] for pair in rounds]
        took = [[_of_the_engine(side) for side in pair] for pair in rounds]
        for what, pairs in ((f"{kind}, a second", rates), (f"{kind}, us of processor time", took)):
            ratios = [used / fresh for fresh, used in pairs]
            fresh, used = (median(column) for column in zip(*pairs, strict=True))
            rows.append(
                f"| {what} | {fresh:,.0f} | {used:,.0f} "
                f"| {median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f}) |"
            )
    return [
        f"## A fresh service beside one with {flat.ARCHIVED:,} archived games and {flat.RUNNING:,} running ones",
        "",
        f"Medians of {flat.ROUNDS} rounds in turns.",
        "",
        "| | fresh | used | ratio |",
        "|---|---|---|---|",
        *rows,
    ]


def _of_the_engine(one: moves.Round) -> float:
    return sum(each for role, each in one.microseconds.items() if role != CLIENT)


def _lengths() -> list[str]:
    shortest = lengths.LENGTHS[0]
    rows = []
    for kind, by_length in lengths.run().items():
        least = by_length[shortest]
        for length, cost in by_length.items():
            ratios = [own / its for own, its in zip(cost.milliseconds, least.milliseconds, strict=True)]
            rows.append(
                f"| {kind} | {length:,} | {median(cost.milliseconds):.2f} | {cost.size:,} "
                f"| {median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f}) |"
            )
    return [
        f"## What a long game costs, medians of {lengths.ROUNDS} rounds in turns",
        "",
        f"| | events | ms | bytes | beside {shortest} events |",
        "|---|---|---|---|---|",
        *rows,
    ]


def _peer(beside: Path | None = None) -> list[str]:
    title = f"## Beside boardgame.io: {moves.LANES} games at once, interleaved rounds"
    try:
        rounds = peer.run(beside)
    except peer.CannotRun as reason:
        return [title, "", f"Not measured. {reason}"]
    rows = []
    for name in rounds[0]:
        ratios = [
            [one[engine].per_second / one[name].per_second for one in rounds]
            for engine in (peer.TWO_WORKERS, peer.ENGINE)
        ]
        columns = zip(*((one[name].per_second, one[name].p50, one[name].p99) for one in rounds), strict=True)
        figures = [
            f"{_figure(median(column))} ({_figure(min(column))} to {_figure(max(column))})"
            for column in columns
        ]
        figures += [f"{median(ratio):.2f} ({min(ratio):.2f} to {max(ratio):.2f})" for ratio in ratios]
        rows.append(f"| {name} | {' | '.join(figures)} |")
    lines = [
        title,
        "",
        f"Medians of {len(rounds)} rounds; ratios are of the engine to the other in the same round.",
        "",
        "| | moves/s | p50 ms | p99 ms | two web workers : it | one and one that stands by : it |",
        "|---|---|---|---|---|---|",
        *rows,
    ]
    for name in (peer.TWO_WORKERS, peer.ENGINE, peer.BESIDE)[: 2 + (beside is not None)]:
        lines += ["", f"Of {name}:", "", *_processor_time("move", [one[name].microseconds for one in rounds])]
    return lines


def _cluster() -> list[str]:
    prices = cluster.run()
    return [
        f"## An append on a cluster: {cluster.APPENDS} one after the other, all servers on this machine",
        "",
        f"Medians of {cluster.ROUNDS} rounds, interleaved.",
        "",
        "| | us by the clock | processor time of the client | of the servers |",
        "|---|---|---|---|",
        *cluster.rows(prices),
        "",
        *_moves_by_masters(),
    ]


def _moves_by_masters() -> list[str]:
    found = cluster.moves()
    least = found[cluster.MASTERS[0]]
    rows = []
    for masters, rounds in found.items():
        ratios = [one.per_second / its.per_second for one, its in zip(rounds, least, strict=True)]
        rows.append(
            f"| {masters} | {median(one.per_second for one in rounds):,.0f} "
            f"| {median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f}) "
            f"| {median(one.p50 for one in rounds):.1f} | {median(one.p99 for one in rounds):.1f} "
            f"| {median(map(_of_the_engine, rounds)):,.0f} |"
        )
    return [
        f"Moves through HTTP, {moves.LANES} games at once, two web workers, durable, no replicas:",
        "",
        "| masters | moves/s | beside one | p50 ms | p99 ms | us of processor time |",
        "|---|---|---|---|---|---|",
        *rows,
    ]


def _capacity() -> list[str]:
    now = asdict(capacity.measured())
    kept = asdict(capacity.COSTS)
    rows = [f"| {name} | {kept[name]:,.0f} | {now[name]:,.0f} |" for name in kept if now[name] != kept[name]]
    return [
        "## Capacity: what a model makes of measured costs",
        "",
        f"Inputs that were measured again, with {capacity.SAMPLE} synthetic games:",
        "",
        "| input | the model's | now |",
        "|---|---|---|",
        *rows,
        "",
        *capacity.table(),
        "",
        *capacity.limits_table(),
    ]


def _webhooks() -> list[str]:
    rows = [
        f"| {one.endpoints} | {one.deliveries:,} | {one.per_second:,.0f} | {one.microseconds:,.0f} |"
        for one in webhooks.run()
    ]
    return [
        "## Webhooks: one worker, a receiver that answers at once",
        "",
        "| webhooks | deliveries | deliveries/s | us of the worker's processor time for each |",
        "|---|---|---|---|",
        *rows,
    ]


PARTS = {
    "playouts": _playouts,
    "thinking": _thinking,
    "moves": _moves,
    "create": _create,
    "redis": _redis,
    "bots": _bots,
    "jobs": _jobs,
    "verify": _verify,
    "bursts": _bursts,
    "stalls": _stalls,
    "streams": _streams,
    "neighbours": _neighbours,
    "flat": _flat,
    "lengths": _lengths,
    "cluster": _cluster,
    "capacity": _capacity,
    "peer": _peer,
    "webhooks": _webhooks,
}


APART = {
    "bots-behind-people": bots_behind_people.main,
    "askers": askers.main,
    "thinkers": thinkers.main,
    "suite": suite.main,
    "reached": reached.main,
    "rating-abuse": rating_abuse.main,
    "retention": retention.main,
    "idle": idle.main,
}


def main(names: list[str]) -> int:
    """Run the named parts, or all."""
    if names[:1] == ["openspiel"]:
        from benchmarks import against_openspiel

        return against_openspiel.main(names[1:])
    if names and (apart := APART.get(names[0])):
        return apart(names[1:])
    if names[:2] == ["peer", "--beside"] and len(names) == 3:
        sys.stdout.write("\n".join([*_peer(Path(names[2])), "", ""]))
        return 0
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
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that what was started ends, as by Ctrl-C
    sys.exit(main(sys.argv[1:]))
