"""Streams and long polls, on a real gunicorn with a real server behind it."""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import orjson
import pytest
import requests

from events.application import Application
from events.caching import MIB, SHARES
from events.errors import Busy, StoreUnavailable
from events.runtime import bootstrap
from events.runtime.embedded import EmbeddedServer
from events.runtime.settings import Settings
from events.store import keys
from events.store.connections.client import RedisClient
from events.store.link import link_to
from service.http import streaming
from service.http.app import create_app
from service.http.streaming import Broadcast, SignOfLife, _Turn, server_sent_events, sign_of_life
from tests.service.conftest import gunicorn
from tests.service.contract import hold_event
from tests.service.table import FIRST_MOVE, PEOPLE, SECOND_MOVE, Json, Table, bearer, deck
from tests.support.memory import memory_of
from tests.support.waiting import LIMIT, until

STREAM = {"Accept": "text/event-stream"}


class Remote:
    """A game of two people on a real service."""

    def __init__(self, address: str) -> None:
        body = {"seats": PEOPLE, "setup": {"deck": deck()}}
        game = requests.post(f"{address}/v1/games", json=body, timeout=LIMIT).json()
        self.id: str = game["id"]
        self.at = f"{address}/v1/games/{self.id}"
        self.tokens = [bearer(seat["token"]) for seat in game["seats"]]

    def move(self, seat: int, move: Json) -> requests.Response:
        """Post a move."""
        return requests.post(f"{self.at}/moves", json=move, headers=self.tokens[seat], timeout=LIMIT)

    def get(self, what: str, seat: int = 0, **headers: str) -> requests.Response:
        """Get something; header names with underscores for hyphens."""
        return requests.get(f"{self.at}{what}", headers=self.tokens[seat] | hyphens(headers), timeout=LIMIT)

    def stream(self, seat: int = 0, query: str = "", **headers: str) -> requests.Response:
        """Open a stream."""
        sent = self.tokens[seat] | STREAM | hyphens(headers)
        return requests.get(f"{self.at}/events{query}", headers=sent, stream=True, timeout=LIMIT)


def count(link: RedisClient, what: bytes) -> int:
    """Number of the store's connections that are so."""
    return sum(what in line for line in link.call("CLIENT", "LIST").splitlines())


def heard(link: RedisClient, game_id: str) -> bool:
    """True if somebody listens for news of the game."""
    return bool(link.call("PUBSUB", "NUMSUB", keys.stream(game_id))[1])


def hyphens(headers: dict[str, str]) -> dict[str, str]:
    """Header names as they are written."""
    return {name.replace("_", "-"): value for name, value in headers.items()}


def frames(stream: requests.Response) -> Iterator[dict[str, str]]:
    """The frames of a stream as they come, comments left out; ends with the stream."""
    frame: dict[str, str] = {}
    for line in stream.iter_lines(chunk_size=1, decode_unicode=True):
        name, _, value = line.partition(": ")
        if line and name:
            frame[name] = value
        elif frame:
            if "id" in frame:
                hold_event(orjson.loads(frame["data"]))
            yield frame
            frame = {}


@pytest.fixture
def game(web: str) -> Remote:
    """A game on the real service."""
    return Remote(web)


@pytest.fixture
def scorer(server: EmbeddedServer) -> Application:
    """Application that confirms results in place of a worker."""
    return bootstrap.application(Settings(redis_url=server.url))


