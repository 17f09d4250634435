"""The Python client on a real engine, and on servers that are worse."""

import itertools
import json
import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

import httpx
import pytest
from click.testing import CliRunner
from migrato_client import (
    Altered,
    ApiError,
    Client,
    Game,
    InvalidSignature,
    Seen,
    StreamGap,
    Unreachable,
    streams,
    transport,
    verify,
    verify_question,
)
from migrato_client.following import Follower
from migrato_client.models import AnyNewlyCreated, AppEvent, NewGame, StreamedState
from migrato_client.streams import frames

from service.cli import main
from tests.clients.conftest import APP_KEY, Address
from tests.clients.relay import relay
from tests.service.table import BEGINNING, FIRST_MOVE, SECOND_MOVE, deck
from tests.support.bot_server import answer, bot_server, hang_up
from tests.support.engine import Engine
from tests.support.silence import SilentWay
from tests.support.waiting import LIMIT, until

SHORT: NewGame = {"options": {"turn_limit": 12}}
PROBLEM = {"code": "busy", "title": "Busy", "detail": "too much", "status": 503}
BROKEN = [hang_up, answer(PROBLEM, 503), answer(PROBLEM, 429), answer(b"<h1>Bad</h1>", 502)]
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


@pytest.fixture
def app(address: Address) -> Iterator[Client]:
    with Client(*address) as client:
        yield client


def table(app: Client, visibility: str = "private") -> AnyNewlyCreated:
    """A game of two people on a known deck."""
    new_game: Any = {"seats": [{"kind": "human"}, {"kind": "human"}], "setup": {"deck": deck()}}
    return app.create_game(new_game | {"visibility": visibility})


# A game


def test_a_game_is_followed_kept_and_compared(app: Client, tmp_path: Path) -> None:
    """To its end, while a thread plays; a file of an earlier run is compared, too, and `migrato verify` reads it."""
    game, file, export = (
        app.play_against("greedy", SHORT, player="ada"),
        tmp_path / "kept",
        tmp_path / "export",
    )

    def play() -> None:
        for turn in game.turns():
            game.move(turn.legal_moves[0], turn_version=turn.turn_version)

    with ThreadPoolExecutor(1) as pool:
        playing, events = pool.submit(play), list(game.follow(file))
        playing.result()
    whole: list[Any] = list(game.events())
    assert game.seen == Seen(len(events), len(whole))
    assert str(game.seen) == f"what you saw is what is recorded ({len(events)} of {len(whole)})"
    assert len(events) == len(whole)
    (seed,) = [event["data"]["client_seed"] for event in whole if event["type"] == "seat_taken"]
    assert re.fullmatch("[0-9a-f]{32}", str(seed))
    until(lambda: '"complete":true' in game.export())
    export.write_text(game.export())
    told = CliRunner().invoke(main, ["verify", "--kept", str(file), str(export)])
    assert f"what was seen is what is recorded: {len(events)} of {len(whole)} events" in told.stdout
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:12]) + lines[12][:40])
    assert Follower(file).conclude(whole) == Seen(12, len(whole))
    for cut in (lines[12][:40], lines[12][:-1]):
        file.write_bytes(b"".join(lines[:12]) + cut)
        anew = Follower(file)
        for event in whole:
            anew.take(event)
        written = [json.loads(line)["version"] for line in file.read_bytes().splitlines()]
        assert written == list(range(1, len(whole) + 1))

    hiding = next(json.loads(line) for line in lines if b'"count"' in line and json.loads(line)["redacted"])
    hiding["data"]["count"] += 1
    file.write_text(json.dumps(hiding) + "\n")
    with pytest.raises(Altered, match=f"event {hiding['version']}: it was shown otherwise before"):
        Follower(file).conclude(whole)
    for changed in ({"at": "2001-01-01T00:00:00.000Z"}, {"head": "0" * 64}, {"version": 3}):
        with pytest.raises(Altered, match=r"event [23]: "):
            Follower().conclude([whole[0], whole[1] | changed])
    with pytest.raises(Altered, match="another head than the seat showed"):
        Follower(look={"version": 2, "head": "0" * 64}).conclude(whole)
    look: Any = game._look
    assert Follower(look=look).conclude(whole) == Seen(0, len(whole))
    for lie in (
        {"version": 10**6},
        {"fairness": {"commitment": "0" * 64}},
        {"setup": True},
        {"client_seed": "another"},
    ):
        with pytest.raises(Altered):
            Follower(look=look | lie).conclude(whole)
    kept = Follower()
    for event in whole:
        kept.take(event)
    with pytest.raises(Altered, match="it is not recorded"):
        kept.conclude(whole[:-1])
    late = app.game(game.id, game.token)
    assert list(late.follow()) == whole
    assert late.seen == Seen(0, len(whole))


