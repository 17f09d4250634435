# compiled into recording
"""Check of the rules: every command is inferred from its events and decided again, and must cause exactly those events.

Only events that were decided here change the state, never events of the file. So one comparison of bytes checks
legality, draws, arrivals, reshuffles, scores and the result.
"""

from collections import deque
from collections.abc import Sequence
from typing import Any, Final

from domain.annotations import BEFORE_A_MOVE
from domain.chance import SeededChance
from domain.common_events.clocks import KINDS as CLOCK_KINDS
from domain.common_events.clocks import SET
from domain.common_events.takebacks import ANSWERED, REQUESTED
from domain.errors import DomainError
from domain.game import Game
from domain.interventions import HAND_OVER, KINDS, REPLACEMENT
from domain.lifecycle import ClaimWin, EventRecord, Json, Seat
from domain.takebacks import takebacks
from domain.takebacks.decide import decide as decide_takeback
from events.audit import forks
from events.audit.bots import Bots
from events.audit.clocks import Clocks
from events.audit.counts import CheckCounts
from events.audit.findings import MALFORMED, CheckFailed
from events.audit.infer_commands import command_of, created, is_move, lookahead_of
from events.audit.remarks.unproven import Remarks
from events.audit.stream_verifier import ReadEvent
from events.log import chain
from events.log.envelope import in_form_2

