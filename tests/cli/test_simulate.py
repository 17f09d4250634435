"""`migrato simulate`: bots against each other."""

import csv
import io
import json
import os
import re
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from domain.migrato.rules.state import INITIAL, fold
from domain.registry import game_named
from service.cli import main
from service.selfplay.match import ConservationError, Match, check_conserved, outcomes, play_game
from tests.domain.playing import start
from tests.project.running import interruptible

OPTIONS = {"rules": "digital", "return_flight": False, "turn_limit": 500}


def simulate(*options: str) -> Result:
    """The command, in this process."""
    return CliRunner().invoke(main, ["simulate", *options])


def test_the_tables() -> None:
    """Who wins, how long the games are, how they end; the progress is not among it."""
    result = simulate("--bots", "greedy,random", "--games", "20", "--check")
    assert result.exit_code == 0
    assert "greedy" in result.stdout
    assert "median" in result.stdout
    assert "20 games; how they ended: " in result.stdout
    assert "moves/s" in result.stderr


def test_the_same_seed_plays_the_same_games() -> None:
    """Whatever the number of processes."""
    match = Match(("greedy", "heuristic"), OPTIONS, seed=5)
    with outcomes(match, 12, jobs=1) as played:
        one = list(played)
    with outcomes(match, 12, jobs=2) as played:
        two = sorted(played)
    assert one == two
    assert play_game(Match(("greedy", "heuristic"), OPTIONS, seed=6), 0) != one[0]


def test_the_bots_take_turns_at_starting() -> None:
    """A figure that favoured the starter would tell of the rules and not of the bots."""
    match = Match(("greedy", "greedy"), OPTIONS, seed=5)
    assert [play_game(match, number).starter for number in range(4)] == [0, 1, 0, 1]


def test_lines_for_other_programs() -> None:
    """CSV has a line a game."""
    result = simulate("--games", "6", "--csv", "-", "--rules", "opla", "--return-flight")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert [int(row["game"]) for row in rows] == list(range(6))
    assert {row["starter"] for row in rows} == {"0:heuristic", "1:greedy"}
    assert all(int(row["turns"]) > 0 for row in rows)


def test_figures_for_other_programs(tmp_path: Path) -> None:
    """JSON has all the figures of the tables; they stay on stdout when it goes to a file."""
    result = simulate("--games", "6", "--json", str(tmp_path / "figures.json"))
    figures = json.loads((tmp_path / "figures.json").read_text())
    assert (figures["games"], figures["match"]["seed"]) == (6, 0)
    assert sum(bot["wins"]["count"] for bot in figures["bots"]) + figures["draws"]["count"] == 6
    assert "median" in result.stdout


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--bots", "greedy,deep-blue"], "no bot 'deep-blue'"),
        (["--bots", "greedy"], "two bots"),
        (["--jobs", "0"], "range"),
        (["--games", "1", "--csv", "/nonexistent/games.csv"], "cannot be written"),
    ],
)
def test_refusals(options: list[str], words: str) -> None:
    """Exit code 2 and a sentence."""
    result = simulate(*options)
    assert result.exit_code == 2
    assert words in result.stderr


def test_lost_cards_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault in the rules that makes a card vanish ends the run with the game that shows it."""
    game = game_named("migrato")
    evolve = type(game).evolve

    def forgetful(self: Any, state: Any, event: Any) -> Any:
        after = evolve(self, state, event)
        return after._replace(discard_pile=after.discard_pile[:-1]) if len(after.discard_pile) > 3 else after

    monkeypatch.setattr(type(game), "evolve", forgetful)
    with pytest.raises(ConservationError, match="game 0 of seed 1: seat"):
        play_game(Match(("greedy", "greedy"), OPTIONS, seed=1, check=True), 0)
    assert simulate("--games", "1", "--check").exit_code == 1


def test_before_the_deal_there_is_nothing_to_lose() -> None:
    """A game that was only created holds no cards yet; from the first card on, all of them must be there."""
    dealt, events = start(1, {})
    created = fold(INITIAL, events[:1])
    for state in (INITIAL, created, dealt):
        check_conserved(state, "nothing")
    for state in (created._replace(deck=dealt.deck[:1]), created._replace(players=dealt.players)):
        with pytest.raises(ConservationError, match="not conserved after the deal"):
            check_conserved(state, "the deal")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interrupt_shows_what_there_is(jobs: str) -> None:
    """Ctrl-C ends it with the figures of the games that were played, and exit code 1."""
    command = [sys.executable, "-m", "service.cli", "simulate", "--games", "100000", "--turn-limit", "9"]
    with interruptible(
        [*command, "--jobs", jobs], {"FORCE_COLOR": "1"}
    ) as process:  # so that progress is shown
        assert process.stderr is not None
        shown = ""
        while re.search(r"[1-9]\d*/100000", shown) is None:
            piece = os.read(process.stderr.fileno(), 4096).decode(errors="replace")
            assert piece, shown
            shown += piece
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "median" in stdout
    assert "Interrupted" in stderr
    assert "Traceback" not in shown + stderr
