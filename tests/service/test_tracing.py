"""Traces: a span for a request and for what it appends, within the caller's trace, telling nothing that is secret."""

import subprocess
import sys
from dataclasses import replace
from unittest.mock import Mock

import pytest
from flask.testing import FlaskClient
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from events.errors import StoreUnavailable
from events.runtime import bootstrap
from events.runtime.settings import Settings
from events.store.link import link_to
from events.tracing.redis import RedisTraceContexts
from events.tracing.traces import Traces
from service.http.app import Service
from tests.service.conftest import NewService
from tests.service.table import FIRST_MOVE, Table, set_table
from tests.service.thinking import Worker
from tests.support.recording import AllThere

TRACE = "0af7651916cd43dd8448eb211c80319c"
CALLER = {"traceparent": f"00-{TRACE}-b7ad6b7169203331-01", "tracestate": "vendor=1"}


@pytest.fixture
def exporter() -> InMemorySpanExporter:
    """Collector of the spans."""
    return InMemorySpanExporter()


@pytest.fixture
def traces(redis_url: str, exporter: InMemorySpanExporter) -> Traces:
    """This process's traces."""
    contexts = RedisTraceContexts(link_to(redis_url, 5.0))
    return Traces(contexts, lambda: SimpleSpanProcessor(exporter))


@pytest.fixture
def service(settings: Settings, worker: Worker, traces: Traces, new_service: NewService) -> Service:
    """The service with traces."""
    return new_service(settings, None, AllThere(), worker.bot_questions, traces)


@pytest.fixture
def table(service: Service, client: FlaskClient, exporter: InMemorySpanExporter) -> Table:
    """A game, whose creation is forgotten."""
    table = set_table(client, service.parts.use_cases)
    exporter.clear()
    return table


def by_name(exporter: InMemorySpanExporter) -> dict[str, ReadableSpan]:
    """The spans that have ended."""
    return {span.name: span for span in exporter.get_finished_spans()}


def test_a_request_and_its_append(table: Table, exporter: InMemorySpanExporter) -> None:
    """The append is within the request, and that within the caller's span."""
    assert table.move(0, FIRST_MOVE, **CALLER).status_code == 201
    spans = by_name(exporter)
    move, append = spans["POST /v1/games/{game_id}/moves"], spans["append"]
    assert move.parent is not None
    assert append.parent is not None
    assert move.context is not None
    assert (move.kind, move.parent.span_id) == (SpanKind.SERVER, 0xB7AD6B7169203331)
    assert append.parent.span_id == move.context.span_id
    assert {f"{span.context.trace_id:032x}" for span in spans.values() if span.context} == {TRACE}
    assert dict(move.attributes or {}) == {
        "http.request.method": "POST",
        "http.response.status_code": 201,
        "http.route": "/v1/games/{game_id}/moves",
        "migrato.request_id": "a-request-of-a-test",
    }
    assert dict(append.attributes or {}) == {"migrato.game_id": table.id}


def test_without_a_callers_trace(table: Table, exporter: InMemorySpanExporter) -> None:
    """A request begins one; a header that is none is ignored."""
    for traceparent in (None, "", "nonsense", f"00-{'0' * 32}-b7ad6b7169203331-01"):
        exporter.clear()
        headers = {} if traceparent is None else {"traceparent": traceparent}
        table.client.get(table.path, headers=headers | table.bearer(0))
        assert by_name(exporter)["GET /v1/games/{game_id}"].parent is None, traceparent


def test_a_job_goes_on_with_the_trace(table: Table, exporter: InMemorySpanExporter, traces: Traces) -> None:
    """In another process, which knows the game and nothing else."""
    table.move(0, FIRST_MOVE, **CALLER)
    with traces.job("bot", table.id):
        pass
    job, append = by_name(exporter)["job bot"], by_name(exporter)["append"]
    assert job.parent is not None
    assert append.context is not None
    assert job.parent.span_id == append.context.span_id
    assert job.kind == SpanKind.CONSUMER
    with traces.job("bot", "x" * 22):
        pass
    assert exporter.get_finished_spans()[-1].parent is None


def test_nothing_secret(table: Table, exporter: InMemorySpanExporter) -> None:
    """No token, player, card, ticket or seed in any span, also where something is refused or fails."""
    table.move(0, FIRST_MOVE)
    table.move(0, {"type": "play", "card": "K3d", "slot": None})
    table.get("/events?ticket=tk_secret")
    table.get("/no-such-thing?x=secret")
    table.get(f"/hint?bot={table.tokens[0]}", seat=0)
    told = "".join(span.to_json() for span in exporter.get_finished_spans()).replace(table.id, "ID")
    seed = table.application.views.snapshot(table.id).secrets.seed.hex()
    for secret in (*table.tokens, "secret", '"ada"', '"bob"', "G5d", "HUN", "K3d", seed):
        assert secret not in told
    assert len(exporter.get_finished_spans()) == 6


@pytest.mark.plain
def test_a_failure(
    table: Table, service: Service, exporter: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A span tells the kind of an error, and not its text."""
    away = Mock(side_effect=StoreUnavailable("the secret address of the store"))
    monkeypatch.setattr("events.store.event_store.RedisEventStore.append", away)
    assert table.move(0, FIRST_MOVE).status_code == 503
    spans = by_name(exporter)
    append, move = spans["append"], spans["POST /v1/games/{game_id}/moves"]
    assert (append.attributes or {})["error.type"] == "StoreUnavailable"
    assert {append.status.status_code, move.status.status_code} == {StatusCode.ERROR}
    assert "secret" not in append.to_json() + move.to_json()


def test_a_queue_server_that_is_away_is_asked_once(
    exporter: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Traces end at the append then, and appends go on."""
    link, away = link_to("redis://127.0.0.1:1", 0.1), Mock(side_effect=StoreUnavailable("away"))
    monkeypatch.setattr(link, "call", away)
    contexts = RedisTraceContexts(link)
    for _ in range(5):
        contexts.keep("g", "00-1")
        assert contexts.kept("g") is None
    away.assert_called_once()


def test_off_imports_nothing(redis_url: str) -> None:
    """A process that has no traces imports none of what makes them. (redis-py has a look at what is installed.)"""
    program = (
        "import sys; from service.http.app import create_app; create_app();"
        "import workers.jobs; workers.jobs.traced('bot', 'g');"
        "ours = ('opentelemetry.sdk.trace', 'opentelemetry.exporter', 'events.tracing.traces');"
        "print([name for name in sys.modules if name.startswith(ours)])"
    )
    environ = {"MIGRATO_REDIS_URL": redis_url, "PATH": ""}
    command = [sys.executable, "-c", program]
    found = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    assert (found.stdout, found.returncode) == ("[]\n", 0), found.stderr


def test_on_by_a_setting(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the library the start says what is missing."""
    assert bootstrap.traces(settings) is None
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", "always_off")
    traces = bootstrap.traces(replace(settings, traces=True))
    assert traces is not None
    traces.close()
