# compiled into recording
"""Check of bots: the recorded chooser of each move, its seed that nobody could choose, and the moves, found again."""

from collections.abc import Sequence
from datetime import datetime
from math import inf
from typing import Any, Final

from domain.bot import LONGEST, MOST_ITERATIONS, Bot, Budget, Choice
from domain.chance import SeededChance
from domain.common_events import clocks, takebacks
from domain.errors import DomainError
from domain.game import Game, Rules
from domain.interventions import KINDS
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
from events.audit.counts import CheckCounts
from events.audit.findings import NOT_ASKED, CheckFailed
from events.audit.remarks.lookalikes import Lookalikes
from events.audit.seats import known_bot, misdrawn, name_in
from events.audit.stream_verifier import ReadEvent
from events.log.seeds import Seeds

_NO_MOVES: Final = KINDS | clocks.KINDS | takebacks.KINDS  # events that begin something that no seat decides
# Why another bot moved in a bot's place, and in a remote one's (`domain.lifecycle.PlayBotMove`).
_FALLBACKS: Final = ("failed", "overran")
_REMOTE_FALLBACKS: Final = (*_FALLBACKS, "unreachable", "timeout", "bad-answer", "illegal-move", "suspended")


class Bots:
    """The record of bots' moves and hints in one game; with `ask`, every bot of that version is asked again."""

    def __init__(self, game: Game, game_id: str, seed: bytes, counts: CheckCounts, ask: bool) -> None:
        self._game = game
        self._game_id = game_id
        self._server_seed = seed
        self._seeds = Seeds(seed, game_id)
        self._chance = SeededChance(seed, game_id)
        self._counts = counts
        self._ask = ask
        self._lookalikes = Lookalikes(game, game_id, seed, counts)
        self._knowledge: dict[int, Any] = {}
        self._skipped: dict[str, int] = {}
        self._cut = 0  # moves of searches that ended before the bot would have ended them
        self._cut_soon = 0  # of these, those that were recorded sooner than a clock cuts a search
        self._cut_hints = 0  # and hints
        self._before: str | None = None  # when the command before happened
        if not ask:
            counts.note("bots", NOT_ASKED)

    def check(
        self,
        state: Any,
        seats: Sequence[Seat],
        since: int,
        event: ReadEvent,
        command: Any,
        encoded: Sequence[EventRecord],
    ) -> None:
        """A command that was decided again in `state`, and what it caused; CheckFailed "bot-seeds" or "bots"."""
        version = event.version
        seat: Any = event.seat  # there is one where it is asked for
        if isinstance(command, TakeHint):
            derived = self._seeds.of_hint(since, seat, command.bot)
            self._seed_is(version, derived, command.seed)
            self._lookalikes.hinted(seat)
            if self._ask:
                self._hint_again(state, seat, version, command)
        elif isinstance(command, PlayBotMove):
            self._chosen(version, seats[seat], command)
            if self._ask:
                self._asked_again(state, seat, seats[seat], event, command, encoded)
        elif isinstance(command, Create):
            self._drawn(version, command.seats)
            self.meet(command.seats)
        elif event.type in _NO_MOVES or isinstance(command, (TakeSeat, ReissueToken)):
            self._lookalikes.annotated(len(encoded))
            if encoded[-1].type == takebacks.TAKEN_BACK:
                self._lookalikes.taken_back(encoded[-1].data["to_version"])
        elif not isinstance(command, Score):
            if seats[seat].kind == "bot":
                raise CheckFailed(
                    "bot-seeds", version, "A bot's seat moves, but no event records the bot's choice."
                )
            if seat in self._knowledge:
                self._lookalikes.moved(state, seat, version, self._knowledge[seat], encoded)
        self._before = event.at

    def update_knowledge(self, before: Any, event: Any, after: Any) -> None:
        """Note an event, for the bots that remember and for those that people may have asked."""
        for seat, known in self._knowledge.items():
            self._knowledge[seat] = self._game.update_knowledge(known, seat, before, event, after)

    def end(self) -> None:
        """Report the moves that were left out or cut short, and seats that play like a bot."""
        self._lookalikes.end()
        if self._cut:
            moves = "1 search was" if self._cut == 1 else f"{self._cut} searches were"
            soon = f"; {self._cut_soon} after less than {LONGEST:.0f} seconds, by the file's own times"
            self._counts.remark(
                "cut",
                f"{moves} cut by the clock, and found again in as many iterations{soon if self._cut_soon else ''}",
            )
        if self._cut_hints:
            hints = "1 hint was" if self._cut_hints == 1 else f"{self._cut_hints} hints were"
            self._counts.remark("cut", f"the search for {hints} cut by the clock")
        if self._skipped:
            skipped = ", ".join(f"{count} of {name}" for name, count in sorted(self._skipped.items()))
            self._counts.note("bots", f"not asked again: {skipped}")
            self._counts.unasked = sum(self._skipped.values())

    def meet(self, seats: Sequence[Seat]) -> None:
        """Note the seats when the game begins."""
        for number, seat in enumerate(seats):
            bot = known_bot(self._game, seat.bot, seat.version) or self._game.bots.get(seat.bot or "")
            if self._ask and (seat.kind != "bot" or (bot is not None and bot.remembers)):
                self._knowledge[number] = self._game.initial_knowledge()

    def _drawn(self, version: int, seats: Sequence[Seat]) -> None:
        found = misdrawn(seats, self._server_seed, self._game_id)
        if found is not None:
            seat, right, recorded = found
            what = f"The version of the bot in seat {seat} does not follow from the server seed."
            raise CheckFailed("bot-seeds", version, what, right, recorded)

    def _seed_is(self, version: int, derived: str, recorded: str | None) -> None:
        if recorded != derived:
            raise CheckFailed(
                "bot-seeds",
                version,
                "The bot's seed does not follow from the server seed.",
                derived,
                recorded,
            )
        self._counts.passed("bot-seeds")

    def _chosen(self, version: int, seat: Seat, chosen: PlayBotMove) -> None:
        if (
            chosen.fallback == clocks.INSTEAD and seat.kind == "human"
        ):  # when, and which bot, is for the clock to say
            if chosen.replaces != seat.kind:
                raise CheckFailed(
                    "bot-seeds",
                    version,
                    "The event replaces another player than the seat has.",
                    seat.kind,
                    chosen.replaces,
                )
            self._seed_is(version, self._seeds.of_move(version - 1), chosen.seed)
            return
        if seat.kind not in ("bot", "remote"):
            raise CheckFailed(
                "bot-seeds", version, "A bot moves for a seat that is not a bot's.", seat.kind, chosen.bot
            )
        if chosen.fallback is None and seat.kind == "bot":
            if chosen.bot != seat.bot or chosen.replaces is not None:
                raise CheckFailed(
                    "bot-seeds",
                    version,
                    "The bot that moves is not the bot of the seat.",
                    seat.bot,
                    chosen.bot,
                )
            self._seed_is(version, self._seeds.of_move(version - 1), chosen.seed)
            return
        reasons = _FALLBACKS if seat.kind == "bot" else _REMOTE_FALLBACKS
        found = [chosen.bot, chosen.replaces, chosen.budget, chosen.seed]
        replaced = seat.bot if seat.kind == "bot" else seat.kind
        expected = [self._game.fallback_bot, replaced, None, None]
        if chosen.fallback not in reasons or found != expected:
            raise CheckFailed(
                "bot-seeds",
                version,
                "A move in a bot's place is recorded with other values than the engine writes.",
                expected,
                found,
            )
        self._counts.passed("bot-seeds")

    def _asked_again(
        self,
        state: Any,
        seat: int,
        its: Seat,
        event: ReadEvent,
        chosen: PlayBotMove,
        encoded: Sequence[EventRecord],
    ) -> None:
        version = event.version
        bot = known_bot(self._game, chosen.bot, chosen.version)
        if bot is None:
            name = name_of(chosen)
            self._skipped[name] = self._skipped.get(name, 0) + 1
            return
        if chosen.fallback not in (None, clocks.INSTEAD):
            move, did = self._game.fallback_move(state, seat), None
        else:
            observation = self._game.observe(
                state, seat, self._knowledge.get(seat, self._game.initial_knowledge())
            )
            own = its.budget if its.kind == "bot" else None
            choice = self._thought_again(observation, bot, own or bot.budget, event, chosen)
            move, did = choice.move, None if bot.budget is None else {"iterations": choice.iterations}
        try:
            again = [self._game.encode(e) for e in self._game.decide(state, seat, move, self._chance)]
        except DomainError as refusal:
            raise CheckFailed("bots", version, f"The bot's move is refused: {refusal.detail}") from None
        if again != list(encoded[1:]) or did != chosen.budget:
            raise CheckFailed(
                "bots",
                version,
                "Asked again, the bot makes another move, or does another number of iterations.",
                {"move": self._game.move_document(move), "budget": did},
                {"move": self._game.move_document(chosen.command), "budget": chosen.budget},
            )
        self._counts.passed("bots")

    def _hint_again(self, state: Any, seat: int, version: int, hint: TakeHint) -> None:
        """Check that the search for a hint did no more iterations than it can do; the hint's move is not recorded."""
        bot = known_bot(self._game, hint.bot, hint.version)
        if bot is None or bot.budget is None or bot.budget.iterations is None:
            return
        if hint.budget is None or not could_do(self._game, state, seat, bot, hint.budget):
            return  # there is a remark on that anyway
        if bot.remembers and seat not in self._knowledge:
            return
        observation = self._game.observe(
            state, seat, self._knowledge.get(seat, self._game.initial_knowledge())
        )
        own, did = (
            self._game.think(observation, name_in(self._game, bot), int(hint.seed, 16)).iterations,
            hint.budget["iterations"],
        )
        self._cut_hints += did < own
        if did > own:
            self._counts.remark("hints", f"the hint at event {version}: {cannot_have_done(hint)}")

    def _thought_again(
        self, observation: Any, bot: Bot, own: Budget | None, event: ReadEvent, chosen: PlayBotMove
    ) -> Choice:
        """Decision of the bot by the seat's budget; if a clock cut its search, with just the recorded iterations."""
        version, named = event.version, name_in(self._game, bot)
        if chosen.seed is None or not is_within(chosen.budget, own):
            raise _not_so_long(version, _budget_document(own), chosen.budget)
        seed, did = int(chosen.seed, 16), 0 if chosen.budget is None else chosen.budget["iterations"]
        if own is None or own.iterations is not None:
            choice = self._game.think(observation, named, seed, own)
            if own is None or choice.iterations == did:
                return choice
            if choice.iterations < did:
                raise _not_so_long(version, {"iterations": choice.iterations}, chosen.budget)
            self._cut_soon += _seconds(self._before, event.at) < LONGEST
        self._cut += 1
        return self._game.think(observation, named, seed, Budget(did, exact=True))


