# compiled into recording
"""Remarks on things that rest on the engine's word alone: no check finds them wrong."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import datetime
from statistics import median
from typing import Any, Final

from domain import interventions
from domain.chance import Chance
from domain.common_events.clocks import INSTEAD
from domain.common_events.clocks import KINDS as CLOCK_KINDS
from domain.common_events.takebacks import KINDS as TAKEBACK_KINDS
from domain.common_events.takebacks import TAKEN_BACK
from domain.game import Game
from domain.lifecycle import (
    Create,
    EventRecord,
    PlayBotMove,
    ReissueToken,
    Score,
    Seat,
    TakeHint,
    TakeSeat,
)
from domain.words import common
from domain.words.languages import ENGLISH
from events.audit.bots import cannot_have_done, could_do, name_of
from events.audit.counts import CheckCounts
from events.audit.remarks.traces import Traces
from events.audit.seats import known_bot
from events.audit.stream_verifier import ReadEvent

QUICK: Final = 0.25  # seconds; no person reads the table and moves as soon as that, again and again
LONGEST: Final = 150  # characters of an app's decision: its name is free text
SEVERAL: Final = 5  # moves of which a median says something
_MINUTE: Final = len("2026-01-01T00:00:")  # characters of a time up to its seconds


class Times:
    """The times of events, in their order."""

    def __init__(self) -> None:
        self.last = ""
        self._back = 0
        self._first = ""

    def see(self, version: int, at: str) -> None:
        """Note an event's time; times have one form, and so can be compared as text."""
        if at < self.last:
            self._back += 1
            self._first = self._first or f"event {version} has {at}, after {self.last}"
        self.last = at

    def end(self, counts: CheckCounts) -> None:
        """Remark on times that run backwards."""
        if self._back:
            often = "" if self._back == 1 else f", {self._back} times in all"
            counts.remark("times", f"times run backwards: {self._first}{often}")


class Tokens:
    """The seats with a reissued token; anybody with the token may have played them."""

    def __init__(self) -> None:
        self._at: defaultdict[int, list[int]] = defaultdict(list)

    def see(self, version: int, seat: int) -> None:
        """Note a new token for the seat."""
        self._at[seat].append(version)

    def end(self, counts: CheckCounts) -> None:
        """Remark on each seat with a reissued token."""
        for seat, at in sorted(self._at.items()):
            often = f" (and {len(at) - 1} more)" if len(at) > 1 else ""
            who = "who played there from then on, the engine says"
            counts.remark("tokens", f"seat {seat} got a new token at event {at[0]}{often}: {who}")


class ClientSeeds:
    """The seats' own chance: it binds the engine only where it was given after the engine's commitment."""

    def __init__(self) -> None:
        self._is_dealt = False  # by chance, at the start
        self._early: list[int] = []
        self._late = False

    def created(self, seeds: Sequence[str | None], *, set_up: bool) -> None:
        """The client seeds with which the game was created; `set_up`: nothing is dealt by chance at its start."""
        self._is_dealt = not set_up
        self._early = [seat for seat, seed in enumerate(seeds) if seed is not None]

    def taken(self, seed: str | None) -> None:
        """Note that a seat is taken, with a client seed or without."""
        self._late = self._late or seed is not None

    def end(self, counts: CheckCounts) -> None:
        """Remark on a game that begins with no client seed given after the engine's commitment."""
        if not self._is_dealt or self._late:
            return
        given = ""
        if self._early:
            seats = " and ".join(map(str, self._early))
            given = f" (seat{'s'[: len(self._early) > 1]} {seats} gave one before)"
        what = f"no seat gave a client seed after the engine had committed itself{given}"
        counts.remark("client-seeds", f"{what}: the engine could draw its own until the cards suited")


