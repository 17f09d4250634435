"""Games written straight into a store, without a service: where a measurement needs very many of them, or long ones."""

import secrets as randomness
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from domain.chance import SeededChance, commitment_of
from domain.lifecycle import Create, Score, Seat
from domain.migrato.game import MIGRATO
from domain.migrato.rules.events import GameCreated
from domain.migrato.rules.moves import EXCHANGE, Resign
from events.engine import access
from events.log.envelope import EMPTY, seal
from events.log.game_secrets import Secrets
from events.ports import CommandId, EventStore

SEATS = tuple(Seat("human", player=f"pl_{number:020}") for number in range(2))
ENDLESS = 100_000  # turns
AT = "2026-11-21T10:00:00.000Z"

Choose = Callable[[Any, int], Any]  # of a state and the seat to act, its move


def exchanging(_state: Any, _seat: int) -> Any:
    """Exchange the hand, again and again: the table stays as it is, however long the game."""
    return EXCHANGE


def by_chance(rng: Random) -> Choose:
    """Any legal move."""
    return lambda state, seat: MIGRATO.parse_move(rng.choice(MIGRATO.legal_moves(state, seat)))


class SyntheticGame:
    """A public game of two people; each move is an append, without an `Idempotency-Key`, as when it is played."""

    def __init__(self, store: EventStore, *, at: str = AT, endless: bool = False) -> None:
        """Create it. `at`: when all of it happened; `endless`: without ruling R20, to be as long as is wanted."""
        self.game_id = access.new_game_id()
        self.tokens = [access.new_seat_token(self.game_id, seat) for seat in range(len(SEATS))]
        self._store = store
        self._at = at
        self._seed = randomness.token_bytes(32)
        self._chance = SeededChance(self._seed, self.game_id)
        self._state: Any = MIGRATO.initial()
        self._head = EMPTY
        self._commands = 0
        create = Create(self.game_id, commitment_of(self._seed), {}, SEATS)
        created, *more = MIGRATO.decide(self._state, None, create, self._chance)
        if endless and isinstance(created, GameCreated):
            created = replace(created, rules=replace(created.rules, turn_cap=ENDLESS))
        self._append(self._evolved([created, *more]))

    @property
    def version(self) -> int:
        """Number of its events."""
        return self._head.version

    @property
    def moves(self) -> int:
        """Number of commands carried out since it was created."""
        return self._commands - 1

    @property
    def to_act(self) -> int | None:
        """The seat whose turn it is; None if it is over."""
        seat: int | None = self._state.to_act
        return seat

    def play(self, events: int, choose: Choose) -> None:
        """Until it has so many events, or is over."""
        while self.version < events and self.to_act is not None:
            self._append(self._decided(self.to_act, choose(self._state, self.to_act)))

    def end(self) -> None:
        """Seat 0 resigns, if the game is not over; the result is confirmed."""
        if self.to_act is not None:
            self._append(self._decided(0, Resign()))
        self._append(self._decided(None, Score()))

    def _decided(self, seat: int | None, command: Any) -> Sequence[Any]:
        return self._evolved(MIGRATO.decide(self._state, seat, command, self._chance))

    def _evolved(self, events: Sequence[Any]) -> Sequence[Any]:
        for event in events:
            self._state = MIGRATO.evolve(self._state, event)
        return events

    def _append(self, events: Sequence[Any]) -> None:
        command = CommandId(f"{self._commands}~synthetic" if self._commands else "create")
        recorded = [MIGRATO.encode(event) for event in events]
        sealed = seal(self.game_id, self._seed, self._head, self._at, command.id, recorded)
        if self._commands:
            self._store.append(self.game_id, self._head, command, sealed)
        else:
            hashes = {seat: access.hash_of(token) for seat, token in enumerate(self.tokens)}
            secrets = Secrets(self._seed, access.ANONYMOUS, "public", MIGRATO.name, self._at, hashes)
            self._store.create(self.game_id, secrets, command, sealed, "")
        self._commands += 1
        self._head = sealed[-1].stream_head
