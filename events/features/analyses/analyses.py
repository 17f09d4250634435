"""Analyses of finished games: made by workers in parts, kept for a while, and continued only while somebody asks for
them.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from domain.lifecycle import Json
from events.engine.bot_decision import reason_documents
from events.features.analyses.decisions import Decision, Decisions, share_of_win
from events.features.analyses.port import AnalysisStore
from events.log.snapshot import Snapshot

PART: Final = 4.0  # seconds of work, after which other questions get their turn
TOLD_EVERY: Final = 0.3  # seconds between two reports of an analysis's progress
MOST_DECISIONS: Final = 1000  # the most decisions of a game that is analysed
MOST_SWINGS: Final = 10
MOST_MISTAKES: Final = 5  # the most swings that are chosen for what they lost


@dataclass(frozen=True, slots=True)
class Analysis:
    """Progress of the analysis of a game, counted in events; `document` is there once it is done.

    `part` is the number of parts that workers have begun; `asked` is the number of parts before the one under way.
    """

    game_id: str
    app: str
    done: int
    of: int
    part: int
    asked: int
    document: Json | None = None


class Analyses:
    """Analyses of finished games' moves."""

    def __init__(self, decisions: Decisions, kept: AnalysisStore) -> None:
        self._decisions = decisions
        self._kept = kept

    def known(self, game_id: str) -> Analysis:
        """The analysis as far as it is done. Raises GameNotOver, AnalysisUnavailable, GameNotFound, NoAnswer."""
        now = self._decisions.finished(game_id)
        kept = self._kept_of(now)
        of = now.version if kept["of"] is None else kept["of"]
        document = _document(now, kept) if kept["done"] == of else None
        return Analysis(
            game_id, now.secrets.app, kept["done"], of, kept["part"], kept.get("asked", 0), document
        )

    def is_under_way(self, game_id: str) -> bool:
        """True if a worker is working on the analysis."""
        return self._kept.is_claimed(game_id)

    def go_on(self, game_id: str, meanwhile: Callable[[], None] | None = None) -> None:
        """Do a part of the work, in a worker, unless another worker is doing one. `meanwhile` is called
        now and then.
        """
        if not self._kept.claim(game_id):
            return
        try:
            now = self._decisions.finished(game_id)
            self._judge(now, self._kept_of(now), meanwhile)
        finally:
            self._kept.release(game_id)

    def _judge(self, now: Snapshot, kept: Json, meanwhile: Callable[[], None] | None) -> None:
        if kept["done"] == kept["of"]:
            return
        part = kept["part"]
        kept = {**kept, "part": part + 1, "asked": part, "of": now.version, "points": list(kept["points"])}
        spent, told = 0.0, time.monotonic()
        for began, decision in _timed(self._decisions.after(now, kept["done"])):
            kept["points"].append(_point(now, decision))
            kept["done"] = decision.version
            spent += time.monotonic() - began
            if len(kept["points"]) == MOST_DECISIONS:
                break
            if spent > PART:
                self._kept.keep(now.game_id, {**kept, "asked": kept["part"]})
                return
            if time.monotonic() - told > TOLD_EVERY:
                self._kept.claim(now.game_id, again=True)
                self._kept.keep(now.game_id, kept)
                if meanwhile is not None:
                    meanwhile()
                told = time.monotonic()
        self._kept.keep(now.game_id, {**kept, "done": now.version})

    def _kept_of(self, now: Snapshot) -> Json:
        """The workers' findings, unless they are another judge's."""
        kept = self._kept.kept(now.game_id)
        if kept is not None and kept["judge"] == now.game.judge and (kept["of"] or 0) <= now.version:
            return kept
        return {"judge": now.game.judge, "part": 0, "asked": 0, "done": 0, "of": None, "points": []}


def _timed(decisions: Iterator[Decision]) -> Iterator[tuple[float, Decision]]:
    """Each decision with the time at which the work on it began."""
    while True:
        began = time.monotonic()
        decision = next(decisions, None)
        if decision is None:
            return
        yield began, decision


def _point(now: Snapshot, decision: Decision) -> Json:
    """A decision as a document: the seat's chances with the best move and with the chosen one; `better` only if these
    differ.
    """
    best, played = decision.best, decision.played
    is_better = best.win_probability > played.win_probability
    return {
        "version": decision.version,
        "position": decision.position,
        "seat": decision.seat,
        "before": round(best.win_probability, 4),
        "after": round(played.win_probability, 4),
        "played": now.game.move_document(played.move),
        "better": now.game.move_document(best.move) if is_better else None,
        "reasons": reason_documents(best),
    }


def _document(now: Snapshot, kept: Json) -> Json:
    """The analysis as the API gives it."""
    points = kept["points"]
    return {
        "id": now.game_id,
        "game": now.game.name,
        "status": "done",
        "judge": kept["judge"],
        "complete": len(points) < MOST_DECISIONS,
        "points": points,
        "swings": _swings(now, points),
    }


def _swings(now: Snapshot, points: list[Json]) -> list[Json]:
    """The decisions that lost most, and those after which a seat's chances had changed most when it was to act again,
    in descending order of the loss or change.
    """
    after = dict[int, float]()
    result = now.status.result
    if result is not None and not result.is_void and len(points) < MOST_DECISIONS:
        after = {seat: share_of_win(result, seat) for seat in range(len(now.status.seats))}
    found = list[Json]()
    for point in reversed(points):
        seat, before = point["seat"], point["before"]
        then = after.get(seat, point["after"])
        change, lost = round(then - before, 4), round(before - point["after"], 4)
        found.append({"version": point["version"], "seat": seat, "change": change, "lost": lost})
        after[seat] = before
    mistakes = sorted(filter(_loss, found), key=_loss, reverse=True)[:MOST_MISTAKES]
    others = [swing for swing in found if swing not in mistakes and _weight(swing)]
    others.sort(key=_weight, reverse=True)
    return sorted(mistakes + others[: MOST_SWINGS - len(mistakes)], key=_weight, reverse=True)


def _loss(swing: Json) -> float:
    return float(swing["lost"])


def _weight(swing: Json) -> float:
    return max(abs(float(swing["change"])), _loss(swing))
