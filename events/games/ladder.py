"""Games that count for ratings, as far as that is settled when a game is created.

Nothing that a player does later changes it, so nobody can choose which games count once the cards are known.
"""

from typing import NamedTuple

from domain.chance import SeededChance
from domain.clocks.options import USUAL, recorded_options
from domain.game import Game
from domain.lifecycle import Create, Json, Seat
from events.games.new_game import NewGame
from events.log.ratings.scale import bot_elo
from events.log.ratings.unrated import ARRANGED, BOTS, FRIENDLY, QUICK_MATCH, UNCOMMON, UNMEASURED

_RULES = bytes(32)  # chance for a table that only shows what options mean


class Standing(NamedTuple):
    """Record of a new game: the reason for which it is not rated, or the maker of its pairing; as in `Create`."""

    unrated: str | None = None
    pairing: str | None = None


def judged(game: Game, new: NewGame) -> Standing:
    """The reason for which the new game does not count; nothing where its seats, or a prepared deck, tell it.

    Raises DomainError as the game does when it is created.
    """
    if new.setup is not None or new.fork is not None:
        return Standing()
    if not new.rated:
        return Standing(FRIENDLY)
    if not all(seat.kind in ("bot", "open") or seat.player for seat in new.seats):
        return Standing()
    again = new.rematch_of is not None
    options = resolved(game, new.options, len(new.seats), as_recorded=again)
    pairing = new.pairing or (BOTS if sum([seat.kind != "bot" for seat in new.seats]) <= 1 else None)
    if (unusual := incomparable(game, options)) is not None:
        return Standing(unusual)
    if pairing is None or (pairing == BOTS and any(seat.kind == "open" for seat in new.seats)):
        return Standing(ARRANGED)
    if pairing == QUICK_MATCH and not _is_common(game, options, new):
        return Standing(UNCOMMON)
    if any(seat.bot is not None and bot_elo(game, seat.bot, len(new.seats)) is None for seat in new.seats):
        return Standing(UNMEASURED)
    return Standing(pairing=pairing)


def _is_common(game: Game, options: Json, new: NewGame) -> bool:
    """True if many look for such a game by quick match: one set of options, and few clocks."""
    usual = resolved(game, with_drawn_start(game, {}), len(new.seats))
    return options == usual and (new.clock is None or recorded_options(new.clock) in USUAL)


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