class TestServerSentEvents:
    """Accept: text/event-stream."""

    def test_from_the_first_event_to_the_last(self, game: Remote, scorer: Application) -> None:
        """Recorded events come at once, new ones as they happen; after the scoring the stream ends."""
        with closing(game.stream(seat=1)) as stream:
            assert stream.headers["Content-Type"] == "text/event-stream"
            coming = frames(stream)
            assert [next(coming)["event"] for _ in range(2)] == ["game_created", "game_started"]
            assert game.move(0, FIRST_MOVE).status_code == 201
            played, discarded, drawn = (next(coming) for _ in range(3))
            assert [frame["id"] for frame in (played, discarded, drawn)] == ["3", "4", "5"]
            event = orjson.loads(drawn["data"])
            assert (event["type"], event["data"]["cards"], event["redacted"]) == (
                "cards_drawn",
                None,
                ["cards"],
            )
            game.move(1, {"type": "resign"})
            assert [next(coming)["event"] for _ in range(2)] == ["player_resigned", "game_ended"]
            scorer.bot_turns.score_game(game.id)
            assert next(coming)["event"] == "game_scored"
            assert next(coming) == {"event": "end", "data": "{}"}
            assert list(coming) == []

    def test_one_too_many_and_an_outage_of_the_store(self, tmp_path: Path) -> None:
        """A real server refuses one until another has gone, which it notices when it writes to it."""
        setting = {"MIGRATO_STREAMS_PER_CALLER": "3", "MIGRATO_WEB_WORKERS": "1"}
        data = tmp_path / "data"
        with EmbeddedServer(data) as first, gunicorn(first.url, tmp_path / "web.log", **setting) as address:
            game = Remote(address)
            streams = [game.stream() for _ in range(3)]
            with closing(game.stream()) as refused:
                assert (refused.status_code, refused.json()["code"]) == (429, "rate-limited")
                assert refused.headers["Retry-After"].isdigit()
            for stream in streams:
                stream.close()
            game.move(0, FIRST_MOVE)
            game.move(1, SECOND_MOVE)
            game, opened = Remote(address), list[requests.Response]()

            def is_let_in() -> bool:
                stream = game.stream()
                if stream.status_code == 200:
                    opened.append(stream)
                else:
                    stream.close()
                return bool(opened)

            until(is_let_in, 60)
            with closing(opened[-1]) as stream:
                coming = frames(stream)
                assert [next(coming)["id"] for _ in range(2)] == ["1", "2"]
                first.stop()
                assert requests.get(game.at, headers=game.tokens[0], timeout=LIMIT).status_code == 503
                with EmbeddedServer(data) as second:
                    assert second.url == first.url
                    assert game.move(0, FIRST_MOVE).status_code == 201
                    assert [next(coming)["id"] for _ in range(3)] == ["3", "4", "5"]


class TestLongPolls:
    """wait=S."""

    def test_news(self, web: str, server: EmbeddedServer) -> None:
        """A view is sent as soon as it has changed, and so are events, as lines as well."""
        link = link_to(server.url, 5.0)
        for what, headers, read in POLLS:
            game = Remote(web)
            with ThreadPoolExecutor(1) as pool:
                poll = pool.submit(game.get, what, 1, **headers)
                until(lambda poll=poll, game=game: heard(link, game.id) or poll.done())  # type: ignore[misc]
                assert not poll.done()
                game.move(0, FIRST_MOVE)
                assert read(poll.result(LIMIT))

    def test_nothing_that_comes(self, game: Remote) -> None:
        """304, or an empty page, when the time is up."""
        began = time.monotonic()
        view = game.get("?wait=1", If_None_Match='"2"')
        assert (view.status_code, view.content) == (304, b"")
        assert game.get("/events?after=2&wait=1").json() == {"events": [], "next": 2, "version": 2}
        assert time.monotonic() - began >= 1.9


POLLS: list[tuple[str, dict[str, str], Callable[[requests.Response], bool]]] = [
    (
        "?wait=30",
        {"If_None_Match": '"2"'},
        lambda answer: answer.json()["to_act"] == answer.json()["viewer"] == 1,
    ),
    ("/events?after=2&wait=30", {}, lambda answer: answer.json()["events"][0]["version"] == 3),
    (
        "/events?after=2&wait=30",
        {"Accept": "application/x-ndjson"},
        lambda answer: answer.text.startswith('{"version":3,'),
    ),
]


