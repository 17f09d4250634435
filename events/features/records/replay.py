"""Replays: a game step by step, each step with its events and the view after it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from domain.lifecycle import Json
from events.engine.repository import PAGE, GameRepository
from events.engine.viewpoint import Viewpoint
from events.log import serialisers
from events.log.envelope import RecordedEvent
from events.log.snapshot import Snapshot, fold
from events.ports import EventStore
from events.scheduling import Slices, Steps

EVENTS_A_STEP = 4  # an estimate, from which the number of events in one read follows


@dataclass(frozen=True, slots=True)
class Step:
    """A decision, with all events that followed from it, and the game right after them."""

    events: list[RecordedEvent]
    after: Snapshot


class Replays:
    """The use case of replays."""

    def __init__(self, store: EventStore, games: GameRepository, slices: Slices) -> None:
        self._store = store
        self._games = games
        self._slices = slices

    def page(self, viewpoint: Viewpoint, after: int, limit: int) -> list[Step]:
        """At most `limit` steps after version `after`, none beyond the viewpoint's version; the time is linear in the
        page's size.

        The game at the end of the page is kept for a while, for the request of the next page. Raises VersionBeyondEnd.
        """
        return self._slices.finish(
            self._steps(self._games.at(viewpoint.then, after), viewpoint.then.version, limit)
        )

    def documents(
        self, steps: Sequence[Step], viewpoint: Viewpoint, view: Callable[[Snapshot], Json]
    ) -> list[Json]:
        """The steps as documents; `view` shows the game after each."""
        return self._slices.finish(_shown(steps, viewpoint, view))

    def _steps(self, before: Snapshot, until: int, limit: int) -> Steps[list[Step]]:
        steps = list[Step]()
        for events in self._moves(before, until, limit * EVENTS_A_STEP):
            before = fold(before, events)
            steps.append(Step(events, before))
            if len(steps) == limit:
                break
            yield
        self._games.keep_past(before)
        return steps

    def _moves(self, before: Snapshot, until: int, at_once: int) -> Iterator[list[RecordedEvent]]:
        """The events from there on, in groups that each follow from one decision."""
        game, after, move = before.game, before.version, list[RecordedEvent]()
        while after < until:
            found = self._store.read(before.game_id, after, min(at_once, PAGE, until - after))
            if not found:
                break
            for stored in found:
                if move and not game.is_consequence(move[-1].record, stored.record):
                    yield move
                    move = []
                move.append(stored)
            after = found[-1].version
        if move:
            yield move


def _shown(
    steps: Sequence[Step], viewpoint: Viewpoint, view: Callable[[Snapshot], Json]
) -> Steps[list[Json]]:
    documents = list[Json]()
    for step in steps:
        documents.append(step_document(step, viewpoint, view(step.after)))
        yield
    return documents


def step_document(step: Step, viewpoint: Viewpoint, view: Json) -> Json:
    """The step as the viewer saw it at that time, with its events also in words; `view` is the view after it."""
    seats = [event.seat for event in step.events if event.seat is not None]
    return {
        "version": step.after.version,
        "at": step.events[-1].at,
        "seat": seats[0] if seats else None,
        "events": [_event_document(step, event, viewpoint) for event in step.events],
        "view": view,
    }


def _event_document(step: Step, stored: RecordedEvent, viewpoint: Viewpoint) -> Json:
    document = serialisers.event_document(step.after, stored, viewpoint.viewer, whole=viewpoint.whole)
    game = step.after.game
    record = stored.record._replace(data=document["data"])
    return document | {"notation": game.notation(record)}
