"""The event store port over a store and the archive: a game that the store has no longer is read from its file."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from events.archive.reader import ArchiveReader
from events.archive.record import ArchivedGame
from events.archive.rolls import Rolls
from events.errors import GameEnded, GameNotFound, GamePruned, VersionConflict
from events.log.envelope import RecordedEvent, StreamHead
from events.log.game_secrets import Secrets
from events.log.signing import SignedHead
from events.ports import (
    NOWHERE,
    Appended,
    CommandId,
    EventStore,
    MovedMeanwhile,
    Repeated,
    StoredInvite,
    WholeGames,
)


class ArchivedEventStore:
    """The event store port. The store answers for its own games; only missing games cost a look into the archive.

    A game in the archive is over: it can be read, and an append to it gets the version at which it ends.
    """

    def __init__(self, store: EventStore, games: WholeGames, archive: ArchiveReader) -> None:
        self._store = store
        self._games = games
        self._archive = archive
        self._rolls = Rolls(archive.storage)

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
        """A game whose request may come again may have been here, and in the archive by now."""
        while command.fingerprint:
            has, looked_at, pruned = self._games.whereabouts(game_id)
            if not has and pruned is not None:
                raise GameEnded(game_id)
            if has or self._archive.holds(game_id, looked_at):
                if (done := self.recorded(game_id, command)) is not None:
                    return done
                raise VersionConflict(self.version(game_id))
            with suppress(MovedMeanwhile):
                return self._store.create(
                    *(game_id, secrets, command, events, due, deadline, standing),
                    looked_at=looked_at,
                    used=used,
                )
        return self._store.create(game_id, secrets, command, events, due, deadline, standing, used=used)

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
        try:
            return self._store.append(
                game_id, expected, command, events, due, tokens, invite, deadline, standing, used
            )
        except GameNotFound:
            record = self._archived(game_id)
            if record is None:
                raise
            if (done := _recorded(record, command)) is not None:
                return done
            raise VersionConflict(record.raw.version) from None

    def read(self, game_id: str, after: int = 0, limit: int | None = None) -> list[RecordedEvent]:
        found = self._store.read(game_id, after, limit)
        if found or limit == 0:
            return found
        record = self._archived(game_id)
        if record is None:  # nowhere, or brought back at this very moment
            return self._store.read(game_id, after, limit)
        return record.raw.events(after, limit)

    def recorded(self, game_id: str, command: CommandId) -> Repeated | None:
        done = self._store.recorded(game_id, command)
        return self._recorded(game_id, command) if done is None else done

    def recorded_of(
        self, identity: Callable[[bytes], tuple[str, CommandId]]
    ) -> tuple[bytes, Repeated | None]:
        secret, done = self._store.recorded_of(identity)
        if done is None:
            done = self._recorded(*identity(secret))
        return secret, done

    def secrets(self, game_id: str) -> Secrets:
        try:
            return self._store.secrets(game_id)
        except GameNotFound:
            record = self._archived(game_id)
            return self._store.secrets(game_id) if record is None else record.raw.secrets

    def has_ended(self, game_id: str) -> bool:
        return self._store.has_ended(game_id)

    def requests_secret(self) -> bytes:
        return self._store.requests_secret()

    def keep_signature(self, game_id: str, signed: SignedHead) -> SignedHead:
        """Do nothing: an archived game stays as it is."""
        try:
            return self._store.keep_signature(game_id, signed)
        except GameNotFound:
            record = self._archived(game_id)
            kept = None if record is None else record.raw.secrets.signature
            if kept is None:
                raise
            return kept

    def version(self, game_id: str) -> int:
        return self._store.version(game_id) or self._version(game_id)

    def wait(self, game_id: str, after: int, seconds: float) -> int:
        return self._store.wait(game_id, after, seconds) or self._version(game_id)

    def _version(self, game_id: str) -> int:
        with suppress(GamePruned):
            record = self._archived(game_id)
            return 0 if record is None else record.raw.version
        return 0

    def _recorded(self, game_id: str, command: CommandId) -> Repeated | None:
        with suppress(GamePruned):
            record = self._archived(game_id)
            return None if record is None else _recorded(record, command)
        return None

    def _archived(self, game_id: str) -> ArchivedGame | None:
        """The game from the archive, unless the store has it; GamePruned if the archive does not keep it any more."""
        has, stamp, pruned = self._games.whereabouts(game_id)
        if not has and pruned is not None:
            raise self._rolls.pruned(game_id, pruned)
        return None if has else self._archive.find(game_id, stamp)


def _recorded(record: ArchivedGame, command: CommandId) -> Repeated | None:
    commands = record.raw.beside["commands"]
    done = commands.get(command.id)
    return None if done is None else Repeated.by(command, done)
