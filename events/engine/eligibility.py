"""Eligibility of games for ratings, as far as the creation of a game settles it.

Nothing that a player does later changes it, so nobody who has seen the cards can choose which games count.
"""

from typing import Final, NamedTuple

from domain.chance import SeededChance
from domain.clocks.options import BOT as BOT_MOVES
from domain.clocks.options import USUAL, recorded_options
from domain.game import Game, Rules
from domain.lifecycle import Create, Json, Seat
from events.engine.new_game import NewGame
from events.log.ratings.scale import SEATS, bot_elo
from events.log.ratings.unrated import ARRANGED, BOTS, CLOCK, FRIENDLY, QUICK_MATCH, UNCOMMON, UNMEASURED

_UNWATCHED: Final = NewGame().visibility
_RULES = bytes(32)  # a seed for a game that only shows what its options mean


class Eligibility(NamedTuple):
    """Eligibility of a new game for ratings: the reason why it is unrated, or who paired its players; both as in
    `Create`.
    """

    unrated: str | None = None
    pairing: str | None = None


def judged(game: Game, new: NewGame) -> Eligibility:
    """The reason why the new game does not count; none is given where its seats, or a prepared deck, show it.

    Raises DomainError as the creation of the game does.
    """
    if new.setup is not None or new.fork is not None:
        return Eligibility()
    if not new.rated:
        return Eligibility(FRIENDLY)
    if not all(seat.bot or seat.kind == "open" or seat.player for seat in new.seats):
        return Eligibility()
    options = resolved(game, new.options, len(new.seats))
    pairing = new.pairing or (BOTS if sum([seat.bot is None for seat in new.seats]) <= 1 else None)
    if (unusual := incomparable(game, options)) is not None:
        return Eligibility(unusual)
    if pairing is None or (pairing == BOTS and any(seat.kind == "open" for seat in new.seats)):
        return Eligibility(ARRANGED)
    if pairing == QUICK_MATCH and not _is_common(game, options, new):
        return Eligibility(UNCOMMON)
    if new.clock is not None and recorded_options(new.clock).when_up == BOT_MOVES:
        return Eligibility(CLOCK)  # each turn on which the player waits would be a hint
    if not all(
        _is_measured(game, options, seat, len(new.seats))
        for seat in new.seats
        if seat.bot and seat.kind == "bot"
    ):
        return Eligibility(UNMEASURED)
    return Eligibility(pairing=pairing)


def _is_common(game: Game, options: Json, new: NewGame) -> bool:
    """True if quick match pairs many players for such a game, and nobody has chosen who may come: the usual options,
    one of few clocks, and not watched. Every other kind of game would be a queue with few players.
    """
    usual = new.clock is None or recorded_options(new.clock) in USUAL
    return usual and new.visibility == _UNWATCHED and not new.selective and _is_usual(game, options, SEATS)


def _is_measured(game: Game, options: Json, seat: Seat, seats: int) -> bool:
    """True if the strength of the seat's bot in such games was measured: its present version, with its own budget."""
    bot = str(seat.bot)
    if seat.budget is not None or bot_elo(game, bot, seats) is None:
        return False
    return seat.version in (None, game.bot(bot).version) and _is_usual(game, options, seats)


def _is_usual(game: Game, options: Json, seats: int) -> bool:
    """True if the resolved options are the default ones."""
    return options == resolved(game, with_drawn_start(game, {}), seats)


def with_drawn_start(game: Rules, options: Json) -> Json:
    """The options of a game of two players who do not choose their seats: the starting seat is drawn, unless the
    options name it.
    """
    starter = game.starter_option
    return options if starter is None or starter in options else {**options, starter: "random"}


def resolved(game: Rules, options: Json, seats: int) -> Json:
    """The options as the game resolves them for so many seats. Raises DomainError as the creation of the game does."""
    state, chance = game.initial(), SeededChance(_RULES, "0" * 22)
    create = Create("0" * 22, "", options, (Seat("open"),) * seats)
    for event in game.decide(state, None, create, chance):
        state = game.evolve(state, event)
    return game.status(state).options


def incomparable(game: Rules, options: Json) -> str | None:
    """The first of the resolved options that makes the game's result incomparable; None if there is none."""
    return next((name for name, value in game.rated_options.items() if options.get(name) != value), None)
