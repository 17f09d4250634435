"""What there is only the engine's word for: no check finds it wrong, and a reader should know of it."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import datetime
from statistics import median
from typing import Any, Final

from domain.chance import Chance
from domain.game import Game
from domain.lifecycle import (
    Create,
    EventRecord,
    Json,
    PlayBotMove,
    ReissueToken,
    Score,
    Seat,
    TakeHint,
    TakeSeat,
)
from events.audit.bots import cannot_have_done, could_do, name_of
from events.audit.findings import CheckCounts
from events.audit.remarks.traces import Traces

QUICK: Final = 0.25  # seconds; no person reads the table and moves as soon as that, again and again
SEVERAL: Final = 5  # moves of which a median says something


class Times:
    """The times of events, in their order."""

    def __init__(self) -> None:
        self.last = ""
        self._back = 0
        self._first = ""

    def see(self, version: int, at: str) -> None:
        """An event's time; all of a kind, they can be compared as text."""
        if at < self.last:
            self._back += 1
            self._first = self._first or f"event {version} has {at}, after {self.last}"
        self.last = at

    def end(self, counts: CheckCounts) -> None:
        """Remark on times that run backwards."""
        if self._back:
            often = "" if self._back == 1 else f", {self._back} times in all"
            counts.remark("times", f"times run backwards: {self._first}{often}")


class Remarks:
    """What is remarked on in one game; the commands come in order, each with the events that it caused."""

    def __init__(self, game: Game, chance: Chance, counts: CheckCounts) -> None:
        self._game = game
        self._counts = counts
        self._times = Times()
        self._traces = Traces(game, chance)
        self._seats: Sequence[Seat] = ()
        self._moves = Counter[int]()
        self._replaced: defaultdict[int, Counter[str]] = defaultdict(Counter)
        self._unknown = Counter[str]()
        self._impossible: list[str] = []
        self._waits: defaultdict[int, list[tuple[str, str]]] = defaultdict(list)

    def command(
        self, state: Any, seats: Sequence[Seat], document: Json, command: Any, encoded: Sequence[EventRecord]
    ) -> None:
        """A command that was decided in `state`; `document` is the first event of it."""
        seat, before = document["seat"], self._times.last
        self._seats = seats
        self._times.see(document["version"], document["at"])
        self._traces.command(state, seat, command, encoded)
        if isinstance(command, TakeHint):
            self._hint(state, document["version"], seat, command)
        elif not isinstance(command, (Create, TakeSeat, Score, ReissueToken)):
            if isinstance(command, PlayBotMove):
                self._chosen(state, document["version"], seat, command)
            self._moved(seat, seats[seat], command, before, document["at"])

    def forked(self, document: Json) -> None:
        """The game begins with a position; `document` is its first event."""
        self._times.see(document["version"], document["at"])

    def end(self) -> None:
        """Make the remarks, once every event was seen."""
        self._remark_on_bots()
        for seat, reasons in sorted(self._replaced.items()):
            self._remark_on_replaced(seat, reasons)
        for seat, waits in sorted(self._waits.items()):
            if len(waits) >= SEVERAL and (usual := _usual(waits)) < QUICK:
                what = f"seat {seat} is called a person's but moves like a program"
                often = f"half its {len(waits)} moves came within {usual:.3f} s"
                self._counts.remark("people", f"{what}: {often}")
        if left := self._traces.missing():
            what = "these options left no trace in the events, so the file alone does not prove them"
            self._counts.remark("options", f"{what}: {', '.join(left)}")
        self._times.end(self._counts)

    def _moved(self, seat: int, who: Seat, command: Any, before: str, at: str) -> None:
        self._moves[seat] += 1
        if isinstance(command, PlayBotMove):
            if command.fallback is not None:
                self._replaced[seat][command.fallback] += 1
        elif who.kind == "human":
            self._waits[seat].append((before, at))

    def _hint(self, state: Any, version: int, seat: int, hint: TakeHint) -> None:
        bot = self._game.bots.get(hint.bot)
        if bot is None or bot.version != hint.version:
            by = f"is by {name_of(hint)}, which is not known here"
            self._counts.remark("hints", f"the hint at event {version} {by}")
        elif not could_do(self._game, state, seat, bot, hint.budget):
            self._counts.remark("hints", f"the hint at event {version}: {cannot_have_done(hint)}")

    def _chosen(self, state: Any, version: int, seat: int, chosen: PlayBotMove) -> None:
        bot = self._game.bots.get(chosen.bot)
        if bot is None or bot.version != chosen.version:
            self._unknown[name_of(chosen)] += 1
        elif chosen.fallback is None and not could_do(self._game, state, seat, bot, chosen.budget):
            self._impossible.append(f"the move at event {version}: {cannot_have_done(chosen)}")

    def _remark_on_bots(self) -> None:
        for number, seat in enumerate(self._seats):
            if seat.bot is not None and seat.bot not in self._game.bots:
                self._counts.remark(
                    "bots", f"seat {number} has {seat.bot[:60]}, a bot that is not known here"
                )
        for name, count in sorted(self._unknown.items()):
            moves = "1 move is" if count == 1 else f"{count} moves are"
            self._counts.remark("bots", f"{moves} by {name}, which is not known here")
        if self._impossible:
            others = f" (and {len(self._impossible) - 1} more)" if self._impossible[1:] else ""
            self._counts.remark("bots", f"{self._impossible[0]}{others}")

    def _remark_on_replaced(self, seat: int, reasons: Counter[str]) -> None:
        count, moves = reasons.total(), self._moves[seat]
        often = f"every one of its {moves} moves" if count == moves else f"{count} of its {moves} moves"
        why = ", ".join(f"{reason} {number}" for reason, number in sorted(reasons.items()))
        who = self._seats[seat].bot or self._seats[seat].kind
        self._counts.remark("replaced", f"seat {seat} ({who}) was replaced in {often}: {why}")


def _usual(waits: Sequence[tuple[str, str]]) -> float:
    """The median of the seconds from one time to the other."""
    times = [(datetime.fromisoformat(before), datetime.fromisoformat(at)) for before, at in waits]
    return median((at - before).total_seconds() for before, at in times)
