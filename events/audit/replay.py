"""The rules, checked: every command is found from its events and decided again, and must cause exactly those events.

The state is only ever changed by events that were decided here, never by what a file says. So legality, draws,
arrivals, reshuffles, scores and the result are all checked by one comparison of bytes.
"""

from collections import deque
from collections.abc import Sequence
from typing import Any

from domain.chance import SeededChance
from domain.errors import DomainError
from domain.game import Game
from domain.lifecycle import Create, EventRecord, Json, Seat
from events.audit import forks
from events.audit.bots import Bots
from events.audit.findings import MALFORMED, CheckCounts, CheckFailed
from events.audit.infer_commands import command_of, created, lookahead_of, record_of
from events.audit.remarks.unproven import Remarks
from events.audit.stream_verifier import canonical_event
from events.log import chain
from events.log.upcasters import upcast

_SEATS = frozenset(("game_created", "seat_taken"))
_RESULTS = frozenset(("game_ended", "game_scored"))
_SET_UP = "the cards or the position were set up, not shuffled; only what came by chance later follows from the seeds"


class Replay:
    """A game that is played again while its events are gone through; every method may raise CheckFailed."""

    def __init__(
        self,
        game: Game,
        game_id: str,
        seed: bytes,
        counts: CheckCounts,
        bots: Bots,
        origin: forks.Origin | None = None,
    ) -> None:
        """`seed`: the server seed that was revealed."""
        self._game = game
        self._chance_events = game.chance_events
        self.lookahead = lookahead_of(game)
        self._seed = seed
        self._chance = SeededChance(seed, game_id)
        self._counts = counts
        self._bots = bots
        self._origin = origin
        self._remarks = Remarks(game, self._chance, counts)
        self._expected: deque[tuple[Any, EventRecord]] = deque()
        self._at = ""
        self.state: Any = game.initial()
        self._seats: tuple[Seat, ...] = ()
        self.since = 0  # the version at which the state became what it is

    def take(self, document: Json, committed: bytes, following: list[Json]) -> None:
        """One more event, with the bytes that are committed to.

        `following`: those after it that are there, as many as `lookahead` asks for, or more.
        """
        version, today = document["version"], self._today(document)
        if today is not document:  # it has a former schema: what it means must be what is decided
            document, committed = today, canonical_event(today, version)
        if not self._expected:
            self._expected.extend(self.decided(document, [self._today(event) for event in following]))
            self._at = document["at"]
        event, record = self._expected.popleft()
        expected = chain.event_bytes(
            version, record.type, record.schema, document["at"], record.seat, record.data
        )
        if expected != committed:
            raise self._unlike(record, document, expected, committed)
        if document["at"] != self._at:
            raise CheckFailed(
                "rules", version, "All events of one move have one time.", self._at, document["at"]
            )
        self.happened(event, record, version)

    def end(self, version: int) -> None:
        """No more events come; what the last command caused must be all there."""
        if self._expected:
            _, record = self._expected[0]
            raise CheckFailed("rules", version, "The events end in the middle of a move.", record.type, None)
        self._bots.end()
        self._remarks.end()
        if self._game.status(self.state).setup:
            self._counts.note("shuffles", _SET_UP)

    def decided(self, document: Json, following: list[Json]) -> list[tuple[Any, EventRecord]]:
        """What the command causes that the event is the first of; to be compared with what is recorded."""
        version, seat = document["version"], document["seat"]
        if (version == 1) != (document["type"] == "game_created"):
            raise CheckFailed(
                "rules", version, "A game begins with its creation, and only then.", None, document["type"]
            )
        if seat is not None and not 0 <= seat < len(self._seats):
            raise CheckFailed("rules", version, "There is no such seat.", None, seat)
        try:
            if version == 1 and forks.is_fork(document):
                started = forks.begin(
                    self._game,
                    self.state,
                    document,
                    following,
                    self._chance,
                    self._seed,
                    self._origin,
                    self._counts,
                )
                self._bots.meet(self._game.status(self._game.evolve(self.state, started[0][0])).seats)
                self._remarks.forked(document)
                return started
            command = command_of(self._game, self.state, document, following)
            if isinstance(command, Create):
                events: Sequence[Any] = created(self._game, self.state, command, self._chance)
            else:
                events = self._game.decide(self.state, seat, command, self._chance)
        except DomainError as refusal:
            rule = f" (rule {refusal.rule})" if refusal.rule else ""
            raise CheckFailed(
                "rules", version, f"{refusal.detail}{rule}", None, _event_of(document)
            ) from None
        except (*MALFORMED, AssertionError):
            what = "No move can be made of this event here."
            raise CheckFailed("rules", version, what, None, _event_of(document)) from None
        if not events:
            raise CheckFailed(
                "rules", version, "Nothing happens at this point any more.", None, document["type"]
            )
        encoded = [self._game.encode(event) for event in events]
        self._counts.passed("rules")
        self._bots.check(self.state, self._seats, self.since, document, command, encoded)
        self._remarks.command(self.state, self._seats, document, command, encoded)
        return list(zip(events, encoded, strict=True))

    def _today(self, document: Json) -> Json:
        """The event as it would be recorded today; the same one where its schema has not changed."""
        recorded = record_of(document)
        try:
            record = upcast(self._game.name, recorded)
        except MALFORMED:
            what = "The event does not hold what its schema says."
            raise CheckFailed("rules", document["version"], what, None, _event_of(document)) from None
        return document if record is recorded else {**document, **record._asdict()}

    def happened(self, event: Any, record: EventRecord, version: int) -> None:
        """The event was decided, and is recorded like that."""
        try:
            before, self.state = self.state, self._game.evolve(self.state, event)
        except (*MALFORMED, AssertionError):
            what = "Nothing can come of this event here."
            raise CheckFailed("rules", version, what, None, record._asdict()) from None
        if self.state is not before:
            self.since = version
            self._bots.update_knowledge(before, event, self.state)
        kind = record.type
        if kind in _SEATS:
            self._seats = self._game.status(self.state).seats
        if kind in self._chance_events:
            self._counts.passed("shuffles")
        elif kind in _RESULTS:
            self._counts.passed("result")

    def _unlike(self, record: EventRecord, document: Json, expected: bytes, found: bytes) -> CheckFailed:
        version, kind = document["version"], record.type
        if kind != document["type"]:
            check = "result" if {kind, document["type"]} & _RESULTS else "rules"
            return CheckFailed(check, version, "The move has other consequences.", kind, document["type"])
        if kind in self._chance_events:
            return CheckFailed(
                "shuffles", version, "The seeds give another order.", *_unlike_members(record, document)
            )
        if kind == forks.KIND:
            return CheckFailed(
                forks.CHECK,
                version,
                "The position is recorded in another form.",
                *_unlike_members(record, document),
            )
        if kind in _RESULTS:
            return CheckFailed(
                "result", version, "The table comes to something else.", *_unlike_members(record, document)
            )
        return CheckFailed(
            "rules", version, "The move has other consequences.", *_unlike_members(record, document)
        )


def _unlike_members(record: EventRecord, document: Json) -> tuple[Json, Json]:
    """Those members of the data, or else of the event, that differ."""
    data = document["data"]
    names = {name for name in record.data.keys() | data.keys() if name not in data or name not in record.data}
    names |= {
        name for name in record.data.keys() & data.keys() if repr(record.data[name]) != repr(data[name])
    }
    if names:
        return (
            {name: record.data[name] for name in sorted(names) if name in record.data},
            {name: data[name] for name in sorted(names) if name in data},
        )
    return {"seat": record.seat, "schema": record.schema}, {
        "seat": document["seat"],
        "schema": document["schema"],
    }


def _event_of(document: Json) -> Json:
    return {"type": document["type"], "seat": document["seat"], "data": document["data"]}
