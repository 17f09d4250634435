"""Every acknowledged event is in the game, every move once, and no version is missing."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from domain.errors import DomainError
from drills.checker.told import Loss, Told, epoch_of
from drills.checker.truth import Truth
from drills.checker.violation import Violation

Json = dict[str, Any]
Finding = tuple[str, str]  # a rule, and a sentence

# Events of a seat that are not moves of its player.
NO_MOVES: Final = frozenset(
    (
        "game_created",
        "seat_taken",
        "game_started",
        "position_set",
        "hint_given",
        "seat_token_reissued",
        "seat_handed_over",
        "player_replaced",
    )
)
CHOSEN: Final = "move_chosen"
PEOPLE: Final = frozenset(("human", "open"))


@dataclass(slots=True)
class Lost:
    """Losses by a fault that may lose: events that had been told, by version and head, and moves."""

    events: set[tuple[int, str]] = field(default_factory=set)
    moves: set[str] = field(default_factory=set)
    # when each client was last told of events that were lost
    by_client: dict[str, float] = field(default_factory=dict)
    # The last version that was told in each epoch, before its loss began, and is still there.
    survived: dict[int, int] = field(default_factory=dict)

    def kept(self, version: int, epoch: int, last_epoch: int) -> bool:
        """True if what was told of this version in that epoch is still known to be there."""
        return epoch == last_epoch or version <= self.survived.get(epoch, 0)


def check_versions(truth: Truth) -> Iterator[Finding]:
    """Findings about versions: they run from 1 on, without a gap."""
    for expected, event in enumerate(truth.events, 1):
        if event["version"] != expected:
            yield "gap", f"version {event['version']} is where {expected} should be"
            return


def check_told_events(
    truth: Truth, told: Sequence[Told], losses: Sequence[Loss], lost: Lost
) -> Iterator[Finding]:
    """Findings about events that a client was told of: each is in the game, unchanged, unless a fault that may lose has
    lost it.

    Such a fault takes the end of a history: what was told before it began, and comes before what is still there, it has
    not lost.
    """
    reached = lost.survived
    gone: list[tuple[int, int, str]] = []
    for one in told:
        missing, epoch = False, epoch_of(one.at, losses)
        before = epoch < len(losses) and one.at < losses[epoch].began
        for event in one.events if one.ok else ():
            version, head = event["version"], event["head"]
            if version <= truth.version and truth.events[version - 1]["head"] == head:
                if before:  # later ones may follow another event than the one that is lost
                    reached[epoch] = max(version, reached.get(epoch, 0))
                continue
            if epoch < len(losses):
                if before:
                    gone.append((epoch, version, f"{one.by} was told by request {one.number}"))
                lost.events.add((version, head))
                lost.by_client[one.by] = max(one.at, lost.by_client.get(one.by, 0.0))
                missing = True
                continue
            rule = "lost" if version > truth.version else "changed"
            yield rule, f"{one.by} was told event {version} ({event['type']}) by request {one.number}"
        if missing and one.do == "move" and one.key is not None:
            lost.moves.add(one.key)
    for epoch, version, where in gone:
        if version <= (last := reached.get(epoch, 0)):
            yield "changed", f"event {version} is another one than {where}, and version {last} is still there"


def check_once(
    truth: Truth, told: Sequence[Told], lost: Lost, unclear: Sequence[Told] = ()
) -> Iterator[Finding]:
    """Findings about moves: each that was acknowledged is there once, as it was posted, and no other move is there.

    What an answer told that is lost, the same request may have done again. Moves of `unclear` requests may be there,
    once each: they were refused in the end, and an attempt at them has had no answer.
    """
    versions: dict[int, str] = {}
    answers: dict[str, list[str]] = {}
    for one in told:
        if one.do != "move" or not one.ok or one.key is None:
            continue
        if one.key in lost.moves and _is_gone(truth, one):
            continue
        heads = [event["head"] for event in one.events]
        if answers.setdefault(one.key, heads) != heads:
            yield "doubled", f"request {one.number} of {one.by}, sent again, was answered with another move"
            continue
        yield from _check_move(truth, one)
        for event in one.events:
            if versions.setdefault(event["version"], one.key) != one.key:
                yield "doubled", f"event {event['version']} was the answer to two moves"
    late = list(unclear)
    for version in _moves_of_people(truth):
        if version in versions:
            continue
        made = next((one for one in late if not list(_check_posted(truth, one, version))), None)
        if made is not None:
            late.remove(made)
        else:
            event = truth.events[version - 1]
            yield (
                "doubled",
                f"event {version} ({event['type']} of seat {event['seat']}) is of no move that was answered",
            )


def _is_gone(truth: Truth, one: Told) -> bool:
    """True if events that the answer brought are not in the game."""
    here = {event["head"] for event in truth.events}
    return any(event["head"] not in here for event in one.events)


def _check_move(truth: Truth, one: Told) -> Iterator[Finding]:
    """The events are of the seat that moved, and begin with the move that it posted."""
    version = one.events[0]["version"]
    if version <= truth.version:
        yield from _check_posted(truth, one, version)


def _check_posted(truth: Truth, one: Told, version: int) -> Iterator[Finding]:
    """The event of this version is of the seat that asked, and begins what it posted."""
    seat = truth.events[version - 1]["seat"]
    if seat != one.seat:
        yield "changed", f"event {version} is of seat {seat}, and seat {one.seat} moved"
    game, body = truth.game, dict(one.body or {})
    following = [truth.record(at) for at in range(version + 1, min(version + 4, truth.version + 1))]
    inferred = game.infer_move(truth.states[version - 1], truth.record(version), following)
    try:
        posted = game.move_document(game.parse_move(body))
        made = inferred and game.move_document(game.parse_move(inferred))
    except DomainError as refusal:
        yield "changed", f"event {version} is of no move: {refusal.detail}"
        return
    if made is None or any(
        posted[name] != value for name, value in made.items() if name in posted and value is not None
    ):
        yield "changed", f"event {version} is of the move {made}, and {posted} was posted"


def _moves_of_people(truth: Truth) -> Iterator[int]:
    """The versions with which a move of a player over HTTP begins."""
    seats = {at for at, seat in enumerate(truth.events[0]["data"]["seats"]) if seat["kind"] in PEOPLE}
    before = truth.record(1)
    for version in range(2, truth.version + 1):
        record = truth.record(version)
        if (
            record.seat in seats
            and record.type not in NO_MOVES
            and before.type != CHOSEN
            and not truth.game.is_consequence(before, record)
        ):
            yield version
        before = record


def as_violations(game_id: str, findings: Iterator[Finding]) -> list[Violation]:
    """The findings, of this game."""
    return [Violation(rule, game_id, detail) for rule, detail in findings]
