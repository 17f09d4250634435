"""The TypeScript client as somebody installs it from the tree, in Node and in a browser."""

import json
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import requests

from tests.browsers.chromium import browsing
from tests.clients.conftest import APP_KEY, Address
from tests.clients.relay import relay
from tests.clients.test_python import BROKEN, PROBLEM, SECRET
from tests.service.table import FIRST_MOVE, SECOND_MOVE, deck
from tests.support.bot_server import answer, bot_server, hang_up
from tests.support.engine import Engine
from tests.support.node import NODE, node_modules
from tests.support.players import Player
from tests.support.running import output
from tests.support.silence import SilentWay
from tests.support.waiting import LIMIT, until

TSC = "typescript/bin/tsc"


def node(folder: Path, program: str, *arguments: str, **settings: str) -> str:
    """The output of a program."""
    return output([NODE, "--no-warnings", program, *arguments], folder, **settings)


@pytest.mark.nightly("types of the package that its page or a program cannot be written with")
def test_its_types_are_right(installed: Path) -> None:
    """Of the programs here and of its page, with those that came with the package."""
    assert output([NODE, node_modules() / TSC, "--project", "tsconfig.json"], installed) == ""


def test_its_page_is_true(installed: Path, address: Address) -> None:
    """Node strips the types."""
    said = node(installed, "page.ts", URL=address.url, APP_KEY=address.app_key)
    assert "player_resigned" in said
    assert "answer 401" in said


def test_the_package_has_what_it_exports_and_no_dependency(installed: Path) -> None:
    package = installed / "node_modules/@migrato/client"
    assert sorted(path.name for path in package.iterdir()) == [
        "LICENSE",
        "README.md",
        "lib",
        "package.json",
        "src",
    ]
    assert sorted(path.name for path in (installed / "node_modules").iterdir() if path.name[0] != ".") == [
        "@migrato",
        "eventsource",
    ]


def test_everything_that_an_engine_can_be_asked(installed: Path, address: Address) -> None:
    assert node(installed, "whole.ts", *address) == "done\n"


def test_an_engine_that_is_killed_in_mid_game(installed: Path, mortal: Engine) -> None:
    """It is killed after it made the move, and before the client learns that; streams are open meanwhile."""
    with relay(mortal.url) as way:

        def killed_and_restarted() -> None:
            mortal.kill_supervisor()
            mortal.start()

        way.losses.append(killed_and_restarted)
        found = json.loads(node(installed, "killed.ts", way.url, APP_KEY))
    before, events, moved = found["created"], found["events"], found["moved"]
    assert [event["version"] for event in events] == list(range(1, len(events) + 1))
    made = [(event["version"], event["type"]) for event in moved["events"]]  # bo need not see its cards
    assert [(event["version"], event["type"]) for event in events[before : moved["version"]]] == made
    assert events[moved["version"]]["type"] == "player_resigned"
    assert found["versions"][-1] == events[-1]["version"]
    *repeated, resigned = way.keys  # as often as the restart takes tries
    assert len(repeated) >= 2
    assert {*repeated} == {repeated[0]} != {resigned}
    assert {str(before), str(moved["version"])} & set(way.resumed)


def test_trouble_is_repeated_with_the_same_key(installed: Path) -> None:
    """Only requests that may happen twice are repeated."""
    good = answer({"id": "g"}, 201, "Content-Type: application/json")
    for trouble in BROKEN:
        with bot_server(trouble, trouble, good) as server:
            assert json.loads(node(installed, "refused.ts", server.url, "30")) == {"found": {"id": "g"}}
            assert len({request.headers["idempotency-key"] for request in server.received}) == 1
            assert len(server.received) == 3
    with bot_server(hang_up) as server:
        assert json.loads(node(installed, "refused.ts", server.url, "30", "once")) == {"unreachable": True}
        assert len(server.received) == 1


def test_the_app_key_goes_beside_a_seats_token(installed: Path) -> None:
    with bot_server(answer({"id": "g"}, 200, "Content-Type: application/json")) as server:
        node(installed, "refused.ts", server.url, "5", "beside")
        (request,) = server.received
        assert (request.headers["authorization"], request.headers["migrato-app-key"]) == (
            "Bearer seat",
            "key",
        )