class Remarks:
    """Remarks on one game; the commands come in order, each with the events that it caused."""

    def __init__(self, game: Game, chance: Chance, counts: CheckCounts) -> None:
        self._game = game
        self._counts = counts
        self._times = Times()
        self._tokens = Tokens()
        self._client_seeds = ClientSeeds()
        self._traces = Traces(game, chance)
        self._seats: Sequence[Seat] = ()
        self._moves = dict[int, int]()
        self._replaced: defaultdict[int, Counter[str]] = defaultdict(Counter)
        self._unknown = Counter[str]()
        self._impossible: list[str] = []
        self._waits: defaultdict[int, list[tuple[str, str]]] = defaultdict(list)

    def command(
        self,
        state: Any,
        seats: Sequence[Seat],
        event: ReadEvent,
        command: Any,
        encoded: Sequence[EventRecord],
    ) -> None:
        """A command that was decided in `state`; `event` is the first event of it."""
        before = self._times.last
        seat: Any = event.seat  # there is one where it is asked for
        self._seats = seats
        self._times.see(event.version, event.at)
        if event.type in CLOCK_KINDS:
            self._traces.clock(event.type)
            return
        if event.type in TAKEBACK_KINDS:
            self._said(encoded[-1])
            return
        self._traces.command(state, seat, command, encoded)
        if isinstance(command, PlayBotMove):
            self._moves[seat] = self._moves.get(seat, 0) + 1
            self._chosen(state, event.version, seat, command)
        elif isinstance(command, TakeHint):
            self._hint(state, event.version, seat, command)
        elif event.type in interventions.KINDS:
            self._decided(event.version, encoded[0], (before, event.at))
        elif isinstance(command, ReissueToken):
            self._tokens.see(event.version, seat)
        elif isinstance(command, Create):
            seeds = [one.client_seed for one in command.seats]
            self._client_seeds.created(seeds, set_up=command.setup is not None)
        elif isinstance(command, TakeSeat):
            self._client_seeds.taken(command.client_seed)
        elif not isinstance(command, Score):
            self._moves[seat] = self._moves.get(seat, 0) + 1
            if seats[seat].kind != "bot":
                self._waits[seat].append((before, event.at))

    def forked(self, event: ReadEvent) -> None:
        """The game begins with a position; `event` is its first event."""
        self._times.see(event.version, event.at)

    def end(self) -> None:
        """Make the remarks, once every event was seen."""
        self._remark_on_bots()
        for seat, reasons in sorted(self._replaced.items()):
            self._remark_on_replaced(seat, reasons)
        for number, seated in enumerate(self._seats):
            self._remark_on_pace(number, seated.kind == "remote", self._waits[number])
        self._tokens.end(self._counts)
        if left := self._traces.missing():
            what = "these options left no trace in the events, so the file alone does not prove them"
            self._counts.remark("options", f"{what}: {', '.join(left)}")
        if all(seated.kind != "open" for seated in self._seats):
            self._client_seeds.end(self._counts)
        self._times.end(self._counts)

    def _said(self, last: EventRecord) -> None:
        """Drop moves that were taken back: they do not count as the person's."""
        if last.type == TAKEN_BACK and last.seat is not None:
            self._moves[last.seat] -= 1
            self._waits[last.seat].pop()

    def _hint(self, state: Any, version: int, seat: int, hint: TakeHint) -> None:
        bot = known_bot(self._game, hint.bot, hint.version)
        if bot is None:
            by = f"is by {name_of(hint)}, which is not known here"
            self._counts.remark("hints", f"the hint at event {version} {by}")
        elif not could_do(self._game, state, seat, bot, hint.budget):
            self._counts.remark("hints", f"the hint at event {version}: {cannot_have_done(hint)}")

    def _decided(self, version: int, record: EventRecord, times: tuple[str, str]) -> None:
        said = common.said(record)
        what = (record.type if said is None else said.in_language(ENGLISH))[:LONGEST]
        if record.type == interventions.CLAIM:
            what += ", the engine says"
        elif "reason" in record.data:  # that the game had waited for long is the engine's word
            what += f", {_usual([times]):,.0f} s after the event before"
        self._counts.remark("decisions", f"at event {version} {what}")

    def _chosen(self, state: Any, version: int, seat: int, chosen: PlayBotMove) -> None:
        if chosen.fallback is not None:
            self._replaced[seat][chosen.fallback] += 1
        bot, its = known_bot(self._game, chosen.bot, chosen.version), self._seats[seat]
        own = its.budget if its.kind == "bot" else None
        if bot is None:
            self._unknown[name_of(chosen)] += 1
        elif chosen.fallback in (None, INSTEAD) and not could_do(
            self._game, state, seat, bot, chosen.budget, own
        ):
            self._impossible.append(f"the move at event {version}: {cannot_have_done(chosen)}")

    def _remark_on_bots(self) -> None:
        for number, seat in enumerate(self._seats):
            if seat.kind == "bot" and seat.bot is not None and seat.bot not in self._game.bots:
                self._counts.remark(
                    "bots", f"seat {number} has {seat.bot[:60]}, a bot that is not known here"
                )
        for name, count in sorted(self._unknown.items()):
            moves = "1 move is" if count == 1 else f"{count} moves are"
            self._counts.remark("bots", f"{moves} by {name}, which is not known here")
        if self._impossible:
            others = f" (and {len(self._impossible) - 1} more)" if self._impossible[1:] else ""
            self._counts.remark("bots", f"{self._impossible[0]}{others}")

    def _remark_on_pace(self, seat: int, is_remote: bool, waits: Sequence[tuple[str, str]]) -> None:
        """Remark on a remote program's seat, and on a person's seat if it moves as fast as a program."""
        usual = _usual(waits) if len(waits) >= SEVERAL else None
        often = f": half its {len(waits)} moves came within {usual:.3f} s" if usual is not None else ""
        if is_remote:
            what = f"seat {seat} is called a remote program's, and only the engine says that no person played there"
            self._counts.remark("remote", f"{what}{often}")
        elif usual is not None and usual < QUICK:
            self._counts.remark("people", f"seat {seat} is called a person's but moves like a program{often}")

    def _remark_on_replaced(self, seat: int, reasons: Counter[str]) -> None:
        count, moves = reasons.total(), self._moves[seat]
        often = f"every one of its {moves} moves" if count == moves else f"{count} of its {moves} moves"
        why = ", ".join(f"{reason} {number}" for reason, number in sorted(reasons.items()))
        who = self._seats[seat].bot or self._seats[seat].kind
        self._counts.remark("replaced", f"seat {seat} ({who}) was replaced in {often}: {why}")


def _usual(waits: Sequence[tuple[str, str]]) -> float:
    """The exact median of the waits in seconds.

    Most waits lie within one minute, and then no date is needed; many begin where the wait before ended.
    """
    seconds, last, ended = list[float](), "", 0
    for before, at in waits:
        if before[:_MINUTE] == at[:_MINUTE]:
            began = ended if before == last else _milliseconds(before)
            last, ended = at, _milliseconds(at)
            seconds.append((ended - began) / 1000)
        else:
            between = datetime.fromisoformat(at) - datetime.fromisoformat(before)
            seconds.append(between.total_seconds())
    return median(seconds)


def _milliseconds(at: str) -> int:
    """Milliseconds since the time's minute began."""
    return int(at[_MINUTE : _MINUTE + 2] + at[_MINUTE + 3 : -1])
