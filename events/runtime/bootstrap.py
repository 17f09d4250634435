"""The engine of a process, by its settings: the application on its adapters, questions, guards and webhooks."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from domain.registry import GAMES
from events.application import Application, wired
from events.archive.mover import Mover, Step, no_progress
from events.archive.reader import ArchiveReader
from events.caching import MIB, Memory
from events.engine.command_handler import utc_now
from events.features.analyses.analyses import Analyses
from events.features.apps.administration import Apps
from events.features.apps.keys import AppKeys
from events.features.bots.questions import MOST, BotQuestions
from events.features.bots.trials import MARGIN, Trials
from events.features.games.abandonment import Patience
from events.features.listings.projection import Listings
from events.features.ratings.ratings import Ratings
from events.features.usage.counting import Counting
from events.features.usage.quotas import Admission
from events.features.usage.usage import Usage
from events.features.webhooks.choices import Choices
from events.features.webhooks.port import Lease
from events.ports import Feed
from events.retention.periods import Periods
from events.retention.retention import Retention
from events.runtime import adapters, metrics
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


def bot_questions(settings: Settings, application: Application) -> BotQuestions:
    """The questions to bots, through the settings' job queue; connects when first asked."""
    patience = max(MOST, settings.remote_seconds + MARGIN)
    queue, kept, call = adapters.question_queue(settings, patience)
    return BotQuestions(
        GAMES,
        application.hints,
        Analyses(application.decisions, kept),
        queue,
        PrometheusMeasures(),
        is_gone=application.callers.is_gone,
        admission=application.admission,
        trials=Trials(application.bots, queue, call, settings.remote_seconds),
    )


def apps(settings: Settings) -> Apps:
    """The apps in the settings' store, for those who administer them; connects when first asked."""
    return Apps(adapters.app_store(settings))


def usage(settings: Settings) -> Usage:
    """Usage of the apps in the settings' store, for those who administer them."""
    store = adapters.usage_store(settings)
    return Usage(store, utc_now, Admission(AppKeys(settings.app_keys, adapters.app_store(settings)), store))


def usage_counting(settings: Settings) -> Counting:
    """The object that counts the usage of all apps."""
    return Counting(adapters.usage_store(settings), adapters.usage_source(settings), metrics.tell_usage)


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
    choices: Choices


def webhook_parts(settings: Settings, application: Application) -> WebhookParts:
    """The parts of a webhook worker."""
    return WebhookParts(
        application,
        adapters.app_logs_feed(settings),
        adapters.webhooks_lease(settings),
        guard(settings),
        Choices(*adapters.done_jobs(settings)),
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


def retention(settings: Settings, step: Step = no_progress, slices: Slices | None = None) -> Retention:
    """Retention of the settings' games, whose long work `slices` does; `step` is called before each step."""
    listings, ratings, own_data = adapters.of_retention(settings)
    return Retention(
        adapters.whole_games(settings),
        ArchiveReader(storage(settings), slices=slices),
        Listings(listings),
        Ratings(ratings, lambda _: set()),
        own_data,
        GAMES,
        Periods(settings.listings_keep, settings.archive_keep),
        KeyFiles(settings.signing_keys).keyring,
        step=step,
        slices=slices,
    )
