"""How the service is, for those who run it."""

from flask import current_app
from werkzeug.wrappers import Response

from compiled import in_use
from events.runtime import metrics
from service import __version__
from service.http.blueprint import Answer, ApiBlueprint
from service.http.operations.readiness import Readiness
from service.http.problems import Problem
from service.http.request_context import current_caller, use_cases
from service.http.request_parsing import query
from service.http.responses import NO_STORE, VARY, answer
from service.http.schemas.queries import NoQuery
from service.http.schemas.responses.housekeeping import Health
from service.http.schemas.responses.housekeeping import Readiness as ReadinessShape

housekeeping = ApiBlueprint("Housekeeping", "How the service is.")

_NO_QUERY = NoQuery()
EXPOSITION = "Metrics in the text format of Prometheus."


@housekeeping.operation(
    "GET",
    "/healthz",
    summary="The process answers",
    token="none",
    answers={200: Answer("It does.", {"application/json": Health()})},
    foreign=True,
)
def healthz() -> Response:
    """Asks nothing of anybody else; for the supervisor of this process."""
    query(_NO_QUERY)
    return answer({"status": "ok", "version": __version__, "domain": in_use()}, cache="no-store")


@housekeeping.operation(
    "GET",
    "/readyz",
    summary="The service can serve games",
    token="none",
    answers={200: Answer("It can.", {"application/json": ReadinessShape()})},
    problems=("not-ready",),
    foreign=True,
)
def readyz() -> Response:
    """The store answers, and the dispatcher and at least one worker of each kind that is to run are at work; for load
    balancers.
    """
    query(_NO_QUERY)
    readiness: Readiness = current_app.extensions["readiness"]
    there = readiness.checks()
    words = {name: "ok" if is_there else "down" for name, is_there in there.items()}
    if not all(there.values()):
        down = ", ".join(name for name, is_there in there.items() if not is_there)
        raise Problem("not-ready", f"Not there: {down}.", checks=words)
    return answer({"status": "ok", "checks": words}, cache="no-store")


@housekeeping.operation(
    "GET",
    "/metrics",
    summary="Figures about the service and its workers",
    answers={200: Answer("The figures, for Prometheus.", {"text/plain": EXPOSITION})},
    problems=("unauthorized", "forbidden"),
)
def exposed_metrics() -> Response:
    """How many requests are answered and how fast, how long bots think and games wait for them, how much is waiting:
    sums over all, nothing about any one game. Needs an app key where the service has any.
    """
    use_cases().callers.acting_app(current_caller())
    query(_NO_QUERY)
    figures = metrics.exposition(current_app.extensions["backlog"])
    headers = {"Cache-Control": NO_STORE, "Vary": VARY}
    return Response(figures, headers=headers, content_type=metrics.CONTENT_TYPE)