@pytest.mark.parametrize("game", ["migrato", "migo"])
def test_a_game_is_played_in_a_few_lines(app: Client, game: Literal["migrato", "migo"]) -> None:
    seat = app.play_against("greedy", {"game": game, **SHORT})
    for turn in seat.turns():
        seat.move(turn.legal_moves[0], turn_version=turn.turn_version)
    view = seat.view()
    assert view["status"] == "finished"
    events = list(seat.events())
    assert [event["version"] for event in events] == list(range(1, len(events) + 1))
    assert list(seat.watch()) == events
    assert list(seat.watch(after=len(events))) == []
    assert list(seat.events(limit=3)) == events


def test_two_people_and_somebody_who_watches(app: Client, address: Address) -> None:
    created = app.create_game({"seats": [{"kind": "human"}, {"kind": "open"}], "visibility": "public"})
    ada = app.seat(created, 0)
    with Client(address.url) as anybody:
        assert anybody.game(ada.id).look_at_seat(1)["kind"] == "open"
        bo = app.game(ada.id).take_seat(1, "bo")
        assert ada.view()["status"] == "playing"
        version = ada.view()["version"]
        assert bo.wait(version, 1) is None
        seen: list[Any] = []
        spectator = anybody.game(ada.id)
        watcher = threading.Thread(target=lambda: seen.extend(spectator.states()))
        watcher.start()
        until(lambda: seen)
        bo.resign()
        watcher.join(LIMIT)
        assert seen[0]["version"] == version
        assert seen[-1]["view"]["status"] == "finished"
        assert all(state["view"]["viewer"] is None for state in seen)
        assert bo.wait(version, 1) is not None


def test_a_connection_that_dies_without_a_word(app: Client, address: Address) -> None:
    """The stream goes on by itself, and says so; no event is missing, and none comes twice."""
    created = table(app)
    ada, bo = app.seat(created, 0), app.seat(created, 1)
    seen: list[Any] = []
    told: list[str] = []
    with closing(SilentWay(address.url)) as way, Client(way.url) as away:
        events = away.game(ada.id, ada.token).watch(on_connection=told.append)
        watcher = threading.Thread(target=lambda: seen.extend(events))
        watcher.start()
        until(lambda: way.opened > 1)  # the engine has told its time, for which the client connects anew
        way.fall_silent()
        ada.move(ada.legal_moves()[0])
        until(lambda: "back" in told)
        bo.resign()
        watcher.join(20)
    assert [event["version"] for event in seen] == list(range(1, len(seen) + 1))
    assert seen[-1]["type"] == "game_scored"
    assert told[:2] == ["interrupted", "back"]


def test_the_app_key_goes_beside_a_seats_token() -> None:
    """The key is sent with no other request, and never by a client without one."""
    view = answer({"id": "g"}, 200, "Content-Type: application/json")
    with bot_server(view) as server, Client(server.url, "key") as app, Client(server.url) as page:
        for game in (app.game("g", "seat"), app.game("g"), page.game("g", "seat"), page.game("g")):
            game.view()
        sent = [request.headers.get("migrato-app-key") for request in server.received]
        assert sent == ["key", None, None, None]


