# compiled into serving
"""Games brought into memory: from the cache, from the end of their stream, or from its beginning."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from domain.annotations import NEW_HOLDER
from domain.bot import Bot
from domain.game import Game
from domain.interventions import HAND_OVER, REPLACEMENT
from domain.registry import game_named
from events.caching import Memory
from events.engine.access import Caller, is_held_by
from events.engine.caches import STEP, KnowledgeCache, Known, PastCache, StateCache, nothing_known
from events.errors import (
    CorruptStream,
    GameNotFound,
    StoreUnavailable,
    Unauthorized,
    VersionBeyondEnd,
)
from events.log.envelope import RecordedEvent
from events.log.game_secrets import Secrets
from events.log.snapshot import Snapshot, fold, unplayed
from events.ports import EventStore
from events.scheduling import Slices, Steps

PAGE = 100  # events read and folded at once
NEAR = 1000  # the most events that are read without waiting in the line for long work
ATTEMPTS = 3  # readings of a stream whose history changes while it is read


_VOID_A_TOKEN: Final = frozenset((NEW_HOLDER, REPLACEMENT, HAND_OVER))


class _AnotherHistory(Exception):
    """The stream does not continue the history that this process knows."""


class GameRepository:
    """All games, as this process knows them; a cached game is never taken for the latest state."""

    def __init__(
        self,
        store: EventStore,
        games: Mapping[str, Game],
        slices: Slices,
        memory: Memory,
    ) -> None:
        self._store = store
        self._games = games
        self._slices = slices
        self._cache = StateCache(memory)
        self._past = PastCache(memory)
        self._known = KnowledgeCache(memory)

    def kind(self, name: str) -> Game:
        """The game of that name, with its rules; DomainError "unknown-game" if there is none."""
        return game_named(name, self._games)

    def seen(self, game_id: str) -> Snapshot | None:
        """The game as this process last saw it, without asking the store; None if it never did."""
        return self._cache.get(game_id)

    def known(self, game_id: str) -> Snapshot:
        """The game as this process last saw it, without asking the store; loaded if it never did."""
        return self._cache.get(game_id) or self.load(game_id)

    def secrets(self, game_id: str) -> Secrets:
        """The game's secrets as they are now; GameNotFound if there is no such game. Nothing is cached, and the game is
        not loaded.
        """
        return self._store.secrets(game_id)

    def current(self, game_id: str) -> Snapshot:
        """The latest state of the game, with newer events read from the store."""
        known = self._cache.get(game_id)
        return self.load(game_id) if known is None else self.refreshed(known)

    def refreshed(self, known: Snapshot) -> Snapshot:
        """The latest state of the game that is `known`.

        The last known event is read once more. If the stream does not go on from it, the stream has another history
        than was seen here (after a failover, or from a restored backup), and the game is loaded anew.
        """
        tail = self._store.read(known.game_id, after=known.version - 1, limit=PAGE + 1)
        if not tail or tail[0].stream_head != known.stream_head:
            self._cache.drop(known)
            return self.load(known.game_id)
        if len(tail) > PAGE:
            return self.load(known.game_id)
        now = fold(known, tail[1:])
        return self.with_latest_secrets(now) if _tells_of_a_token(tail[1:]) else self.keep(now)

    def current_for(self, game_id: str, caller: Caller) -> Snapshot:
        """The latest state for a caller; Unauthorized if the caller's seat has got another token meanwhile."""
        return self.held(self.current(game_id), caller.seat, caller.token_hash)

    def held(self, current: Snapshot, seat: int | None, token_hash: str | None) -> Snapshot:
        """The latest state, if a token of that hash plays the seat; Unauthorized if it does not."""
        if is_held_by(current.secrets, seat, token_hash):
            return current
        current = self.with_latest_secrets(current)  # the token may have been issued by another process
        if not is_held_by(current.secrets, seat, token_hash):
            raise Unauthorized("This token is not known.")
        return current

    def load(self, game_id: str) -> Snapshot:
        """The game, read from its first event or from the state that another reader has reached meanwhile;
        GameNotFound, Busy.

        One caller reads a game for all who ask for it: the others wait, and then read only the newer events.
        """
        with self._slices.singly(game_id):
            for _ in range(ATTEMPTS):
                known = self._cache.get(game_id)
                try:
                    return self.keep(self._to_the_end(known or self._unplayed(game_id)))
                except _AnotherHistory:
                    if known is not None:
                        self._cache.drop(known)
        raise StoreUnavailable(f"the history of game {game_id} changes while it is read")

    def _to_the_end(self, before: Snapshot) -> Snapshot:
        with self._slices.among_few():
            near = self._slices.finish(self._advanced(before, before.version + NEAR))
        if near.version < before.version + NEAR:
            return near
        return self._slices.finish(self._advanced(near), in_line=True)

    def with_latest_secrets(self, known: Snapshot) -> Snapshot:
        """The same game, with the tokens of seats that were taken since."""
        return self.keep(self._with_secrets(known))

    def as_of(self, current: Snapshot, version: int) -> Snapshot:
        """The game as it was after event `version`; VersionBeyondEnd unless that is 1 to the current one."""
        if not 1 <= version <= current.version:
            raise VersionBeyondEnd(version, current.version)
        return self.at(current, version)

    def at(self, current: Snapshot, version: int) -> Snapshot:
        """The game at a version, 0 being the state before its first event. The state is kept for a while, like that of
        every look back.
        """
        if not 0 <= version <= current.version:
            raise VersionBeyondEnd(version, current.version)
        if version == current.version:
            return current
        if version == 0:
            return unplayed(current.game_id, current.game, current.secrets)
        kept = self._past.get(current.game_id, version)
        if kept is not None:
            last = self._store.read(current.game_id, after=version - 1, limit=1)
            if last and last[0].stream_head == kept.stream_head:
                return kept._replace(secrets=current.secrets)
            self._past.drop(kept)  # the stream has another history by now
        return self.keep_past(self._looked_up(current, version))

    def _looked_up(self, current: Snapshot, version: int) -> Snapshot:
        """The game at a version, read on from the last kept state before it.

        Where there is no such state, or a distant one, one caller at a time reads the game, and leaves marks for the
        others.
        """
        for _ in range(ATTEMPTS + version // STEP):  # that many marks at most may be of another history
            mark = self._past.mark_before(current.game_id, version)
            try:
                if _is_near(mark, version):
                    with self._slices.among_few():
                        return self._slices.finish(self._advanced(_from(mark, current), version))
                with self._slices.singly(current.game_id):
                    mark = self._past.mark_before(current.game_id, version)
                    if not _is_near(mark, version):
                        return self._slices.finish(
                            self._advanced(_from(mark, current), version), in_line=True
                        )
            except _AnotherHistory:
                if mark is not None:
                    self._past.unmark(mark)
        raise StoreUnavailable(f"game {current.game_id} changes while it is read")

    def keep_past(self, snapshot: Snapshot) -> Snapshot:
        """Remember the game as it was."""
        self._past.put(snapshot)
        return snapshot

    def observation(self, now: Snapshot, seat: int, bot: Bot) -> Any:
        """The seat's observation; for a bot that remembers, with all that the seat has seen since the game began."""
        knowledge = self.knowledge(now, seat) if bot.remembers else now.game.initial_knowledge()
        return now.game.observe(now.state, seat, knowledge)

    def knowledge(self, now: Snapshot, seat: int) -> Any:
        """The knowledge of a seat that forgets nothing, of the game as it is `now`."""
        known = self._known.get(now.game_id, seat, now.version)
        try:
            return self._learned(now, seat, known or nothing_known(now.game))
        except _AnotherHistory:
            self._known.drop(now.game_id, seat, known)
            return self._learned(now, seat, nothing_known(now.game))

    def _learned(self, now: Snapshot, seat: int, known: Known) -> Any:
        if known.head == now.stream_head:
            return known.knowledge
        in_line = now.version - known.version > NEAR
        learned = self._slices.finish(self._learning(now, seat, known), in_line=in_line)
        if learned.head == now.stream_head:
            self._known.put(now.game_id, seat, learned)
        return learned.knowledge

    def _learning(self, now: Snapshot, seat: int, known: Known) -> Steps[Known]:
        """The seat's knowledge at the version of `now`; _AnotherHistory if the stream does not continue `known`."""
        game, (head, state, knowledge) = now.game, known
        last = max(0, known.version - 1)  # the last known event is read once more
        for page in pages(self._store, now.game_id, now.version, last):
            new = [event for event in page if event.version > known.version]
            if len(new) < len(page) and page[0].stream_head != known.head:
                raise _AnotherHistory
            for recorded in new:
                event = game.decode(recorded.record)
                before, state = state, game.evolve(state, event)
                if state is not before:  # an annotation leaves the state as it is
                    knowledge = game.update_knowledge(knowledge, seat, before, event, state)
                head = recorded.stream_head
            yield
        return Known(head, state, knowledge)

    def keep(self, snapshot: Snapshot) -> Snapshot:
        """Remember the game as it is now."""
        before = self._cache.put(snapshot)
        if before is not None and before.version // STEP < snapshot.version // STEP:
            self._past.mark(snapshot)
        return snapshot

    def _unplayed(self, game_id: str) -> Snapshot:
        secrets = self._store.secrets(game_id)
        if secrets.game not in self._games:
            raise CorruptStream(f"Game {game_id} is a game of {secrets.game!r}, which is not known here.")
        return unplayed(game_id, self._games[secrets.game], secrets)

    def _advanced(self, before: Snapshot, until: int | None = None) -> Steps[Snapshot]:
        """The game from a state on, up to its end or a version; every STEP versions a state is marked on the way.

        Each page begins with the event that is known already. If the stream has another one there, _AnotherHistory is
        raised, even if the state before it is the one that is asked for.
        """
        reissued = False  # True once an event tells of a token that is newer than the secrets may be
        while True:
            ends = before.version + PAGE - before.version % PAGE
            limit = (ends if until is None else min(ends, until)) - before.version
            known = 1 if before.version else 0
            with self._slices.aside():
                found = self._store.read(before.game_id, before.version - known, limit + known)
            if known and (not found or found[0].stream_head != before.stream_head):
                raise _AnotherHistory
            if len(found) > known:
                before = fold(before, found[known:])
                reissued = reissued or _tells_of_a_token(found[known:])
                self._past.mark(before)
            if len(found) < limit + known or before.version == until:
                break
            yield
        if before.version == 0:
            raise GameNotFound(before.game_id)
        return self._with_secrets(before) if reissued else before

    def _with_secrets(self, known: Snapshot) -> Snapshot:
        return known._replace(secrets=self._store.secrets(known.game_id))


def _tells_of_a_token(events: Sequence[RecordedEvent]) -> bool:
    """True if one of the events made a seat's token void, so that the secrets known before it are outdated."""
    return any(event.type in _VOID_A_TOKEN for event in events)


def _is_near(mark: Snapshot | None, version: int) -> bool:
    return version - (0 if mark is None else mark.version) <= NEAR


def _from(mark: Snapshot | None, current: Snapshot) -> Snapshot:
    """The state to go on from: the kept one, or else the game before its first event."""
    if mark is None:
        return unplayed(current.game_id, current.game, current.secrets)
    return mark._replace(secrets=current.secrets)


def pages(
    store: EventStore, game_id: str, until: int | None = None, after: int = 0
) -> Iterator[list[RecordedEvent]]:
    """The events after a version, up to another version or the last event, page by page."""
    while until is None or after < until:
        found = store.read(game_id, after, PAGE if until is None else min(PAGE, until - after))
        if not found:
            return
        yield found
        after = found[-1].version
