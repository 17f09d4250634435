"""How the service is, for those who run it."""

from flask import current_app
from werkzeug.wrappers import Response

from service import __version__
from service.answers import answer
from service.problems import Problem
from service.readiness import Readiness
from service.reading import query
from service.schemas.answers import Health
from service.schemas.answers import Readiness as ReadinessShape
from service.schemas.queries import NoQuery
from service.topic import Answer, Topic

housekeeping = Topic("Housekeeping", "How the service is.")

_NO_QUERY = NoQuery()


@housekeeping.operation(
    "GET",
    "/healthz",
    summary="The process answers",
    token="none",
    answers={200: Answer("It does.", {"application/json": Health()})},
)
def healthz() -> Response:
    """Asks nothing of anybody else; for the supervisor of this process."""
    query(_NO_QUERY)
    return answer({"status": "ok", "version": __version__}, cache="no-store")


@housekeeping.operation(
    "GET",
    "/readyz",
    summary="The service can serve games",
    token="none",
    answers={200: Answer("It can.", {"application/json": ReadinessShape()})},
    problems=("not-ready",),
)
def readyz() -> Response:
    """The store answers, and the dispatcher and at least one worker are alive; for load balancers."""
    query(_NO_QUERY)
    readiness: Readiness = current_app.extensions["readiness"]
    there = readiness.checks()
    words = {name: "ok" if is_there else "down" for name, is_there in there.items()}
    if not all(there.values()):
        down = ", ".join(name for name, is_there in there.items() if not is_there)
        raise Problem("not-ready", f"Not there: {down}.", checks=words)
    return answer({"status": "ok", "checks": words}, cache="no-store")
