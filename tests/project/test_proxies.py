"""The examples of proxies: what callers get while the engine is away, how streams go through, what logs tell."""

import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPResponse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread

import orjson
import pytest

from drills.ports import free_port
from tests.support.markdown import blocks
from tests.support.running import ROOT
from tests.support.waiting import LIMIT, until

TUTORIAL = ROOT / "docs/tutorials/two-player-browser-app.md"
(NGINX,), (CADDYFILE,) = blocks(TUTORIAL, "nginx"), blocks(TUTORIAL, "caddyfile")
CADDYFILES = (ROOT / "Caddyfile").read_text(), CADDYFILE
EVENTS, GAME = "/v1/games/x/events", "/v1/games/x"
STREAM, JSON = "text/event-stream", "application/json"


def is_a_problem(text: str) -> bool:
    """True for a problem document of a proxy; one with a `code` would be taken for the engine's own."""
    problem = orjson.loads(text)
    return problem["status"] == 502 and "code" not in problem


def test_caddy_while_the_engine_is_away() -> None:
    """By both examples: an EventSource comes again, which an error would end for good; all others get 502 in JSON."""
    for text in CADDYFILES:
        handled = text[text.index("\thandle_errors 502 504 {") :]
        assert "header @stream Content-Type text/event-stream" in handled
        assert 'respond @stream "retry: 2000\n\n" 200' in handled
        assert "@other not header Accept *text/event-stream*" in handled
        assert "header @other Content-Type application/problem+json" in handled
        (problem,) = re.findall(r"respond @other `(.*)` 502", handled)
        assert is_a_problem(problem)


class Engine(BaseHTTPRequestHandler):
    """An engine that streams an event, and another one when it is told to."""

    protocol_version = "HTTP/1.1"
    go_on = Event()

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", STREAM)
        self.end_headers()
        self.wfile.write(b"data: one\n\n")
        self.go_on.wait(LIMIT)
        self.wfile.write(b"data: two\n\n")
        self.close_connection = True

    def log_message(self, *_: object) -> None: ...


@contextmanager
def nginx(folder: Path, engine: int) -> Iterator[int]:
    """The port of the tutorial's nginx, without TLS, before an engine at that port."""
    port = free_port()
    sites = NGINX.replace("127.0.0.1:8000", f"127.0.0.1:{engine}").replace("/var/log/nginx/", f"{folder}/")
    sites = re.sub(r"listen 443 ssl;", f"listen 127.0.0.1:{port};", sites)
    sites = re.sub(r" *(?:http2|ssl_certificate\w*) .*;\n", "", sites)
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    places = "".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
    head = f"daemon off; master_process off; pid {folder}/pid; error_log {folder}/nginx.log; events {{}}"
    (folder / "nginx.conf").write_text(f"{head}\nhttp {{ {places}\n{sites}\n}}\n")
    process = subprocess.Popen(
        ["nginx", "-p", folder, "-c", folder / "nginx.conf", "-e", folder / "nginx.log"]
    )
    try:
        until(lambda: listens(port))
        yield port
    finally:
        process.terminate()
        process.wait(LIMIT)


def listens(port: int) -> bool:
    """True if somebody listens at that port."""
    with socket.socket() as knock:
        return knock.connect_ex(("127.0.0.1", port)) == 0


def asked(port: int, path: str, accept: str = JSON) -> HTTPResponse:
    """The answer, of which only the head was read."""
    connection = HTTPConnection("127.0.0.1", port, timeout=LIMIT)
    connection.request("GET", path, headers={"Accept": accept})
    return connection.getresponse()


@pytest.mark.skipif(shutil.which("nginx") is None, reason="there is no nginx")
def test_nginx_while_the_engine_is_away(tmp_path: Path) -> None:
    """An EventSource comes again, and all others get 502 in JSON: who asks a stream's address for JSON as well."""
    with nginx(tmp_path, free_port()) as port:
        for accept in (STREAM, f"{STREAM}, */*"):
            again = asked(port, EVENTS, accept)
            told = again.status, again.headers["Content-Type"], again.read()
            assert told == (200, STREAM, b"retry: 2000\n\n")
        for path, accept in ((EVENTS, JSON), (EVENTS, "*/*"), (GAME, JSON), (GAME, STREAM)):
            away = asked(port, path, accept)
            assert (away.status, away.headers["Content-Type"]) == (502, "application/problem+json"), path
            assert away.headers["Retry-After"] == "2"
            assert is_a_problem(away.read().decode())


@pytest.mark.skipif(shutil.which("nginx") is None, reason="there is no nginx")
def test_nginx_holds_no_event_back(tmp_path: Path) -> None:
    """An event arrives before the next one is sent."""
    Engine.go_on.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Engine) as engine:
        Thread(target=engine.serve_forever, daemon=True).start()
        with nginx(tmp_path, engine.server_port) as port:
            stream = asked(port, EVENTS, STREAM)
            assert stream.readline() == b"data: one\n"
            Engine.go_on.set()
            assert stream.read() == b"\ndata: two\n\n"
        engine.shutdown()


def test_no_log_of_a_proxy_lets_others_in() -> None:
    """Tickets stand in addresses, which proxies log with every error, as when a caller leaves a stream."""
    for text in CADDYFILES:
        options = text[text.index("\n\tlog {") :].split("\n\t}\n")[0].split()
        assert "request>uri query { replace ticket REDACTED }" in " ".join(options)
        assert "request>headers>Idempotency-Key delete" in " ".join(options)
    (streams,) = re.findall(r"location ~ \S+/events\$ \{(.*?)\n    \}", NGINX, re.DOTALL)
    assert re.search(r"error_log \S+ crit;", streams)
    assert '"$request_method $uri"' in NGINX
    assert "access_log /var/log/nginx/access.log without_query;" in NGINX
