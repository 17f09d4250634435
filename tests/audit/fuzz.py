"""`python -m tests.audit.fuzz [--seconds 60] [--seed 1]`: exports changed at random; none may pass, nothing may crash.

A mutation is found if the file cannot be read or a game in it fails a check. A game that passes must be, byte for byte,
one of those that were really played. The signing key is known to who verifies, the seed to who mutates: many mutations
are sealed anew, so that they get as far as the rules.
"""

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from io import BufferedReader, BytesIO
from typing import Any

from domain.lifecycle import Json
from events.audit.verify import verify
from events.log.export import Exported, Unreadable
from events.runtime.embedded import EmbeddedServer
from service.cli.export_files import exports_in
from tests.audit import migo_games
from tests.audit.games import TRUSTED, Corpus, corpus
from tests.audit.tamper import Parts, parts

Mutation = Callable[[random.Random, bytes, list[bytes]], bytes]
STRANGE: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2**53 - 1, -(2**53) + 1, 2**31, 0.5, 1.0, 1e300, "", "0", "T5d", "G5n", "HUN",
    "x" * 300, "\x00", "\u2028", "🐦", "greedy", "heuristic", "migrato", [], {}, [None], [[]], {"": {}}, ["T5d"], [0],
    {"iterations": 10**9}, {"iterations": -1}, {"slot": 9}, {"pile": "teal"}, "00" * 32, "2026-01-01T00:00:00.000Z",
    "E07", "E07a", "E07b", ["E07a"], [["E07a"]], "migo", "pyramid", "random", {"full": 3, "empty": 0},
)  # fmt: skip
TYPES = (
    "game_created", "seat_taken", "game_started", "bird_played", "cards_moved", "danger_played", "birds_arrived",
    "arrival_failed", "return_flight_taken", "column_discarded", "card_discarded", "hand_exchanged", "cards_drawn",
    "deck_reshuffled", "turn_passed", "player_resigned", "game_ended", "game_scored", "move_chosen", "hint_given",
    "position_set", "seat_token_reissued", "round_started", "card_taken", "bottle_gained", "sherpa_dismissed",
    "card_flipped", "bottle_drunk", "round_ended", "game_aborted", "game_adjudicated", "player_replaced",
    "seat_handed_over", "win_claimed", "clock_set", "turn_timed_out", "clock_credited", "",
)  # fmt: skip


# --- bytes ----------------------------------------------------------------------------------------------------------


def flip_bytes(rng: random.Random, export: bytes, others: list[bytes]) -> bytes:
    changed = bytearray(export)
    for _ in range(rng.choice((1, 1, 1, 2, 8))):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def insert_bytes(rng: random.Random, export: bytes, others: list[bytes]) -> bytes:
    at = rng.randrange(len(export) + 1)
    more = rng.choice((rng.randbytes(rng.randint(1, 5)), b" ", b"\n", b"0", b'"', b"\r\n"))
    return export[:at] + more + export[at:]


def delete_bytes(rng: random.Random, export: bytes, others: list[bytes]) -> bytes:
    at = rng.randrange(len(export))
    return export[:at] + export[at + rng.choice((1, 1, 2, 10, 1000)) :]


def cut_off(rng: random.Random, export: bytes, others: list[bytes]) -> bytes:
    return export[: rng.randrange(len(export))]


# --- lines ----------------------------------------------------------------------------------------------------------


def swap_lines(rng: random.Random, export: bytes, others: list[bytes]) -> bytes:
    lines = export.splitlines(keepends=True)
    a, b = rng.sample(range(len(lines)), 2)
    lines[a], lines[b] = lines[b], lines[a]
    return b"".join(lines)


def drop_lines(rng: random.Random, export: bytes, others: list[bytes]) -> bytes:
    lines = export.splitlines(keepends=True)
    at = rng.randrange(len(lines))
    del lines[at : at + rng.choice((1, 1, 2, 5))]
    return b"".join(lines)


def double_lines(rng: random.Random, export: bytes, others: list[bytes]) -> bytes:
    lines = export.splitlines(keepends=True)
    at = rng.randrange(len(lines))
    return b"".join(lines[: at + 1] + lines[at : at + rng.choice((1, 1, 3))] + lines[at + 1 :])


def splice(rng: random.Random, export: bytes, others: list[bytes]) -> bytes:
    one, other = export.splitlines(keepends=True), rng.choice(others).splitlines(keepends=True)
    return b"".join(one[: rng.randrange(len(one))] + other[rng.randrange(len(other)) :])


# --- members --------------------------------------------------------------------------------------------------------


def _strange(rng: random.Random) -> Any:
    """A value that nobody expects; its own, for it may be changed itself."""
    return deepcopy(rng.choice(STRANGE))


def _changed(rng: random.Random, document: Any) -> None:
    """One member, somewhere in the document, gets another value, goes or comes."""
    while True:
        places: list[Any] = list(document) if isinstance(document, dict) else list(range(len(document)))
        if not places:
            break
        at = rng.choice(places)
        inner = document[at]
        if isinstance(inner, (dict, list)) and inner and rng.random() < 0.8:
            document = inner
            continue
        how = rng.random()
        if how < 0.15:
            del document[at]
        elif how < 0.3 and isinstance(document, list):
            document.insert(at, inner)
        elif how < 0.6 and isinstance(inner, int) and not isinstance(inner, bool):
            document[at] = inner + rng.choice((-2, -1, 1, 2))
        else:
            document[at] = _strange(rng)
        return
    if isinstance(document, dict):
        document["more"] = _strange(rng)
    else:
        document.append(_strange(rng))


