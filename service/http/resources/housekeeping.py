"""State of the service, for operators."""

from compiled import in_use
from events.errors import StoreUnavailable
from events.features.apps.scopes import ADMIN
from events.runtime import metrics
from service import __version__
from service.http.blueprint import Answer, ApiBlueprint
from service.http.operations.readiness import STORE_AWAY
from service.http.parts import parts
from service.http.problems import Problem
from service.http.request_context import current_caller, use_cases
from service.http.request_parsing import bearer_token, query
from service.http.responses import NO_STORE, VARY, Reply, answer, text
from service.http.schemas.common.queries import NoQuery
from service.http.schemas.housekeeping import Health
from service.http.schemas.housekeeping import Readiness as ReadinessShape

housekeeping = ApiBlueprint("Health", "The state of the service.")

_NO_QUERY = NoQuery()
EXPOSITION = "In the text format of Prometheus."


@housekeeping.operation(
    "GET",
    "/healthz",
    summary="Health of this process",
    token="none",
    answers={200: Answer("The process is running.", {"application/json": Health()})},
    foreign=True,
)
def healthz() -> Reply:
    """Checks this process only. For process supervisors."""
    query(_NO_QUERY)
    return answer({"status": "ok", "version": __version__, "domain": in_use()}, cache="no-store")


@housekeeping.operation(
    "GET",
    "/readyz",
    summary="Readiness of the service",
    token="none",
    answers={200: Answer("The service is ready.", {"application/json": ReadinessShape()})},
    problems=("not-ready",),
    foreign=True,
)
def readyz() -> Reply:
    """Checks that the store answers, and that the dispatcher and at least one worker of each required kind are
    running. For load balancers. `degraded` is an answer 200, too, and `reasons` say why.
    """
    query(_NO_QUERY)
    readiness = parts().readiness
    there = readiness.checks()
    if there.get("store"):
        parts().warnings.over(STORE_AWAY, "the store answers again")
    words = {name: "ok" if is_there else "down" for name, is_there in there.items()}
    if not all(there.values()):
        down = ", ".join(name for name, is_there in there.items() if not is_there)
        raise Problem("not-ready", f"Not running: {down}.", checks=words)
    reasons = {
        fault.code: fault.detail for fault in readiness.faults()
    }  # the addresses of servers are not shown
    if reasons:
        told = [{"code": code, "detail": detail} for code, detail in reasons.items()]
        return answer({"status": "degraded", "checks": words, "reasons": told}, cache="no-store")
    return answer({"status": "ok", "checks": words}, cache="no-store")


@housekeeping.operation(
    "GET",
    "/metrics",
    summary="Metrics",
    answers={200: Answer("Metrics for Prometheus.", {"text/plain": EXPOSITION})},
    problems=("unauthorized", "forbidden"),
)
def exposed_metrics() -> Reply:
    """Numbers and durations of requests, of bots' moves and of waiting games, as sums over all games."""
    whose = _whose()
    query(_NO_QUERY)
    exposition = metrics.exposition(parts().queue_metrics, of_app=whose)
    return text(exposition, metrics.CONTENT_TYPE, {"Cache-Control": NO_STORE, "Vary": VARY})


def _whose() -> str | None:
    """The app whose metrics the caller may see: its own; None for all apps, if the caller is an administrator, or no
    keys are needed.

    Other callers are refused. While the store does not answer, every caller gets metrics without those of apps.
    """
    try:
        caller = current_caller()
        use_cases().callers.acting_app(caller)
    except StoreUnavailable:
        if bearer_token() is not None:
            raise
        return ""
    return None if ADMIN in caller.scopes else caller.app
