"""The kit for bots in Python, as somebody installs it from the tree, and its page."""

import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from migrato_bots import Bots, pull, run
from migrato_bots.command import _parser
from migrato_bots.journal import Asked, Journal, Seat
from migrato_bots.pull import Against, Puller
from migrato_bots.push import LARGEST, Answers, Server
from migrato_client import Client
from migrato_client.models import NewGame

from drills.ports import free_port
from events.features.signing_secrets import signature
from tests.clients.conftest import Address
from tests.support.markdown import ROOT, blocks
from tests.support.running import clean_environment, output
from tests.support.waiting import LIMIT, until

PACKAGE = ROOT / "clients/python-bots"
PAGE = PACKAGE / "README.md"
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


@pytest.mark.nightly("a command or a file of the page on the kit for bots that does not work")
def test_the_page_is_true(site: Path, address: Address, tmp_path: Path) -> None:
    """Its file, its commands and its program, as a reader goes through them: a match, pull, push, and the arena.

    Only the games of the match are shorter.
    """
    bot, creating = blocks(PAGE, "python")
    match, pull, push, arena = blocks(PAGE, "bash")
    (tmp_path / "mybot.py").write_text(bot)
    (tmp_path / "create.py").write_text(creating)
    match = match.replace("--games 20", "--games 2 --options '{\"turn_limit\": 40}'")
    commands = [
        "set -eu",
        match,
        pull,
        push,
        "echo $! > pid",
        "until curl -sf localhost:$PORT/healthz; do sleep 0.05; done",
    ]
    script = "\n".join([*commands, "python create.py", arena, "kill $(cat pid); wait $(cat pid)"])
    where = {"PYTHONPATH": str(site), "URL": address.url, "PORT": str(free_port())}
    said = output(["bash", "-c", script], tmp_path, MIGRATO_APP_KEY=address.app_key, **where)
    assert "MyBot - level-1" in said or "level-1 - MyBot" in said
    assert len(re.findall(": over: ", said)) == 2
    assert " game_scored" in said
    assert "mine@1" in said
    assert "ERROR" not in said
    assert [line for line in said.splitlines() if "WARNING" in line or "fallback" in line] == []


VIEW = {"id": "game", "viewer": 0}
MOVES = [{"type": "pass"}, {"type": "exchange"}]


