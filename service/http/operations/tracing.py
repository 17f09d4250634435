"""Requests in traces: a span for each, where traces are enabled."""

from collections.abc import Callable
from typing import TYPE_CHECKING
from wsgiref.types import WSGIEnvironment

from service.http.call import Call
from service.http.operations.access_log import AccessLog
from service.http.responses import Reply

if TYPE_CHECKING:
    from events.tracing.traces import Traces

Answer = Callable[[WSGIEnvironment], Reply]


def traced(answer: Answer, traces: "Traces") -> Answer:
    """The same function with a span for each request, which ends with the head of its answer."""

    def answer_in_span(environ: WSGIEnvironment) -> Reply:
        parent, state = environ.get("HTTP_TRACEPARENT", ""), environ.get("HTTP_TRACESTATE", "")
        request = traces.begin_request(environ["REQUEST_METHOD"], parent, state)
        try:
            return answer(environ)
        finally:
            request.end()

    return answer_in_span


def noting(access_log: AccessLog | None) -> AccessLog:
    """The access log, if there is one, in a form that also adds its data to the open span."""
    from events.tracing.traces import note_answer

    def note(call: Call, method: str, route: str, status: int, *, streams: bool) -> None:
        note_answer(method, route, status, call.request_id)
        if access_log is not None:
            access_log(call, method, route, status, streams=streams)

    return note