def test_own_data(app: Client) -> None:
    """Own data is given with a game, changed, and used to find the game."""
    order = str(uuid4())
    game = app.create_game({"external_id": order, "metadata": {"order": order, "a b&c": "d=e"}})
    changed = app.change_game(game["id"], {"metadata": {"order": None, "paid": order}})
    assert changed["metadata"] == {"a b&c": "d=e", "paid": order}
    for found in (app.games(external_id=order), app.games(metadata="a b&c=d=e", external_id=order)):
        assert [line["id"] for line in found] == [game["id"]]
    assert list(app.games(metadata=f"order={order}")) == []


def test_an_invite_and_the_lobby(app: Client, address: Address) -> None:
    created = app.create_game({"seats": [{"kind": "human"}, {"kind": "open"}], "joining": "invite"})
    game = app.game(created["id"])
    assert game.id in {line["id"] for line in app.lobby(joining="invite", limit=1)}
    assert game.id not in {line["id"] for line in app.lobby()}
    revoked = game.invite(1)
    game.revoke_invite(revoked["id"])
    invite = game.invite(1, expires_in=60, short=True)
    assert [good["id"] for good in game.invites()] == [invite["id"]]
    with Client(address.url) as anybody:
        with pytest.raises(ApiError):
            anybody.game(game.id).take_seat(1, "bo", invite=revoked["invite"])
        found = anybody.find_invite(invite["join_code"].lower())
        bo = anybody.game(found["game_id"]).take_seat(found["seat"], "bo", invite=found["invite"])
        cy = bo.hand_over(1, "cy")
        assert cy.view()["seats"][1]["player"] == "cy"
        with pytest.raises(ApiError, match="401"):
            bo.view()


def test_all_games_of_the_app_are_watched(app: Client) -> None:
    list(app.events())
    seen: list[AppEvent] = []
    watcher = threading.Thread(target=lambda: seen.extend(itertools.islice(app.watch(), 3)))
    watcher.start()
    games: list[str] = []

    def has_seen_enough() -> bool:
        games.append(table(app)["id"])  # it may not have asked for what is new yet
        return not watcher.is_alive()

    until(has_seen_enough)
    assert {event["data"]["game_id"] for event in seen} <= set(games)
    assert len(seen) == 3
    later = list(app.events(seen[0]["id"]))
    assert later[:2] == seen[1:]
    assert {event["type"] for event in app.events(types=["game.created"])} == {"game.created"}


def test_quick_match(app: Client, address: Address) -> None:
    games: list[Game] = []
    with relay(address.url) as way, Client(way.url, address.app_key) as slow:
        waiting = threading.Thread(target=lambda: games.append(slow.quick_match({"player": "dora"})))
        waiting.start()
        until(lambda: len(way.asked) >= 2)  # it stands in line, and asks whether somebody has come
        other = app.quick_match({"player": "emil"})
        waiting.join(LIMIT)
        assert games[0].id == other.id
        assert {games[0].view()["viewer"], other.view()["viewer"]} == {0, 1}
    ticket = app.join_quick_match({"player": "fay"})
    assert app.wait_for_match(ticket["ticket"], 1)["status"] == "waiting"
    app.cancel_match(ticket["ticket"])
    assert app.wait_for_match(ticket["ticket"], 1)["status"] == "cancelled"


def test_webhooks_arrive_and_are_verified(app: Client) -> None:
    """Messages are verified by both secrets while one is being changed."""
    with bot_server(answer(b"", 204)) as server:
        created = app.webhooks.create({"url": f"{server.url}/", "types": ["game.created"]})
        app.webhooks.ping(created["id"])
        until(lambda: server.received)
        changed = app.webhooks.rotate_secret(created["id"])
        game = table(app)["id"]
        until(lambda: len(server.received) >= 2)
        app.webhooks.change(created["id"], {"disabled": True})
        assert [hook["disabled"] for hook in app.webhooks.list()] == [True]
        app.webhooks.delete(created["id"])
        assert app.webhooks.list() == []
    ping, event, *_ = server.received
    assert verify(created["secret"], ping.headers, ping.body)["type"] == "ping"
    for secret in (created["secret"], changed["secret"]):
        message = verify(secret, event.headers, event.body)
        assert message["type"] != "ping"
        assert message["data"]["game_id"] == game
    with pytest.raises(InvalidSignature):
        verify(changed["secret"], ping.headers, ping.body)


