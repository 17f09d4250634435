"""Remote seats in play: the questions to their bots, and the bots' answers."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from domain.bot import with_version
from domain.lifecycle import Json, Seat
from events.caching import Memory, retained
from events.engine.command_handler import Clock, CommandHandler, Played, Request
from events.engine.pending_action import pending_action
from events.engine.remote_seat import KIND
from events.engine.repository import GameRepository
from events.errors import VersionConflict
from events.features.registered_bots.registry import Registry
from events.log import serialisers
from events.log.game_secrets import Remote
from events.log.snapshot import Snapshot
from events.ports import CommandId, EventStore
from events.times import timestamp

AROUND: Final = 300  # bytes of a cache's entry about a game's remote bots, without its texts

_RemoteBots = tuple[str, dict[int, str]]  # the game's app, and the URLs of its remote bots by seat


@dataclass(frozen=True, slots=True)
class RemoteQuestion:
    """Question to the bot of a seat that must act: `position` is all that the seat can know, ready to be sent.

    `remote` is None if the seat's bot is an app's bot by name, `bot`, that was removed.
    """

    seat: int
    remote: Remote | None
    position: Json = field(repr=False)
    app: str
    bot: str | None = None


class RemotePlay:
    """The use cases of remote seats."""

    def __init__(
        self,
        store: EventStore,
        games: GameRepository,
        handler: CommandHandler,
        now: Clock,
        memory: Memory,
        registry: Registry,
    ) -> None:
        self._store = store
        self._games = games
        self._handler = handler
        self._now = now
        self._registry = registry
        self._remote_bots = memory.cache("remotes", _size)

    def remote_bot_to_move(self, game_id: str) -> tuple[str, str] | None:
        """The game's app, and the URL of the remote bot that is to move; neither may be shown or logged.

        None if no remote bot is to move. Raises GameNotFound, StoreUnavailable.
        """
        app, by_seat = self._known(game_id)
        urls = set(by_seat.values())
        if len(urls) > 1:
            seat = self._games.current(game_id).status.to_act
            urls = {url for number, url in by_seat.items() if number == seat}
        return (app, urls.pop()) if urls else None

    def remote_bots(self, game_id: str) -> list[tuple[str, str]]:
        """The game's app with a URL, for each of the game's remote bots; a log may name only the host of a URL."""
        app, by_seat = self._known(game_id)
        return [(app, url) for url in by_seat.values()]

    def question(self, game_id: str, version: int, seconds: float) -> RemoteQuestion | None:
        """Question to the remote bot that is to move at `version`, with `seconds` for its answer.

        None if the game has moved on. Raises GameNotFound, StoreUnavailable.
        """
        now = self._games.current(game_id)
        seat = now.status.to_act
        if seat is None or not _is_its_turn(now, version):
            return None
        history = self._store.read(game_id, limit=version)
        position = {
            "game": now.game.name,
            "view": serialisers.game_document(now, seat),
            "history": [serialisers.event_document(now, event, seat) for event in history],
            "legal_moves": now.game.legal_moves(now.state, seat),
            "deadline": timestamp(self._now() + timedelta(seconds=seconds)),
        }
        its = now.status.seats[seat]
        return RemoteQuestion(seat, self._remote(now, seat), position, now.secrets.app, asked_bot(its))

    def bot_at(self, game_id: str, version: int) -> tuple[str, str] | None:
        """The game's app, and the app's bot by name that is to move at `version`; None if another bot is, or the game
        has moved on.
        """
        now = self._games.current(game_id)
        seat = now.status.to_act
        if seat is None or not _is_its_turn(now, version):
            return None
        named = asked_bot(now.status.seats[seat])
        return None if named is None else (now.secrets.app, named)

    def _remote(self, now: Snapshot, seat: int) -> Remote | None:
        """Address of the seat's bot, and the secrets that sign requests to it; None for an app's bot that
        was removed.
        """
        there, its = now.secrets.remotes[seat], now.status.seats[seat]
        if its.bot is None:
            return there
        return self._registry.place(now.secrets.app, its.bot, int(str(its.version)))

    def play(self, game_id: str, version: int, document: Json) -> Played | None:
        """Make the move that a remote bot answered; None if the game has moved on. Safe to repeat."""
        now = self._games.current(game_id)
        if not _is_its_turn(now, version):
            return None
        move = now.game.parse_move(document)
        try:
            return self._handler.attempt(now, Request(now.status.to_act, move, CommandId(f"bot:{version}")))
        except VersionConflict:
            return None

    def _known(self, game_id: str) -> _RemoteBots:
        return self._remote_bots.get(game_id) or self._remote_bots.put(game_id, self._read(game_id))

    def _read(self, game_id: str) -> _RemoteBots:
        secrets = self._store.secrets(game_id)
        return secrets.app, {seat: remote.url for seat, remote in secrets.remotes.items()}


def asked_bot(seat: Seat) -> str | None:
    """The app's bot on the seat with its version, such as my-bot@3; None for any other bot."""
    return None if seat.bot is None else with_version(seat.bot, seat.version)


def _size(bots: _RemoteBots) -> int:
    return AROUND + retained(bots)


def _is_its_turn(now: Snapshot, version: int) -> bool:
    return now.version == version and pending_action(now.status) == KIND
