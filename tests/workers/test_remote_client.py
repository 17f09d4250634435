"""Calls of remote bots: how they are asked, and what is made of the worst servers."""

import socket
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from threading import Thread

import gevent  # type: ignore[import-untyped]
import gevent.event  # type: ignore[import-untyped]
import gevent.socket  # type: ignore[import-untyped]
import pytest
from standardwebhooks import Webhook

from events.engine.remote_seat import is_secret, new_secret
from events.features.signing_secrets import signature
from events.log.game_secrets import Remote
from events.url_guard import Allowed, Guard
from tests.support.bot_server import CHUNKED, ENDLESS, OK, answer, be_silent, bot_server, drip, hang_up, say
from tests.support.waiting import LIMIT
from workers.remote import client, http, poster
from workers.remote.client import PAUSE, NoMove, RemoteBotClient
from workers.remote.connection import Connection, DeadlineExceeded, ResponseTooLarge
from workers.remote.http import LARGEST, MOST
from workers.remote.poster import end_of_lookup

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
CERTIFICATE = Path(__file__).parent / "tls" / "bots.example.com.pem"
SECONDS = (
    LIMIT  # more than any call here takes that does not wait for its deadline, on however busy a machine
)
SHORT = 0.1  # for those that do
FEW = 20.0  # those that a repeat must fit into, where pauses are only noted
PASS = {"type": "pass"}
GOOD = answer({"move": PASS})
BODY = b'{"view": "\xc3\xa9"}'
LOCAL = Guard(Allowed.of(["127.0.0.1"]))
DATE = "Wed, 21 Oct 2026 07:28:00 GMT"
SOONER = "Date: Wed, 21 Oct 2026 07:27:57 GMT"


def leading(*addresses: str, allowed: str = "bots.example.com") -> Guard:
    """A guard for which every name leads to the addresses, which are allowed."""
    return Guard(Allowed.of([allowed]), lambda host, port: list(addresses))


LEADING = leading("127.0.0.1")


def ask(
    url: str, seconds: float = SECONDS, guard: Guard = LOCAL, pauses: list[float] | None = None
) -> object:
    """The move that is answered there, or why there is none; what is to be waited between repeats is only noted."""
    caller = RemoteBotClient(guard, seconds, ([] if pauses is None else pauses).append)
    try:
        return caller.move(Remote(url, SECRET), "game-7", BODY)
    except NoMove as failure:
        return failure.why


def test_secrets_and_signatures_are_those_of_standard_webhooks() -> None:
    """The vector that its libraries are tested with, and a new secret."""
    at = datetime.fromtimestamp(1614265330, UTC)
    assert signature([SECRET], "msg_p5jXN8AQM9LWM0D4loKWxJek", b'{"test": 2432232314}', at) == {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }
    secret = new_secret()
    assert [is_secret(one) for one in (secret, SECRET)] == [True, True]
    headers = signature([secret], "a", b"{}", datetime.now(UTC))
    assert Webhook(secret).verify(b"{}", headers) == {}
    for text in ("", "whsec_", SECRET[6:], "whsec_c2hvcnQ=", "whsec_*", "whsec_é", "whsec_" + "A" * 88):
        assert not is_secret(text), text


def test_a_bot_is_asked_as_standard_webhooks_has_it() -> None:
    """One POST of exactly these bytes, with a signature that its own library accepts."""
    with bot_server(answer({"move": PASS, "considered": []})) as server:
        assert ask(f"{server.url}/my/bot?level=3") == PASS
        (asked,) = server.received
    assert asked.line == "POST /my/bot?level=3 HTTP/1.1"
    assert asked.body == BODY
    assert asked.headers["host"] == f"127.0.0.1:{server.port}"
    assert asked.headers["content-type"] == "application/json"
    assert asked.headers["webhook-id"] == "game-7"
    assert Webhook(SECRET).verify(asked.body, asked.headers) == {"view": "é"}


