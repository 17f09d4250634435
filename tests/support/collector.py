"""Somebody who collects the spans of traces."""

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

TRACE = "0af7651916cd43dd8448eb211c80319c"  # the one that is looked at


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
        """Log nothing."""
