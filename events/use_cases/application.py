"""The engine as its drivers see it: the use-cases by their families, wired by `events.runtime.bootstrap`."""

from dataclasses import dataclass

from events.players.players import Players
from events.use_cases.bots.hints import Hints
from events.use_cases.bots.remote_play import RemotePlay
from events.use_cases.bots.turns import BotTurns
from events.use_cases.callers import Callers
from events.use_cases.create import Creation
from events.use_cases.exports import Exports
from events.use_cases.forks import Forks
from events.use_cases.listing import Listing
from events.use_cases.moves import Moves
from events.use_cases.replay import Replays
from events.use_cases.seats import Seats
from events.use_cases.signed_heads import SignedHeads
from events.use_cases.views import Views


@dataclass(frozen=True, slots=True)
class Application:
    """All that the service and the workers may ask for. Safe to share among threads and greenlets."""

    callers: Callers
    views: Views
    creation: Creation
    forks: Forks
    seats: Seats
    moves: Moves
    bot_turns: BotTurns
    remote: RemotePlay
    hints: Hints
    replays: Replays
    exports: Exports
    heads: SignedHeads
    listing: Listing
    players: Players