def test_a_failure_that_may_pass_is_tried_again() -> None:
    """Refused for now, hung up, cut off: the same request again, with the same identity and a signature of its own."""
    for first in (
        *(answer(status=status) for status in (500, 503, 429)),
        hang_up,
        say(b"?!\r\n"),
        say(b'HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"move"'),
        say(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
    ):
        with bot_server(first, first, GOOD) as server:
            assert ask(server.url) == PASS
            assert [asked.headers["webhook-id"] for asked in server.received] == ["game-7"] * 3
            assert [asked.body for asked in server.received] == [BODY] * 3
            for asked in server.received:
                Webhook(SECRET).verify(asked.body, asked.headers)


def test_repeats_come_more_and_more_slowly() -> None:
    """As long as there is time for another one."""
    pauses: list[float] = []
    with bot_server(answer(status=500)) as server:
        assert ask(server.url, FEW, pauses=pauses) == "unreachable"
        assert len(server.received) == len(pauses) + 1
    assert pauses == [0.1 * 2**number for number in range(8)]
    with bot_server(hang_up, GOOD) as server:
        assert RemoteBotClient(LOCAL, SECONDS).move(Remote(server.url, SECRET), "a", BODY) == PASS
        assert server.at[1] - server.at[0] >= PAUSE


def test_a_server_may_say_when_to_come_again() -> None:
    """In seconds, or by a date of its own clock; if that is more time than there is, the call is over at once."""
    dates = (DATE, "Wednesday, 21-Oct-26 07:28:00 GMT", "Wed Oct 21 07:28:00 2026")  # RFC 9110, 5.6.7
    for when, pause in (
        *(("1", 1.0), *((date, 3.0) for date in dates), (SOONER[6:], 0.1)),
        *((text, 0.1) for text in ("0", "-1", "x", "\u00b2", "", "Wed, 99 Oct 2026 07:28:00 GMT")),
    ):
        pauses: list[float] = []
        with bot_server(answer(b"", 429, f"Retry-After: {when}", SOONER), GOOD) as server:
            assert ask(server.url, pauses=pauses) == PASS
        assert pauses == [pause]
    for when in ("30", "99999999999999999999", "9" * 400, "Fri, 31 Dec 9999 23:59:59 GMT"):
        with bot_server(answer(b"", 503, f"Retry-After: {when}")) as server:
            assert ask(server.url, FEW) == "unreachable"
            assert len(server.received) == 1


def test_an_answer_that_is_no_move_is_not_asked_for_again() -> None:
    """Redirects are not followed, and no more is read than a move can be long."""
    bodies = (b"", b"pass", b"\xff\xfe", b"[" * 60_000, b"null", b'"move"', b"[]", b"{}", b'{"move": null}')
    with bot_server(GOOD) as there:
        for script in (
            *(answer(status=status) for status in (204, 301, 400, 401, 404)),
            answer({"move": PASS}, 302, "Location: http://127.0.0.1:1/"),
            answer({"move": PASS}, 307, "Location: http://169.254.169.254/"),
            answer(b"", 307, f"Location: {there.url}/"),  # which could be called itself
            answer({"move": PASS}, 201),
            *map(answer, bodies),
            answer({"move": "pass"}),
            answer({"move": [PASS]}),
            answer(b'{"move": {}}' + b" " * LARGEST),
            say(b"HTTP/1.1 200 OK\r\nContent-"),
            say(b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 10 * LARGEST),
            drip(b"HTTP/1.1 200 OK\r\n\r\n", b"x" * LARGEST, 0.0),
        ):
            with bot_server(script) as server:
                assert ask(server.url) == "bad-answer"
                assert len(server.received) == 1
        assert there.received == []


def test_the_deadline_holds_however_a_server_keeps_us_waiting() -> None:
    """The deadline holds against each way in which a server keeps callers waiting, all tried at once."""
    scripts = (
        be_silent,
        drip(b"", b"H"),
        drip(b"HTTP/1.1 200 OK\r\n", b"X-Header: 1\r\n"),
        drip(b"HTTP/1.1 200 OK\r\nX-", b"X"),
        drip(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        drip(b"HTTP/1.1 200 OK\r\n\r\n", b" "),
        drip(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
    )
    with ExitStack() as servers:
        urls = [servers.enter_context(bot_server(script)).url for script in scripts]
        calls = [gevent.spawn(ask, url, SHORT) for url in urls]
        gevent.joinall(calls, timeout=SECONDS)
        assert [call.value for call in calls] == ["timeout"] * len(scripts)


def in_a_thread(act: Callable[[], object]) -> object:
    """Its result; a call that never gives way would hold up the test for ever, and a timeout with it."""
    found: list[object] = []
    thread = Thread(target=lambda: found.append(act()), daemon=True)
    thread.start()
    thread.join(2 * SECONDS)
    assert found, "it never came back"
    return found[0]


@pytest.mark.parametrize("certificate", [None, CERTIFICATE], ids=["plain", "tls"])
def test_answers_without_an_end_are_cut_off(
    certificate: Path | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Long before the deadline, for they are more than any move needs; and they are not asked for again. Others are
    served meanwhile: every read gives way to them, also where the next bytes are there already.
    """
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    scheme = "https" if certificate else "http"

    def all_at_once() -> object:
        endless = {
            name: [gevent.spawn(ask, f"{scheme}://bots.example.com:{bad.port}/", guard=LEADING) for _ in "ab"]
            for name, bad in servers.items()
        }
        good = ask(fine.url)
        return good, {name: {call.get() for call in calls} for name, calls in endless.items()}

    with ExitStack() as stack:
        fine = stack.enter_context(bot_server(GOOD))
        servers = {
            name: stack.enter_context(bot_server(script, certificate=certificate))
            for name, script in ENDLESS.items()
        }
        assert in_a_thread(all_at_once) == (PASS, {name: {"bad-answer"} for name in ENDLESS})
        assert {len(server.received) for server in servers.values()} == {2}


def test_so_much_is_read_and_no_more() -> None:
    """No more than the limit is read of what a server sends, whatever part of the answer it is."""
    sent: list[int] = []

    def flood(connection: socket.socket) -> None:
        connection.sendall(CHUNKED)
        while True:
            sent.append(connection.send((b"1;" + b"x" * 8_000 + b"\r\n \r\n") * 2))

    with bot_server(flood) as server:
        assert in_a_thread(lambda: ask(server.url)) == "bad-answer"
    assert sum(sent) < MOST + 16_000_000  # what lay in the system's buffers when we hung up


MOVE = b'{"move": {"type": "pass"}}'
# Answers that would be good ones, if it were not for the one limit that each goes beyond; and what is said of that.
BEYOND: dict[str, tuple[bytes, str]] = {
    "PRELIMINARY": (b"HTTP/1.1 100 Continue\r\n\r\n" * 33 + OK + b"\r\n" + MOVE, "more than 32 preliminary"),
    "LINES": (OK + b"X-Header: 1\r\n" * 129 + b"\r\n" + MOVE, "more than 128 lines of headers"),
    "PARTS": (
        CHUNKED + b"1a\r\n" + MOVE + b"\r\n" + b"1\r\n \r\n" * 512 + b"0\r\n\r\n",
        "more than 512 parts",
    ),
    "HEAD": (OK + b"X-Header: " + b"x" * 40_000 + b"\r\n\r\n" + MOVE, "more than 16384 bytes of headers"),
    "LARGEST": (OK + b"\r\n" + MOVE + b" " * 65_536, "more than 65536 bytes"),
    "MOST": (OK + b"\r\n" + MOVE + b" " * 262_144, "more than 262144 bytes in all"),
}


def test_each_limit_holds_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """With all others lifted; with that one lifted, too, the answer is the move that it says."""
    for limit, (raw, told) in BEYOND.items():
        with bot_server(say(raw)) as server, monkeypatch.context() as patch:
            for other in BEYOND.keys() - {limit}:
                lift(other, patch)
            with pytest.raises(NoMove, match=told) as refused:
                RemoteBotClient(LOCAL, SECONDS).move(Remote(server.url, SECRET), "a", BODY)
            assert refused.value.why == "bad-answer"
            lift(limit, patch)
            assert ask(server.url) == PASS


def lift(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lift the limit, so that nothing goes beyond it."""
    for module in (http, client, poster):
        if hasattr(module, limit):
            monkeypatch.setattr(module, limit, 10**9)


def test_other_protocols_are_no_answer() -> None:
    for raw in (b"HTTP/1.1 101 Switching Protocols\r\n\r\n", b"SSH-2.0-x\r\n", b"\0" * 99, b"\r\n" * 500_000):
        with bot_server(say(raw)) as server:
            assert in_a_thread(partial(ask, server.url)) == "unreachable"


def test_answers_in_parts_are_put_together() -> None:
    """Preliminary ones are passed over, one or two of them are honest; chunks may have trailers, and extensions that
    say nothing to us.
    """
    preliminary = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"
    chunks = b'd;a=b\r\n{"move": {"ty\r\nd\r\npe": "pass"}}\r\n0\r\nX-Trailer: 1\r\n\r\n'
    for raw in (preliminary + b'{"move": {"type": "pass"}}', CHUNKED + chunks):
        with bot_server(say(raw)) as server:
            assert ask(server.url) == PASS


def test_a_repeat_gets_no_more_time_than_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "PAUSE", 0.0)
    with bot_server(answer(status=500), be_silent) as server:
        assert ask(server.url, SHORT) == "timeout"


def test_a_server_that_does_not_read_is_no_trap() -> None:
    """A position is larger than what a connection holds unread."""
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        caller = RemoteBotClient(LOCAL, SHORT)
        with pytest.raises(NoMove) as failed:
            caller.move(Remote(f"http://127.0.0.1:{deaf.getsockname()[1]}/", SECRET), "a", b" " * 20_000_000)
        assert failed.value.why == "timeout"


def test_nobody_there_and_a_name_that_is_not_there() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as gone:
        port = gone.getsockname()[1]
    assert ask(f"http://127.0.0.1:{port}/") == "unreachable"

    def unknown(host: str, port: int) -> list[str]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    assert ask("https://bots.example.com/", guard=Guard(Allowed(), unknown)) == "unreachable"


def test_a_name_that_is_looked_up_for_long_is_given_up_in_time() -> None:
    """The call is over then, but its place is free only when the look-up has ended: that holds a thread."""
    found, answered = list[str](), gevent.event.Event()

    def slow(host: str, port: int) -> list[str]:
        answered.wait(SECONDS)
        found.append(host)
        return ["127.0.0.1"]

    assert ask("https://bots.example.com/", SHORT, Guard(Allowed(), slow)) == "timeout"
    assert found == []
    answered.set()
    end_of_lookup()
    assert found == ["bots.example.com"]


def test_a_wire_looks_at_the_clock_where_bytes_are_always_there() -> None:
    """No timer fires as long as nobody gives way."""
    ours, theirs = gevent.socket.socketpair()
    with closing(ours), closing(theirs):
        theirs.sendall(b"x" * 100)
        with pytest.raises(DeadlineExceeded):
            Connection(ours, time.monotonic(), 1000).receive()
        assert Connection(ours, time.monotonic() + SECONDS, 100).receive() == b"x" * 100
        theirs.sendall(b"x" * 100)
        with pytest.raises(ResponseTooLarge):
            Connection(ours, time.monotonic() + SECONDS, 99).receive()


def test_our_own_network_is_not_called() -> None:
    """Nothing is sent, and nothing is tried again."""
    hosts = ("127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0.0.0.0", "127.1")
    with bot_server(GOOD) as server:
        for host in hosts:
            for scheme in ("http", "https"):
                url = f"{scheme}://{host}:{server.port}/"
                assert ask(url, guard=Guard(Allowed())) == "unreachable"
        assert server.received == []


def test_a_name_that_changes_its_address_is_of_no_use() -> None:
    """It is looked up once for each attempt, and that answer is both checked and used."""
    answers = iter([["93.184.216.34"], ["127.0.0.1"], ["127.0.0.1"]])
    asked: list[str] = []

    def rebinding(host: str, port: int) -> list[str]:
        asked.append(host)
        return next(answers)

    guard = Guard(Allowed(), rebinding)
    with bot_server(GOOD) as server:
        guard.check(f"https://bots.example.com:{server.port}/")
        assert ask(f"https://bots.example.com:{server.port}/", guard=guard) == "unreachable"
        assert server.received == []
    assert asked == ["bots.example.com"] * 2


def test_no_proxy_of_the_environment_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    with bot_server(GOOD) as server, bot_server(answer(status=404)) as proxy:
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
            monkeypatch.setenv(name, proxy.url)
        assert ask(server.url) == PASS
        assert proxy.received == []


def test_https_goes_to_the_checked_address_and_asks_for_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """The certificate must be that name's, and be vouched for; the server is told the name, in TLS and HTTP."""
    with bot_server(GOOD, certificate=CERTIFICATE) as server:
        url = f"https://Bots.Example.Com.:{server.port}/"
        assert ask(url, guard=LEADING) == "unreachable"
        monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
        other = leading("127.0.0.1", allowed="other.example.com")
        assert ask(f"https://other.example.com:{server.port}/", guard=other) == "unreachable"
        assert server.received == []
        server.names.clear()
        assert ask(url, guard=LEADING) == PASS
        assert server.names == ["bots.example.com"]
        assert server.received[0].headers["host"] == f"bots.example.com:{server.port}"


def test_an_address_that_does_not_answer_leaves_time_for_the_next() -> None:
    with bot_server(GOOD) as server:
        guard = leading("127.0.0.2", "127.0.0.1")
        assert ask(f"http://bots.example.com:{server.port}/", guard=guard) == PASS


def test_the_log_is_not_told_where_a_bot_is() -> None:
    """It is not told the server's answer either."""
    details = []
    for script in (hang_up, answer(status=404), answer(b"secret"), answer(status=500)):
        with bot_server(script) as server, pytest.raises(NoMove) as failed:
            RemoteBotClient(LOCAL, SECONDS, list[float]().append).move(
                Remote(f"{server.url}/path", SECRET), "a", BODY
            )
        details.append(str(failed.value))
    assert details == ["RemoteDisconnected", "status 404", "not JSON", "status 500"]
    assert "secret" not in repr(Remote("https://secret.example/", SECRET))