def change_members(rng: random.Random, export: bytes, others: list[bytes]) -> bytes:
    whole = parts(export)
    for _ in range(rng.choice((1, 1, 2))):
        events = rng.choice(whole.events), rng.choice(whole.events)
        _changed(rng, rng.choice((whole.header, whole.end, *events)))
    return whole.file


def _sealed(whole: Parts) -> bytes:
    """Sealed anew as it is; the file as it was where it cannot be."""
    try:
        return whole.reseal().file
    except (TypeError, KeyError, ValueError):
        return whole.file


def change_data(rng: random.Random, export: bytes, others: list[bytes]) -> bytes:
    whole = parts(export)
    for _ in range(rng.choice((1, 1, 2))):
        event = rng.choice(whole.events[:3] if rng.random() < 0.2 else whole.events)
        _changed(rng, event["data"] if event["data"] and rng.random() < 0.8 else event)
    return _sealed(whole)


def change_header_too(rng: random.Random, export: bytes, others: list[bytes]) -> bytes:
    """The first event is changed, and what the header and the end say of it as well."""
    whole = parts(export)
    first = whole.events[0]["data"]
    _changed(rng, first)
    for name, member in (("rules", "options"), ("deck", "deck"), ("game_id", "id"), ("game", "game")):
        if member in first:
            whole.header[name] = first[member]
    try:
        whole.end["client_seeds"] = [seat["client_seed"] for seat in first["seats"]]
    except (TypeError, KeyError):
        whole.end["client_seeds"] = []
    return _sealed(whole)


def other_type(rng: random.Random, export: bytes, others: list[bytes]) -> bytes:
    whole = parts(export)
    event: Json = rng.choice(whole.events)
    event["type"] = rng.choice(TYPES)
    if rng.random() < 0.5:
        event["data"] = dict(rng.choice(whole.events)["data"])
    return _sealed(whole)


def move_events(rng: random.Random, export: bytes, others: list[bytes]) -> bytes:
    """Events left out, doubled, moved or taken from another game, and all sealed anew."""
    whole = parts(export)
    at, to = rng.randrange(len(whole.events)), rng.randrange(len(whole.events))
    how = rng.randrange(4)
    if how == 0:
        del whole.events[at : at + rng.choice((1, 1, 2, 3))]
    elif how == 1:
        whole.events.insert(to, dict(whole.events[at]))
    elif how == 2:
        whole.events.insert(to, whole.events.pop(at))
    else:
        other = parts(rng.choice(others)).events
        whole.events[at:] = other[rng.randrange(len(other)) :]
    return _sealed(whole)


MUTATIONS: tuple[Mutation, ...] = (
    flip_bytes, insert_bytes, delete_bytes, cut_off, swap_lines, drop_lines, double_lines, splice,
    change_members, change_data, change_data, change_data, change_header_too, other_type, move_events,
)  # fmt: skip


LINES: tuple[Mutation, ...] = (flip_bytes, swap_lines, drop_lines, splice, change_members)


# --- judging --------------------------------------------------------------------------------------------------------


def found_by(mutated: bytes, originals: set[bytes], *, bots: bool = False) -> str | None:
    """The check, or why it could not be read; None if every game in it is one of the originals."""
    try:
        for exported in exports_in(BufferedReader(BytesIO(mutated))):
            report = verify(exported, trusted=TRUSTED, bots=bots)
            if report.wrong is not None:
                return report.wrong.check
            if _file(exported) not in originals:
                return "PASSED"
    except Unreadable as reason:
        return f"({reason.code})"
    return None


def _file(exported: Exported) -> bytes:
    return b"\n".join([exported.header, *exported.events, exported.end, b""])


def fuzz(played: Corpus, seed: int, goes_on: Callable[[int], bool]) -> Counter[tuple[str, str]]:
    """The number of times that each check found each mutation; AssertionError if one passes, and whatever is raised."""
    rng, originals = random.Random(seed), list(played.finished.values())
    known, running = set(originals), list(played.running.values())
    assert all(found_by(export, known) is None for export in originals)
    found = Counter[tuple[str, str]]()
    while goes_on(found.total()):
        export, mutation = rng.choice(originals), rng.choice(MUTATIONS)
        by = found_by(mutated := mutation(rng, export, originals), known, bots=rng.random() < 0.03)
        partly_seen = rng.choice(LINES)(rng, rng.choice(running), originals)
        found_by(partly_seen, known)  # may pass
        if by is None:
            continue  # it changed nothing, as when two equal cards were exchanged
        assert by != "PASSED", (mutation.__name__, mutated)
        found[mutation.__name__, by] += 1
    return found


def main() -> None:
    """Play, mutate, and tell."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    with EmbeddedServer(None) as server:
        of_migrato, of_migo = corpus(server.url), migo_games.corpus()
    played = Corpus(
        of_migrato.finished | {f"migo {name}": game for name, game in of_migo.finished.items()},
        of_migrato.running | {f"migo {name}": game for name, game in of_migo.running.items()},
    )
    end = time.monotonic() + asked.seconds
    found = fuzz(played, asked.seed, lambda _: time.monotonic() < end)
    out = [f"{found.total():,} mutations of {len(played.finished)} games, none passed, nothing crashed", ""]
    for head, place in (("| found by | mutations |", 1), ("| mutation | tried |", 0)):
        counts = Counter[str]()
        for key, count in found.items():
            counts[key[place]] += count
        out += [head, "|---|---|", *(f"| {name} | {count:,} |" for name, count in counts.most_common()), ""]
    sys.stdout.write("\n".join(out))


if __name__ == "__main__":
    main()
