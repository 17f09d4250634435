"""The wiring, in one place: from settings to an application and to a feed."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from domain.game import Game
from domain.registry import GAMES
from events.application import Application
from events.archive.mover import Mover, Step, no_progress
from events.caching import MIB, Memory
from events.engine.command_handler import Clock, CommandHandler, utc_now
from events.engine.repository import GameRepository
from events.features.analyses.analyses import Analyses
from events.features.analyses.decisions import Decisions
from events.features.apps.administration import Apps
from events.features.apps.callers import Callers
from events.features.apps.keys import AppKeys
from events.features.bots.hints import Hints
from events.features.bots.questions import MOST, BotQuestions
from events.features.bots.remote_play import RemotePlay
from events.features.bots.turns import BotTurns
from events.features.clocks.timekeeping import Timekeeping
from events.features.erasure import Erasure
from events.features.games.abandonment import Abandonment, Patience
from events.features.games.create import Creation
from events.features.games.forks import Forks
from events.features.games.moves import Moves
from events.features.games.views import Views
from events.features.interventions import Interventions
from events.features.invites.invites import Invites
from events.features.listings.pages import Listing
from events.features.listings.projection import Listings
from events.features.matchmaking.lobby import Lobby
from events.features.matchmaking.quick_match import QuickMatch
from events.features.players.players import Players
from events.features.presence.presence import Presence
from events.features.ratings.leaderboards import Leaderboards
from events.features.ratings.ratings import Ratings
from events.features.records.exports import Exports
from events.features.records.replay import Replays
from events.features.records.signed_heads import SignedHeads
from events.features.rematches.rematches import Rematches
from events.features.seats.erased_players import ErasedPlayers
from events.features.seats.seats import Seats
from events.features.takebacks import TakebackRequests
from events.features.tickets.tickets import Tickets
from events.features.webhooks.app_logs import AppLogs
from events.features.webhooks.attendance import Attendance
from events.features.webhooks.endpoints import Endpoints
from events.features.webhooks.payloads import Payloads
from events.features.webhooks.port import Lease
from events.log.signing import Keyring
from events.measures import UNCOUNTED, Measures
from events.ports import Feed, UrlGuard
from events.runtime import adapters
from events.runtime.key_files import KeyFiles
from events.runtime.metrics import PrometheusMeasures
from events.runtime.settings import Settings, SettingsError
from events.runtime.stores.archives import storage
from events.scheduling import Slices
from events.store.connections.client import CarrierOver
from events.tracing.store import TracedEventStore
from events.url_guard import Allowed, Guard

if TYPE_CHECKING:
    from events.tracing.traces import Traces


def application(
    settings: Settings,
    slices: Slices | None = None,
    carrier: CarrierOver | None = None,
    traces: "Traces | None" = None,
) -> Application:
    """The application that runs on the settings' Redis; connects when first asked.

    `slices` does its long work, without pauses unless it is given; `carrier` makes what carries out its calls; `traces`
    shows its appends, if it is given.
    """
    slices, kept = slices or Slices(), memory(settings)
    chosen = adapters.of_application(settings, slices, kept, carrier)
    if traces is not None:
        chosen = replace(chosen, events=TracedEventStore(chosen.events, traces))
    return wired(
        chosen,
        GAMES,
        app_keys=settings.app_keys,
        memory=kept,
        slices=slices,
        guard=guard(settings),
        keyring=_keys(settings).keyring,
        measures=PrometheusMeasures(),
        patience=Patience(settings.abort_waiting_after, settings.abort_silent_after),
    )


def traces(settings: Settings) -> "Traces | None":
    """This process's traces, if the settings ask for them; to be made once. SettingsError without the library."""
    if not settings.traces:
        return None
    try:
        from events.tracing.traces import Traces
    except ImportError as error:
        raise SettingsError(f"MIGRATO_TRACES=1 requires the extra `otel`: {error}.") from error
    return Traces(adapters.trace_contexts(settings))


