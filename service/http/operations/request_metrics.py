"""Every answered request is counted, by the route that it matched and never by its path."""

import re
import time
from functools import cache

from flask import Flask, request
from prometheus_client import Counter, Histogram
from werkzeug.wrappers import Response

from events.runtime import metrics

PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")
BEGAN = "migrato.began"
STREAM = "text/event-stream"


def measure(app: Flask) -> None:
    """Count this app's requests from now on."""
    app.before_request(_begin)
    app.after_request(_note)


def _begin() -> None:
    request.environ[BEGAN] = time.perf_counter()


def _note(response: Response) -> Response:
    method, route = _matched()
    _requests(method, route, response.status_code).inc()
    if not _takes_its_time(response):
        _seconds(method, route).observe(time.perf_counter() - request.environ[BEGAN])
    return response


@cache
def _requests(method: str, route: str, status: int) -> Counter:
    return metrics.REQUESTS.labels(method, route, status)


@cache
def _seconds(method: str, route: str) -> Histogram:
    return metrics.REQUEST_SECONDS.labels(method, route)


def _matched() -> tuple[str, str]:
    """The method and the template of the route; what matches none is counted together, whatever its sender chose."""
    rule = request.url_rule
    return ("", "") if rule is None else (request.method, _template(rule.rule))


@cache
def _template(rule: str) -> str:
    return PARAMETER.sub(r"{\1}", rule)


def _takes_its_time(response: Response) -> bool:
    return response.mimetype == STREAM or request.args.get("wait", "0") != "0"