def test_a_win_is_claimed_from_somebody_who_is_away(app: Client) -> None:
    """The client claims the win from somebody who is away, and not before the engine says that it may."""
    seats: list[Any] = [{"kind": "human"}, {"kind": "human"}]
    created = app.create_game({"seats": seats, "options": {"claim_after": 60}})
    with pytest.raises(ApiError) as refused:
        app.seat(created, 1).claim()
    assert refused.value.code == "nothing-to-claim"


def test_a_move_is_taken_back(app: Client) -> None:
    created = app.create_game({"game": "migo", "seats": [{"kind": "human"}, {"kind": "human"}]})
    mover, other = app.seat(created, 0), app.seat(created, 1)
    if not mover.legal_moves():
        mover, other = other, mover
    mover.move(mover.legal_moves()[0])
    mover.take_back()
    assert len(other.takeback_state()["missing"]) == 1
    other.take_back(agree=False)
    mover.take_back()
    assert other.take_back(agree=True)["events"][-1]["type"] == "moves_taken_back"
    assert mover.takeback_state()["to_version"] is None


def test_an_analysis(app: Client) -> None:
    seats: Any = [{"kind": "human", "player": "vi"}, {"kind": "human", "player": "wu"}]
    created = app.create_game({"seats": seats, "options": {"turn_limit": 2}})
    players = [app.seat(created, 0), app.seat(created, 1)]
    while (view := players[0].view())["status"] == "playing":
        mover = players[view["to_act"] or 0]
        mover.move(mover.legal_moves()[0])
    analysis = players[0].analysis()
    assert {point["seat"] for point in analysis["points"]} == {0, 1}
    assert analysis["id"] == players[0].id


def test_rematch_and_leaderboard(app: Client) -> None:
    seats: Any = [{"kind": "human", "player": "vi"}, {"kind": "human", "player": "wu"}]
    created = app.create_game({"seats": seats, "rated": True, "options": {"first_seat": "random"}})
    vi, wu = app.seat(created, 0), app.seat(created, 1)
    wu.resign()
    assert vi.rematch() is None
    vi.withdraw_rematch()
    assert vi.rematch_state()["agreed"] == []
    begun = [wu.rematch(), vi.rematch(), wu.rematch()]
    assert begun[0] is None
    assert begun[1]
    assert begun[2]
    assert begun[1].id == begun[2].id
    assert [game.view()["viewer"] for game in begun[1:] if game] == [1, 0]
    until(lambda: {"vi", "wu"} <= {entry.get("player") for entry in app.leaderboard(limit=1)})
    assert next(app.leaderboard(around="wu", limit=1)).get("player") == "wu"
    assert not list(app.leaderboard(around="nobody"))


def test_decisions_of_the_app(app: Client) -> None:
    game = app.game(table(app)["id"])
    other = game.reissue_token(1)["token"]
    assert app.game(game.id, other).view()["viewer"] == 1
    assert game.head()["version"] == game.view()["version"]
    game.replace_player(0, "greedy")
    assert game.adjudicate({"winner": 1})["status"] == "finished"
    assert game.audit()["wrong"] is None
    assert game.export().startswith("{")
    assert len(list(game.replay(limit=1))) >= 2
    assert app.game(table(app)["id"]).abort()["aborted"]
    forked = game.fork({"version": next(game.replay())["version"]})
    assert app.seat(forked, 0).legal_moves() is not None