def wired(
    on: adapters.Adapters,
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

    `app_keys` are those of the settings: by app, the SHA-256 of its key in hex.
    `guard` says which remote bots may be called; without one, those on the public internet. `keyring` gives the keys
    that sign heads; without one nothing is signed. `memory` is what may be kept, 128 MiB unless it is given. `patience`
    says when abandoned games are aborted, by `now` and by `steady`, a monotonic clock; never, unless it is given.
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
    erased_players = ErasedPlayers(names, lines, repository, handler, heads)
    creation = Creation(
        store,
        repository,
        handler,
        names,
        lines,
        erased_players,
        guard,
        now,
        on.running,
        on.seat_forks,
        on.counting,
    )
    logs = AppLogs(store, repository, on.app_logs, names, attendance=on.attendance)
    ratings = Ratings(on.ratings, names.erased)
    quick_match = QuickMatch(on.matches, store, repository, names, creation, now, on.ratings)
    erasure = Erasure(names, ratings, lines, quick_match, repository, erased_players, on.counting)
    return Application(
        abandonment=Abandonment(repository, handler, heads, lines, patience or Patience(), now, steady),
        app_logs=logs,
        attendance=Attendance(repository, logs, on.presence, now),
        callers=callers,
        views=views,
        creation=creation,
        forks=Forks(store, repository, views, callers, creation, handler, on.seat_forks),
        seats=Seats(store, repository, handler, names, keys, now, erased_players, on.invites),
        invites=Invites(on.invites, repository, keys),
        tickets=Tickets(on.tickets, repository, views),
        interventions=Interventions(store, repository, handler, heads, keys),
        moves=Moves(repository, handler, views, timekeeping),
        bot_turns=BotTurns(repository, handler, heads, lines, measures),
        remote=RemotePlay(store, repository, handler, now, memory),
        hints=Hints(store, repository, handler, measures),
        decisions=Decisions(store, repository),
        replays=Replays(store, repository, slices),
        exports=Exports(store, heads, slices, memory),
        heads=heads,
        listing=Listing(lines, repository, names),
        lobby=Lobby(lines, names),
        quick_match=quick_match,
        players=names,
        presence=Presence(on.presence),
        apps=Apps(on.apps),
        erasure=erasure,
        leaderboards=Leaderboards(ratings, lines, repository, names),
        rematches=Rematches(store, on.consents, repository, handler, creation, keys, names),
        takebacks=TakebackRequests(store, repository, handler, views, slices),
        timekeeping=timekeeping,
        webhooks=Endpoints(
            on.endpoints, logs, repository, guard, Payloads(repository, views, keys, names), now, keys
        ),
    )


def bot_questions(settings: Settings, application: Application) -> BotQuestions:
    """The questions to bots, through the settings' job queue; connects when first asked."""
    queue, kept = adapters.question_queue(settings, MOST)
    return BotQuestions(
        GAMES, application.hints, Analyses(application.decisions, kept), queue, PrometheusMeasures()
    )


def apps(settings: Settings) -> Apps:
    """The apps in the settings' store, for those who administer them; connects when first asked."""
    return Apps(adapters.app_store(settings))


def memory(settings: Settings) -> Memory:
    """Caches of a process."""
    return Memory(settings.cache_mb * MIB, PrometheusMeasures())


def _keys(settings: Settings) -> KeyFiles:
    keys = KeyFiles(settings.signing_keys)
    keys.keyring()  # so that keys that cannot be used stop the start
    return keys


def guard(settings: Settings) -> Guard:
    """Guard of the addresses of remote bots."""
    return Guard(Allowed.of(settings.remote_allow))


@dataclass(frozen=True, slots=True)
class WebhookParts:
    """Parts of a webhook worker."""

    application: Application
    feed: Feed
    lease: Lease
    guard: Guard


def webhook_parts(settings: Settings, application: Application) -> WebhookParts:
    """The parts of a webhook worker."""
    return WebhookParts(
        application, adapters.app_logs_feed(settings), adapters.webhooks_lease(settings), guard(settings)
    )


def mover(settings: Settings, step: Step = no_progress, slices: Slices | None = None) -> Mover:
    """Mover of games into the settings' archive, whose long work `slices` does; `step` is called before each step."""
    engine = application(replace(settings, cache_mb=8), slices)

    def sign(game_id: str) -> None:
        if engine.heads.key_id() is not None:
            engine.heads.with_final(engine.views.snapshot(game_id))

    return Mover(
        adapters.whole_games(settings),
        storage(settings),
        GAMES,
        settings.archive_after,
        sign=sign,
        signed=engine.heads.of_export,
        step=step,
        slices=slices,
    )
