"""The fast path: hot operations answered past Flask, by the same views and with the same bytes.

It knows their routes, and what Flask itself would read of a request for them: method, path and host. All else is read
by the views, whichever way a request comes. What is unusual is left to Flask before anything is done.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final
from wsgiref.types import StartResponse, WSGIEnvironment

from werkzeug.wrappers import Response

from service.http.admission.hosts import host_name
from service.http.admission.pace import Pace
from service.http.blueprint import Operation
from service.http.call import CALL, REQUEST_ID, Call
from service.http.operations.request_metrics import STREAM, count, template
from service.http.preconditions import CHANGES, held, refuse_unread
from service.http.request_context import refuse_foreign_page
from service.http.responses import (
    ON_EVERY_ANSWER,
    STATUS,
    Reply,
    show_quota,
    vary_by_origin,
    with_common_headers,
)

CONVERTERS: Final = {
    "<game_id:game_id>": "(?P<game_id>[0-9A-Za-z]{1,64})"
}  # of routes, as regular expressions
NOT_MODIFIED: Final = 304
PATHS_KEPT: Final = 1000  # callers ask for the same ones again and again


class Route:
    """A hot operation: its method, the paths that it answers, by which view, its name in the metrics, its scope."""

    def __init__(
        self,
        method: str,
        pattern: re.Pattern[str],
        view: Callable[..., Reply | Response],
        name: str,
        scope: str,
    ) -> None:
        self.method = method
        self.pattern = pattern
        self.view = view
        self.name = name
        self.scope = scope


class FastPath:
    """Answers requests for hot operations."""

    def __init__(
        self,
        operations: Iterable[Operation],
        refuse: Callable[[Exception], Response],
        *,
        by_origin: bool,
        pace: Pace | None = None,
    ) -> None:
        """`refuse`: the answer to what a view raises; `by_origin`: whether answers depend on whose page asks.

        `pace`: what counts requests and refuses those that are too many.
        """
        self._routes = defaultdict[str, list[Route]](list)
        for operation in operations:
            if operation.hot:
                self._routes[operation.method].append(_route(operation))
        self._refuse = refuse
        self._by_origin = by_origin
        self._pace = pace
        self._found: dict[str, Found] = {}

    def reply_to(self, environ: WSGIEnvironment, extensions: Mapping[str, Any]) -> Reply | Response | None:
        """The answer to a request of which no `Call` has been made yet; None leaves it to the whole application."""
        call = Call(environ, extensions)
        token = CALL.set(call)
        try:
            return self.reply(call)
        finally:
            CALL.reset(token)

    def answer(self, call: Call, start_response: StartResponse) -> Iterable[bytes] | None:
        """The body of the answer, once its head is started; None leaves the request to Flask."""
        reply = self.reply(call)
        if reply is None:
            return None
        if isinstance(reply, Reply):
            start_response(STATUS[reply.status], reply.headers + ON_EVERY_ANSWER)
            return [reply.body]
        return reply(call.environ, with_common_headers(start_response))

    def reply(self, call: Call) -> Reply | Response | None:
        """The answer, counted; None leaves the request to Flask."""
        environ = call.environ
        found = self._find(environ["REQUEST_METHOD"], environ["PATH_INFO"])
        if found is None or not _is_plain(environ):
            return None
        route = found.route
        call.scope = route.scope
        try:
            if self._pace is not None:
                self._pace.count(call)
            reply = held(route.view(**found.parameters))
        except Exception as error:  # noqa: BLE001 -- whatever it is, it is answered
            reply = self._refuse(error)
        if isinstance(reply, Reply):
            count(call, route.method, route.name, reply.status)
            if self._by_origin:
                reply.vary("Origin")
            length = "" if reply.status == NOT_MODIFIED else f"Content-Length: {len(reply.body)}\r\n"
            reply.lines = f"{reply.lines}{length}{call.quota}{REQUEST_ID}: {call.request_id}\r\n"
            return reply
        if self._by_origin:
            vary_by_origin(reply)
        show_quota(reply)
        reply.headers[REQUEST_ID] = call.request_id
        count(call, route.method, route.name, reply.status_code, streams=reply.mimetype == STREAM)
        return reply

    def _find(self, method: str, path: str) -> "Found | None":
        """The hot operation that is asked for, if any; paths that were asked for lately are remembered."""
        found = self._found.get(path)
        if found is not None and found.route.method == method:
            return found
        for route in self._routes.get(method, ()):
            match = route.pattern.fullmatch(path)
            if match is not None:
                if len(self._found) >= PATHS_KEPT:
                    self._found.clear()
                found = self._found[path] = Found(route, match.groupdict())
                return found
        return None


class Found:
    """A hot operation that is asked for, and what its path says."""

    def __init__(self, route: Route, parameters: dict[str, Any]) -> None:
        self.route = route
        self.parameters = parameters


def _route(operation: Operation) -> Route:
    pattern = operation.path
    for converter, expression in CONVERTERS.items():
        pattern = pattern.replace(converter, expression)
    view = _conditional(operation) if operation.method in CHANGES else operation.view
    view = view if operation.foreign else _closed_to_foreign_pages(view)
    return Route(operation.method, re.compile(pattern), view, template(operation.path), operation.scope)


def _conditional(operation: Operation) -> Callable[..., Reply | Response]:
    """The view, refused on conditions that it does not read, as Flask's door refuses it."""
    view: Callable[..., Reply | Response] = operation.view

    def answer(**parameters: Any) -> Reply | Response:
        refuse_unread(operation.headers)
        return view(**parameters)

    return answer


def _closed_to_foreign_pages(view: Callable[..., Reply | Response]) -> Callable[..., Reply | Response]:
    """The view, refused to pages of other sites; Flask has a hook that refuses it."""

    def answer(**parameters: Any) -> Reply | Response:
        refuse_foreign_page()
        return view(**parameters)

    return answer


def _is_plain(environ: WSGIEnvironment) -> bool:
    """True if Flask, too, would see nothing in the request but its method and path."""
    host: str | None = environ.get("HTTP_HOST")
    return (
        host is not None
        and host_name(host) is not None
        and "HTTP_UPGRADE" not in environ
        and environ.get("QUERY_STRING", "").isascii()
    )
