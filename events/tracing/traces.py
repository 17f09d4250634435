"""Spans: one for a request, one for an append, one for a job. How they are sampled and where they go, OTEL_* says.

This module lists everything in a span: a route, a status, a request's id, a game's id, a job's name, the kind of an
error. Never a path or a query, a token, a player, a card, and never the text of an error.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from opentelemetry import context, trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, OTELResourceDetector, Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Span, SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from events.ports import TraceContexts

NAME: Final = "migrato-engine"
REQUEST_ID: Final = "migrato.request_id"
GAME_ID: Final = "migrato.game_id"
SERVER_ERRORS: Final = 500  # and beyond: the statuses that are our fault

Spans = Callable[[], SpanProcessor]


def sent_in_batches() -> SpanProcessor:
    """Spans go to a collector by OTLP over HTTP, some at a time, and wait for nothing; OTEL_* says where that is."""
    return BatchSpanProcessor(OTLPSpanExporter())


class Traces:
    """The spans of a process."""

    def __init__(self, contexts: TraceContexts, spans: Spans = sent_in_batches) -> None:
        """`contexts` leads from an append to its jobs; `spans` makes what the process's spans go to."""
        named = Resource({SERVICE_NAME: NAME}).merge(OTELResourceDetector().detect())
        self._provider = TracerProvider(resource=named)
        self._provider.add_span_processor(spans())
        self._tracer = self._provider.get_tracer(NAME)
        self._form = TraceContextTextMapPropagator()
        self._contexts = contexts

    def begin_request(self, method: str, traceparent: str, tracestate: str) -> "Request":
        """A request's span, within the caller's trace if it named one (W3C Trace Context); to be ended."""
        carrier = {"traceparent": traceparent, "tracestate": tracestate} if traceparent else {}
        parent = self._form.extract(carrier)
        span = self._tracer.start_span(method, parent, SpanKind.SERVER)
        return Request(span, context.attach(trace.set_span_in_context(span, parent)))

    @contextmanager
    def append(self, game_id: str, name: str) -> Iterator[None]:
        """A span while events are appended to a game; jobs that follow from it are within it."""
        with self._span(name, None, SpanKind.CLIENT, game_id) as span:
            if span.is_recording():
                carrier: dict[str, str] = {}
                self._form.inject(carrier)
                self._contexts.keep(game_id, carrier["traceparent"])
            yield

    @contextmanager
    def job(self, name: str, game_id: str) -> Iterator[None]:
        """A span while a job is done, within the span of the game's last append."""
        kept = self._contexts.kept(game_id)
        parent = self._form.extract({} if kept is None else {"traceparent": kept})
        with self._span(f"job {name}", parent, SpanKind.CONSUMER, game_id):
            yield

    @contextmanager
    def _span(self, name: str, parent: Context | None, kind: SpanKind, game_id: str) -> Iterator[Span]:
        about = {GAME_ID: game_id}
        opened = self._tracer.start_as_current_span(
            name, parent, kind, about, record_exception=False, set_status_on_exception=False
        )
        with opened as span:
            try:
                yield span
            except BaseException as error:
                span.set_attribute("error.type", type(error).__name__)
                span.set_status(Status(StatusCode.ERROR))
                raise

    def close(self) -> None:
        """Send what there is."""
        self._provider.shutdown()


class Request:
    """The span of a request that is being answered."""

    def __init__(self, span: Span, token: Any) -> None:
        self._span = span
        self._token = token

    def leave(self) -> None:
        """The request is answered elsewhere: there is no such span."""
        context.detach(self._token)

    def end(self) -> None:
        """The head of the answer is there."""
        context.detach(self._token)
        self._span.end()


def note_answer(method: str, route: str, status: int, request_id: str) -> None:
    """Say of the span that is open what the request was; no route: it matched none."""
    span = trace.get_current_span()
    if not span.is_recording():
        return
    span.set_attribute("http.request.method", method or "_OTHER")
    span.set_attribute("http.response.status_code", status)
    span.set_attribute(REQUEST_ID, request_id)
    if route:
        span.update_name(f"{method} {route}")
        span.set_attribute("http.route", route)
    if status >= SERVER_ERRORS:
        span.set_status(Status(StatusCode.ERROR))
