"""Folded games: what a stream of events comes to."""

from collections.abc import Iterable, Sequence
from typing import Any

from domain.errors import DomainError
from domain.game import Game
from domain.lifecycle import GameStatus
from domain.value import Value
from events.errors import CorruptStream
from events.log.envelope import EMPTY, RecordedEvent, StreamHead
from events.log.game_secrets import Secrets
from events.log.upcasters import upcast

UNPLAYED = GameStatus(
    status="waiting",
    seats=(),
    turn=0,
    to_act=None,
    rated=True,
    setup=False,
    options={},
    result=None,
    commitment="",
)


class Snapshot(Value):
    """A game as it stands at the end of `stream_head`; immutable, and whole: nothing in it may go out unseen.

    `since` is the version at which the state became what it is: events that only remark on something come later.
    """

    __match_args__ = ("game_id", "game", "state", "stream_head", "secrets", "status", "since")

    def __init__(
        self,
        game_id: str,
        game: Game,
        state: Any,
        stream_head: StreamHead,
        secrets: Secrets,
        status: GameStatus,
        since: int = 0,
    ) -> None:
        self.game_id = game_id
        self.game = game
        self.state = state
        self.stream_head = stream_head
        self.secrets = secrets
        self.status = status
        self.since = since

    @property
    def version(self) -> int:
        """The number of events so far."""
        return self.stream_head.version

    @property
    def is_settled(self) -> bool:
        """Whether no event follows any more: the game is over and its result is confirmed."""
        result = self.status.result
        return result is not None and result.scored

    def after(self, events: Iterable[Any], stream_head: StreamHead) -> "Snapshot":
        """The game after the events, which lead to `stream_head`."""
        game, state, since = self.game, self.state, self.since
        for version, event in enumerate(events, self.version + 1):
            before, state = state, game.evolve(state, event)
            if state is not before:
                since = version
        return Snapshot(self.game_id, game, state, stream_head, self.secrets, game.status(state), since)


def unplayed(game_id: str, game: Game, secrets: Secrets) -> Snapshot:
    """The game before its first event."""
    return Snapshot(game_id, game, game.initial(), EMPTY, secrets, UNPLAYED)


def fold(before: Snapshot, stored: Sequence[RecordedEvent]) -> Snapshot:
    """The game after the recorded events, which must follow on; CorruptStream where they cannot be understood."""
    if not stored:
        return before
    for version, event in enumerate(stored, before.version + 1):
        if event.version != version:
            raise CorruptStream(f"Event {version} of game {before.game_id} is missing.")
    try:
        events = [before.game.decode(upcast(before.game.name, event.record)) for event in stored]
    except DomainError as error:
        raise CorruptStream(
            f"Game {before.game_id} holds an event that is not known: {error.detail}"
        ) from error
    return before.after(events, stored[-1].stream_head)
