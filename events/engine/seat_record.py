"""Questions to remote bots about games that are in no store; the documents are the same as for a game that is stored.

The game is recorded as an engine records it, and shown by the same functions, so the bot learns nothing that its seat
must not know.
"""

import secrets
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import reduce
from typing import Any

from domain.chance import SeededChance, commitment_of
from domain.game import Game
from domain.lifecycle import Create, EventRecord, Json, Seat
from events.log import serialisers
from events.log.envelope import in_form_2, seal
from events.log.game_secrets import Secrets
from events.log.snapshot import unplayed
from events.times import timestamp


class SeatRecord:
    """A game as it is recorded, for one of its seats."""

    def __init__(self, game: Game, seat: int, kind: str = "arena") -> None:
        """`kind`: the first word of the game's id."""
        self._game, self._seat = game, seat
        # The id and the seed are this record's own. So a bot that remembers answers never mistakes one game for
        # another, and cannot try which seed of an arena leads to the commitment that it sees.
        game_id, seed = f"{kind}-{secrets.token_hex(10)}", secrets.token_bytes(32)
        created = timestamp(datetime.now(UTC))
        self._snapshot = unplayed(game_id, game, Secrets(seed, kind, "private", game.name, created))
        self._shown = list[Json]()
        self._unread = list[Any]()

    @property
    def game_id(self) -> str:
        """The id under which the bot knows the game."""
        return self._snapshot.game_id

    @property
    def version(self) -> int:
        """The number of events that the last question included."""
        return self._snapshot.version

    def happened(self, event: Any) -> None:
        """Keep the event for the next question."""
        self._unread.append(event)

    def question(self, seconds: float | None) -> Json:
        """The question about the seat's present observation; `seconds`: the time for the answer."""
        before, self._unread, events = self._snapshot, [], self._unread
        now = datetime.now(UTC)
        head, seed, game_id = before.stream_head, before.secrets.seed, before.game_id
        records = [self._game.encode(event) for event in events]
        if before.version == 0:
            first, own = records[0], {"id": game_id, "commitment": commitment_of(seed)}
            created = EventRecord(first.type, first.schema, first.seat, first.data | own)
            records[0], events[0] = in_form_2(created), self._game.decode(created)
        recorded = seal(game_id, seed, head, timestamp(now), "", records, self._game)
        self._snapshot = shown = before.after(events, recorded)
        self._shown += [serialisers.event_document(shown, event, self._seat) for event in recorded]
        return {
            "game": self._game.name,
            "view": serialisers.game_document(shown, self._seat),
            "history": list(self._shown),
            "legal_moves": self._game.legal_moves(shown.state, self._seat),
            "deadline": timestamp(now + timedelta(seconds=seconds or 0)),
        }


def opening(
    game: Game, options: Json, seats: Sequence[Seat], seed: bytes, kind: str = "arena"
) -> tuple[Any, int, SeatRecord]:
    """The state of a newly dealt game, the seat to act, and that seat's record."""
    create = Create("trial", commitment_of(seed), options, tuple(seats))
    events = game.decide(game.initial(), None, create, SeededChance(seed, "trial"))
    state = reduce(game.evolve, events, game.initial())
    seat = game.status(state).to_act
    assert seat is not None, "somebody begins"
    record = SeatRecord(game, seat, kind)
    for event in events:
        record.happened(event)
    return state, seat, record
