"""The engine as its drivers see it: the use-cases by their families, wired by `events.runtime.bootstrap`."""

from dataclasses import dataclass

from events.features.analyses.decisions import Decisions
from events.features.apps.administration import Apps
from events.features.apps.callers import Callers
from events.features.bots.hints import Hints
from events.features.bots.remote_play import RemotePlay
from events.features.bots.turns import BotTurns
from events.features.clocks.timekeeping import Timekeeping
from events.features.erasure import Erasure
from events.features.games.abandonment import Abandonment
from events.features.games.create import Creation
from events.features.games.forks import Forks
from events.features.games.moves import Moves
from events.features.games.views import Views
from events.features.interventions import Interventions
from events.features.invites.invites import Invites
from events.features.listings.pages import Listing
from events.features.matchmaking.lobby import Lobby
from events.features.matchmaking.quick_match import QuickMatch
from events.features.players.players import Players
from events.features.presence.presence import Presence
from events.features.ratings.leaderboards import Leaderboards
from events.features.records.exports import Exports
from events.features.records.replay import Replays
from events.features.records.signed_heads import SignedHeads
from events.features.rematches.rematches import Rematches
from events.features.seats.seats import Seats
from events.features.takebacks import TakebackRequests
from events.features.tickets.tickets import Tickets
from events.features.webhooks.app_logs import AppLogs
from events.features.webhooks.attendance import Attendance
from events.features.webhooks.endpoints import Endpoints


@dataclass(frozen=True, slots=True)
class Application:
    """All that the service and the workers may ask for. Safe to share among threads and greenlets."""

    abandonment: Abandonment
    app_logs: AppLogs
    attendance: Attendance
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
    presence: Presence
    apps: Apps
    erasure: Erasure
    leaderboards: Leaderboards
    rematches: Rematches
    takebacks: TakebackRequests
    timekeeping: Timekeeping | None
    webhooks: Endpoints
