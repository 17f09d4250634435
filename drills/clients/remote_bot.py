"""A bot on a server of its own, which the engine calls: it plays anything that is legal."""

import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final

import orjson

ALLOWED: Final = "127.0.0.1"


@contextmanager
def remote_bot(seed: int) -> Iterator[str]:
    """A bot that serves while the block runs; its URL."""
    rng = random.Random(seed)

    class Bot(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            """Answer with a move."""
            asked = orjson.loads(self.rfile.read(int(self.headers["Content-Length"])))
            answer = orjson.dumps({"move": rng.choice(asked["legal_moves"])})
            self.send_response(200)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            """Keep quiet."""

    server = ThreadingHTTPServer((ALLOWED, 0), Bot)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://{ALLOWED}:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
