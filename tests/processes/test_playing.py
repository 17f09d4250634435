"""A real engine that nothing happens to, and somebody who plays at a terminal."""

import shlex
import subprocess

import requests
from click.testing import Result

from tests.support.command import migrato
from tests.support.engine import Engine
from tests.support.players import Player
from tests.support.waiting import LIMIT, until


def test_an_open_seat_and_then_a_bot(watcher: Player) -> None:
    """A bot that starts waits for the open seat to be taken, and then plays at once."""
    seats = [{"kind": "bot", "bot": "greedy"}, {"kind": "open"}]
    created = watcher.ask("POST", "/v1/games", {"seats": seats, "visibility": "public"})
    assert created["status"] == "waiting"
    taken = watcher.ask("POST", f"/v1/games/{created['id']}/seats/1", {"player": "ada"})
    until(lambda: watcher.view(created["id"])["to_act"] == 1)
    assert watcher.view(created["id"])["version"] > taken["version"]


def terminal(engine: Engine, typed: str, *options: str) -> Result:
    """`migrato play` with somebody typing."""
    around = {"NO_COLOR": "1", "COLUMNS": "100", "XDG_STATE_HOME": str(engine.log.parent)}
    return migrato("play", "--url", engine.url, *options, typed=typed, **around)


def test_play_in_the_terminal_to_the_end(engine: Engine) -> None:
    """Somebody who always takes the first move gets through a game, told event by event."""
    done = terminal(engine, "1\n" * 999, "--rules", "opla", "--return-flight", "--turn-limit", "40")
    assert (done.exit_code, done.stderr) == (0, "")
    assert "the game starts with you" in done.stdout
    assert "you draw" in done.stdout
    assert "greedy draws" in done.stdout
    assert "seat 0" not in done.stdout
    assert done.stdout.rstrip().splitlines()[-1].startswith(("You win", "You lose", "A draw"))


def test_leaving_the_terminal_and_coming_back(engine: Engine) -> None:
    """The end of the input leaves politely; the token that is told leads back into the same game."""
    left = terminal(engine, "help\n99\nt\n1\n", "--seed-less")
    assert (left.exit_code, left.stderr) == (0, "")
    assert "There are the moves 1 to" in left.stdout
    token = left.stdout.rstrip().split("--token ")[-1]
    back = terminal(engine, "q\n", "--token", token)
    assert back.exit_code == 0
    assert token.split("_")[1] in back.stdout
    assert token in back.stdout


def test_four_seats_in_the_terminal(engine: Engine) -> None:
    """The bots that are named take the seats, and the last of them takes all seats that are left."""
    done = terminal(engine, "c\nq\n", "--game", "migo", "--bot", "heuristic,greedy", "--seats", "4")
    assert done.exit_code == 0
    flags = [f"{name}: 0 flags" for name in ("heuristic", "greedy 1", "greedy 2", "you")]
    assert all(words in done.stdout for words in (*flags, "sherpa", "You left"))


def test_play_refuses_in_a_sentence(engine: Engine) -> None:
    """A refusal of `migrato play` is a sentence, and never an exception with a traceback."""
    for options, code, words in (
        (["--bot", "deep-blue"], 1, "no bot"),
        (["--bot", "greedy,greedy", "--seats", "2"], 2, "no room at 2 seats"),
        (["--token", "mg_x"], 2, "no seat token"),
        (["--url", "ftp://127.0.0.1"], 2, "no http"),
        (["--url", "http://127.0.0.1:9"], 1, "migrato serve"),
        (["--rules", "chess"], 2, "digital"),
    ):
        done = terminal(engine, "", *options)
        assert (done.exit_code, words in done.stderr) == (code, True), done.stderr


def test_a_ready_engine_says_how_to_begin(engine: Engine) -> None:
    """The curl line that is printed makes a game as it stands."""
    ready = requests.get(f"{engine.url}/readyz", timeout=LIMIT)
    assert (ready.status_code, set(ready.json()["checks"].values())) == (200, {"ok"})
    line = next(line for line in engine.log.read_text().splitlines() if line.startswith("  curl"))
    answer = subprocess.run(shlex.split(line), capture_output=True, text=True, timeout=LIMIT, check=True)
    assert '"token":' in answer.stdout
    assert engine.url in line
