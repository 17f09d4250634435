"""Requests in traces: a span for each, by the way that it is answered, where there are traces at all."""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol
from wsgiref.types import StartResponse, WSGIEnvironment

from werkzeug.wrappers import Response

from service.http.call import Call
from service.http.operations.access_log import AccessLog
from service.http.responses import Reply

if TYPE_CHECKING:
    from events.tracing.traces import Request, Traces

WsgiApp = Callable[[WSGIEnvironment, StartResponse], Iterable[bytes]]


class HotPath(Protocol):
    """The way of hot requests past the application: `service.http.fast_path`, or the same with spans."""

    def answer(self, call: Call, start_response: StartResponse) -> Iterable[bytes] | None:
        """The body of the answer, once its head is started; None leaves the request to Flask."""

    def reply_to(self, environ: WSGIEnvironment, extensions: Mapping[str, Any]) -> Reply | Response | None:
        """The answer to a request of which no `Call` has been made yet; None leaves it to the whole application."""


class TracedFastPath:
    """The fast path, with a span for each request that it answers past the application."""

    def __init__(self, fast_path: HotPath, traces: "Traces") -> None:
        self._traces = traces
        self._reply_to = fast_path.reply_to
        self.answer = fast_path.answer  # within the application, which has a span of its own

    def reply_to(self, environ: WSGIEnvironment, extensions: Mapping[str, Any]) -> Reply | Response | None:
        """The answer; None leaves it, and the span, to the application."""
        request = _begun(self._traces, environ)
        reply = None
        try:
            reply = self._reply_to(environ, extensions)
        finally:
            if reply is None:
                request.leave()
            else:
                request.end()
        return reply


def traced_app(app: WsgiApp, traces: "Traces") -> WsgiApp:
    """The application with a span for each request, until the head of its answer is there."""

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        request = _begun(traces, environ)
        try:
            return app(environ, start_response)
        finally:
            request.end()

    return answer


def noting(access_log: AccessLog | None) -> AccessLog:
    """The access log, if there is one; the open span gets to know the same."""
    from events.tracing.traces import note_answer

    def note(call: Call, method: str, route: str, status: int, *, streams: bool) -> None:
        note_answer(method, route, status, call.request_id)
        if access_log is not None:
            access_log(call, method, route, status, streams=streams)

    return note


def _begun(traces: "Traces", environ: WSGIEnvironment) -> "Request":
    parent, state = environ.get("HTTP_TRACEPARENT", ""), environ.get("HTTP_TRACESTATE", "")
    return traces.begin_request(environ["REQUEST_METHOD"], parent, state)