def _seconds(before: str | None, at: str) -> float:
    """Seconds from one recorded time to the other."""
    if before is None:
        return inf
    return (datetime.fromisoformat(at) - datetime.fromisoformat(before)).total_seconds()


def _not_so_long(version: int, expected: Json | None, found: Json | None) -> CheckFailed:
    return CheckFailed(
        "bots", version, "The recorded budget is not one that the bot can have used.", expected, found
    )


def could_do(
    game: Rules, state: Any, seat: int, bot: Bot, budget: Json | None, own: Budget | None = None
) -> bool:
    """True if the bot may have made so many iterations in that state: none if there is only one move.

    `own`: the budget of its seat, if not the bot's.
    """
    if budget is None or not is_within(budget, own or bot.budget):
        return is_within(budget, own or bot.budget)
    did: int = budget["iterations"]
    return (did > 0) == (len(game.legal_moves(state, seat)) > 1)


def name_of(thought: PlayBotMove | TakeHint) -> str:
    """The bot and its version, which are free text."""
    return f"{thought.bot} {thought.version}"[:60]


def cannot_have_done(thought: PlayBotMove | TakeHint) -> str:
    """Fault of a recorded budget that the bot cannot have used."""
    did = "no iterations" if thought.budget is None else f"{thought.budget['iterations']} iterations"
    return f"{name_of(thought)} cannot have done {did} there"


def is_within(recorded: Json | None, own: Budget | None) -> bool:
    """True if a bot with that budget may have made so many iterations: a bot keeps to its budget, and may end early."""
    if recorded is None or own is None:
        return recorded is None and own is None
    most: int = own.iterations or MOST_ITERATIONS
    did: int = recorded["iterations"]
    return 0 <= did <= most


def _budget_document(own: Budget | None) -> Json | None:
    return None if own is None else {"iterations": own.iterations}