def test_bots_hints_and_previews(app: Client) -> None:
    seat = app.seat(table(app), 0)
    assert {"greedy", "maxn"} <= {bot["name"] for bot in app.bots()}
    assert "maxn" not in {bot["name"] for bot in app.bots("migrato")}
    view, legal = seat.view(), seat.legal_moves()
    assert view["game"] == "migrato"
    assert view["state"] is not None
    assert view["state"]["players"][0]["hand"] == [*BEGINNING[:6:2]]  # of a known deck
    assert seat.hint("greedy")["move"] in legal
    assert app.choose("greedy", seat.position())["move"] in legal
    several = app.choose_all("greedy", [seat.position(), {"view": {}}])
    assert (
        [one["answer"] is None for one in several]
        == [one["problem"] is not None for one in several]
        == [False, True]
    )
    assert seat.preview(legal[0])["version"] == seat.view()["version"]


def test_all_pages_of_games(app: Client) -> None:
    made = [table(app)["id"] for _ in range(3)]
    listed = [line["id"] for line in app.games(limit=2)]
    assert listed[:3] == made[::-1]
    assert len(set(listed)) == len(listed)


def test_tickets(app: Client, address: Address) -> None:
    seat = app.seat(table(app), 0)
    ticket = seat.ticket(expires_in=60)
    stream = address.url + ticket["stream"]
    accepted = {"Accept": "text/event-stream"}
    with httpx.stream("GET", stream, headers=accepted) as opened:
        assert opened.status_code == 200
    seat.revoke_tickets()
    until(lambda: _status(stream, accepted) == 401)
    assert seat.ticket(view="spectator")["viewer"] is None
    assert "parent" in refusal(lambda: seat.embed("https://game.example")).errors  # nobody may frame it


def _status(url: str, headers: dict[str, str]) -> int:
    with httpx.stream("GET", url, headers=headers) as opened:
        return opened.status_code


# Refusals


def refusal(ask: Callable[[], object]) -> ApiError:
    """The reason against it."""
    with pytest.raises(ApiError) as caught:
        ask()
    return caught.value


def test_a_refusal_says_what_is_wrong(app: Client) -> None:
    created = table(app)
    ada, bo = app.seat(created, 0), app.seat(created, 1)
    early = refusal(lambda: bo.move({"type": "exchange"}))
    assert (early.status, early.code) == (409, "not-your-turn")
    illegal = refusal(lambda: ada.move({"type": "play", "card": "K4d", "slot": 1}))
    assert (illegal.code, bool(illegal.rule)) == ("illegal-move", True)
    old = refusal(lambda: ada.move({"type": "exchange"}, at=1))
    assert (old.code, old.version) == ("version-mismatch", created["version"])
    wrong = refusal(lambda: app.request("POST", "/v1/games", {"seats": [{"kind": "bot"}]}))
    assert (wrong.code, [*wrong.errors]) == ("validation-error", ["seats.0.bot"])
    assert "seats.0.bot" in str(wrong)
    assert wrong.request_id
    with pytest.raises(ApiError, match="404 not-found"):
        list(app.game("nothing-here").watch())
    with pytest.raises(ApiError, match="401 unauthorized"):
        list(app.game(ada.id, "mg_wrong").states())
    with pytest.raises(ApiError, match="404"):
        app.game("../bots").view()  # an id is no path


def test_no_token_is_in_what_an_error_says(address: Address) -> None:
    with Client("http://127.0.0.1:9", address.app_key, patience=0.2) as client:
        with pytest.raises(Unreachable) as caught:
            client.bots()
        assert address.app_key not in str(caught.value) + repr(client) + repr(client.game("x"))
        with pytest.raises(Unreachable):
            list(client.game("x").states())


# Repeats


