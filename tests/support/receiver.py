"""An app's own server, which gets webhooks and behaves as it is told."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from standardwebhooks import Webhook

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Got:
    """A request: its headers in lower case, its body, when it came."""

    headers: dict[str, str]
    body: bytes
    at: float

    @property
    def document(self) -> Json:
        """The body."""
        found: Json = json.loads(self.body)
        return found

    def is_signed_by(self, secret: str) -> bool:
        """True if a signature is by that secret."""
        try:
            Webhook(secret).verify(self.body.decode(), self.headers)
        except Exception:  # noqa: BLE001 -- whatever is wrong with it
            return False
        return True


class Receiver:
    """A server; `answers` says for each request what is answered, with a status, or None for nothing at all."""

    def __init__(self, answers: Callable[[Got], int | None], port: int = 0) -> None:
        self.got: list[Got] = []
        self.accepted: list[Got] = []
        self.headers: dict[str, str] = {}
        self.answers = answers
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers["Content-Length"])
                body = self.rfile.read(length)
                if len(body) < length:  # the sender has died on the way
                    return
                got = Got(
                    {name.lower(): value for name, value in self.headers.items()}, body, time.monotonic()
                )
                receiver.got.append(got)
                status = receiver.answers(got)
                if status is None:
                    return
                if 200 <= status < 300:
                    receiver.accepted.append(got)
                self.send_response(status)
                for name, value in receiver.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._server.daemon_threads = True
        self.port = int(self._server.server_address[1])
        self.url = f"http://127.0.0.1:{self.port}/hook?of=the-club"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self) -> None:
        """Stop the server: whoever connects from now on is refused."""
        self._server.shutdown()
        self._server.server_close()

    def of_game(self, game_id: str) -> list[Json]:
        """All that was accepted about the game, each once, in the order in which it came."""
        found = {
            got.document["id"]: got.document
            for got in self.accepted
            if got.document["data"].get("game_id") == game_id
        }
        return list(found.values())


@contextmanager
def receiver(answers: Callable[[Got], int | None] = lambda _: 204, port: int = 0) -> Iterator[Receiver]:
    """A receiver that accepts everything, unless it is told otherwise."""
    server = Receiver(answers, port)
    try:
        yield server
    finally:
        server.close()
