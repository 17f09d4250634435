"""Games of bots against bots in this process: the domain alone, no server, no store."""

import hashlib
import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Protocol

from domain.bot import Budget, never
from domain.chance import SeededChance, commitment_of
from domain.game import Bots, Game, Records, Rules
from domain.lifecycle import Create, Json, Seat
from domain.registry import DEFAULT_GAME, game_named
from service.cli.selfplay.pool import spread


class Decision(NamedTuple):
    """A player's move. `seconds`: how long it took; `is_fallback`: the game's cheap bot moved in the player's place."""

    move: Any
    seconds: float
    is_fallback: bool = False


class Player(Protocol):
    """A bot at one seat of one game."""

    @property
    def listens(self) -> bool:
        """True if it wants to be told what happens."""

    def happened(self, before: Any, event: Any, after: Any) -> None:
        """Take note of an event, as far as the seat may see it."""

    def decide(self, state: Any, seed: int) -> Decision:
        """The move of the seat; all chance follows from `seed`."""


class Contestant(Protocol):
    """Somebody who takes part: one of the game's bots, or an external bot."""

    @property
    def name(self) -> str:
        """Its name in results, of letters, digits, ".", "-", "_" and "@"."""

    @property
    def is_external(self) -> bool:
        """True for an external bot: another bot may have to move in its place."""

    def version(self, game: Bots) -> str:
        """The version of the bot as it is here."""

    def seated(self) -> Seat:
        """Its seat, as a game is created with it."""

    def player(self, game: Game, seat: int) -> Player:
        """The player that it is at this seat of a new game."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot that takes part, with a budget for a move other than its own if one is given."""

    bot: str
    iterations: int | None = None
    milliseconds: int | None = None

    @property
    def name(self) -> str:
        """Name in results: "ismcts", "ismcts@300ms", "ismcts@2000it"."""
        if self.iterations is not None:
            return f"{self.bot}@{self.iterations}it"
        return self.bot if self.milliseconds is None else f"{self.bot}@{self.milliseconds}ms"

    @property
    def budget(self) -> Budget | None:
        """The budget, None for the bot's own."""
        if self.iterations is None and self.milliseconds is None:
            return None
        return Budget(self.iterations, self.milliseconds)

    @property
    def is_external(self) -> bool:
        """False: it is one of the game's own."""
        return False

    def version(self, game: Bots) -> str:
        """The version of the bot as it is here."""
        return game.bot(self.bot).version

    def seated(self) -> Seat:
        """Its seat, as a game is created with it."""
        return Seat("bot", bot=self.bot)

    def player(self, game: Game, seat: int) -> Player:
        """The bot at a seat of a new game."""
        return _BotAtSeat(game, seat, self)


class _BotAtSeat:
    """One of the game's bots in a game, with what its seat knows if it remembers."""

    def __init__(self, game: Game, seat: int, entrant: Entrant) -> None:
        self._game, self._seat, self._bot = game, seat, game.bot(entrant.bot)
        self._budget = entrant.budget
        self._known = game.initial_knowledge()
        self.listens = self._bot.remembers

    def happened(self, before: Any, event: Any, after: Any) -> None:
        """Remember the event."""
        self._known = self._game.update_knowledge(self._known, self._seat, before, event, after)

    def decide(self, state: Any, seed: int) -> Decision:
        """The bot's move; its seconds are processor time, which a busy machine does not stretch."""
        started = time.process_time()
        observation = self._game.observe(state, self._seat, self._known)
        stop = deadline(self._budget or self._bot.budget)
        choice = self._game.think(observation, self._bot.name, seed, self._budget, stop)
        return Decision(choice.move, time.process_time() - started)


class Played(NamedTuple):
    """Result of a game, by seat. `places`: 1 is the best, ties share one.

    `thinking`: each decision's seconds; `fallbacks`: how many decisions another bot made in the place of an external
    bot.
    """

    places: tuple[int, ...]
    reason: str
    turns: int
    scores: tuple[int, ...]
    thinking: tuple[list[float], ...]
    fallbacks: tuple[int, ...]


class ConservationError(Exception):
    """Cards or pieces are missing or there twice: the rules have a fault."""


