"""The fast path: hot operations answered past Flask, by the same views and with the same bytes.

It knows their routes, and what Flask itself would read of a request for them: method, path and host. All else is read
by the views, whichever way a request comes. What is unusual is left to Flask before anything is done.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from http import HTTPStatus
from typing import Any, Final
from wsgiref.types import StartResponse, WSGIEnvironment

from werkzeug.http import HTTP_STATUS_CODES
from werkzeug.wrappers import Response

from service.http.blueprint import Operation
from service.http.call import Call
from service.http.operations.request_metrics import STREAM, count, template
from service.http.request_context import refuse_foreign_page
from service.http.responses import ON_EVERY_ANSWER, Reply, vary_by_origin, with_common_headers

CONVERTERS: Final = {
    "<game_id:game_id>": "(?P<game_id>[0-9A-Za-z]{1,64})"
}  # of routes, as regular expressions
STATUS: Final = {code: f"{code} {phrase.upper()}" for code, phrase in HTTP_STATUS_CODES.items()}

# What Flask takes for a host without looking twice: a name or an IPv4 address, and a port.
_PLAIN_HOST = re.compile(r"[0-9A-Za-z-]{1,63}(\.[0-9A-Za-z-]{1,63}){0,3}(:[0-9]{1,5})?")


@dataclass(frozen=True, slots=True)
class Route:
    """A hot operation: its method, the paths that it answers, by which view, and its name in the metrics."""

    method: str
    pattern: re.Pattern[str]
    view: Callable[..., Reply | Response]
    name: str


class FastPath:
    """Answers requests for hot operations."""

    def __init__(
        self,
        operations: Iterable[Operation],
        refuse: Callable[[Exception], Response],
        *,
        by_origin: bool,
    ) -> None:
        """`refuse`: the answer to what a view raises; `by_origin`: whether answers depend on whose page asks."""
        self._routes = defaultdict[str, list[Route]](list)
        for operation in operations:
            if operation.hot:
                self._routes[operation.method].append(_route(operation))
        self._refuse = refuse
        self._by_origin = by_origin

    def answer(self, call: Call, start_response: StartResponse) -> Iterable[bytes] | None:
        """The body of the answer, once its head is started; None leaves the request to Flask."""
        environ = call.environ
        for route in self._routes.get(environ["REQUEST_METHOD"], ()):
            found = route.pattern.fullmatch(environ["PATH_INFO"])
            if found is not None and _is_plain(environ):
                return self._answer(call, route, found.groupdict(), start_response)
        return None

    def _answer(
        self, call: Call, route: Route, parameters: dict[str, Any], start_response: StartResponse
    ) -> Iterable[bytes]:
        try:
            reply = route.view(**parameters)
        except Exception as error:  # noqa: BLE001 -- whatever it is, it is answered
            reply = self._refuse(error)
        if isinstance(reply, Reply):
            body, status, headers = reply
            if self._by_origin:
                headers = [(name, f"{value}, Origin" if name == "Vary" else value) for name, value in headers]
            if status != HTTPStatus.NOT_MODIFIED:
                headers.append(("Content-Length", str(len(body))))
            headers += ON_EVERY_ANSWER
            count(call, route.method, route.name, status)
            start_response(STATUS[status], headers)
            return [body]
        if self._by_origin:
            vary_by_origin(reply)
        count(call, route.method, route.name, reply.status_code, streams=reply.mimetype == STREAM)
        return reply(call.environ, with_common_headers(start_response))


def _route(operation: Operation) -> Route:
    pattern = operation.path
    for converter, expression in CONVERTERS.items():
        pattern = pattern.replace(converter, expression)
    view = operation.view if operation.foreign else _closed_to_foreign_pages(operation.view)
    return Route(operation.method, re.compile(pattern), view, template(operation.path))


def _closed_to_foreign_pages(view: Callable[..., Reply | Response]) -> Callable[..., Reply | Response]:
    """The view, refused to pages of other sites; Flask has a hook that refuses it."""

    def answer(**parameters: Any) -> Reply | Response:
        refuse_foreign_page()
        return view(**parameters)

    return answer


def _is_plain(environ: WSGIEnvironment) -> bool:
    """Whether Flask, too, would see nothing in the request but its method and path."""
    return (
        _is_plain_host(environ.get("HTTP_HOST"))
        and "HTTP_UPGRADE" not in environ
        and environ.get("QUERY_STRING", "").isascii()
    )


@lru_cache(maxsize=256)
def _is_plain_host(host: str | None) -> bool:
    return host is not None and _PLAIN_HOST.fullmatch(host) is not None
