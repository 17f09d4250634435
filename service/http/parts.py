"""Parts of the service: made once from the settings, and used by its requests."""

import logging
import time
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from ipaddress import ip_network
from typing import TYPE_CHECKING, Final

from events.application import Application
from events.features.bots.questions import BotQuestions
from events.runtime import adapters, bootstrap
from events.runtime.rates import rates_of
from events.runtime.settings import Settings
from events.scheduling import Slices
from events.warning_throttle import WarningThrottle
from service.http.admission.addresses import Addresses
from service.http.admission.concurrency import EXPORTS, ConcurrencyLimits
from service.http.admission.cors import Cors
from service.http.admission.origins import Origins
from service.http.admission.pace import Guesses, Pace
from service.http.admission.rates import RateLimits, Scale
from service.http.operations.access_log import AccessLog, access_log
from service.http.operations.open_streams import OpenStreams
from service.http.operations.queue_metrics import QueueMetrics
from service.http.operations.readiness import Readiness, RedisReadiness
from service.http.operations.tracing import noting
from service.http.streaming import Broadcast

if TYPE_CHECKING:
    from events.tracing.traces import Traces

log = logging.getLogger("migrato.app")

LOOK = 0.0002  # seconds that long work pauses: gevent looks at sockets before it wakes a greenlet that sleeps


@dataclass(frozen=True, slots=True)
class Parts:
    """Parts of one service. `pace`, `guesses` and `access_log` are None where they are off."""

    settings: Settings
    use_cases: Application
    bot_questions: BotQuestions
    readiness: Readiness
    queue_metrics: QueueMetrics
    warnings: WarningThrottle
    broadcast: Broadcast
    access_log: AccessLog | None
    origins: Origins
    cors: Cors
    pace: Pace | None
    guesses: Guesses | None
    rate_limits: RateLimits
    concurrency: ConcurrencyLimits
    exports: ConcurrencyLimits
    open_streams: OpenStreams

    @property
    def are_answers_by_origin(self) -> bool:
        """True if an answer may depend on the origin of the page that sent the request."""
        return self.origins.watched or self.cors.restricted


def parts_of(
    settings: Settings,
    application: Application | None = None,
    readiness: Readiness | None = None,
    bot_questions: BotQuestions | None = None,
    traces: "Traces | None" = None,
) -> Parts:
    """The parts: those that are given, and the others as the settings ask for."""
    use_cases = application or bootstrap.application(settings, Slices(_pause), traces=traces)
    warnings = WarningThrottle(log)
    addresses = Addresses(map(ip_network, settings.trusted_proxies), warnings)
    callers = use_cases.callers
    scale = Scale(addresses, callers.are_there_keys, callers.app_at_hand, callers.limits_at_hand)
    rates = rates_of(settings.limits)
    noted = access_log(settings)
    return Parts(
        settings=settings,
        use_cases=use_cases,
        bot_questions=bot_questions or bootstrap.bot_questions(settings, use_cases),
        readiness=readiness or RedisReadiness.from_settings(settings),
        queue_metrics=QueueMetrics.from_settings(settings),
        warnings=warnings,
        broadcast=Broadcast(use_cases, warnings, bootstrap.memory(settings)),
        access_log=noted if traces is None else noting(noted),
        origins=Origins(settings, use_cases.callers.are_there_keys),
        cors=Cors(settings),
        pace=Pace(rates["requests"], scale) if "requests" in rates else None,
        guesses=Guesses(rates["guesses"], scale) if "guesses" in rates else None,
        rate_limits=RateLimits(rates, adapters.rate_counts(settings), scale, warnings),
        concurrency=ConcurrencyLimits(settings.streams_per_caller, addresses),
        exports=ConcurrencyLimits(EXPORTS, addresses, name="exports", what="exports under way"),
        open_streams=OpenStreams(adapters.usage_notes(settings)),
    )


def _pause() -> None:
    time.sleep(LOOK)  # gevent's sleep, where gunicorn runs the service: all other greenlets go first


PARTS: Final[ContextVar[Parts]] = ContextVar("parts")

parts: Callable[[], Parts] = PARTS.get
