"""The whole history of a drill, checked."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from drills.checker import answers, moves, sight, streams
from drills.checker.told import Loss, Told, answered, epoch_of, losses_of
from drills.checker.truth import Truth
from drills.checker.violation import Violation
from drills.checker.waits import NEVER, Progress, progress, wait_after
from drills.history import DRILL, export_of, games_in, read

Json = dict[str, Any]
LEARNS_WITHIN: Final = 30.0  # seconds after a loss in which a client may still ask for what is gone
ENDED: Final = "game_ended"
ASKS_FOR_WHAT_IS_GONE: Final = frozenset((401, 404, 409, 412, 422))


@dataclass(slots=True)
class Verdict:
    """Findings of a drill. `waits`: for each fault, by its number, seconds until each game went on."""

    violations: list[Violation] = field(default_factory=list)
    faults: list[Json] = field(default_factory=list)
    waits: dict[int, list[float]] = field(default_factory=dict)
    games: int = 0
    moves: int = 0
    answers: int = 0
    lost_events: int = 0
    lost_moves: int = 0
    lost_games: int = 0  # games that lost something, or everything

    @property
    def passed(self) -> bool:
        """True if nothing is wrong."""
        return not self.violations


def check(directory: Path, within: float, seed: int = 0) -> Verdict:
    """Check the history in the directory; after each fault every game is to go on `within` seconds."""
    drill = read(directory, DRILL)
    verdict = Verdict(faults=[entry for entry in drill if entry["is"] == "fault"])
    losses = losses_of(drill)
    for entry in drill:
        if entry["is"] == "finding":
            verdict.violations.append(Violation(entry["rule"], entry.get("game_id"), entry["detail"]))
    created = {one.answer["id"]: one for one in answered(drill) if one.do == "create" and one.ok}
    for game_id in games_in(directory):
        entries = read(directory, game_id)
        told = answered(entries)
        verdict.games += 1
        verdict.answers += len(told)
        of_creation = created.get(game_id)
        verdict.violations += _check_game(
            directory, game_id, entries, told, of_creation, losses, verdict, seed
        )
        game = progress(told)
        if not export_of(directory, game_id).exists() and (loss := _taken_by(entries, told, losses)):
            game = replace(game, over=min(game.over, loss.began))
        verdict.violations += _check_waits(game_id, game, within, verdict)
    return verdict


def _check_game(
    directory: Path,
    game_id: str,
    entries: Sequence[Json],
    told: Sequence[Told],
    created: Told | None,
    losses: Sequence[Loss],
    verdict: Verdict,
    seed: int,
) -> list[Violation]:
    found = [
        Violation("refused", game_id, f"{one.by}: {one.do}: {one.status} {one.answer.get('detail')}")
        for one in told
        if not one.ok and one.refused_at is None and not _excused(one, losses)
    ]
    found += [
        Violation("failed", game_id, f"{entry['by']}: answer {entry['why']}")
        for entry in entries
        if entry["is"] == "info" and entry["why"] in ("500", "501", "502", "504")
    ]
    export = export_of(directory, game_id)
    if not export.exists():
        verdict.lost_games += 1
        if _taken_by(entries, told, losses) is None:
            found.append(Violation("lost", game_id, "the whole game is gone"))
        return found
    truth, lost = Truth.of(export), moves.Lost()
    gaps = moves.as_violations(game_id, moves.check_versions(truth))
    if gaps:
        return found + gaps
    if not truth.complete:
        if not _was_left(truth, told, losses):
            last = truth.events[-1]["type"]
            found.append(Violation("unfinished", game_id, f"at version {truth.version}: {last}"))
        return found
    found += moves.as_violations(game_id, moves.check_told_events(truth, told, losses, lost))
    found += moves.as_violations(
        game_id, moves.check_once(truth, told, lost, _unclear(entries, told, losses))
    )
    found += moves.as_violations(game_id, sight.check_sight(truth, told, losses, lost, seed))
    if created is not None:
        found += moves.as_violations(game_id, answers.check_created(truth, created))
    found += moves.as_violations(game_id, answers.check_answers(truth, told, losses, lost, seed))
    found += moves.as_violations(game_id, streams.check_streams(truth, entries, told, losses, lost))
    found += _unnoticed(game_id, entries, told, lost)
    verdict.moves += len({one.key for one in told if one.do == "move" and one.ok})
    verdict.lost_events += len(lost.events)
    verdict.lost_moves += len(lost.moves)
    verdict.lost_games += bool(lost.events)
    return found


def _excused(one: Told, losses: Sequence[Loss]) -> bool:
    """True if a client may well have asked for something that had just been lost."""
    recent = any(loss.began <= one.at <= loss.until + LEARNS_WITHIN for loss in losses)
    return recent and one.status in ASKS_FOR_WHAT_IS_GONE


def _taken_by(entries: Sequence[Json], told: Sequence[Told], losses: Sequence[Loss]) -> Loss | None:
    """The loss that came after all that was told of the game, if somebody noticed that the game is gone."""
    created = next((entry["at"] for entry in entries if entry["is"] == "created"), 0.0)
    last = max([created, *(one.at for one in told if one.ok)])
    noticed = any(entry["is"] == "abandoned" for entry in entries)
    return next(iter(losses[epoch_of(last, losses) :]), None) if noticed else None


def _unclear(entries: Sequence[Json], told: Sequence[Told], losses: Sequence[Loss]) -> list[Told]:
    """Moves that were refused about the time of a loss, after an attempt without an answer: that may come later."""
    attempts = {(entry["by"], entry["n"]) for entry in entries if entry["is"] == "info"}
    return [
        one
        for one in told
        if one.do == "move" and not one.ok and (one.by, one.number) in attempts and _excused(one, losses)
    ]


def _was_left(truth: Truth, told: Sequence[Told], losses: Sequence[Loss]) -> bool:
    """True if people saw the end of a game and left it, and a loss then took that end and part of the play."""
    people = any(seat["kind"] in moves.PEOPLE for seat in truth.events[0]["data"]["seats"])
    over = progress(told).over
    ended = any(event["type"] == ENDED for event in truth.events)  # the rest is the engine's
    return people and not ended and over != NEVER and epoch_of(over, losses) < len(losses)


def _unnoticed(
    game_id: str, entries: Sequence[Json], told: Sequence[Told], lost: moves.Lost
) -> list[Violation]:
    """Clients that had been told what was lost, asked for events later, and did not notice by the heads."""
    noticed = {entry["by"] for entry in entries if entry["is"] in ("regressed", "abandoned")}
    asked = {one.by for one in told if one.events and one.at > lost.by_client.get(one.by, NEVER)}
    return [
        Violation("unnoticed", game_id, f"{by} had been told what is gone, and noticed nothing")
        for by in sorted(asked - noticed)
    ]


def _check_waits(game_id: str, game: Progress, within: float, verdict: Verdict) -> list[Violation]:
    found = []
    for fault in verdict.faults:
        wait = wait_after(game, fault)
        if wait is None:
            continue
        verdict.waits.setdefault(fault["number"], []).append(wait)
        # How long a start takes depends on the machine.
        start = (fault["ready"] or fault["healed"]) - fault["healed"]
        if wait - start > within:
            how_long = "not at all" if wait == NEVER else f"after {wait:.1f} s"
            found.append(Violation("stalled", game_id, f"it went on {how_long} after: {fault['name']}"))
    return found
