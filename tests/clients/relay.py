"""A way to an engine on which the answer to a move may get lost."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final

import requests

OF_A_CONNECTION: Final = {"connection", "host", "transfer-encoding", "content-length", "content-encoding"}


class Relay(ThreadingHTTPServer):
    """Passes requests on. `losses`: what happens between the answers to the next moves and their loss."""

    daemon_threads = True

    def __init__(self, target: str) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.target = target
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.losses: list[Callable[[], object]] = []
        self.keys: list[str] = []  # the idempotency keys of the moves that came by
        self.asked: list[str] = []  # the paths of all requests
        self.resumed: list[str | None] = []  # the Last-Event-ID of each stream

    def handle_error(self, request: object, client_address: object) -> None:
        """Connections break here on purpose."""


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    server: Relay

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def pass_on(self) -> None:
        """One request, and its answer unless that gets lost."""
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name: value for name, value in self.headers.items() if name.lower() not in OF_A_CONNECTION}
        self.server.asked.append(self.path)
        is_move = self.command == "POST" and self.path.endswith("/moves")
        if is_move:
            self.server.keys.append(self.headers["Idempotency-Key"])
        if "event-stream" in self.headers.get("Accept", ""):
            self.server.resumed.append(self.headers["Last-Event-ID"])
        address = self.server.target + self.path
        with suppress(requests.RequestException), requests.Session() as session:
            answer = session.request(self.command, address, headers=headers, data=body, stream=True)
            if is_move and self.server.losses:
                assert answer.status_code == 201, answer.text
                self.server.losses.pop(0)()
                return
            self.send_response(answer.status_code)
            for name, value in answer.headers.items():
                if name.lower() not in OF_A_CONNECTION:
                    self.send_header(name, value)
            self.end_headers()
            for chunk in answer.iter_content(None):
                self.wfile.write(chunk)
                self.wfile.flush()

    do_GET = do_POST = do_DELETE = pass_on  # noqa: N815 (so they are called)


@contextmanager
def relay(target: str) -> Iterator[Relay]:
    """A relay that runs."""
    with Relay(target) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield server
        server.shutdown()
