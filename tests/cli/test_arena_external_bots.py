"""External bots in `migrato arena`: classes and servers."""

import json
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from migrato_bots import Bots
from migrato_bots.push import Answers, Server

from domain.registry import GAMES
from service.cli.external_bots import classes, servers
from service.cli.external_bots.classes import ClassBot
from service.cli.external_bots.entrants import external_bot
from service.cli.external_bots.servers import NoMove, ServerBot, ask
from service.cli.selfplay.arena.results import load
from service.cli.selfplay.match import Entrant, play
from tests.support.bot_server import Script, answer, be_silent, bot_server, drip, hang_up
from tests.support.command import migrato
from tests.support.running import interruptible
from tests.support.waiting import LIMIT, until

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
SHORT = ("--turn-limit", "30", "--games", "4")
BOTS = """
import random

class Any:
    def choose(self, view, moves):
        return random.choice(moves)

class First:
    version = "7"

    def choose(self, view, moves):
        return moves[0]

class Failing:
    def choose(self, view, moves):
        return view["nothing"]

class Cheating:
    def choose(self, view, moves):
        return {"type": "play", "card": "G9d", "slot": None}
"""


def arena(*options: str | Path) -> Result:
    """The command, in this process."""
    return migrato("arena", *options, MIGRATO_BOT_SECRET=SECRET)


def outcomes(path: Path) -> list[Any]:
    """The games of a file without times and versions."""
    return [
        (game.number, [(side.bot, side.place, side.score, side.moves) for side in game.sides])
        for game in load(path)
    ]


@pytest.fixture(autouse=True)
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Intervals good enough for a test of something else."""
    for module in ("scores", "standings"):
        monkeypatch.setattr(f"service.cli.selfplay.arena.{module}.DRAWS", 50)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file with bots."""
    (tmp_path / "bots.py").write_text(BOTS)
    return tmp_path / "bots.py"


