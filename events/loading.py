"""Games brought into memory: from the cache, from the tail of their stream, from its beginning."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from domain.decider import Game
from domain.errors import DomainError
from domain.remarks import NEW_HOLDER
from events.access import Asker, is_held_by
from events.envelope import Stored
from events.errors import CorruptStream, GameNotFound, Unauthorized, VersionBeyondEnd
from events.state_cache import PastCache, Snapshot, StateCache, fold, unplayed
from events.store import EventStore
from events.upcasters import upcast

PAST_SIZE = 256  # looks back that each process keeps


class LoadedGames:
    """Every game there is, as far as this process knows it; nothing in the cache is ever taken for current."""

    def __init__(self, store: EventStore, games: Mapping[str, Game], cache_size: int) -> None:
        self._store = store
        self._games = games
        self._cache = StateCache(cache_size)
        self._past = PastCache(PAST_SIZE)

    def kind(self, name: str) -> Game:
        """The rules of that name; DomainError "unknown-game" otherwise."""
        if name not in self._games:
            known = ", ".join(self._games)
            raise DomainError("unknown-game", f"There is no game {name!r}; there is: {known}.")
        return self._games[name]

    def known(self, game_id: str) -> Snapshot:
        """The game as it was last seen here, without asking the store; loaded if it never was."""
        return self._cache.get(game_id) or self.load(game_id)

    def current(self, game_id: str) -> Snapshot:
        """The game as it is now, whoever moved last."""
        known = self._cache.get(game_id)
        return self.load(game_id) if known is None else self.refreshed(known)

    def refreshed(self, known: Snapshot) -> Snapshot:
        """The same game as it is now.

        The last known event is read along: if the stream does not go on from it, history is another one than was
        seen here (a failover, a restored backup), and the game is loaded anew.
        """
        tail = self._store.read(known.game_id, after=known.version - 1)
        if not tail or tail[0].tip != known.tip:
            self._cache.drop(known)
            return self.load(known.game_id)
        now = fold(known, tail[1:])
        return self.with_latest_secrets(now) if _tells_of_a_token(tail[1:]) else self.keep(now)

    def current_for(self, game_id: str, asker: Asker) -> Snapshot:
        """The same for a caller; Unauthorized if that holds a seat whose token was issued anew meanwhile."""
        return self.held(self.current(game_id), asker.seat, asker.token_hash)

    def held(self, current: Snapshot, seat: int | None, token_hash: str | None) -> Snapshot:
        """The current game, of which a token of that hash plays the seat; Unauthorized if it does not."""
        if is_held_by(current.secrets, seat, token_hash):
            return current
        current = self.with_latest_secrets(current)  # it may have come by its token through another process
        if not is_held_by(current.secrets, seat, token_hash):
            raise Unauthorized("This token is not known.")
        return current

    def load(self, game_id: str) -> Snapshot:
        """The game from its first event on; GameNotFound."""
        return self.keep(self._folded(game_id))

    def with_latest_secrets(self, known: Snapshot) -> Snapshot:
        """The same game, with the tokens of the seats taken since."""
        return self.keep(replace(known, secrets=self._store.secrets(known.game_id)))

    def as_of(self, current: Snapshot, version: int) -> Snapshot:
        """The game as it was after event `version`; VersionBeyondEnd unless that is 1 to the current one."""
        if not 1 <= version <= current.version:
            raise VersionBeyondEnd(version, current.version)
        return self.at(current, version)

    def at(self, current: Snapshot, version: int) -> Snapshot:
        """As `as_of`, but version 0 is the game before its first event; kept for a while, like every look back."""
        if not 0 <= version <= current.version:
            raise VersionBeyondEnd(version, current.version)
        if version == current.version:
            return current
        if version == 0:
            return unplayed(current.game_id, current.game, current.secrets)
        kept = self._past.get(current.game_id, version)
        if kept is not None:
            last = self._store.read(current.game_id, after=version - 1, limit=1)
            if last and last[0].tip == kept.tip:  # else the stream has another history by now
                return replace(kept, secrets=current.secrets)
        return self.keep_past(self._folded(current.game_id, version))

    def keep_past(self, snapshot: Snapshot) -> Snapshot:
        """Remember the game as it was."""
        self._past.put(snapshot)
        return snapshot

    def observation(self, now: Snapshot, seat: int, bot: str) -> Any:
        """What the seat sees; for a bot that remembers, with all that the seat has seen since the game began."""
        memory = self.memory(now, seat) if now.game.bot(bot).remembers else now.game.initial_memory()
        return now.game.observe(now.state, seat, memory)

    def memory(self, now: Snapshot, seat: int) -> Any:
        """What the seat, if it forgets nothing, knows of the game as it is `now`."""
        game, state, memory = now.game, now.game.initial(), now.game.initial_memory()
        for stored in self._store.read(now.game_id, limit=now.version):
            event = game.decode(upcast(game.name, stored.wire))
            before, state = state, game.evolve(state, event)
            if state is not before:  # else the event only remarks on something
                memory = game.remember(memory, seat, before, event, state)
        return memory

    def keep(self, snapshot: Snapshot) -> Snapshot:
        """Remember the game as it is now."""
        self._cache.put(snapshot)
        return snapshot

    def _folded(self, game_id: str, limit: int | None = None) -> Snapshot:
        secrets = self._store.secrets(game_id)
        events = self._store.read(game_id, limit=limit)
        if not events:
            raise GameNotFound(game_id)
        if _tells_of_a_token(events):  # it may have been issued after the secrets were read
            secrets = self._store.secrets(game_id)
        if secrets.game not in self._games:
            raise CorruptStream(f"Game {game_id} is a game of {secrets.game!r}, which is not known here.")
        return fold(unplayed(game_id, self._games[secrets.game], secrets), events)


def _tells_of_a_token(events: Sequence[Stored]) -> bool:
    """Whether the token of a seat was issued anew, so that the secrets known before are no longer true."""
    return any(event.type == NEW_HOLDER for event in events)
