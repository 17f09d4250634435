"""Every answer is what its viewer sees at that version: nothing else, and nothing that the viewer cannot know.

Two ways of looking. The true state, known from the export, is shown to the viewer by the rules, and must come to the
answer. And what the viewer cannot know is drawn anew: an answer that depended on it would change (noninterference).
"""

import random
from collections.abc import Iterator, Sequence
from typing import Any, Final

from domain.errors import DomainError
from domain.lifecycle import EventRecord
from drills.checker.moves import Finding, Lost
from drills.checker.told import Loss, Told, epoch_of
from drills.checker.truth import Truth, as_json

Json = dict[str, Any]
DRAWN_ANEW: Final = 0.1  # of the views
ANNOTATIONS: Final = frozenset(("move_chosen", "hint_given"))  # what they hide, they hide from everybody


def check_sight(
    truth: Truth, told: Sequence[Told], losses: Sequence[Loss], lost: Lost, seed: int = 0
) -> Iterator[Finding]:
    """Every view, event and list of legal moves; what was lost afterwards cannot be compared, and is left out."""
    rng = random.Random(f"{seed}:{truth.header['game_id']}")
    for one in told:
        if not one.ok:
            continue
        for event in one.events:
            if (event["version"], event["head"]) not in lost.events and event["version"] <= truth.version:
                yield from _check_event(truth, one, event)
        version = one.version
        if version is None or not lost.kept(version, epoch_of(one.at, losses), len(losses)):
            continue
        if version > truth.version:
            yield "lost", f"{one.by} was told of version {version} by request {one.number}"
            continue
        if one.view is not None:
            yield from _check_view(truth, one, one.view, rng)
        elif one.do == "list":
            yield from _check_legal_moves(truth, one)


def _check_event(truth: Truth, one: Told, event: Json) -> Iterator[Finding]:
    version = event["version"]
    data, hidden = truth.expected_event(version, one.seat, one.version or 0)
    where = f"event {version} for {_who(one)}, request {one.number} of {one.by}"
    if event["data"] != as_json(data) or event["redacted"] != hidden:
        rule = "leak" if shows_more(event["data"], as_json(data)) else "view"
        yield rule, f"{where}: {event['data']} instead of {data}"
    elif hidden and (event.get("salt") is not None or _shows_a_salt(event)):
        yield "leak", f"{where}: the salt of what is hidden"
    elif hidden and event["type"] not in ANNOTATIONS and _depends(truth, one, event):
        yield "leak", f"{where}: it depends on what is hidden"


def _shows_a_salt(event: Json) -> bool:
    """True if there is a salt of a place that is hidden."""
    for pointer in event.get("salts", {}):
        value = event["data"]
        for step in pointer[1:].split("/"):
            value = value[int(step) if isinstance(value, list) else step] if value is not None else None
        if value is None:
            return True
    return False


def _depends(truth: Truth, one: Told, event: Json) -> bool:
    """True if the event would look different if what it hides were something else."""
    kind, data = event["type"], event["data"]
    try:
        other = {name: truth.game.stand_in(kind, name, data) for name in event["redacted"]}
        shown, hidden = truth.game.redact(
            EventRecord(kind, event["schema"], event["seat"], data | other), one.seat
        )
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, DomainError):
        return True
    same: bool = as_json(shown) == data and hidden == event["redacted"]
    return not same


def _check_view(truth: Truth, one: Told, view: Json, rng: random.Random) -> Iterator[Finding]:
    version, state = view["version"], view["state"]
    where = f"the view of {_who(one)} at version {version}, request {one.number} of {one.by}"
    running = version < truth.over_from
    if running and view["fairness"]["server_seed"] is not None:
        yield "leak", f"{where}: the server's seed"
    expected = truth.expected_view(version, one.seat)
    if state != expected:
        yield (
            "leak" if running and shows_more(state, expected) else "view",
            f"{where}: {state}, not {expected}",
        )
        return
    status = truth.game.status(truth.states[version])
    told = (view["viewer"], view["status"], view["turn"], view["to_act"])
    true = (one.seat, status.status, status.turn, status.to_act)
    if told != true:
        yield "view", f"{where}: {told}, not {true}"
    elif running and state is not None and rng.random() < DRAWN_ANEW:
        other = truth.otherwise(version, one.seat or 0, rng.getrandbits(53))
        if as_json(truth.game.view(other, one.seat)) != state:
            yield "leak", f"{where}: it depends on what is hidden"


def _check_legal_moves(truth: Truth, one: Told) -> Iterator[Finding]:
    version, seat = one.answer["version"], one.seat
    if seat is None:
        return
    expected = as_json(truth.game.legal_moves(truth.states[version], seat))
    if one.answer["moves"] != expected:
        yield (
            "view",
            f"legal moves of seat {seat} at version {version}: {one.answer['moves']}, not {expected}",
        )


def shows_more(told: Any, expected: Any) -> bool:
    """True if something is told where nothing should be."""
    if expected is None:
        return told is not None
    if isinstance(told, dict) and isinstance(expected, dict):
        return bool(told.keys() - expected.keys()) or any(
            shows_more(told[name], expected[name]) for name in told.keys() & expected.keys()
        )
    if isinstance(told, list) and isinstance(expected, list):
        pairs = zip(told, expected, strict=False)
        return len(told) > len(expected) or any(shows_more(*pair) for pair in pairs)
    return False


def _who(one: Told) -> str:
    return "a spectator" if one.seat is None else f"seat {one.seat}"
