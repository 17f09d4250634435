"""Decisions in a finished game, judged by what each seat knew when it decided."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from domain.annotations import BEFORE_A_MOVE
from domain.bot import Choice, Considered
from domain.common_events.takebacks import TAKEN_BACK
from domain.game import Game, Records
from domain.lifecycle import EventRecord, Json, Result
from domain.takebacks.takebacks import undone_by
from events.engine.repository import GameRepository, pages
from events.errors import AnalysisUnavailable, GameNotOver
from events.log.snapshot import Snapshot
from events.ports import EventStore

SETTLES: Final = "settle"  # the type of a move that the events record as if it were no choice


class Decision(NamedTuple):
    """A move that a seat chose, and the best move, with its reasons if the seat played another one.

    `version`: the version of the move's first event; `position`: the version before it, which can be forked.
    """

    version: int
    position: int
    seat: int
    played: Considered
    best: Considered


class Decisions:
    """The decisions of games that are over."""

    def __init__(self, store: EventStore, games: GameRepository) -> None:
        self._store = store
        self._games = games

    def finished(self, game_id: str) -> Snapshot:
        """The game, which must be over and have a judge. Raises GameNotOver, AnalysisUnavailable, GameNotFound."""
        now = self._games.current(game_id)
        if now.status.status != "finished":
            raise GameNotOver
        if now.game.judge is None:
            raise AnalysisUnavailable(now.game.name)
        return now

    def after(self, now: Snapshot, version: int) -> Iterator[Decision]:
        """The decisions of the finished game after a version, except those that were taken back."""
        game, seats = now.game, len(now.status.seats)
        undone = _undone(self._store, now)
        state: Any = game.initial()
        knowledge = [game.initial_knowledge() for _ in range(seats)]
        # the version before the present move's events, of which a bot's first one tells its choice
        position = 0
        for at, event, following in _with_next(game, self._store, now):
            seat = event.seat
            stands = not any(at in span for span in undone)
            if at > version and stands and seat is not None and game.status(state).to_act == seat:
                move = game.infer_move(state, event, following)
                if move is not None:
                    found = _decided(game, game.observe(state, seat, knowledge[seat]), move)
                    if found is not None:
                        yield Decision(at, position, seat, *found)
            if event.type != BEFORE_A_MOVE:
                position = at
            decoded = game.decode(event)
            before, state = state, game.evolve(state, decoded)
            if state is not before:
                knowledge = [
                    game.update_knowledge(known, seat, before, decoded, state)
                    for seat, known in enumerate(knowledge)
                ]


def share_of_win(result: Result, seat: int) -> float:
    """The seat's share of the win: 1 or 0, or a part of 1 if several seats are first."""
    if result.is_void or result.places[seat] != 1:
        return 0.0
    return 1 / result.places.count(1)


def _undone(store: EventStore, now: Snapshot) -> list[range]:
    """The ranges of versions that were taken back."""
    return [
        undone_by(recorded.version, recorded.record)
        for page in pages(store, now.game_id, now.version)
        for recorded in page
        if recorded.record.type == TAKEN_BACK
    ]


def _with_next(
    game: Records, store: EventStore, now: Snapshot
) -> Iterator[tuple[int, EventRecord, list[EventRecord]]]:
    """Each version with its event, and with the following events that are needed to infer the move."""
    ahead = max(game.lookahead.values(), default=0)
    waiting = list[tuple[int, EventRecord]]()
    for page in pages(store, now.game_id, now.version):
        for recorded in page:
            waiting.append((recorded.version, recorded.record))
            if len(waiting) > ahead:
                (version, event), *rest = waiting
                yield version, event, [record for _, record in rest]
                waiting = rest
    while waiting:
        (version, event), *rest = waiting
        yield version, event, [record for _, record in rest]
        waiting = rest


def _decided(game: Game, observation: Any, move: Json) -> tuple[Considered, Considered] | None:
    """The chosen move and the best one, judged; None for a command that is no legal move, such as giving up."""
    judged = game.judged(observation)
    played = next((one for one in judged if _plain(game.move_document(one.move)) == _plain(move)), None)
    if played is None:
        return None
    best = judged[0]
    if best.win_probability > played.win_probability:
        (best,) = game.explained(observation, game.judge or "", Choice(best.move, (best,)))
    return played, best


def _plain(move: Json) -> Json:
    return {name: value for name, value in move.items() if value not in (None, SETTLES, False)}
