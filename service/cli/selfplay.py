"""Games of bots against bots in this process: the domain alone, no server, no store."""

import hashlib
import multiprocessing
import random
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from domain.chance import SeededChance, commitment_of
from domain.decider import Create, Json, Seat, game_named
from domain.migrato.state import State, setup_of


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


class ConservationError(Exception):
    """The cards on the table are not the deck any more: the rules have a fault."""


def play_game(match: Match, number: int) -> Outcome:
    """Game `number` of the match, from creation to end. ConservationError if it is checked and fails."""
    game = game_named("migrato")
    seed = hashlib.sha256(f"{match.seed}:{number}".encode()).digest()
    chance = SeededChance(seed, f"simulated{number}")
    starter = number % 2
    seats = tuple(Seat("bot", bot=bot) for bot in match.bots)
    options = {**match.options, "first_seat": starter}
    state = game.initial()
    command: Any = Create(f"simulated{number}", commitment_of(seed), options, seats)
    rng = random.Random(seed)  # noqa: S311 (what bots think need not be secret)
    seat, moves = None, 0
    while True:
        for event in game.decide(state, seat, command, chance):
            state = game.evolve(state, event)
            if match.check:
                check_conserved(
                    state, f"game {number} of seed {match.seed}: {game.notation(game.encode(event))}"
                )
        standing = game.standing(state)
        if standing.result is not None:
            result = standing.result
            return Outcome(number, starter, result.winner, result.reason, standing.turn, moves, result.scores)
        seat, moves = standing.to_act, moves + 1
        assert seat is not None, "a game that is not over has somebody to act"
        command = game.choose(state, seat, match.bots[seat], rng)


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


@contextmanager
def outcomes(match: Match, games: int, jobs: int) -> Iterator[Iterator[Outcome]]:
    """The outcomes of games 0 ... games - 1 as they come, played by `jobs` processes."""
    play = partial(play_game, match)
    if jobs == 1:
        yield map(play, range(games))
        return
    with multiprocessing.Pool(
        jobs, _leave_interrupts_to_parent
    ) as pool:  # terminated on leaving, however we leave
        yield pool.imap_unordered(play, range(games), chunksize=max(1, min(32, games // (4 * jobs))))


def _leave_interrupts_to_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
