"""The event store with a span for each append."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from events.log.envelope import RecordedEvent, StreamHead
from events.log.game_secrets import Secrets
from events.ports import NOWHERE, Appended, CommandId, EventStore, Repeated, StoredInvite

if TYPE_CHECKING:
    from events.tracing.traces import Traces


class TracedEventStore:
    """An event store that records a span for each append to another one."""

    def __init__(self, store: EventStore, traces: "Traces") -> None:
        self._store = store
        self._traces = traces

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def create(
        self,
        game_id: str,
        secrets: Secrets,
        command: CommandId,
        events: Sequence[RecordedEvent],
        due: str,
        deadline: int | None = None,
        standing: bytes = b"",
        *,
        looked_at: str | None = NOWHERE,
        used: str = "",
    ) -> Appended | Repeated:
        """Begin a stream, within a span."""
        with self._traces.append(game_id, "create stream"):
            return self._store.create(
                game_id, secrets, command, events, due, deadline, standing, looked_at=looked_at, used=used
            )

    def append(
        self,
        game_id: str,
        expected: StreamHead,
        command: CommandId,
        events: Sequence[RecordedEvent],
        due: str = "",
        tokens: Mapping[int, str] | None = None,
        invite: StoredInvite | None = None,
        deadline: int | None = None,
        standing: bytes = b"",
        used: str = "",
    ) -> Appended | Repeated:
        """Append to a stream, within a span."""
        with self._traces.append(game_id, "append"):
            return self._store.append(
                game_id, expected, command, events, due, tokens, invite, deadline, standing, used
            )