def test_an_engine_that_is_killed_in_mid_game(mortal: Engine) -> None:
    """It is killed after it made the move, and before the client learns that; a stream is open meanwhile."""
    with relay(mortal.url) as way, Client(way.url, APP_KEY, patience=60.0) as app:
        created = table(app)
        ada, bo = app.seat(created, 0), app.seat(created, 1)
        states: list[StreamedState] = []
        events: list[Any] = []
        watchers = [
            threading.Thread(target=lambda: states.extend(bo.states())),
            threading.Thread(target=lambda: events.extend(bo.watch())),
        ]
        for watcher in watchers:
            watcher.start()
        until(lambda: states and events)

        def killed_and_restarted() -> None:
            mortal.kill_supervisor()
            mortal.start()

        way.losses.append(killed_and_restarted)
        moved = ada.move(FIRST_MOVE)  # type: ignore[arg-type]  # a dictionary
        bo.move(SECOND_MOVE)  # type: ignore[arg-type]
        ada.resign()
        for watcher in watchers:
            watcher.join(LIMIT)
        played = [event for event in events if event["type"] == "bird_played"]
        assert [event["seat"] for event in played] == [0, 1]
        assert [event["version"] for event in events] == list(range(1, len(events) + 1))
        assert states[-1]["view"]["status"] == "finished"
        assert len(set(way.keys)) == 3
        assert way.keys[0] == way.keys[1]
        assert {str(created["version"]), str(moved["version"])} & set(way.resumed)


def test_a_move_with_a_kept_key_is_made_once_by_two_programs(app: Client, address: Address) -> None:
    created = table(app)
    first = app.seat(created, 0).move({"type": "exchange"}, idempotency_key="kept")
    with Client(*address) as other:
        assert other.seat(created, 0).move({"type": "exchange"}, idempotency_key="kept") == first


@pytest.mark.parametrize("trouble", BROKEN)
def test_trouble_is_repeated_with_the_same_key(trouble: Any) -> None:
    good = answer({"id": "g", "version": 2}, 201, "Content-Type: application/json")
    with bot_server(trouble, trouble, good) as server, Client(server.url) as client:
        assert client.create_game()["id"] == "g"
        assert len({request.headers["idempotency-key"] for request in server.received}) == 1
        assert len(server.received) == 3


def test_retry_after_is_waited_for() -> None:
    late = answer(PROBLEM, 503, "Retry-After: 1", "Content-Type: application/problem+json")
    good = answer({"bots": []}, 200, "Content-Type: application/json")
    with bot_server(late, good) as server, Client(server.url) as client:
        assert client.bots() == []
        assert server.at[1] - server.at[0] >= 1.0


class Clock:
    """In the place of `time`: it goes on by what is slept, so that a slow machine changes nothing."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The client's."""
    clock = Clock()
    for module in (transport, streams):
        monkeypatch.setattr(module, "time", clock)
    return clock


def test_patience_ends(clock: Clock) -> None:
    """The client's patience ends, and at once if the engine asks for a longer pause than is left of it."""
    never = answer(
        PROBLEM, 503, "Retry-After: Fri, 31 Dec 9999 23:59:59 GMT", "Content-Type: application/problem+json"
    )
    with bot_server(never) as server, Client(server.url, patience=60.0) as client:
        with pytest.raises(ApiError, match="503 busy: too much"):
            client.bots()
        with pytest.raises(ApiError, match="503 busy: too much"):
            next(client.game("g").states())
        assert (clock.now, len(server.received)) == (0.0, 2)
    with bot_server(hang_up) as server, Client(server.url, patience=1.0) as client:
        with pytest.raises(Unreachable):
            client.bots()
        assert 3 <= len(server.received) < 20


def test_some_requests_are_sent_once() -> None:
    """Those that must not happen twice, and those that were refused."""
    with bot_server(hang_up) as server, Client(server.url) as client:
        with pytest.raises(Unreachable):
            client.request("POST", "/v1/apps", {}, repeat=False)
        assert len(server.received) == 1
    with bot_server(answer({"code": "bot-failed"}, 500)) as server, Client(server.url) as client:
        with pytest.raises(ApiError, match="500 bot-failed"):
            client.choose("greedy", {"view": {}})
        assert len(server.received) == 1


