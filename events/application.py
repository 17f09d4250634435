"""The engine as the service and the workers see it: its use cases by family, the ports that they need, their wiring."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from domain.game import Game
from events.caching import MIB, Memory
from events.engine.command_handler import Clock, CommandHandler, utc_now
from events.engine.repository import GameRepository
from events.features.analyses.decisions import Decisions
from events.features.apps.administration import Apps
from events.features.apps.callers import Callers
from events.features.apps.keys import AppKeys
from events.features.apps.port import AppStore, RunningGames
from events.features.bots.hints import Hints
from events.features.bots.remote_play import RemotePlay
from events.features.bots.turns import BotTurns
from events.features.claims import Claims
from events.features.clocks.port import ClockStore
from events.features.clocks.timekeeping import Timekeeping
from events.features.erasure import Erasure
from events.features.games.abandonment import Abandonment, Patience
from events.features.games.create import Creation
from events.features.games.forks import Forks
from events.features.games.moves import Moves
from events.features.games.port import SeatForkStore
from events.features.games.views import Views
from events.features.interventions import Interventions
from events.features.invites.invites import Invites
from events.features.invites.port import InviteStore
from events.features.listings.pages import Listing
from events.features.listings.port import ListingStore
from events.features.listings.projection import Listings
from events.features.matchmaking.lobby import Lobby
from events.features.matchmaking.port import MatchStore
from events.features.matchmaking.quick_match import QuickMatch
from events.features.own_data.own_data import OwnDataOfGames
from events.features.own_data.port import OwnDataStore
from events.features.players.players import Players
from events.features.players.port import PlayerStore
from events.features.presence.port import PresenceStore
from events.features.presence.presence import Presence
from events.features.ratings.leaderboards import Leaderboards
from events.features.ratings.port import CountingGames, RatingStore
from events.features.ratings.ratings import Ratings
from events.features.records.exports import Exports
from events.features.records.replay import Replays
from events.features.records.signed_heads import SignedHeads
from events.features.registered_bots.port import RegisteredBotStore
from events.features.registered_bots.registry import Registry
from events.features.registered_bots.seating import Seating
from events.features.rematches.port import ConsentStore
from events.features.rematches.rematches import Rematches
from events.features.seats.erased_players import ErasedPlayers
from events.features.seats.seats import Seats
from events.features.takebacks import TakebackRequests
from events.features.tickets.embedding import EmbedTickets
from events.features.tickets.port import TicketStore
from events.features.tickets.tickets import Tickets
from events.features.usage.port import CountsStore
from events.features.usage.quotas import Admission
from events.features.usage.usage import Usage
from events.features.webhooks.app_logs import AppLogs
from events.features.webhooks.attendance import Attendance
from events.features.webhooks.endpoints import Endpoints
from events.features.webhooks.payloads import Payloads
from events.features.webhooks.port import AppLogStore, AttendanceStore, EndpointStore
from events.log.signing import Keyring
from events.measures import UNCOUNTED, Measures
from events.ports import EventStore, UrlGuard
from events.scheduling import Slices
from events.url_guard import Allowed, Guard


@dataclass(frozen=True, slots=True)
class Adapters:
    """Adapters of an application, each named after what it keeps.

    Without an adapter for `app_logs`, `apps`, `attendance`, `bots` (of apps), `consents` (to rematches), `endpoints`,
    `invites`, `matches`, `own_data`, `ratings`, `tickets` or `usage`, nothing of that kind exists. Without one for
    `clocks` no use case notices that time is up; without one for `presence` nobody is known to be connected.
    """

    events: EventStore
    listings: ListingStore
    players: PlayerStore
    app_logs: AppLogStore | None = None
    apps: AppStore | None = None
    attendance: AttendanceStore | None = None
    bots: RegisteredBotStore | None = None
    clocks: ClockStore | None = None
    consents: ConsentStore | None = None
    counting: CountingGames | None = None
    endpoints: EndpointStore | None = None
    invites: InviteStore | None = None
    matches: MatchStore | None = None
    own_data: OwnDataStore | None = None
    presence: PresenceStore | None = None
    ratings: RatingStore | None = None
    running: RunningGames | None = None
    seat_forks: SeatForkStore | None = None
    tickets: TicketStore | None = None
    usage: CountsStore | None = None


@dataclass(frozen=True, slots=True)
class Application:
    """The use cases that the service and the workers call, by family. Safe to share among threads and greenlets."""

    abandonment: Abandonment
    admission: Admission
    app_logs: AppLogs
    attendance: Attendance
    callers: Callers
    claims: Claims
    views: Views
    creation: Creation
    forks: Forks
    seats: Seats
    invites: Invites
    tickets: Tickets
    embed_tickets: EmbedTickets
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
    own_data: OwnDataOfGames
    quick_match: QuickMatch
    players: Players
    presence: Presence
    apps: Apps
    bots: Registry
    erasure: Erasure
    leaderboards: Leaderboards
    rematches: Rematches
    takebacks: TakebackRequests
    timekeeping: Timekeeping | None
    usage: Usage
    webhooks: Endpoints


def wired(
    on: Adapters,
    games: Mapping[str, Game],
    *,
    app_keys: Mapping[str, str] | None = None,
    memory: Memory | None = None,
    slices: Slices | None = None,
    now: Clock = utc_now,
    guard: UrlGuard | None = None,
    keyring: Callable[[], Keyring] = Keyring,
    measures: Measures = UNCOUNTED,
    patience: Patience | None = None,
    steady: Callable[[], float] = time.monotonic,
) -> Application:
    """The application on these adapters.

    `app_keys`: the app keys of the settings: by app, the SHA-256 of its key in hex. `guard` says which remote bots may
    be called; by default those on the public internet. `keyring` gives the keys that sign heads; by default nothing is
    signed. `memory`: the budget of the caches, 128 MiB by default. `patience` says when abandoned games are aborted,
    measured with `now` and with `steady`, a monotonic clock; by default never.
    """
    store, slices, memory = on.events, slices or Slices(), memory or Memory(128 * MIB)
    keys = AppKeys(app_keys, on.apps)
    repository = GameRepository(store, games, slices, memory)
    handler = CommandHandler(store, repository, now)
    names, lines = Players(on.players), Listings(on.listings)
    heads = SignedHeads(store, repository, keyring)
    callers = Callers(repository, keys)
    views = Views(store, repository, heads, names, keys, slices, now)
    guard = guard or Guard(Allowed())
    timekeeping = None if on.clocks is None else Timekeeping(repository, handler, on.clocks, measures)
    registry = Registry(on.bots, guard, now, measures)
    admission = Admission(keys, on.usage)
    own_data = OwnDataOfGames(on.own_data, store, repository, keys)
    erased_players = ErasedPlayers(names, lines, repository, handler, heads)
    creation = Creation(
        store,
        repository,
        handler,
        names,
        lines,
        erased_players,
        guard,
        own_data,
        Seating(registry),
        now,
        on.running,
        on.seat_forks,
        on.counting,
        admission,
    )
    ratings = Ratings(on.ratings, names.erased)
    leaderboards = Leaderboards(ratings, lines, repository, names, keys)
    changes = leaderboards.changes
    logs = AppLogs(store, repository, on.app_logs, names, own_data, attendance=on.attendance, ratings=changes)
    presence = Presence(on.presence)
    quick_match = QuickMatch(on.matches, store, repository, names, creation, now, on.ratings)
    erasure = Erasure(names, ratings, lines, own_data, quick_match, repository, erased_players, on.counting)
    return Application(
        abandonment=Abandonment(repository, handler, heads, lines, patience or Patience(), now, steady),
        app_logs=logs,
        claims=Claims(store, repository, handler, presence, now),
        attendance=Attendance(repository, logs, on.presence, now),
        callers=callers,
        views=views,
        creation=creation,
        forks=Forks(store, repository, views, callers, creation, handler, on.seat_forks),
        seats=Seats(store, repository, handler, names, keys, now, erased_players, on.invites),
        invites=Invites(on.invites, repository, keys),
        tickets=Tickets(on.tickets, repository, views),
        embed_tickets=EmbedTickets(on.tickets, repository, views),
        interventions=Interventions(store, repository, handler, heads, keys),
        moves=Moves(repository, handler, views, timekeeping),
        bot_turns=BotTurns(repository, handler, heads, lines, measures),
        remote=RemotePlay(store, repository, handler, now, memory, registry),
        hints=Hints(store, repository, handler, measures),
        decisions=Decisions(store, repository),
        replays=Replays(store, repository, slices),
        exports=Exports(store, heads, slices, memory),
        heads=heads,
        listing=Listing(lines, repository, names, own_data),
        lobby=Lobby(lines, names),
        own_data=own_data,
        quick_match=quick_match,
        players=names,
        presence=presence,
        apps=Apps(on.apps),
        bots=registry,
        erasure=erasure,
        leaderboards=leaderboards,
        rematches=Rematches(store, on.consents, repository, handler, creation, keys, names),
        takebacks=TakebackRequests(store, repository, handler, views, slices),
        timekeeping=timekeeping,
        usage=Usage(on.usage, now, admission),
        admission=admission,
        webhooks=Endpoints(
            on.endpoints, logs, repository, guard, Payloads(repository, views, keys, logs), now, keys
        ),
    )
