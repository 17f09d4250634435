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
from click.testing import Result

from domain.migrato.rules.state import INITIAL, fold
from domain.registry import GAMES, game_named
from service.cli.selfplay.match import ConservationError, Match, check_conserved, outcomes, play_game
from tests.domain.playing import start
from tests.support.command import migrato
from tests.support.running import interruptible
from tests.support.tricks import TRICKS
from tests.support.waiting import LIMIT

OPTIONS = {"rules": "digital", "return_flight": False, "turn_limit": 500}


def simulate(*options: str) -> Result:
    """The command, in this process."""
    return migrato("simulate", *options)


def test_the_tables_and_figures_and_lines_for_other_programs(tmp_path: Path) -> None:
    """Winners, lengths, endings; the progress is not among it.

    JSON has all the figures of the tables, which stay on stdout when it goes to a file; CSV has a line a game.
    """
    result = simulate("--bots", "greedy,random", "--games", "20", "--check", "--json", str(tmp_path / "json"))
    assert result.exit_code == 0
    assert all(words in result.stdout for words in ("greedy", "median", "20 games; how they ended: "))
    assert "moves/s" in result.stderr
    figures = json.loads((tmp_path / "json").read_text())
    assert (figures["games"], figures["match"]["seed"]) == (20, 0)
    assert sum(bot["wins"]["count"] for bot in figures["bots"]) + figures["draws"]["count"] == 20
    result = simulate("--games", "6", "--csv", "-", "--rules", "opla", "--return-flight")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert [int(row["game"]) for row in rows] == list(range(6))
    assert {row["starter"] for row in rows} == {"0:heuristic", "1:greedy"}
    assert all(int(row["turns"]) > 0 for row in rows)


def test_the_same_seed_plays_the_same_games() -> None:
    """The same seed plays the same games by any number of processes; the bots take turns at starting."""
    match = Match(("greedy", "heuristic"), OPTIONS, seed=5)
    with outcomes(match, 6, jobs=1) as played:
        one = list(played)
    with outcomes(match, 6, jobs=2) as played:
        two = sorted(played)
    assert one == two
    assert [game.starter for game in one] == [0, 1] * 3
    assert play_game(Match(("greedy", "heuristic"), OPTIONS, seed=6), 0) != one[0]


@pytest.fixture
def tricks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another game, of two to four seats, is registered."""
    monkeypatch.setitem(GAMES, "tricks", TRICKS)


@pytest.mark.usefixtures("tricks")
def test_wrong_options_are_refused() -> None:
    """Exit code 2 and a sentence; a game knows its own options, bots and numbers of seats."""
    other = ("--game", "tricks")
    for options, words in (
        (["--bots", "greedy,deep-blue"], "no bot 'deep-blue'"),
        (["--bots", "greedy"], "two bots"),
        (["--bots", "greedy,greedy,greedy"], "two bots"),
        (["--jobs", "0"], "range"),
        (["--game", "chess"], "There is no game 'chess'; there is: migrato"),
        (
            ["--wind", "3"],
            "The game migrato has --rules, --return-flight, --memory-aid, --turn-limit, --deck-list.",
        ),
        (["--rules", "chess"], "digital"),
        (["--games", "1", "--csv", "/nonexistent/games.csv"], "cannot be written"),
        ([*other, "--rules", "opla"], "The game tricks has no options of its own."),
        ([*other, "--bots", "greedy,random"], "no bot 'greedy'"),
        ([*other, "--bots", "random"], "two, three or four bots"),
    ):
        result = simulate(*options)
        assert result.exit_code == 2
        assert words in result.stderr


@pytest.mark.plain
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
    game = game_named("migrato")
    for state in (INITIAL, created, dealt):
        check_conserved(game, state, "nothing")
    for state in (created._replace(deck=dealt.deck[:1]), created._replace(players=dealt.players)):
        with pytest.raises(ConservationError, match="not conserved after the deal"):
            check_conserved(game, state, "the deal")


@pytest.mark.usefixtures("tricks")
def test_another_game_with_three_seats(tmp_path: Path) -> None:
    """Tables by bot and by order of play, with places and shared places; a line a game; figures."""
    command = ("--game", "tricks", "--bots", "random,random,random", "--games", "30", "--check")
    figures, lines = tmp_path / "figures.json", tmp_path / "games.csv"
    result = simulate(*command, "--json", str(figures), "--csv", str(lines), "--jobs", "2")
    assert result.exit_code == 0, result.output
    assert all(word in result.stdout for word in ("third", "place", "(shared)", "to start", "all_played 30"))
    rows = list(csv.DictReader(lines.open()))
    assert [row["starter"] for row in rows[:4]] == ["0:random", "1:random", "2:random", "0:random"]
    for row in rows:
        places, scores = ([int(row[f"{what}_{bot}"]) for bot in range(3)] for what in ("place", "score"))
        assert sum(scores) == 3
        assert places == [1 + sum(other > score for other in scores) for score in scores]
        assert row["winner"] == (f"{places.index(1)}:random" if places.count(1) == 1 else "")
    document = json.loads(figures.read_text())
    assert document["match"]["game"] == "tricks"
    assert sum(bot["wins"]["count"] for bot in document["bots"]) + document["draws"]["count"] == 30
    assert [sum(bot["places"]) for bot in document["bots"] + document["seats"]] == [30] * 6
    assert [bot["third"]["of"] for bot in document["bots"]] == [10, 10, 10]


@pytest.mark.usefixtures("tricks")
def test_bots_move_round_the_table_where_the_game_has_no_option_for_the_starter() -> None:
    """The same bot is on seat 0 in every third game, and results stay with the bots."""
    match = Match(("random",) * 3, {}, seed=5, game="tricks")
    games = [play_game(match, number) for number in range(6)]
    assert [game.starter for game in games] == [0, 1, 2, 0, 1, 2]
    with outcomes(match, 6, jobs=1) as played:
        assert list(played) == games


def test_help_shows_the_options_of_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """The help shows the options of the game that is named, and no others."""
    monkeypatch.setitem(GAMES, "tricks", TRICKS)
    assert "Return Flight" in simulate("--help").stdout
    assert "Return Flight" not in simulate("--game=tricks", "--help").stdout


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interrupt_shows_what_there_is(jobs: str) -> None:
    """Ctrl-C ends it with the figures of the games that were played, and exit code 1."""
    command = [sys.executable, "-m", "service.cli", "simulate", "--games", "100000", "--turn-limit", "9"]
    colored = {"FORCE_COLOR": "1"}  # so that progress is shown
    with interruptible([*command, "--jobs", jobs], colored) as process:
        assert process.stderr is not None
        shown = ""
        while re.search(r"[1-9]\d*/100000", shown) is None:
            piece = os.read(process.stderr.fileno(), 4096).decode(errors="replace")
            assert piece, shown
            shown += piece
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=LIMIT)
    assert process.returncode == 1
    assert "median" in stdout
    assert "Interrupted" in stderr
    assert "Traceback" not in shown + stderr
