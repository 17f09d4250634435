# compiled into serving
"""Metrics of answered requests, by the route that each matched and never by its path."""

import time
from functools import cache

from events.runtime import metrics
from events.runtime.quick_metrics import QuickCounter, QuickHistogram
from service.http.call import Call
from service.http.operations.access_log import AccessLog


def note_answer(call: Call, access_log: AccessLog | None) -> None:
    """Count an answered request, and its duration unless it waited on purpose or is a stream.

    Requests that match no route are counted together, so that senders cannot add labels.
    """
    route, reply = call.found.route.name, call.reply
    method = call.method if route else ""
    _requests(method, route, reply.status).inc()
    if call.app is not None:
        _of_app(metrics.APPS.label(call.app), "limited" if reply.status == 429 else "answered").inc()
    if not reply.streams and not _waits(call):
        _seconds(method, route).observe(time.perf_counter() - call.began)
    if access_log is not None:
        access_log(call, method, route, reply.status, streams=reply.streams)


@cache
def _requests(method: str, route: str, status: int) -> QuickCounter:
    return QuickCounter(metrics.REQUESTS.labels(method, route, status))


@cache
def _of_app(app: str, outcome: str) -> QuickCounter:
    return QuickCounter(metrics.APP_REQUESTS.labels(app, outcome))


@cache
def _seconds(method: str, route: str) -> QuickHistogram:
    return QuickHistogram(metrics.REQUEST_SECONDS.labels(method, route))


def _waits(call: Call) -> bool:
    return bool(call.environ.get("QUERY_STRING")) and call.arguments().get("wait", ["0"])[0] != "0"
