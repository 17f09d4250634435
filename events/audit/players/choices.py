"""Choices of people in a game that has been verified: what each knew, how long it took, what came of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import orjson

from domain.annotations import BEFORE_A_MOVE
from domain.chance import SeededChance
from domain.errors import DomainError
from domain.game import Game
from domain.lifecycle import EventRecord
from events.audit.infer_commands import is_move
from events.log.export import Exported
from events.times import milliseconds_of

_HINT: Final = "hint_given"
_PERSON: Final = "human"


class Record(NamedTuple):
    """A recorded event, with its version and its time in milliseconds."""

    version: int
    at: int
    record: EventRecord


@dataclass(frozen=True, slots=True)
class Chosen:
    """A choice of a person between moves that come to different things.

    `version`: of the game when it was made; `milliseconds`: since the table changed, None in one request with the move
    before; `hinted`: a bot had just given its advice; `caused`: the events of the move.
    """

    seat: int
    player: str
    state: Any
    observation: Any
    version: int
    milliseconds: int | None
    hinted: bool
    caused: list[EventRecord]


class Choices:
    """The choices of one game, in order; afterwards its hints, by player, and who sits where."""

    def __init__(self, game: Game, exported: Exported) -> None:
        """`exported` must be complete and have passed the verification: nothing is checked here again."""
        end = orjson.loads(exported.end)["end"]
        self.game = game
        self.game_id = str(orjson.loads(exported.header)["game_id"])
        self.server_seed = bytes.fromhex(end["server_seed"])
        self._chance = SeededChance(self.server_seed, self.game_id)
        self._records = [_record(line) for line in exported.events]
        self._state: Any = game.initial()
        self._knowledge: dict[int, Any] = {}
        self._hinted: set[int] = set()
        self._changed: Record | None = None  # the last event that changed the table
        self.hints: dict[str, int] = {}
        self.moves: dict[str, int] = {}

    @property
    def ended_at(self) -> int:
        """The time of the last event, in milliseconds since 1970."""
        return self._records[-1].at

    @property
    def status(self) -> Any:
        """The game's status, as it stands now."""
        return self.game.status(self._state)

    def chosen(self) -> Iterator[Chosen]:
        """Every choice of a person in the game, in order, found one at a time as it is asked for."""
        at = 0
        while at < len(self._records):
            end = self._end_of(at)
            group, at = self._records[at:end], end
            choice = self._choice(group)
            if choice is not None:
                yield choice
            for one in group:
                self._happen(one)

    def causes(self, chosen: Chosen, move: Any) -> list[EventRecord] | None:
        """The events that the move would have caused in place of the one that was made; None if it was not legal."""
        return _caused(self.game, self._chance, chosen.state, chosen.seat, move)

    def _end_of(self, start: int) -> int:
        """The place after the last event of the command that begins there."""
        end = start + 1
        while end < len(self._records) and self.game.is_consequence(
            self._records[end - 1].record, self._records[end].record
        ):
            end += 1
        return end

    def _choice(self, group: list[Record]) -> Chosen | None:
        first, before = group[0], self._changed
        record, seat = first.record, first.record.seat
        if record.type == _HINT and seat is not None:
            self._hint(seat)
            return None
        if seat is None or before is None or record.type == BEFORE_A_MOVE or not is_move(record.type):
            return None
        sitting = self.status.seats[seat]
        hinted = seat in self._hinted
        self._hinted.discard(seat)
        if sitting.kind != _PERSON or sitting.player is None or record.type in self.game.resignation_events:
            return None
        self.moves[sitting.player] = self.moves.get(sitting.player, 0) + 1
        observation = self.game.observe(self._state, seat, self._knowledge[seat])
        if not self._says_something(seat, observation.moves):
            return None
        took = first.at - before.at
        # At one time with the move before, of the same seat: both came in one request.
        together = took == 0 and before.record.seat == seat
        caused = [one.record for one in group]
        return Chosen(
            seat,
            sitting.player,
            self._state,
            observation,
            first.version - 1,
            None if together else took,
            hinted,
            caused,
        )

    def _hint(self, seat: int) -> None:
        self._hinted.add(seat)
        player = self.status.seats[seat].player
        if player is not None:
            self.hints[player] = self.hints.get(player, 0) + 1

    def _says_something(self, seat: int, moves: Any) -> bool:
        """True if two of the moves cause different events: so the moves are of more than one class."""
        first = None
        for move in moves:
            caused = _caused(self.game, self._chance, self._state, seat, move)
            if caused is None:
                continue
            if first is None:
                first = caused
            elif caused != first:
                return True
        return False

    def _happen(self, one: Record) -> None:
        event = self.game.decode(one.record)
        before, self._state = self._state, self.game.evolve(self._state, event)
        if self._state is before:
            return
        self._changed = one
        for seat in range(len(self.status.seats)):
            known = self._knowledge.get(seat)
            known = self.game.initial_knowledge() if known is None else known
            self._knowledge[seat] = self.game.update_knowledge(known, seat, before, event, self._state)


def _record(line: bytes) -> Record:
    document = orjson.loads(line)
    record = EventRecord(document["type"], document["schema"], document["seat"], document["data"])
    return Record(document["version"], milliseconds_of(document["at"]), record)


def _caused(game: Game, chance: SeededChance, state: Any, seat: int, move: Any) -> list[EventRecord] | None:
    try:
        return [game.encode(event) for event in game.decide(state, seat, move, chance)]
    except DomainError:
        return None