def play(
    game: Game,
    entrants: Sequence[Contestant],
    options: Json,
    seed: bytes,
    game_id: str,
    check: str | None = None,
) -> Played:
    """A game from creation to end, by an entrant on each seat; shuffles and bots' chance follow from `seed`.

    With `check`, the game's conservation check runs after every event; ConservationError begins with `check`.
    """
    players = [entrant.player(game, seat) for seat, entrant in enumerate(entrants)]
    listeners = [player for player in players if player.listens]
    chance = SeededChance(seed, game_id)
    rng = random.Random(seed)  # noqa: S311 (what bots think need not be secret)
    decisions: tuple[list[Decision], ...] = tuple([[] for _ in players])
    state, seat = game.initial(), None  # type: Any, int | None
    seats = tuple([entrant.seated() for entrant in entrants])
    command: Any = Create(game_id, commitment_of(seed), options, seats)
    while True:
        for event in game.decide(state, seat, command, chance):
            after = game.evolve(state, event)
            for player in listeners:
                player.happened(state, event, after)
            state = after
            if check is not None:
                check_conserved(game, state, f"{check}: {game.notation(game.encode(event))}")
        status = game.status(state)
        if status.result is not None:
            result = status.result
            thinking = tuple([[decision.seconds for decision in of] for of in decisions])
            fallbacks = tuple([sum(decision.is_fallback for decision in of) for of in decisions])
            return Played(result.places, result.reason, status.turn, result.scores, thinking, fallbacks)
        seat = status.to_act
        assert seat is not None, "a game that is not over has somebody to act"
        decision = players[seat].decide(state, rng.getrandbits(53))
        command = decision.move
        decisions[seat].append(decision)


def check_options(game: Rules, options: Json, seats: int) -> None:
    """DomainError if no game of so many seats can be created with the options."""
    people = (Seat("human"),) * seats
    command = Create("check", commitment_of(b""), options, people)
    game.decide(game.initial(), None, command, SeededChance(b"", ""))


def deadline(budget: Budget | None) -> Callable[[], bool]:
    """Function that tells whether the budget's milliseconds are over, counted from now."""
    if budget is None or budget.milliseconds is None:
        return never
    end = time.perf_counter() + budget.milliseconds / 1000
    return lambda: time.perf_counter() >= end


def check_conserved(game: Records, state: Any, where: str) -> None:
    """ConservationError that ends in `where` if the game finds a conservation fault in the state."""
    fault = game.conservation_fault(state)
    if fault is not None:
        raise ConservationError(f"{fault} after {where}")


@dataclass(frozen=True, slots=True)
class Match:
    """Line-up: one bot for each seat, each of them starts in turn; everything follows from `seed`."""

    bots: tuple[str, ...]
    options: Json
    seed: int
    check: bool = False
    game: str = DEFAULT_GAME


class Outcome(NamedTuple):
    """Outcome of one game. `starter` is an index into the match's bots; `places` and `scores` are in their order."""

    number: int
    starter: int
    places: tuple[int, ...]
    reason: str
    turns: int
    moves: int
    scores: tuple[int, ...]

    @property
    def winner(self) -> int | None:
        """The bot that has the first place to itself; None if several share it."""
        return self.places.index(1) if self.places.count(1) == 1 else None


def play_game(match: Match, number: int) -> Outcome:
    """Game `number` of the match, from creation to end. ConservationError if it is checked and fails.

    Where the game has no option for the seat that starts, the bots move round the table by a seat each game, and the
    starter is the one on seat 0.
    """
    game, seats = game_named(match.game), len(match.bots)
    seed = hashlib.sha256(f"{match.seed}:{number}".encode()).digest()
    starter, options, shift = number % seats, match.options, number % seats
    if game.starter_option is not None:
        options, shift = {**options, game.starter_option: starter}, 0
    entrants = [Entrant(match.bots[(seat + shift) % seats]) for seat in range(seats)]
    check = f"game {number} of seed {match.seed}" if match.check else None
    played = play(game, entrants, options, seed, f"simulated{number}", check)
    seat_of = [(bot - shift) % seats for bot in range(seats)]
    places = tuple([played.places[seat] for seat in seat_of])
    scores = tuple([played.scores[seat] for seat in seat_of])
    moves = sum(map(len, played.thinking))
    return Outcome(number, starter, places, played.reason, played.turns, moves, scores)


@contextmanager
def outcomes(match: Match, games: int, jobs: int) -> Iterator[Iterator[Outcome]]:
    """The outcomes of games 0 ... games - 1 as they come, played by `jobs` processes."""
    at_once = max(1, min(8, games // (4 * jobs)))
    with spread(partial(play_game, match), range(games), jobs, at_once) as played:
        yield played