def test_a_stream_that_ends_at_once_is_opened_again_but_not_forever(clock: Clock) -> None:
    empty = answer(b": busy\nretry: 200\n\n", 200, "Content-Type: text/event-stream")
    with bot_server(empty) as server, Client(server.url, patience=1.0) as client:
        with pytest.raises(Unreachable):
            next(client.game("g").states(presence=True))
        assert 2 <= len(server.received) <= 6
        assert all("presence=true" in received.line for received in server.received)


# Parts


def test_frames_of_a_stream() -> None:
    """Cut anywhere, even within a character; JSON may have line separators that are none here."""
    raw = ': hello\n\nid: 7\r\nevent: state\r\ndata: {"player": "a\u2028ü"}\r\n\r\n'
    raw += "retry: 2000\n\ndata:1\ndata: 2\n\nid: 8"
    for size in (1, 2, 5, 1000):
        data = raw.encode()
        found = list(frames(data[start : start + size] for start in range(0, len(data), size)))
        assert found[-1].data == "1\n2"
        assert [frame.retry for frame in found if frame.retry] == [2.0]
        [state] = [frame for frame in found if frame.event == "state"]
        assert (state.id, json.loads(state.data)["player"]) == ("7", "a\u2028ü")


def test_the_reference_vector_of_standard_webhooks() -> None:
    body = b'{"test": 2432232314}'
    headers = {
        "Webhook-Id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "WEBHOOK-TIMESTAMP": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }
    assert dict(verify(SECRET, headers, body, now=1614265330.0)) == {"test": 2432232314}
    assert verify(["whsec_b3RoZXI=", SECRET], headers, body, now=1614265330.0)
    both = headers | {"webhook-signature": f"v1a,x v1,AAAA {headers['webhook-signature']}"}
    assert verify(SECRET, both, body, now=1614265330.0)
    for secret, sent, content, late in (
        (SECRET, headers, body, 301),
        (SECRET, headers, body, -301),
        (SECRET, headers | {"Webhook-Id": "msg_other"}, body, 0),
        (SECRET, headers | {"webhook-signature": ""}, body, 0),
        (SECRET, headers | {"webhook-signature": "v1,ü"}, body, 0),
        (SECRET, headers | {"WEBHOOK-TIMESTAMP": "soon"}, body, 0),
        (SECRET, {}, body, 0),
        (SECRET, headers, body + b" ", 0),
        ("whsec_b3RoZXI=", headers, body, 0),
    ):
        with pytest.raises(InvalidSignature):
            verify(secret, sent, content, now=1614265330.0 + late)


def test_the_engine_signs_what_it_asks_a_bot(app: Client) -> None:
    """A whole game of a remote seat, each question of which is verified."""
    failures: list[Exception] = []

    class Bot(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            try:
                asked = verify_question(SECRET, self.headers, body)  # type: ignore[arg-type]  # a mapping, if not by type
            except InvalidSignature as error:
                failures.append(error)
                raise
            reply = json.dumps({"move": asked["legal_moves"][0]}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

    with ThreadingHTTPServer(("127.0.0.1", 0), Bot) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        remote: Any = {"kind": "remote", "url": f"http://127.0.0.1:{server.server_port}/", "secret": SECRET}
        created = app.create_game({"seats": [remote, {"kind": "bot", "bot": "greedy"}], **SHORT})
        events = list(app.game(created["id"]).watch())
        server.shutdown()
    assert not failures
    assert "game_ended" in {event["type"] for event in events}
    assert "greedy" not in {e["data"]["bot"] for e in events if e["type"] == "move_chosen" and e["seat"] == 0}


def test_events_that_are_gone() -> None:
    """A store that is shorter after its restart answers 404 to whoever has seen more."""
    seen = answer(b'id: 3\ndata: {"version": 3}\n\n', 200, "Content-Type: text/event-stream")
    gone = answer({"code": "not-found", "detail": "gone"}, 404)
    with bot_server(seen, gone) as server, Client(server.url) as client:
        stream = client.game("g").watch()
        assert next(stream)["version"] == 3
        with pytest.raises(StreamGap):
            next(stream)
        assert server.received[1].headers["last-event-id"] == "3"
