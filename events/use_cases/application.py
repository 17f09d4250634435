"""The engine as its drivers see it: the use-cases by their families, wired by `events.runtime.bootstrap`."""

from dataclasses import dataclass

from events.apps.administration import Apps
from events.players.players import Players
from events.use_cases.abandonment import Abandonment
from events.use_cases.bots.decisions import Decisions
from events.use_cases.bots.hints import Hints
from events.use_cases.bots.remote_play import RemotePlay
from events.use_cases.bots.turns import BotTurns
from events.use_cases.callers import Callers
from events.use_cases.clocks.timekeeping import Timekeeping
from events.use_cases.create import Creation
from events.use_cases.erasure import Erasure
from events.use_cases.finished.rankings import Rankings
from events.use_cases.finished.rematches import Rematches
from events.use_cases.forks import Forks
from events.use_cases.interventions import Interventions
from events.use_cases.joining.invites import Invites
from events.use_cases.joining.lobby import Lobby
from events.use_cases.joining.quick_match import QuickMatch
from events.use_cases.listing import Listing
from events.use_cases.moves import Moves
from events.use_cases.records.exports import Exports
from events.use_cases.records.replay import Replays
from events.use_cases.records.signed_heads import SignedHeads
from events.use_cases.seats import Seats
from events.use_cases.takebacks.takebacks import TakebackRequests
from events.use_cases.tickets import Tickets
from events.use_cases.views import Views
from events.use_cases.webhooks.app_logs import AppLogs
from events.use_cases.webhooks.endpoints import Endpoints


@dataclass(frozen=True, slots=True)
class Application:
    """All that the service and the workers may ask for. Safe to share among threads and greenlets."""

    abandonment: Abandonment
    app_logs: AppLogs
    callers: Callers
    views: Views
    creation: Creation
    forks: Forks
    seats: Seats
    invites: Invites
    tickets: Tickets
    interventions: Interventions
    moves: Moves
    bot_turns: BotTurns
    remote: RemotePlay
    hints: Hints
    decisions: Decisions
    replays: Replays
    exports: Exports
    heads: SignedHeads
    listing: Listing
    lobby: Lobby
    quick_match: QuickMatch
    players: Players
    apps: Apps
    erasure: Erasure
    rankings: Rankings
    rematches: Rematches
    takebacks: TakebackRequests
    timekeeping: Timekeeping | None
    webhooks: Endpoints