def test_retry_after_is_waited_for(installed: Path) -> None:
    late = answer(PROBLEM, 503, "Retry-After: 1", "Content-Type: application/problem+json")
    good = answer({"id": "g"}, 201, "Content-Type: application/json")
    with bot_server(late, good) as server:
        node(installed, "refused.ts", server.url, "30")
        assert server.at[1] - server.at[0] >= 1.0


@pytest.mark.parametrize("what", ["create", "states"])
def test_patience_ends(installed: Path, what: str) -> None:
    """The client's patience ends, and at once if the engine asks for a longer pause than is left of it."""
    never = answer(
        PROBLEM, 503, "Retry-After: Fri, 31 Dec 9999 23:59:59 GMT", "Content-Type: application/problem+json"
    )
    with bot_server(never) as server:
        said = json.loads(node(installed, "refused.ts", server.url, "5", what))
        assert said == {"code": "busy", "unreachable": False}
        assert len(server.received) == 1
    empty = answer(b": busy\nretry: 200\n\n", 200, "Content-Type: text/event-stream")
    with bot_server(empty if what == "states" else hang_up) as server:
        assert json.loads(node(installed, "refused.ts", server.url, "4", what)) == {"unreachable": True}
        assert 2 <= len(server.received) < 20


def test_the_reference_vector_of_standard_webhooks(installed: Path) -> None:
    assert node(installed, "webhooks.ts") == "done\n"


def test_the_engine_signs_what_it_asks_a_bot(installed: Path, address: Address) -> None:
    """A whole game of a remote seat, each question of which is verified."""
    bot = subprocess.Popen(
        [NODE, "--no-warnings", "bot.ts"], cwd=installed, stdout=subprocess.PIPE, text=True
    )
    with bot:
        assert bot.stdout
        port = bot.stdout.readline().strip()
        remote = {"kind": "remote", "url": f"http://127.0.0.1:{port}/", "secret": SECRET}
        new_game = {"seats": [remote, {"kind": "bot", "bot": "greedy"}], "options": {"turn_limit": 12}}
        app = Player(*address)
        game = app.ask("POST", "/v1/games", new_game)["id"]
        until(lambda: app.ask("GET", f"/v1/games/{game}")["status"] == "finished")
        bot.kill()
    events = app.ask("GET", f"/v1/games/{game}/events?limit=1000")["events"]
    assert not [event for event in events if event["type"] == "move_chosen" and event["data"]["replaces"]]


def test_tickets_through_a_kill_and_a_void_ticket(installed: Path, mortal: Engine) -> None:
    app = Player(mortal.url, APP_KEY)
    people = [{"kind": "human"}, {"kind": "human"}]
    created = app.ask("POST", "/v1/games", {"seats": people, "setup": {"deck": deck()}})
    ada, bo = (Player(mortal.url, seat["token"]) for seat in created["seats"])
    bearer = {"Authorization": f"Bearer {ada.token}"}
    path = f"/v1/games/{created['id']}"
    with bot_server(lambda connection: connection.sendall(ticket())) as server:

        def ticket() -> bytes:
            """The answer of a page's own server."""
            stream = mortal.url + ada.ask("POST", f"{path}/tickets", {})["stream"]
            return f"HTTP/1.1 200 OK\r\nContent-Length: {len(stream)}\r\n\r\n{stream}".encode()

        shown = installed / "seen"
        with shown.open("wb") as seen:
            page = subprocess.Popen(
                [NODE, "--no-warnings", "tickets.ts", server.url], cwd=installed, stdout=seen
            )
        try:

            def has_seen(*wanted: object) -> bool:
                lines = [json.loads(line) for line in shown.read_text().split("\n")[:-1]]
                return all(lines.count(what) >= wanted.count(what) for what in wanted)

            until(lambda: has_seen("ticket", created["version"]))
            mortal.kill_supervisor()
            mortal.start()
            moved = ada.ask("POST", f"{path}/moves", FIRST_MOVE)["version"]
            until(lambda: has_seen("interrupted", moved), otherwise=shown.read_text)
            requests.delete(f"{mortal.url}{path}/tickets", headers=bearer, timeout=LIMIT).raise_for_status()
            # Whether the ticket is good is asked before anything is sent, so nobody has to wait for a heartbeat.
            moved = bo.ask("POST", f"{path}/moves", SECOND_MOVE)["version"]
            until(lambda: has_seen("ticket", "ticket", moved), otherwise=shown.read_text)
            ada.ask("POST", f"{path}/moves", {"type": "resign"})
            assert page.wait(LIMIT) == 0
            assert has_seen("end")
        finally:
            page.kill()
            page.wait()