class TestFrames:
    """The stream's own clockwork, seen from close by."""

    def test_a_silent_game_gives_signs_of_life(self, settings: Settings, table: Table) -> None:
        """After a while, so that nobody between takes the connection for dead; also where no long polls are allowed."""
        application = bootstrap.application(replace(settings, long_poll_max=0))
        stream = server_sent_events(application, table.id, 0, 2, alive=SignOfLife(0.05))
        began = time.monotonic()
        assert [next(stream) for _ in range(3)] == [streaming.STILL_HERE] * 3
        assert time.monotonic() - began >= 0.1

    def test_heartbeats_tell_when_to_expect_the_next(self, table: Table) -> None:
        """They have no id: nothing but an event of the game moves Last-Event-ID on."""
        for events, name in (("named", b"event: heartbeat\n"), ("message", b"")):
            alive = sign_of_life(0.05, {"heartbeats": True, "events": events})
            stream = server_sent_events(table.application, table.id, 0, 2, alive=alive)
            assert {next(stream) for _ in range(3)} == {
                name + b'data: {"type":"heartbeat","seconds":0.05}\n\n'
            }

    @pytest.mark.plain
    def test_a_silent_store_is_asked_again(self, table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
        """A stream asks a silent store again after a pause, and sends a comment meanwhile."""
        pauses: list[float] = []
        stream = server_sent_events(table.application, table.id, 0, 0, pauses.append)
        assert next(stream) == streaming.STILL_HERE
        with monkeypatch.context() as broken:
            broken.setattr(table.application.views, "snapshot", Mock(side_effect=StoreUnavailable("gone")))
            assert [next(stream) for _ in range(2)] == [streaming.STILL_HERE] * 2
        assert next(stream).startswith(b"id: 1\n")
        assert pauses == [streaming.STORE_PAUSE] * 2

    def test_a_long_history_comes_in_pieces(self, table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
        """Nothing is left out where one piece ends and the next begins."""
        table.move(0, FIRST_MOVE)
        table.finish(1)
        monkeypatch.setattr(streaming, "PAGE", 2)
        stream = b"".join(server_sent_events(table.application, table.id, None, 0))
        assert [line for line in stream.split(b"\n") if line.startswith(b"id:")] == [
            b"id: %d" % n for n in range(1, 9)
        ]


class AwaitedTurn(_Turn):
    """Counts those who have come and looked, once each, how often it failed: from then on they wait for the first."""

    def __init__(self) -> None:
        self.looks = 0
        super().__init__()

    @property
    def failures(self) -> int:
        self.looks += 1
        return self._failures

    @failures.setter
    def failures(self, number: int) -> None:
        self._failures = number


class Counted:
    """Counts what is read of an application's store by other threads than this one."""

    def __init__(self, application: Application, monkeypatch: pytest.MonkeyPatch) -> None:
        self.reads = 0
        store = application.views._store
        here, read = threading.current_thread(), store.read

        def counted(*asked: Any, **more: Any) -> Any:
            self.reads += threading.current_thread() is not here
            return read(*asked, **more)

        monkeypatch.setattr(store, "read", counted)


@pytest.mark.plain
class TestBroadcast:
    """Things that many streams share."""

    def test_a_move_is_read_once_for_all(self, table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
        """Once for each kind of eyes that watch, and each sees what it may."""
        monkeypatch.setattr(streaming, "FRESH", LIMIT)  # on a machine however slow
        broadcast = Broadcast(table.application)
        eyes = [None, 0, 1] * 20
        streams = [
            server_sent_events(table.application, table.id, viewer, 2, broadcast=broadcast) for viewer in eyes
        ]
        for stream in streams:
            assert next(stream) == streaming.STILL_HERE
        with ThreadPoolExecutor(len(streams)) as pool:
            told = [pool.submit(next, stream) for stream in streams]
            until(lambda: waiting(table) == len(streams))
            counted = Counted(table.application, monkeypatch)
            table.move(0, FIRST_MOVE)
            frames = [one.result(LIMIT) for one in told]
        assert 1 <= counted.reads <= 1 + 3
        assert all(frame.count(b"id: ") == 3 for frame in frames)
        seen = {
            viewer: {frame for frame, eye in zip(frames, eyes, strict=True) if eye == viewer}
            for viewer in (None, 0, 1)
        }
        assert [len(each) for each in seen.values()] == [1, 1, 1]
        assert seen[None] == seen[1] != seen[0]  # what was drawn is seat 0's to see
        assert b'"redacted":[]' in min(seen[0])

    def test_a_stream_opened_after_the_end_shows_everything(self, table: Table) -> None:
        """A stream opened after the end shows everything, whatever other streams were told before."""
        broadcast = Broadcast(table.application)
        table.move(0, FIRST_MOVE)
        early = server_sent_events(table.application, table.id, None, 0, broadcast=broadcast)
        assert b'"redacted":["cards"]' in [next(early), next(early)][1]
        table.finish(1)
        late = b"".join(server_sent_events(table.application, table.id, None, 0, broadcast=broadcast))
        assert b'"redacted":[]' in late
        assert b'"redacted":["' not in late
        assert b"".join(early).endswith(streaming.END)

    def test_all_who_ask_in_vain_fail_together(self, table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
        """A silent store is asked by one of them, and not by each in its turn."""
        broadcast, turn, asked = Broadcast(table.application), AwaitedTurn(), list[int]()
        broadcast._turns = [turn] * len(broadcast._turns)

        def silent(*_: object) -> None:
            asked.append(1)
            until(lambda: turn.looks == 41)  # the first has looked twice
            raise StoreUnavailable("gone")

        monkeypatch.setattr(table.application.views, "snapshot", silent)

        def page(_: int) -> None:
            with pytest.raises(StoreUnavailable):
                broadcast.page(table.id, None, 2, 3)

        with ThreadPoolExecutor(40) as pool:
            list(pool.map(page, range(40)))
        assert len(asked) == 1

    def test_a_store_that_lost_events_is_not_asked_without_end(
        self, table: Table, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A store that told of a version that it no longer has is not asked for it without end."""
        pauses: list[float] = []
        stream = server_sent_events(table.application, table.id, None, 2, pauses.append)
        heard = iter([7, 2, 2])
        monkeypatch.setattr(table.application.views, "wait_for", lambda *_: next(heard))
        assert [next(stream) for _ in range(3)] == [streaming.STILL_HERE] * 3
        assert pauses == [streaming.STORE_PAUSE]

    @pytest.mark.parametrize("error", [StoreUnavailable("gone"), Busy()])
    def test_a_failure_for_a_while_does_not_end_a_stream(
        self, table: Table, monkeypatch: pytest.MonkeyPatch, error: Exception
    ) -> None:
        """Neither when it begins nor in the middle, where all who wait for the same share the failure."""
        pauses: list[float] = []
        broadcast = Broadcast(table.application)
        stream = server_sent_events(table.application, table.id, None, 0, pauses.append, broadcast)
        next(stream)
        fail = Mock(side_effect=error)
        with monkeypatch.context() as failing:
            failing.setattr(table.application.views, "visible_events", fail)
            assert next(stream) == streaming.STILL_HERE
        assert ids(next(stream)) == [1, 2]
        table.move(0, FIRST_MOVE)
        with monkeypatch.context() as failing:
            failing.setattr(table.application.views, "visible_events", fail)
            assert next(stream) == streaming.STILL_HERE
        assert ids(next(stream)) == [3, 4, 5]
        assert pauses == [streaming.STORE_PAUSE] * 2
        assert sum(turn.failures for turn in broadcast._turns) == 1

    def test_the_bytes_of_what_is_kept_are_bounded(self, table: Table) -> None:
        """They are counted, like all that a process keeps."""
        roomy, narrow = (
            Broadcast(table.application),
            Broadcast(table.application, memory=memory_of("streams", 100)),
        )
        for broadcast in (roomy, narrow):
            for viewer in (None, 0, 1):
                assert broadcast.page(table.id, viewer, 0, None).last == 2
        assert (len(roomy._kept), len(narrow._kept)) == (1, 0)
        frames = len(roomy.page(table.id, None, 0, 2).frames)
        assert 3 * frames < roomy._kept.bytes < 3 * frames + 20_000

    def test_the_bytes_are_a_share_of_the_setting(self, settings: Settings) -> None:
        """The bytes that streams keep are a share of what a process may keep in memory."""
        service = create_app(replace(settings, cache_mb=100))
        assert service.parts.broadcast._kept.most == pytest.approx(5 * MIB)
        assert sum(SHARES.values()) == pytest.approx(1)


def ids(frames: bytes) -> list[int]:
    """The ids of frames."""
    return [int(line[4:]) for line in frames.split(b"\n") if line.startswith(b"id: ")]


def waiting(table: Table) -> int:
    """Number of those in this process that wait for the table's game."""
    news = table.application.views._store._news  # type: ignore[attr-defined]
    return sum(watched.waiting for watched in news._watched.values())
