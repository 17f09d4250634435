"""Alterations of a document that somebody is shown: each changes one member, everything else stays.

`python -m tests.audit.alterations EXPORT...` makes all of those of the events of exports, and says which `migrato
verify` lets pass, or finds elsewhere than at the event. It exits with 1 if there is one.
"""

import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import orjson

from domain.lifecycle import Json
from events.audit.verify import verify
from events.log.export import Exported, games_in, line

_OTHER: Final = {"0": "1", "f": "e"}


class Altered(NamedTuple):
    """An event with one member changed: what was changed, and the document."""

    what: str
    document: Json


def alterations(document: Json) -> Iterator[Altered]:
    """All of an event document, down to every member of its members; each is another document than the honest one."""
    for path, changed in _of(document, ""):
        if orjson.dumps(changed, option=orjson.OPT_SORT_KEYS) != orjson.dumps(
            document, option=orjson.OPT_SORT_KEYS
        ):
            yield Altered(path, changed)


def _of(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Every value that differs from this one in one place."""
    if isinstance(value, dict):
        for name, member in value.items():
            for where, changed in _of(member, f"{path}/{name}"):
                yield where, {**value, name: changed}
            yield f"{path}/{name}: gone", {one: it for one, it in value.items() if one != name}
        yield f"{path}: one member more", {**value, "more": 1}
    elif isinstance(value, list):
        for at, item in enumerate(value):
            for where, changed in _of(item, f"{path}/{at}"):
                yield where, [*value[:at], changed, *value[at + 1 :]]
        yield f"{path}: one item more", [*value, value[-1] if value else None]
        if value:
            yield f"{path}: one item less", value[:-1]
            yield f"{path}: turned round", value[::-1]
    for other in _others(value):
        yield f"{path}: {str(other)[:20]}", other


def _others(value: Any) -> list[Any]:
    """Some other values of the same kind, and one of another kind."""
    if isinstance(value, bool):
        return [not value, None]
    if isinstance(value, int):
        return [value + 1, max(value - 1, 0), None]
    if isinstance(value, str):
        digit = max((value.rfind(one) for one in "0123456789"), default=-1)
        turned = [] if digit < 0 else [f"{value[:digit]}{(int(value[digit]) + 1) % 10}{value[digit + 1 :]}"]
        last = value[-1:]
        return [*turned, value[:-1] + _OTHER.get(last, "0" if last.isalnum() else "f"), value + "0", None]
    if value is None:
        return [0, "G5d", [], False]
    return [None, {}, "", True] if isinstance(value, list) else [None, [], 0, True]


def verdicts(exported: Exported, step: int = 1) -> Iterator[tuple[str, int, int | None, str | None]]:
    """Every alteration of every event of an export, or one in `step`, as `migrato verify` judges it: what was altered,
    in which event, at which event that was found (None: at none), and by which check (None: it passes).
    """
    number = 0
    for at, raw in enumerate(exported.events):
        for what, changed in alterations(orjson.loads(raw)):
            number += 1
            if number % step:
                continue
            events = [*exported.events[:at], line(changed)[:-1], *exported.events[at + 1 :]]
            wrong = verify(Exported(1, exported.header, events, exported.end)).wrong
            yield (
                what,
                at + 1,
                None if wrong is None else wrong.version,
                None if wrong is None else wrong.check,
            )


def main(paths: list[str]) -> int:
    """Alter the exports; the exit code."""
    passed = count = 0
    for path in paths:
        for exported in games_in(io.BytesIO(Path(path).read_bytes())):
            for what, at, found, check in verdicts(exported):
                count += 1
                if check is None or found != at:
                    passed += 1
                    sys.stdout.write(f"{path}: event {at}, {what}: {check or 'passes'}, at {found}\n")
    sys.stdout.write(f"{count} alterations, {passed} pass or are found elsewhere\n")
    return 1 if passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