PAGE_WATCHES = """
(async () => {
  const { Client, followTicket } = await import("/lib/index.js");
  const { url, token, id } = Object.fromEntries(new URLSearchParams(location.search));
  const seat = new Client(url).game(id, token);
  const lines = window.lines = [];
  const say = (stream, what) => void lines.push([stream, what]);
  followTicket(async () => url + (await seat.ticket()).stream, {
    state: (state) => say("ticket", state.version),
    interrupted: () => say("ticket", "interrupted"),
    back: () => say("ticket", "back"),
  });
  (async () => {
    for await (const state of seat.states(undefined, (connection) => say("states", connection)))
      say("states", state.version);
  })();
})()
"""


def test_connections_that_die_without_a_word(installed: Path, address: Address) -> None:
    """In Node and in a browser, by a stream of the client's own and by an EventSource: all go on, and say so."""
    app = Player(*address)
    people = [{"kind": "human"}, {"kind": "human"}]
    created = app.ask("POST", "/v1/games", {"seats": people, "setup": {"deck": deck()}})
    ada = Player(address.url, created["seats"][0]["token"])
    output = installed / "told"
    with (
        closing(SilentWay(address.url)) as way,
        serving(installed / "node_modules/@migrato/client") as site,
        browsing() as browser,
        output.open("wb") as told,
    ):
        command = [NODE, "--no-warnings", "silent.ts", way.url, created["id"], str(ada.token)]
        node = subprocess.Popen(command, cwd=installed, stdout=told)
        page = browser.new_page()
        page.goto(f"{site}/package.json?url={way.url}&token={ada.token}&id={created['id']}")
        page.evaluate(PAGE_WATCHES)

        def have_seen(*wanted: object) -> bool:
            """True if each of the four streams has shown all of this."""
            in_node = [json.loads(line) for line in output.read_text().split("\n")[:-1]]
            return all(
                [stream, what] in lines
                for lines in (in_node, page.evaluate("lines"))
                for stream in ("ticket", "states")
                for what in wanted
            )

        try:
            until(lambda: have_seen(created["version"]), otherwise=output.read_text)
            way.fall_silent()
            version = ada.ask("POST", f"/v1/games/{created['id']}/moves", FIRST_MOVE)["version"]
            until(lambda: have_seen("interrupted", "back", version), otherwise=output.read_text)
            ada.ask("POST", f"/v1/games/{created['id']}/moves", {"type": "resign"})
            assert node.wait(30) == 0
        finally:
            node.kill()
            node.wait()


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """The address of a site that has the files of a folder."""
    handler = partial(SimpleHTTPRequestHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


PAGE_PLAYS = """
(async () => {
  const { Client, followTicket } = await import("/lib/index.js");
  const { url, token, id } = Object.fromEntries(new URLSearchParams(location.search));
  const seat = new Client(url).game(id, token);
  const shown = [];
  const over = new Promise((resolve, failed) =>
    followTicket(async () => url + (await seat.ticket()).stream,
                 { state: (state) => shown.push(state.version), end: resolve, failed }));
  for await (const turn of seat.turns()) {
    while (!(shown.at(-1) >= turn.turnVersion)) await new Promise((done) => setTimeout(done, 10)); // until it shows it
    await seat.move(turn.legalMoves[0], { turnVersion: turn.turnVersion });
  }
  await over;
  const view = await seat.view();
  return [view.status, shown.at(-1) <= view.version, shown.length > 2];
})()
"""


def test_a_page_plays_a_game_on_an_engine_of_another_origin(installed: Path, address: Address) -> None:
    """In a real browser, without a build step: by a stream of its own and by an EventSource at once."""
    app = Player(*address)
    seats = [{"kind": "human"}, {"kind": "bot", "bot": "greedy"}]
    created = app.ask("POST", "/v1/games", {"seats": seats, "options": {"turn_limit": 12}})
    query = f"url={address.url}&token={created['seats'][0]['token']}&id={created['id']}"
    with serving(installed / "node_modules/@migrato/client") as site, browsing() as browser:
        page = browser.new_page()
        page.goto(f"{site}/package.json?{query}")
        assert page.evaluate(PAGE_PLAYS) == ["finished", True, True]
