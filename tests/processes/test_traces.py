"""One trace through a whole engine: a request to a web worker, its append, and the bot worker's job."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import requests
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tests.processes.conftest import NewEngine
from tests.support.waiting import LIMIT, until

TRACE = "0af7651916cd43dd8448eb211c80319c"


class Collector(ThreadingHTTPServer):
    """Takes spans by OTLP over HTTP."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Intake)
        self.spans: list[Span] = []
        self.services: set[str] = set()

    def named(self, name: str) -> Span | None:
        """The span of that name in the trace."""
        found = [one for one in list(self.spans) if one.name == name and one.trace_id.hex() == TRACE]
        return found[0] if found else None


class Intake(BaseHTTPRequestHandler):
    """Requests to it."""

    server: Collector

    def do_POST(self) -> None:
        """Keep the spans."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            names = [
                one.value.string_value for one in resource.resource.attributes if one.key == "service.name"
            ]
            self.server.services |= set(names)
            for scope in resource.scope_spans:
                self.server.spans += scope.spans
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def collector() -> Iterator[Collector]:
    """A collector on this machine."""
    with Collector() as collector:
        thread = threading.Thread(target=collector.serve_forever)
        thread.start()
        yield collector
        collector.shutdown()
        thread.join()


def test_from_a_request_to_the_job(new_engine: NewEngine, collector: Collector) -> None:
    """All of them in the trace that the caller named."""
    engine = new_engine(
        "data",
        "--ephemeral",
        MIGRATO_TRACES="1",
        OTEL_EXPORTER_OTLP_ENDPOINT=f"http://127.0.0.1:{collector.server_port}",
        OTEL_SERVICE_NAME="our-games",
        OTEL_BSP_SCHEDULE_DELAY="100",
    ).start()
    sent = {"traceparent": f"00-{TRACE}-b7ad6b7169203331-01"}
    wanted = {"seats": [{"kind": "bot", "bot": "greedy"}, {"kind": "human"}]}
    answer = requests.post(f"{engine.url}/v1/games", json=wanted, headers=sent, timeout=LIMIT)
    assert answer.status_code == 201
    names = ("POST /v1/games", "create stream", "job bot", "append")
    until(lambda: all(collector.named(name) for name in names), otherwise=engine.tail)  # of two processes
    request, create, job, append = [span for name in names if (span := collector.named(name))]
    assert request.parent_span_id.hex() == "b7ad6b7169203331"
    assert create.parent_span_id == request.span_id
    assert job.parent_span_id == create.span_id
    assert append.parent_span_id == job.span_id
    assert collector.services == {"our-games"}
