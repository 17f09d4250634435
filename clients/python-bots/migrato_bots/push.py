"""Push: a server that the engine asks for moves."""

import io
import json
import logging
import socket
import threading
import time
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from concurrent.futures import Future
from datetime import datetime
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from migrato_client import InvalidSignature, verify_question
from migrato_client.models import RemoteQuestion

from migrato_bots.bots import Bots, NoMove

log = logging.getLogger("migrato_bots")

LARGEST: Final = 4 * 1024 * 1024  # bytes of a question; the longest game takes half of that
REMEMBERED: Final = 1024  # answers
READING: Final = 10.0  # seconds in which a request must have come
CONNECTIONS: Final = 64  # at once; the engine repeats a request that is refused
MARGIN: Final = 0.2  # seconds for the way back
ALIKE: Final = 2.0  # seconds from when the engine asked: then its clock and ours seem to be alike


class Answers:
    """Moves for signed questions, each thought about once, however often it is asked."""

    def __init__(self, bots: Bots, secrets: str | Iterable[str], thinkers: int = 4) -> None:
        """`secrets`: `whsec_...` of the games' seats; `thinkers`: how many questions are thought about at once."""
        self._bots = bots
        self._secrets = [secrets] if isinstance(secrets, str) else list(secrets)
        self._thinkers = threading.BoundedSemaphore(thinkers)
        self._known = OrderedDict[str, Future[Any]]()
        self._lock = threading.Lock()

    def answer(self, headers: Mapping[str, str], body: bytes) -> tuple[HTTPStatus, dict[str, Any]]:
        """Status and document of the answer to a request: 200 with the move, or what is wrong."""
        try:
            question = verify_question(self._secrets, headers, body)
        except InvalidSignature as error:
            log.warning("a question was refused: %s", error)
            return _refusal(HTTPStatus.UNAUTHORIZED, str(error))
        except (ValueError, RecursionError):
            return _refusal(HTTPStatus.BAD_REQUEST, "The body is no JSON.")
        found = {name.lower(): value for name, value in headers.items()}
        message = found["webhook-id"]
        try:
            seconds, surely = _seconds(question, int(found["webhook-timestamp"]), time.time())
        except (KeyError, TypeError, ValueError):
            return _refusal(HTTPStatus.BAD_REQUEST, "The body is no question to a bot.")
        thought = self._begun(message, question, time.monotonic() + surely - MARGIN)
        try:
            return HTTPStatus.OK, {"move": thought.result(seconds)}
        except TimeoutError:
            log.warning("%s: too late, the engine moves instead", message)
            return _refusal(HTTPStatus.GATEWAY_TIMEOUT, "The bot has not chosen in time.")
        except NoMove as error:
            return _refusal(HTTPStatus.UNPROCESSABLE_ENTITY, str(error))

    def _begun(self, message: str, question: RemoteQuestion, deadline: float) -> "Future[Any]":
        """The answer to come; that of the first request if this one is a repeat."""
        with self._lock:
            if message in self._known:
                return self._known[message]
            thought = self._known[message] = Future[Any]()
            while len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        threading.Thread(target=self._think, args=(message, question, deadline, thought), daemon=True).start()
        return thought

    def _think(self, message: str, question: RemoteQuestion, deadline: float, thought: "Future[Any]") -> None:
        left = deadline - time.monotonic()
        if left <= 0 or not self._thinkers.acquire(timeout=left):
            thought.set_exception(TimeoutError())
            return
        started = time.monotonic()
        try:
            view, moves = question["view"], question["legal_moves"]
            move = self._bots.choose(view, moves, lambda: question["history"], deadline)
        except NoMove as error:
            log.exception("%s: no move, the engine moves instead", message)
            thought.set_exception(error)
        except Exception as error:
            log.exception("%s: the question cannot be read", message)
            thought.set_exception(NoMove(repr(error)))
        else:
            log.info("%s: %s in %.2f s", message, json.dumps(move), time.monotonic() - started)
            thought.set_result(move)
        finally:
            self._thinkers.release()


def _seconds(question: RemoteQuestion, sent: int, now: float) -> tuple[float, float]:
    """The seconds to the deadline: the most that there may be, and the number that there surely are.

    The engine's clock tells in whole seconds when the engine asked. It alone counts where the clock here differs.
    """
    deadline = datetime.fromisoformat(question["deadline"]).timestamp()
    surely = deadline - (now if sent <= now < sent + ALIKE else sent + 1)
    return max(0.0, deadline - sent), max(0.0, surely)


def _refusal(status: HTTPStatus, detail: str) -> tuple[HTTPStatus, dict[str, Any]]:
    return status, {"title": status.phrase, "detail": detail}


class Server(ThreadingHTTPServer):
    """Serves answers by HTTP, each connection in a thread; `POST` to any path, and `GET /healthz`."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, answers: Answers, host: str = "127.0.0.1", port: int = 0) -> None:
        """`port`: 0 for a free one, which `server_port` tells. OSError if it is taken."""
        self.answers = answers
        self._busy = 0
        self._change = threading.Condition()
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__((host, port), _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Begin a thread for the connection; hang up if there are too many: the engine comes again."""
        with self._change:
            if self._busy >= CONNECTIONS:
                log.warning("more than %d connections: one is refused", CONNECTIONS)
                self.shutdown_request(request)
                return
            self._busy += 1
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve the connection."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            with self._change:
                self._busy -= 1
                self._change.notify_all()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say that a connection broke; that is nobody's fault."""
        log.info("a connection broke")

    def drain(self, seconds: float) -> bool:
        """Wait so long until every question is answered; whether it is. `shutdown` comes before."""
        self.server_close()
        with self._change:
            return self._change.wait_for(lambda: self._busy == 0, seconds)


class _Handler(BaseHTTPRequestHandler):
    """One request."""

    server: Server
    server_version = "migrato-bots"
    sys_version = ""

    def setup(self) -> None:
        """Read by a deadline, however slowly the bytes come."""
        super().setup()
        self.rfile = io.BufferedReader(_Reading(self.connection, READING))

    def do_POST(self) -> None:
        """Answer a question."""
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit() and len(length) < 12):
            self._say(*_refusal(HTTPStatus.LENGTH_REQUIRED, "Content-Length is missing."))
        elif int(length) > LARGEST:
            self._say(*_refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"More than {LARGEST} bytes."))
        else:
            body = self.rfile.read(int(length))
            if len(body) == int(length):
                self._say(*self.server.answers.answer(dict(self.headers), body))

    def do_GET(self) -> None:
        """Tell that the bot is there."""
        if self.path == "/healthz":
            self._say(HTTPStatus.OK, {"status": "ok"})
        else:
            self._say(*_refusal(HTTPStatus.NOT_FOUND, "A bot is asked by POST."))

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: answers log what matters, and an address may tell a secret."""

    def _say(self, status: HTTPStatus, document: dict[str, Any]) -> None:
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class _Reading(io.RawIOBase):
    """The bytes of a connection, until a deadline."""

    def __init__(self, connection: socket.socket, seconds: float) -> None:
        self._connection = connection
        self._deadline = time.monotonic() + seconds

    def readable(self) -> bool:
        """True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read what there is; TimeoutError after the deadline."""
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._connection.settimeout(left)
        return self._connection.recv_into(buffer)