_SAID: Final = frozenset((REQUESTED, ANSWERED))
_TO_TAKE_BACK: Final = _SAID | {BEFORE_A_MOVE}  # what counts though it leaves the table as it is
_SEATS: Final = frozenset(("game_created", "seat_taken", REPLACEMENT, HAND_OVER))
_RESULTS: Final = frozenset(("game_ended", "game_scored"))
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
        seals: int = chain.FORMER,
    ) -> None:
        """`seed`: the server seed that was revealed; `seals`: the form of the game's commitments."""
        self.game = self._game = game
        self._seals = seals
        self._chance_events = game.chance_events
        self._notable = game.chance_events | _SEATS | _RESULTS | {SET}
        self.lookahead = lookahead_of(game)
        self._seed = seed
        self._chance = SeededChance(seed, game_id)
        self._counts = counts
        self._bots = bots
        self._origin = origin
        self._remarks = Remarks(game, self._chance, counts)
        self._clocks = Clocks(game, counts)
        self._takebacks = takebacks.NONE  # before the events that are `_recent`
        self._recent = list[takebacks.Happened]()  # the last move and what came after it
        self._expected: deque[tuple[Any, EventRecord]] = deque()
        self._at = ""
        self._app: str | None = None  # the one that decided something before
        self.state: Any = game.initial()
        self._seats: tuple[Seat, ...] = ()
        self.since = 0  # the version of the last change of the state

    def take(self, read: ReadEvent, committed: bytes, following: list[ReadEvent]) -> None:
        """Check one more event, with the bytes that are committed to.

        `following`: those after it that are there, as many as `lookahead` asks for, or more.
        """
        version = read.version
        if not self._expected:
            self._expected.extend(self.decided(read, following))
        event, record = self._expected.popleft()
        expected = chain.event_bytes(version, record.type, record.schema, read.at, record.seat, record.data)
        if expected != committed:
            raise self._unlike(record, read, expected, committed)
        if read.at != self._at:
            raise CheckFailed(
                "rules", version, "The events of one move must all have the same time.", self._at, read.at
            )
        self.happened(event, record, version)

    def end(self, version: int) -> None:
        """End the check: all events of the last command must be there."""
        if self._expected:
            _, record = self._expected[0]
            raise CheckFailed("rules", version, "The events end in the middle of a move.", record.type, None)
        self._clocks.end(version)
        self._bots.end()
        self._remarks.end()
        if self._game.status(self.state).setup:
            self._counts.note("shuffles", _SET_UP)

    def decided(self, read: ReadEvent, following: list[ReadEvent]) -> list[tuple[Any, EventRecord]]:
        """Events of the command whose first event is given; to be compared with the recorded ones."""
        version, seat = read.version, read.seat
        before, self._at = self._at, read.at
        if (version == 1) != (read.type == "game_created"):
            raise CheckFailed(
                "rules", version, "A game begins with its creation, and only then.", None, read.type
            )
        if seat is not None and not 0 <= seat < len(self._seats):
            raise CheckFailed("rules", version, "The game has no seat of this number.", None, seat)
        try:
            if version == 1 and forks.is_fork(read):
                started = forks.begin(
                    self._game,
                    self.state,
                    read,
                    following,
                    self._chance,
                    self._seed,
                    self._origin,
                    self._counts,
                )
                self._bots.meet(self._game.status(self._game.evolve(self.state, started[0][0])).seats)
                self._remarks.forked(read)
                if self._seals == chain.SEALS:
                    started[0] = (started[0][0], in_form_2(started[0][1]))
                return started
            command = command_of(self._game, self.state, read, following)
            if is_move(read.type):
                self._recent.clear()
            if isinstance(command, ClaimWin):
                _check_since(version, command.since, before)
            elif read.type in KINDS and command.app is not None:
                self._check_app(version, command.app)
            self._clocks.check(read, command)
            if version == 1:
                events: Sequence[Any] = created(self._game, self.state, command, self._chance)
                self._clocks.created(len(events), read)
            elif read.type in CLOCK_KINDS:
                events = self._clocks.decided(self.state, read, command)
            elif read.type in _SAID:
                self._fold_takebacks()
                events = decide_takeback(self._game, self.state, self._takebacks, seat, command)
            else:
                events = self._game.decide(self.state, seat, command, self._chance)
        except DomainError as refusal:
            rule = f" (rule {refusal.rule})" if refusal.rule else ""
            raise CheckFailed("rules", version, f"{refusal.detail}{rule}", None, _event_of(read)) from None
        except (*MALFORMED, AssertionError):
            what = f"A {read.type} event that says this cannot come here."
            raise CheckFailed("rules", version, what, None, _event_of(read)) from None
        if not events:
            raise CheckFailed(
                "rules",
                version,
                "The event changes nothing, so the engine does not record it.",
                None,
                read.type,
            )
        encoded, both = list[EventRecord](), list[tuple[Any, EventRecord]]()
        for event in events:
            record = self._game.encode(event)
            if version == 1 and not both and self._seals == chain.SEALS:
                record = in_form_2(record)
            encoded.append(record)
            both.append((event, record))
        self._counts.passed("rules")
        self._bots.check(self.state, self._seats, self.since, read, command, encoded)
        self._remarks.command(self.state, self._seats, read, command, encoded)
        return both

    def _check_app(self, version: int, app: str) -> None:
        """Check that the event names the same app as earlier ones: a game belongs to one app."""
        if self._app is not None and app != self._app:
            raise CheckFailed(
                "rules", version, "The event names another app than earlier ones do.", self._app, app
            )
        self._app = app

    def happened(self, event: Any, record: EventRecord, version: int) -> None:
        """Change the state by an event that was decided and is recorded just so."""
        try:
            before, self.state = self.state, self._game.evolve(self.state, event)
        except (*MALFORMED, AssertionError):
            what = "The event cannot happen in this state of the game."
            raise CheckFailed("rules", version, what, None, record.document) from None
        if self.state is not before:
            self.since = version
            self._bots.update_knowledge(before, event, self.state)
        kind = record.type
        if self.state is not before or kind in _TO_TAKE_BACK:
            self._recent.append((version, event, record, before, self.state))
            if kind in _SAID:
                self._fold_takebacks()
        if self._clocks.clock is not None or kind in self._notable:
            self._note(record)

    def _note(self, record: EventRecord) -> None:
        """Note the effects that an event has besides its change of the state."""
        kind = record.type
        if self._clocks.clock is not None or kind == SET:
            self._clocks.happened(record, self._game.status(self.state))
        if kind in _SEATS:
            self._seats = self._game.status(self.state).seats
        if kind in self._chance_events:
            self._counts.passed("shuffles")
        elif kind in _RESULTS:
            self._counts.passed("result")

    def _fold_takebacks(self) -> None:
        self._takebacks = takebacks.fold(self._takebacks, self._game, self._recent)
        self._recent.clear()

    def _unlike(self, record: EventRecord, read: ReadEvent, expected: bytes, found: bytes) -> CheckFailed:
        version, kind = read.version, record.type
        if kind != read.type:
            check = "result" if {kind, read.type} & _RESULTS else "rules"
            return CheckFailed(
                check, version, "The move causes other events than the recorded ones.", kind, read.type
            )
        if kind in self._chance_events:
            return CheckFailed(
                "shuffles",
                version,
                "The recorded order does not follow from the seeds.",
                *_unlike_members(record, read),
            )
        if kind == forks.KIND:
            return CheckFailed(
                forks.CHECK,
                version,
                "The position is not recorded in the form that the engine writes.",
                *_unlike_members(record, read),
            )
        if kind in _RESULTS:
            return CheckFailed(
                "result",
                version,
                "The recorded values do not follow from the cards on the table.",
                *_unlike_members(record, read),
            )
        return CheckFailed(
            "rules",
            version,
            "The move causes other events than the recorded ones.",
            *_unlike_members(record, read),
        )


def _check_since(version: int, since: str, last: str) -> None:
    """Check that nothing has happened since the time from which the seat to act is said to be away."""
    if since < last:
        what = "Something has happened since the seat to act is said to be away."
        raise CheckFailed("rules", version, what, f"{last} or later", since)


def _unlike_members(record: EventRecord, read: ReadEvent) -> tuple[Json, Json]:
    """The members of the data, or else of the event, that differ."""
    data = read.data
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
        "seat": read.seat,
        "schema": read.schema,
    }


def _event_of(read: ReadEvent) -> Json:
    return {"type": read.type, "seat": read.seat, "data": read.data}