def question(view: dict[str, Any] = VIEW, seconds: float = LIMIT) -> bytes:
    """A question's body."""
    deadline = (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat()
    asked = {"game": "migrato", "view": view, "history": [{"version": 1}], "legal_moves": MOVES}
    return json.dumps(asked | {"deadline": deadline}).encode()


def signed(body: bytes, message: str = "game-1") -> dict[str, str]:
    """The headers of a question."""
    return signature([SECRET], message, body, datetime.now(UTC))


class Counting:
    """Remembers in `self` how often it was asked in its game."""

    def __init__(self) -> None:
        self.asked = 0

    def choose(self, view: Any, moves: Any, history: Any, seconds: Any) -> Any:
        assert history == [{"version": 1}]
        assert LIMIT - 60 < seconds < LIMIT
        self.asked += 1
        return {"type": "resign"} if self.asked == 3 else moves[self.asked - 1]


def test_each_seat_of_a_game_has_an_instance_and_each_question_one_answer() -> None:
    """A question that is repeated is not thought about again; any seat may resign."""
    answers = Answers(Bots(Counting), SECRET)

    body = question()
    headers = signed(body)
    assert [answers.answer(headers, body)[1]["move"]["type"] for _ in "12"] == ["pass", "pass"]
    body = question()
    assert answers.answer(signed(body, "game-2"), body)[1]["move"]["type"] == "exchange"
    body = question({"id": "game", "viewer": 1})
    assert answers.answer(signed(body, "game-2b"), body)[1]["move"]["type"] == "pass"
    body = question()
    assert answers.answer(signed(body, "game-3"), body)[1]["move"]["type"] == "resign"


class Wrong:
    """Chooses what its game's name says."""

    def choose(self, view: Any, moves: Any) -> Any:
        if view["id"] == "raises":
            raise KeyError("card")
        return {"type": "fly"}


def test_a_refusal_tells_its_reason() -> None:
    """By a status that the engine does not ask again for, unless time may help."""
    wrong = [
        (question(), {}, 401, "There is no webhook-id"),
        (question(), signed(b"another"), 401, "not signed with this secret"),
        (b"[", signed(b"[", "1"), 400, "no JSON"),
        (b"{}", signed(b"{}", "2"), 400, "no question"),
        (body := question(VIEW | {"id": "raises"}), signed(body, "3"), 422, "Wrong failed: KeyError('card')"),
        (body := question(), signed(body, "4"), 422, "none of the 2 legal moves"),
        (body := question(seconds=-1), signed(body, "5"), 504, "in time"),
    ]
    answers = Answers(Bots(Wrong), SECRET)
    for body, headers, status, said in wrong:
        found, document = answers.answer(headers, body)
        assert (found, said in document["detail"]) == (status, True), document


class Unchosen:
    """A class whose author has forgotten the method."""


def test_a_class_that_cannot_choose_is_refused() -> None:
    with pytest.raises(TypeError, match="dict has no method choose"):
        Bots(dict)
    with pytest.raises(SystemExit, match="Unchosen has no method choose"):
        run(Unchosen, ["push"])


@contextmanager
def serving(bot: Callable[[], Any]) -> Iterator[Server]:
    """A server that answers."""
    server = Server(Answers(Bots(bot), SECRET))
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def test_the_server_is_bounded_and_ends_in_order() -> None:
    """A request that is none costs nothing; a question under way is answered before the end."""
    began, go_on = threading.Event(), threading.Event()

    class Slow:
        def choose(self, view: Any, moves: Any) -> Any:
            began.set()
            go_on.wait(LIMIT)
            return moves[0]

    with serving(Slow) as server:
        at = ("127.0.0.1", server.server_port)

        def said(request: bytes) -> bytes:
            with socket.create_connection(at) as connection:
                connection.sendall(request)
                connection.shutdown(socket.SHUT_WR)
                return b"".join(iter(lambda: connection.recv(4096), b""))

        head = b"POST / HTTP/1.1\r\nHost: bot\r\n"
        assert b" 411 " in said(head + b"\r\n")
        assert b" 413 " in said(head + f"Content-Length: {LARGEST + 1}\r\n\r\n".encode())
        assert said(head + b"Content-Length: 10\r\n\r\n{}") == b""
        assert b" 404 " in said(b"GET / HTTP/1.1\r\nHost: bot\r\n\r\n")
        body = question()
        lines = "".join(f"{name}: {value}\r\n" for name, value in signed(body).items())
        with ThreadPoolExecutor(1) as pool:
            asked = pool.submit(said, head + f"Content-Length: {len(body)}\r\n{lines}\r\n".encode() + body)
            assert began.wait(LIMIT)
            server.shutdown()
            assert not server.drain(0.01)
            go_on.set()
            assert server.drain(LIMIT)
            assert b'{"move": {"type": "pass"}}' in asked.result()


BOT = """
from migrato_bots import run

class First:
    def choose(self, view, moves, history):
        assert history[-1]["version"] >= view["turn_version"]
        return moves[0]

run(First)
"""


@contextmanager
def started(folder: Path, *options: str, **environ: str) -> Iterator[subprocess.Popen[str]]:
    """A bot at work, which says what it does in `log` in that folder."""
    (folder / "bot.py").write_text(BOT)
    paths = os.pathsep.join(str(ROOT / "clients" / package) for package in ("python", "python-bots"))
    command = [sys.executable, "bot.py", *options]
    environment = clean_environment({"PYTHONPATH": paths, **environ})
    with (folder / "log").open("a") as log:
        process = subprocess.Popen(command, cwd=folder, env=environment, stderr=log, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.wait(LIMIT)


def test_pull_goes_on_after_a_kill(address: Address, tmp_path: Path) -> None:
    """The same command again: its games go on and come to their ends, and there are no more games than were wanted.

    SIGTERM ends it in order. A seat that is added to the file is played, too, and one that is nobody's is given up.
    """
    app = Client(address.url, address.app_key)
    log, seats = tmp_path / "log", tmp_path / "seats.jsonl"
    short = json.dumps({"turn_limit": 30})
    command = (
        "pull",
        "--engine",
        address.url,
        "--against",
        "greedy",
        "--games",
        "3",
        "--player",
        "puller",
        "--options",
        short,
    )
    with started(tmp_path, *command, MIGRATO_APP_KEY=address.app_key) as killed:
        until(lambda: log.exists() and "{" in log.read_text())
        killed.kill()
    assert seats.stat().st_mode & 0o777 == 0o600
    with seats.open("a") as journal:
        journal.write('{"game": "half a li')
    with started(tmp_path, *command, MIGRATO_APP_KEY=address.app_key) as process:
        assert process.wait(LIMIT) == 0, log.read_text()
    assert [line["status"] for line in app.games(player="puller")] == ["finished"] * 3
    assert not [line for line in log.read_text().splitlines() if "ERROR" in line or "Traceback" in line]
    assert address.app_key not in log.read_text()
    with started(tmp_path, *command) as process:
        assert process.wait(LIMIT) == 0
    assert "seats.jsonl has 3 games already, and all are over" in log.read_text()

    created = app.create_game(
        {"seats": [{"kind": "human"}, {"kind": "bot", "bot": "greedy"}], "options": {"turn_limit": 20}}
    )
    token = created["seats"][0]["token"]
    assert token
    with started(tmp_path, "pull", "--engine", address.url, "--seats", "mine.jsonl") as process:
        until((tmp_path / "mine.jsonl").exists)
        with (tmp_path / "mine.jsonl").open("a") as journal:
            journal.write(json.dumps({"game": created["id"], "token": token}) + "\n")
            journal.write(json.dumps({"game": created["id"], "token": "mgseat_" + "x" * 43}) + "\n")
        until(
            lambda: (
                f"{created['id']}: over" in log.read_text()
                and f"{created['id']}: given up" in log.read_text()
            )
        )
        process.terminate()
        assert process.wait(LIMIT) == 0
    assert log.read_text().endswith("INFO stopped\n")
    assert token not in log.read_text()
    lines = [json.loads(line) for line in (tmp_path / "mine.jsonl").read_text().splitlines()]
    assert sorted(line["over"] for line in lines if "over" in line) == ["turn_limit", "unauthorized"]


def test_pull_ends_soon_while_the_engine_is_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the 30 seconds are over for which a client repeats a request."""
    monkeypatch.setattr(pull, "AWAY", 0.1)
    journal = Journal(tmp_path / "seats")
    puller = Puller(Bots(Wrong), f"http://127.0.0.1:{free_port()}", journal)
    thread = threading.Thread(target=puller.run, args=(Against("greedy", 1, 1, "puller", {}),), daemon=True)
    thread.start()
    until(journal.unanswered)
    puller.stop()
    thread.join(20)
    assert not thread.is_alive()


@pytest.mark.parametrize(
    ("option", "value", "why"),
    [
        ("--engine", "127.0.0.1:8000", "'127.0.0.1:8000' does not begin with http:// or https://"),
        ("--options", "{turn_limit: 40}", "'{turn_limit: 40}' is no JSON:"),
        ("--options", "40", "'40' is no JSON object"),
    ],
)
def test_an_option_that_means_nothing_is_refused(
    option: str, value: str, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        _parser("bot.py").parse_args(["pull", option, value])
    assert why in capsys.readouterr().err


def test_pull_takes_seats_in_the_lobby(address: Address, tmp_path: Path) -> None:
    """Somebody waits for an opponent, and gets one."""
    app = Client(address.url, address.app_key)
    new: NewGame = {
        "seats": [{"kind": "human", "player": "waiting"}, {"kind": "open"}],
        "options": {"turn_limit": 6, "first_seat": 1},
    }
    created = app.create_game(new)
    seat = app.seat(created, 0)
    with started(
        tmp_path, "pull", "--engine", address.url, "--lobby", MIGRATO_APP_KEY=address.app_key
    ) as process:
        for turn in seat.turns():
            seat.move(turn.legal_moves[0], turn_version=turn.turn_version)
        until(lambda: f"{created['id']}: over" in (tmp_path / "log").read_text())
        process.terminate()
        assert process.wait(LIMIT) == 0


def test_a_journal_is_one_process_and_survives_halves(tmp_path: Path) -> None:
    """A request without an answer is there for the next process; a line that was cut off is none."""
    path = tmp_path / "seats"
    journal = Journal(path)
    with pytest.raises(BlockingIOError):
        Journal(path)
    journal.ask(asked := Asked("key", "/v1/games/g1/seats/0", {}))
    path.write_bytes(path.read_bytes() + b'{"game": "g2", "to')
    journal.close()
    again = Journal(path)
    assert again.unanswered() == [asked]
    assert again.has("g1")
    again.got("key", seat := Seat("g1", "token"))
    assert (again.unanswered(), again.open_seats()) == ([], [seat])
    again.end(seat, "done")
    again.close()
    last = Journal(path)
    assert (last.open_seats(), last.count()) == ([], 1)
    last.close()


def test_a_journal_bears_lines_of_other_programs(tmp_path: Path) -> None:
    """Lines that it cannot read count for nothing, and take no other line with them."""
    path = tmp_path / "seats"
    path.write_bytes(b'[]\n"x"\n7\n{"key": "k", "path": 1, "body": {}}\n{"game": "g1", "token": "t"}\n')
    journal = Journal(path)
    assert (journal.open_seats(), journal.unanswered()) == ([Seat("g1", "t")], [])
    with path.open("ab") as other:
        other.write(b'"x"\n{"game": "g2", "token": "t"}\n{"game": "g3", "tok')  # and dies
    journal.ask(asked := Asked("key", "/v1/games", {}))
    assert (journal.open_seats(), journal.unanswered()) == ([Seat("g1", "t"), Seat("g2", "t")], [asked])
    journal.close()


DEPLOY = PACKAGE / "deploy"


def commands() -> dict[str, list[str]]:
    """The arguments with which the bot is started, by where they stand."""
    found = {}
    for unit in sorted(DEPLOY.glob("*.service")):
        line = next(line for line in unit.read_text().splitlines() if line.startswith("ExecStart="))
        python, script, *arguments = shlex.split(line.removeprefix("ExecStart="))
        assert python.startswith("/")
        assert script.endswith("mybot.py")
        found[unit.name] = arguments
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    found |= {name: service["command"] for name, service in compose["services"].items()}
    [started] = re.findall(r"^CMD (.+)$", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE)
    return found | {"Dockerfile": json.loads(started)}


def test_units_and_container_start_the_bot_as_it_can_be_started() -> None:
    """The kit understands each command, and each secret that one names is there."""
    assert len(commands()) == 5
    for place, arguments in commands().items():
        wanted, rest = _parser("mybot.py").parse_known_args(arguments)
        assert rest == [], place
        assert wanted.way in place or place == "Dockerfile"
    for unit in DEPLOY.glob("*.service"):
        [secret] = re.findall(r"^LoadCredential=([\w-]+):", unit.read_text(), re.MULTILINE)
        assert f"%d/{secret}" in unit.read_text()
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    for service in compose["services"].values():
        assert [f"/run/secrets/{name}" in " ".join(service["command"]) for name in service["secrets"]] == [
            True
        ]
        assert set(service["secrets"]) <= set(compose["secrets"])


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is missing")
def test_systemd_takes_the_units(tmp_path: Path) -> None:
    for unit in DEPLOY.glob("*.service"):
        text = unit.read_text().replace("/opt/mybot/bot/bin/python", sys.executable)
        (tmp_path / unit.name).write_text(text)
        assert output(["systemd-analyze", "verify", "--man=no", unit.name], tmp_path) == ""
