# compiled into serving
"""Moves of people and apps: made, tried, and answered."""

import os
import secrets as randomness
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import count
from typing import Any, Final

from domain.errors import DomainError
from domain.lifecycle import EventRecord, Json
from events.engine.command_handler import CommandHandler, Played, Request, check_versions
from events.engine.repository import GameRepository
from events.features.clocks.timekeeping import Timekeeping
from events.features.games.views import Views
from events.log import chain
from events.log.notation import Languages
from events.log.serialisers import events_json
from events.log.snapshot import Snapshot
from events.ports import CommandId, short


@dataclass(frozen=True, slots=True)
class Preview:
    """Events that a move would cause at a version, as far as its seat may know; `complete` if they are all of the
    move's events.
    """

    version: int
    events: Sequence[EventRecord]
    complete: bool


class Moves:
    """The use cases of moves: to play a move, and to preview one."""

    def __init__(
        self,
        games: GameRepository,
        handler: CommandHandler,
        views: Views,
        timekeeping: Timekeeping | None = None,
    ) -> None:
        self._games = games
        self._handler = handler
        self._views = views
        self._timekeeping = timekeeping

    def play(
        self,
        game_id: str,
        seat: int,
        document: Json,
        *,
        known: Snapshot | None = None,
        move: Any = None,
        key: str | None = None,
        if_match: int | None = None,
        if_turn: int | None = None,
        holder: str | None = None,
    ) -> Played:
        """Make a posted move for a seat, once for each `key`, and only at version `if_match` and turn_version
        `if_turn`, if these are given.

        `known` is the game as this process last saw it, and `move` the parsed document; None if the caller does not
        have them. `holder` is the hash of the token by which the seat asks. Raises Unauthorized, DomainError,
        VersionMismatch, VersionConflict, CommandMismatch, GameNotFound, StoreUnavailable.
        """
        before = known or self._games.known(game_id)
        if move is None:
            move = before.game.parse_move(document)
        identity = _identity(seat) if key is None else _keyed(seat, key, document)
        request = Request(seat, move, identity, if_match, if_turn, holder=holder)
        try:
            return self._handler.carry_out(before, request)
        except DomainError as refusal:
            if refusal.code != "time-is-up" or self._timekeeping is None:
                raise
            if not self._timekeeping.may_have_time(game_id):  # no time is left, and that is recorded now
                raise
            return self._handler.carry_out(self._games.current(game_id), request)

    def preview(
        self,
        game_id: str,
        seat: int,
        document: Json,
        *,
        if_match: int | None = None,
        if_turn: int | None = None,
    ) -> Preview:
        """Preview of a posted move, as far as the seat may know; nothing is appended.

        Raises DomainError, VersionMismatch.
        """
        current = self._games.current(game_id)
        check_versions(current, if_match, if_turn)
        command = current.game.parse_move(document)
        return Preview(current.version, *current.game.preview(current.state, seat, command))

    def played_json(self, played: Played, seat: int, languages: Languages = ()) -> bytes:
        """The answer to a seat's move, as JSON: the version and head after it, its events, also in words, and the game
        at that version.
        """
        after = played.snapshot
        events, lines = events_json(after, played.events, seat, languages)
        head = after.stream_head
        begins = b'{"version":%d,"head":"%b","events":' % (head.version, head.head.encode())
        game = self._views.game_json(after, seat)
        return b"".join((begins, events, b',"notation":', lines, b',"game":', game, b"}"))


class _Process:
    """A name that no other process ever has (96 random bits), and the next number beside it."""

    def __init__(self) -> None:
        self.begin()
        os.register_at_fork(after_in_child=self.begin)

    def begin(self) -> None:
        """Take a new name; so does a process after a fork."""
        self.name = randomness.token_urlsafe(12)
        self.numbers = count()


_process: Final = _Process()


def _identity(seat: int) -> CommandId:
    """An identity for a request that came without one, so that it can be sent again after a timeout.

    It need not be hard to guess, because no caller can choose an identity of this form.
    """
    return CommandId(f"{seat}~{_process.name}{next(_process.numbers)}")


def _keyed(seat: int, key: str, document: Json) -> CommandId:
    """The identity that an `Idempotency-Key` gives: keys of different seats are different, and each stands for one
    body.
    """
    named, body = sha256(key.encode()).digest(), sha256(chain.canonical(document)).digest()
    return CommandId(f"{seat}:{short(named)}", short(body))
