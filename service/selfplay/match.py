"""Games of bots against bots in this process: the domain alone, no server, no store."""

import hashlib
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from domain.bot import Budget, never
from domain.chance import SeededChance, commitment_of
from domain.lifecycle import Create, Json, Seat
from domain.migrato.rules.state import State, setup_of
from domain.registry import game_named
from service.selfplay.pool import spread


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot that takes part, with a budget for a move other than its own if one is given."""

    bot: str
    iterations: int | None = None
    milliseconds: int | None = None

    @property
    def name(self) -> str:
        """What it is called in results: "ismcts", "ismcts@300ms", "ismcts@2000it"."""
        if self.iterations is not None:
            return f"{self.bot}@{self.iterations}it"
        return self.bot if self.milliseconds is None else f"{self.bot}@{self.milliseconds}ms"

    @property
    def budget(self) -> Budget | None:
        """The budget, None for the bot's own."""
        if self.iterations is None and self.milliseconds is None:
            return None
        return Budget(self.iterations, self.milliseconds)


class Played(NamedTuple):
    """How a game went. `winner` is a seat, None is a draw.

    `thinking`: by seat, each decision's seconds of processor time, which a busy machine does not stretch.
    """

    winner: int | None
    reason: str
    turns: int
    scores: tuple[int, ...]
    thinking: tuple[list[float], list[float]]


class ConservationError(Exception):
    """The cards on the table are not the deck any more: the rules have a fault."""


def play(
    entrants: tuple[Entrant, Entrant], options: Json, seed: bytes, game_id: str, check: str | None = None
) -> Played:
    """A game from creation to end, by entrants in seats 0 and 1; shuffles and bots' chance follow from `seed`.

    With `check`, cards are counted after every event; ConservationError names the game so.
    """
    game = game_named("migrato")
    bots = [game.bot(entrant.bot) for entrant in entrants]
    budgets = [entrant.budget for entrant in entrants]
    memories = {seat: game.initial_knowledge() for seat, bot in enumerate(bots) if bot.remembers}
    chance = SeededChance(seed, game_id)
    rng = random.Random(seed)  # noqa: S311 (what bots think need not be secret)
    thinking: tuple[list[float], list[float]] = ([], [])
    state, seat = game.initial(), None  # type: Any, int | None
    seats = tuple(Seat("bot", bot=bot.name) for bot in bots)
    command: Any = Create(game_id, commitment_of(seed), options, seats)
    while True:
        for event in game.decide(state, seat, command, chance):
            after = game.evolve(state, event)
            for mind, memory in memories.items():
                memories[mind] = game.update_knowledge(memory, mind, state, event, after)
            state = after
            if check is not None:
                check_conserved(state, f"{check}: {game.notation(game.encode(event))}")
        status = game.status(state)
        if status.result is not None:
            result = status.result
            return Played(result.winner, result.reason, status.turn, result.scores, thinking)
        seat = status.to_act
        assert seat is not None, "a game that is not over has somebody to act"
        memory = memories[seat] if seat in memories else game.initial_knowledge()
        bot, budget, dice = bots[seat], budgets[seat], rng.getrandbits(53)
        started = time.process_time()
        seen = game.observe(state, seat, memory)
        command = game.think(seen, bot.name, dice, budget, deadline(budget or bot.budget)).move
        thinking[seat].append(time.process_time() - started)


def check_options(options: Json) -> None:
    """DomainError if no game can be created with the options."""
    game = game_named("migrato")
    seats = (Seat("human"), Seat("human"))
    game.decide(
        game.initial(), None, Create("check", commitment_of(b""), options, seats), SeededChance(b"", "")
    )


def deadline(budget: Budget | None) -> Callable[[], bool]:
    """Whether the budget's milliseconds are over, counted from now."""
    if budget is None or budget.milliseconds is None:
        return never
    end = time.perf_counter() + budget.milliseconds / 1000
    return lambda: time.perf_counter() >= end


def check_conserved(state: State, where: str) -> None:
    """Every card of the deck list is in exactly one place; ConservationError says `where` otherwise."""
    if state.result is None and not state.deck and not any(player.hand for player in state.players):
        return  # nothing is dealt yet
    cards = [*state.deck, *state.discard_pile]
    for player in state.players:
        cards += player.hand
        for pile in (*player.columns, *player.arrivals):
            cards += pile
    if sorted(cards) != sorted(setup_of(state).rules.deck):
        raise ConservationError(f"cards were not conserved after {where}")


@dataclass(frozen=True, slots=True)
class Match:
    """Who plays what: `bots` sit in seats 0 and 1 and start alternately; everything follows from `seed`."""

    bots: tuple[str, str]
    options: Json
    seed: int
    check: bool = False


class Outcome(NamedTuple):
    """How one game went; `starter` and `winner` are indices into the match's bots, None is a draw."""

    number: int
    starter: int
    winner: int | None
    reason: str
    turns: int
    moves: int
    scores: tuple[int, ...]


def play_game(match: Match, number: int) -> Outcome:
    """Game `number` of the match, from creation to end. ConservationError if it is checked and fails."""
    seed = hashlib.sha256(f"{match.seed}:{number}".encode()).digest()
    starter = number % 2
    entrants = (Entrant(match.bots[0]), Entrant(match.bots[1]))
    check = f"game {number} of seed {match.seed}" if match.check else None
    played = play(entrants, {**match.options, "first_seat": starter}, seed, f"simulated{number}", check)
    moves = sum(map(len, played.thinking))
    return Outcome(number, starter, played.winner, played.reason, played.turns, moves, played.scores)


@contextmanager
def outcomes(match: Match, games: int, jobs: int) -> Iterator[Iterator[Outcome]]:
    """The outcomes of games 0 ... games - 1 as they come, played by `jobs` processes."""
    at_once = max(1, min(8, games // (4 * jobs)))
    with spread(partial(play_game, match), range(games), jobs, at_once) as played:
        yield played
