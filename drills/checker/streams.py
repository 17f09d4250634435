"""Streams of states: none goes back or leaves the end out, and each state is what the same caller sees elsewhere."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from drills.checker.moves import Finding, Lost
from drills.checker.told import Loss, Told, epoch_of
from drills.checker.truth import Truth, as_json

Json = dict[str, Any]
FOLLOW: Final = "follow"
JUDGED: Final = (
    "version",
    "viewer",
    "status",
    "turn",
    "to_act",
    "state",
)  # by the rules, in `drills.checker.sight`


def check_streams(
    truth: Truth, entries: Sequence[Json], told: Sequence[Told], losses: Sequence[Loss], lost: Lost
) -> Iterator[Finding]:
    """Every stream of the game, over all its connections; the views themselves are judged as all others are."""
    last: dict[str, Told] = {}
    for one in told:
        if one.do != FOLLOW or not one.ok:
            continue
        before = last.get(one.by)
        if before is not None and not _is_between(before, one, losses):
            yield from _check_order(before, one)
        last[one.by] = one
        if (one.version or 0) <= truth.version and lost.kept(
            one.version or 0, epoch_of(one.at, losses), len(losses)
        ):
            yield from _check_state(truth, one)
    yield from _check_ends(truth, entries, last, losses, lost)
    yield from _check_same(truth, told, losses, lost)


def _is_between(before: Told, one: Told, losses: Sequence[Loss]) -> bool:
    """True if one of the losses may lie between the two."""
    return any(before.at <= loss.until and loss.began <= one.at for loss in losses)


def _check_order(before: Told, one: Told) -> Iterator[Finding]:
    first, second = before.version or 0, one.version or 0
    if second < first or (second == first and before.number == one.number):
        yield "stream", f"{one.by} is sent version {second} after {first}"


def _check_state(truth: Truth, one: Told) -> Iterator[Finding]:
    """Findings about a state: the version of its view, and the legal moves of the seat to act."""
    answer, version = one.answer, one.answer["version"]
    where = f"the stream of {one.by} at version {version}"
    if answer["view"]["version"] != version:
        yield "stream", f"{where}: a view of version {answer['view']['version']}"
        return
    state = truth.states[version]
    status = truth.game.status(state)
    acts = one.seat is not None and status.status == "playing" and status.to_act == one.seat
    expected = as_json(truth.game.legal_moves(state, one.seat or 0)) if acts else None
    if answer["legal_moves"] != expected:
        rule = "leak" if expected is None else "view"
        yield rule, f"{where}: legal moves {answer['legal_moves']}, not {expected}"


def _check_ends(
    truth: Truth, entries: Sequence[Json], last: dict[str, Told], losses: Sequence[Loss], lost: Lost
) -> Iterator[Finding]:
    """Each stream says that it is over, after the last state; or after one that was the last until it was lost."""
    followed = {entry["by"] for entry in entries if entry["is"] == "invoke" and entry["do"] == FOLLOW}
    ended = {entry["by"] for entry in entries if entry["is"] == "end"}
    refused = {entry["by"] for entry in entries if entry["is"] == "fail"}
    for by in sorted(followed):
        one = last.get(by)
        version = None if one is None else one.version
        gone = one is not None and not lost.kept(version or 0, epoch_of(one.at, losses), len(losses))
        if by in ended and version != truth.version and not gone:
            yield "stream", f"that of {by} ends after version {version} of {truth.version}"
        elif by not in ended | refused:
            yield "stream", f"that of {by} does not end"


def _check_same(truth: Truth, told: Sequence[Told], losses: Sequence[Loss], lost: Lost) -> Iterator[Finding]:
    """Findings about answers to a seat at one version that differ, also in the members that the rules do not decide."""
    shown: dict[tuple[int | None, int], Json] = {}
    for one in told:
        view, version = one.view, one.version or 0
        if view is None or not lost.kept(version, epoch_of(one.at, losses), len(losses)):
            continue
        own = {name: value for name, value in view.items() if name not in JUDGED}
        own["fairness"] = {**view["fairness"], "server_seed": None}
        known = shown.setdefault((one.seat, version), own)
        names = [name for name in known.keys() | own.keys() if not _is_same(known.get(name), own.get(name))]
        if names and version <= truth.version:
            where = f"at version {version}, request {one.number} of {one.by}"
            yield "stream", f"{where} shows another {', '.join(sorted(names))} than another answer"


def _is_same(one: Any, other: Any) -> bool:
    """True if both show the same. A player's name is null where the store that has the names does not answer; who is
    connected changes at any time.
    """
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_is_same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        away = {"connected"} | ({"player"} if None in (one.get("player"), other.get("player")) else set())
        return {**one, **dict.fromkeys(away)} == {**other, **dict.fromkeys(away)}
    return bool(one == other)
