# compiled into serving
"""Folded games kept in memory: their latest states, past states, and the knowledge of their seats."""

from typing import Any, Final, NamedTuple

from domain.game import Game
from events.caching import Memory, retained
from events.log.envelope import EMPTY, StreamHead
from events.log.snapshot import Snapshot

STEP: Final = 200  # versions from one kept state to the next while a game is read
UNCHANGING: Final = 1_500  # bytes of a game's document that its successive states share
AROUND: Final = 600  # bytes of a snapshot itself, its status and its place in a cache, but not of the parts


class _Weighed:
    """A game with its size in bytes, which is estimated again only after the game has grown for a while."""

    def __init__(self, snapshot: Snapshot, before: "_Weighed | None") -> None:
        """`before`: an earlier state of the same game; its estimate is reused while it is good enough."""
        self.snapshot = snapshot
        self.version = snapshot.version
        is_spared = before is not None and 0 <= self.version - before.reckoned_at < STEP
        self.size: int = before.size if before is not None and is_spared else size_of(snapshot)
        self.reckoned_at: int = before.reckoned_at if before is not None and is_spared else self.version


def size_of(snapshot: Snapshot) -> int:
    """The bytes that this snapshot alone needs; its status shares all large parts with it."""
    return (
        AROUND
        + UNCHANGING
        + retained(
            (snapshot.game_id, snapshot.state, snapshot.stream_head, snapshot.secrets, snapshot.last_move)
        )
    )


def _kept_size(kept: _Weighed) -> int:
    return kept.size


def _is_later(kept: _Weighed, new: _Weighed) -> bool:
    return kept.version > new.version


class StateCache:
    """Games by id, each at the latest version seen here, up to a limit in bytes. Safe among threads and greenlets."""

    def __init__(self, memory: Memory) -> None:
        self._games = memory.cache("games", _kept_size)

    def get(self, game_id: str) -> Snapshot | None:
        """The game as this process last saw it; another process may have changed it since."""
        known = self._games.get(game_id)
        return None if known is None else known.snapshot

    def put(self, snapshot: Snapshot) -> Snapshot | None:
        """Keep the game, unless a later version is kept already. Returns the snapshot that was kept before."""
        known = self._games.peek(snapshot.game_id)
        self._games.put(snapshot.game_id, _Weighed(snapshot, known), unless=_is_later)
        return None if known is None else known.snapshot

    def drop(self, snapshot: Snapshot) -> None:
        """Forget the game if exactly this snapshot is kept: its stream turned out to have another history."""
        self._games.drop(snapshot.game_id, lambda kept: kept.snapshot is snapshot)


class PastCache:
    """Past states of games, up to a limit in bytes; the least recently used go first. Safe among threads and greenlets.

    Kept by game and version, as callers looked at them. Beside these, a mark is kept for every STEP versions of a game
    that was read, so that no look back starts far from a known state.
    """

    def __init__(self, memory: Memory) -> None:
        self._games = memory.cache("past", size_of)

    def get(self, game_id: str, version: int) -> Snapshot | None:
        """The game as it was at that version, if that is kept; its stream may have another history by now."""
        return self._games.get((game_id, version))

    def put(self, snapshot: Snapshot) -> None:
        """Keep the game as it was."""
        self._games.put((snapshot.game_id, snapshot.version), snapshot)

    def drop(self, snapshot: Snapshot) -> None:
        """Forget this state: the stream turned out to have another history."""
        self._games.drop(
            (snapshot.game_id, snapshot.version), lambda kept: kept.stream_head == snapshot.stream_head
        )

    def mark_before(self, game_id: str, version: int) -> Snapshot | None:
        """The latest state that was marked at the version or before; its stream may have another history by now."""
        for number in range(version // STEP, 0, -1):
            found = self._games.peek((game_id, -number))
            if found is not None and found.version <= version:
                return self._games.get((game_id, -number))
        return None

    def mark(self, snapshot: Snapshot) -> None:
        """Keep the game as a start for looks at later versions, unless an earlier state of the same STEP is kept."""
        number = snapshot.version // STEP
        if number:
            self._games.put(
                (snapshot.game_id, -number), snapshot, unless=lambda kept, new: kept.version <= new.version
            )

    def unmark(self, snapshot: Snapshot) -> None:
        """Forget this mark: the stream turned out to have another history."""
        number = snapshot.version // STEP
        self._games.drop((snapshot.game_id, -number), lambda kept: kept.stream_head == snapshot.stream_head)


class Known(NamedTuple):
    """A game's state at the event whose chain head is `head`, and the knowledge of one seat that forgets nothing."""

    head: StreamHead
    state: Any
    knowledge: Any

    @property
    def version(self) -> int:
        """The number of events that it is folded from."""
        return self.head.version


def _known_size(known: Known) -> int:
    return AROUND + retained(tuple(known))


def nothing_known(game: Game) -> Known:
    """Knowledge of a seat before the first event."""
    return Known(EMPTY, game.initial(), game.initial_knowledge())


class KnowledgeCache:
    """Knowledge of seats, each at the latest version asked for, up to a limit in bytes. Safe among threads and
    greenlets.
    """

    def __init__(self, memory: Memory) -> None:
        self._seats = memory.cache("knowledge", _known_size)

    def get(self, game_id: str, seat: int, version: int) -> Known | None:
        """Knowledge of the seat at that version or before; the stream may have another history by now."""
        known = self._seats.get((game_id, seat))
        return known if known is not None and known.version <= version else None

    def put(self, game_id: str, seat: int, known: Known) -> None:
        """Keep the seat's knowledge, unless later knowledge is kept already."""
        self._seats.put((game_id, seat), known, unless=lambda kept, new: kept.version > new.version)

    def drop(self, game_id: str, seat: int, known: Known | None) -> None:
        """Forget the seat's knowledge if exactly this is kept: its stream turned out to have another history."""
        self._seats.drop((game_id, seat), lambda kept: kept is known)
