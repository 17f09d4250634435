"""Every answered request is counted, by the route that it matched and never by its path."""

import re
import time
from functools import cache

from flask import Flask, request
from werkzeug.wrappers import Response

from events.runtime import metrics
from events.runtime.figures import QuickCounter, QuickHistogram
from service.http.call import Call, current_call

PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")
STREAM = "text/event-stream"


def measure(app: Flask) -> None:
    """Count this app's requests from now on."""
    app.after_request(_note)


def _note(response: Response) -> Response:
    count(current_call(), *_matched(), response.status_code, streams=response.mimetype == STREAM)
    return response


def count(call: Call, method: str, route: str, status: int, *, streams: bool = False) -> None:
    """Count an answered request; how long it took as well, unless it waited on purpose or goes on as a stream."""
    _requests(method, route, status).inc()
    if not streams and not _waits(call):
        _seconds(method, route).observe(time.perf_counter() - call.began)
    note = call.extensions["access_log"]
    if note is not None:
        note(call, method, route, status, streams=streams)


@cache
def _requests(method: str, route: str, status: int) -> QuickCounter:
    return QuickCounter(metrics.REQUESTS.labels(method, route, status))


@cache
def _seconds(method: str, route: str) -> QuickHistogram:
    return QuickHistogram(metrics.REQUEST_SECONDS.labels(method, route))


def _matched() -> tuple[str, str]:
    """The method and the template of the route; what matches none is counted together, whatever its sender chose."""
    rule = request.url_rule
    return ("", "") if rule is None else (request.method, template(rule.rule))


@cache
def template(rule: str) -> str:
    """A route as metrics and openapi.yaml write it."""
    return PARAMETER.sub(r"{\1}", rule)


def _waits(call: Call) -> bool:
    return bool(call.environ.get("QUERY_STRING")) and call.arguments().get("wait", ["0"])[0] != "0"