@pytest.mark.parametrize("name", GAMES)
def test_a_question_holds_all_that_the_seat_knows_and_no_more(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine makes the seat's position of view and history, and finds the same legal moves."""
    game = GAMES[name]
    asked = []

    class Checking:
        def choose(self, view: Any, moves: Any, history: Any, seconds: float | None) -> Any:
            assert seconds is None
            known = game.position({"view": view, "history": history})
            assert sorted(map(json.dumps, map(game.move_document, known.moves))) == sorted(
                map(json.dumps, moves)
            )
            assert [event["version"] for event in history] == [*range(1, view["version"] + 1)]
            assert view["to_act"] == view["viewer"]
            assert history[0]["data"]["id"] == view["id"]
            asked.append(view["id"])
            return moves[len(asked) % len(moves)]

    monkeypatch.setattr(classes, "loaded", lambda place: Checking)
    options = {"turn_limit": 20} if name == "migrato" else {}
    play(game, (ClassBot("here", "here"), Entrant("greedy")), options, b"seed" * 8, "arena")
    assert len(asked) > 5
    assert len(set(asked)) == 1


def test_classes_play_the_same_games_each_time(file: Path, tmp_path: Path) -> None:
    """Under names of their own, with versions; in one process or two; and after an interruption, as they are now."""
    bots = f"greedy,{file}:Any,one@3={file}:First"
    for jobs in "12":
        assert arena("--bots", bots, *SHORT, "--csv", tmp_path / jobs, "--jobs", jobs).exit_code == 0
    assert outcomes(tmp_path / "1") == outcomes(tmp_path / "2")
    versions = {side.bot: side.version for game in load(tmp_path / "1") for side in game.sides}
    assert versions["one@3"] == "3"
    assert len(versions["Any"]) == 8
    assert {
        side.version for game in load(file.with_name("1")) for side in game.sides if side.bot == "one@3"
    } == {"3"}
    lines = (tmp_path / "1").read_text().splitlines(keepends=True)
    (tmp_path / "1").write_text("".join([*lines[:6], lines[6][:20]]))
    assert arena("--bots", bots, *SHORT, "--csv", tmp_path / "1", "--resume").exit_code == 0
    assert outcomes(tmp_path / "1") == outcomes(tmp_path / "2")
    other = bots.replace("one@3", "one@4")
    assert "one@4" in arena("--bots", other, *SHORT, "--csv", tmp_path / "3").stdout
    changed = arena("--bots", other.replace("one@4=", ""), *SHORT, "--csv", tmp_path / "3", "--resume")
    assert (changed.exit_code, "has games of one@4, which does not take part" in changed.stderr) == (2, True)


def test_a_class_that_cannot_play_ends_the_arena(file: Path, tmp_path: Path) -> None:
    """With its traceback, or with the move and the reason against it; the games so far are kept."""
    ended = arena("--bots", f"greedy,{file}:Failing", *SHORT, "--csv", tmp_path / "games")
    assert ended.exit_code == 1
    assert "in choose" in ended.stderr
    assert "KeyError: 'nothing'" in ended.stderr
    assert f"The games so far are in {tmp_path}/games" in ended.stderr
    ended = arena("--bots", f"greedy,{file}:Cheating", *SHORT)
    assert ended.exit_code == 1
    assert "Cheating chose {'type': 'play', 'card': 'G9d', 'slot': None}" in ended.stderr
    assert "legal moves is {'type':" in ended.stderr


def test_names_that_mean_no_bot_are_refused(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each such name is refused with the reason and exit code 2, before any game."""
    for bot, words in (
        (f"{file}:Nobody", "has no attribute 'Nobody'"),
        (f"{file}:random", "no class with a method choose"),
        ("nowhere.py:Bot", "No such file"),
        ("no.such.module:Bot", "No module named"),
        (f"level-5={file}:Any", "one of the engine's own"),
        (f"my bot={file}:Any", "is no name"),
        ("mine=greedy", "is no external bot"),
        ("ftp://bot.example", "no http:// or https:// address"),
        ("http://me@bot.example", "without a user"),
        ("http://bot.example:99999", "no http:// or https:// address"),
        ("nobody", "There is no bot 'nobody'"),
    ):
        refused = arena("--bots", f"greedy,{bot}", *SHORT)
        assert refused.exit_code == 2, bot
        assert words in refused.stderr.replace("\n", " "), refused.stderr
    refused = migrato("arena", "--bots", "greedy,http://127.0.0.1:1", *SHORT)
    assert "set MIGRATO_BOT_SECRET" in refused.stderr
    monkeypatch.setenv("MIGRATO_BOT_SECRET", SECRET)
    found = external_bot("https://bot.example:8443/a/b?key=secret", GAMES["migrato"])
    assert found is not None
    assert found.name == "bot.example-8443-a-b"
    assert "secret" not in repr(found)


@contextmanager
def serving(choose: Callable[[Any, Any], Any]) -> Iterator[str]:
    """A server of the kit's whose bot chooses so; its address."""
    bot = type("Bot", (), {"choose": lambda self, view, moves: choose(view, moves)})
    server = Server(Answers(Bots(bot), SECRET))
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


def test_a_server_is_measured_and_its_missing_moves_are_counted(tmp_path: Path) -> None:
    """Every third answer is none: another bot moves in its place, which table and file say. It plays the same deals."""
    asked = []

    def choose(view: Any, moves: Any) -> Any:
        asked.append(view["id"])
        return moves[0] if len(asked) % 3 else None

    with serving(choose) as url:
        played = arena("--bots", f"mine@2={url},greedy", *SHORT, "--csv", tmp_path / "games")
    assert played.exit_code == 0, played.output
    games = load(tmp_path / "games")
    mine = [side for game in games for side in game.sides if side.bot == "mine@2"]
    assert {side.version for side in mine} == {"2"}
    assert sum(side.fallbacks for side in mine) == len(asked) // 3
    assert sum(side.moves for side in mine) == len(asked) - 1  # the first question was a trial
    assert len(set(asked)) == 5
    assert "fallbacks" in played.stdout
    shown = json.loads(arena("--from", tmp_path / "games", "--json").stdout)
    assert [bot["fallbacks"] for bot in shown["bots"] if bot["bot"] == "mine@2"] == [len(asked) // 3]


def test_a_server_that_gives_no_moves_ends_the_arena(tmp_path: Path) -> None:
    """At once if the first question shows it, else after ten moves that are missing in a row."""
    with bot_server(answer(status=401)) as server:
        ended = arena("--bots", f"mine={server.url},greedy", *SHORT, "--csv", tmp_path / "1")
    assert (ended.exit_code, "mine gave no move: bad-answer: status 401" in ended.stderr) == (1, True)
    asked = []

    def choose(view: Any, moves: Any) -> Any:
        asked.append(1)
        return moves[0] if len(asked) < 8 else None

    with serving(choose) as url:
        ended = arena("--bots", f"mine={url},greedy", *SHORT, "--csv", tmp_path / "2")
    assert ended.exit_code == 1
    assert "mine gave no move 10 times in a row, the last time: bad-answer: status 422" in ended.stderr
    assert "--resume goes on" in ended.stderr


@pytest.mark.parametrize(
    ("scripts", "why"),
    [
        ([be_silent], "timeout"),
        ([drip(b"HTTP/1.1 200 OK\r\n\r\n", b" ", 0.01)], "timeout"),
        ([hang_up], "unreachable"),
        ([answer(status=503)], "unreachable"),
        ([answer(b"[]")], "bad-answer"),
        ([answer(b" " * 70_000)], "bad-answer"),
        ([answer(status=302)], "bad-answer"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_every_missing_answer_has_the_engines_word(
    scripts: list[Script], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Within the time for an answer, whatever the server does; a repeat that would come too late is not made."""
    monkeypatch.setattr(servers, "PAUSE", LIMIT)
    seconds = 0.3 if why == "timeout" else LIMIT
    with bot_server(*scripts) as server, pytest.raises(NoMove) as none:
        ask(ServerBot("mine", server.url, SECRET), "game-1", b"{}", seconds)
    assert none.value.why == why


def test_a_request_is_repeated_under_its_id() -> None:
    """A request is repeated under its id after an answer that time may mend."""
    with bot_server(answer(status=503), answer({"move": {"type": "pass"}})) as server:
        assert ask(ServerBot("mine", server.url, SECRET), "game-1", b"{}") == {"type": "pass"}
    assert [received.headers["webhook-id"] for received in server.received] == ["game-1", "game-1"]


def test_an_arena_that_was_killed_goes_on(tmp_path: Path) -> None:
    """The same command, before and after: it comes to the games of one that was never interrupted."""
    begun, go_on = set[str](), threading.Event()

    def choose(view: Any, moves: Any) -> Any:
        begun.add(view["id"])
        if len(begun) > 8:  # the trial, two games that are played, and six that are over
            go_on.wait(LIMIT)
        return moves[0]

    with serving(choose) as url:
        bots = ("--bots", f"mine={url},greedy", "--turn-limit", "20", "--games", "16")
        kept = tmp_path / "games"
        command = [sys.executable, "-m", "service.cli", "arena", *bots, "--csv", str(kept), "--resume"]
        with interruptible([*command, "--jobs", "2"], {"MIGRATO_BOT_SECRET": SECRET}) as process:
            until(lambda: kept.exists() and len(kept.read_text().splitlines()) > 3)
            process.kill()
            process.wait(LIMIT)
        go_on.set()
        there = len(load(kept))
        assert 3 <= there < 16
        assert arena(*bots, "--csv", kept, "--resume").exit_code == 0
        assert arena(*bots, "--csv", tmp_path / "whole").exit_code == 0
    assert outcomes(kept) == outcomes(tmp_path / "whole")
