"""Options by which a game can be compared with others, and so counts for ratings.

This is settled when the game is created. Nothing that a player does later changes it, so nobody can choose which
games count once the cards are known.
"""

from collections.abc import Sequence

from domain.chance import SeededChance
from domain.game import Game
from domain.lifecycle import Create, Json, Seat

_RULES = bytes(32)  # chance for a table that only shows what options mean


def may_be_rated(seats: Sequence[Seat]) -> bool:
    """True if everybody has a name, or may get one."""
    return all(seat.kind in ("bot", "open") or seat.player for seat in seats)


def with_drawn_start(game: Game, options: Json) -> Json:
    """The options of a game of two who do not choose their seats: who begins is drawn, unless they say who does."""
    starter = game.starter_option
    return options if starter is None or starter in options else {**options, starter: "random"}


def resolved(game: Game, options: Json, seats: int, *, as_recorded: bool = False) -> Json:
    """The options as they are resolved for so many seats. Raises DomainError as the game does when it is created."""
    state, chance = game.initial(), SeededChance(_RULES, "0" * 22)
    create = Create("0" * 22, "", options, (Seat("open"),) * seats, as_recorded=as_recorded)
    for event in game.decide(state, None, create, chance):
        state = game.evolve(state, event)
    return game.status(state).options


def incomparable(game: Game, options: Json) -> str | None:
    """The first of the resolved options by which the game cannot be compared with others; None if it can."""
    return next((name for name, value in game.ladder_options.items() if options.get(name) != value), None)
