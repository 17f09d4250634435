"""Seats that are said to be people's, and play as one of the bots would have played there, choice by choice.

Whoever seals a game can leave out that a bot chose a seat's moves, and call the seat a person's. But the server seed is
shown, and with it the seed that every choice of the bot had. So each bot is asked for the seat's choices, with the seed
that it would have had, until it comes to another move than was made.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from domain.chance import SeededChance
from domain.decider import Game
from domain.errors import DomainError
from domain.lifecycle import Wire
from events.audit.findings import Tally
from events.bot_seeds import move_seed

ENOUGH: Final = 8  # choices among several moves, all of them the bot's, that are no coincidence any more
MOST: Final = 200  # choices of a seat that are looked at
_GIVEN_UP: Final = "player_resigned"  # which no bot chooses


@dataclass(frozen=True, slots=True)
class _Made:
    """A choice that was made in `state`: what the seat had `seen`, how many moves there were, the events of it.

    The bot would have been asked at version `at`, if nothing had been left out before; `own` and `everybody` are how
    many choices were left out before if only this seat is a bot's in truth, or every such seat.
    """

    state: Any
    seen: Any
    moves: int
    at: int
    own: int
    everybody: int
    encoded: list[Wire]


class Lookalikes:
    """The moves of one game that nobody is said to have chosen but the person in the seat."""

    def __init__(self, game: Game, game_id: str, seed: bytes, tally: Tally) -> None:
        self._game = game
        self._game_id = game_id
        self._seed = seed
        self._chance = SeededChance(seed, game_id)
        self._tally = tally
        self._count: Counter[int] = Counter()
        self._made: dict[int, list[_Made]] = {}

    def has_enough(self, seat: int) -> bool:
        """Whether no more moves of the seat need be told."""
        return len(self._made.get(seat, ())) >= MOST

    def moved(self, state: Any, seat: int, version: int, memory: Any, encoded: Sequence[Wire]) -> None:
        """A move of the seat, which remembers that much, and its events, the first of them at `version`."""
        own, everybody = self._count[seat], self._count.total()
        self._count[seat] += 1
        moves = len(self._game.legal_moves(state, seat))
        if encoded[0].type != _GIVEN_UP and moves > 1:
            seen = self._game.observe(state, seat, memory)
            made = _Made(state, seen, moves, version - 1, own, everybody, list(encoded))
            self._made.setdefault(seat, []).append(made)

    def end(self) -> None:
        """Ask the bots, cheap ones first, and say whose moves are a bot's."""
        for seat, made in sorted(self._made.items()):
            # Where there is much to choose from, others soon come to other moves.
            made.sort(key=lambda one: -one.moves)
            bot = self._chooser(seat, made) if len(made) >= ENOUGH else None
            if bot is not None:
                told = f"seat {seat} is no bot's by what is said, and each of its {len(made)} choices is that of {bot}"
                self._tally.remark("people", f"{told}, with the seed that it would have had")

    def _chooser(self, seat: int, made: Sequence[_Made]) -> str | None:
        for bot in sorted(self._game.bots.values(), key=lambda bot: bot.milliseconds):
            for places in {
                tuple(one.at + one.own for one in made),
                tuple(one.at + one.everybody for one in made),
            }:
                if all(self._would(bot.name, seat, one, at) for one, at in zip(made, places, strict=True)):
                    return bot.name
        return None

    def _would(self, bot: str, seat: int, made: _Made, at: int) -> bool:
        """Whether the bot, asked at that version, makes that move."""
        choice = self._game.think(made.seen, bot, int(move_seed(self._seed, self._game_id, at), 16))
        try:
            events = self._game.decide(made.state, seat, choice.move, self._chance)
        except DomainError:
            return False
        return [self._game.encode(event) for event in events] == made.encoded
