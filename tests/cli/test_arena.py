"""`migrato arena`: real small tournaments."""

import csv
import json
import math
import os
import random
import re
import signal
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from click.testing import Result

from compiled import in_use
from domain.bot import Bot, Budget, Choice, Rng, Stop
from domain.lifecycle import places_by
from domain.migrato.belief.observation import Observation
from domain.migrato.bots import BOTS
from domain.registry import GAMES, game_named
from service.cli.selfplay.arena import run as running
from service.cli.selfplay.arena import standings as figures
from service.cli.selfplay.arena.fixtures import Record, Tournament, fixtures, key_of, play_fixture
from service.cli.selfplay.arena.results import load, store
from service.cli.selfplay.match import Entrant
from tests.cli.arena_results import STRENGTHS, changed, record, tournament
from tests.support.command import migrato
from tests.support.running import ROOT, interruptible
from tests.support.tricks import TRICKS
from tests.support.waiting import LIMIT, until

BOT_NAMES = "greedy,heuristic,random"
PAIR = ("--bots", "greedy,random")
TWO = (*PAIR, "--games", "2")
SHORT = ("--turn-limit", "30", "--games", "4")


def arena(*options: str | Path) -> Result:
    """The command, in this process."""
    return migrato("arena", *options)


def timeless(path: Path) -> list[dict[str, str]]:
    """The lines of a file without what a clock measured."""
    with path.open(newline="") as stream:
        return [{k: v for k, v in row.items() if not k.startswith("ms_")} for row in csv.DictReader(stream)]


def refusal(*options: str | Path) -> str:
    """The message of a run that ends with exit code 2."""
    result = arena(*options)
    assert result.exit_code == 2, result.output
    return result.stderr


@pytest.fixture
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Intervals good enough for a test of something else."""
    for module in ("scores", "standings"):
        monkeypatch.setattr(f"service.cli.selfplay.arena.{module}.DRAWS", 50)


pytestmark = pytest.mark.usefixtures("few_draws")


def test_a_round_robin_is_played_rated_kept_and_drawn(tmp_path: Path) -> None:
    """Tables on stdout, the games in a file, the ratings in a picture; later the same figures, in each form.

    Two processes finish games in any order, and leave the same file.
    """
    kept, drawn = tmp_path / "games.csv", tmp_path / "elo.svg"
    played = arena("--bots", BOT_NAMES, *SHORT, "--csv", kept, "--plot", drawn)
    assert played.exit_code == 0, played.output
    assert all(text in played.stdout for text in ("Elo", "greedy - random", "12 games", f"{in_use()} domain"))
    assert [row["game"] for row in timeless(kept)] == ["0", "1"] * 3 + ["2", "3"] * 3
    assert drawn.read_text().startswith("<?xml")
    assert arena("--bots", BOT_NAMES, *SHORT, "--csv", tmp_path / "2", "--jobs", "2").exit_code == 0
    assert timeless(kept) == timeless(tmp_path / "2")
    assert arena("--from", kept).stdout == played.stdout
    assert arena("--from", kept, "--markdown").stdout.startswith("| bot | version | Elo |")
    shown = json.loads(arena("--from", kept, "--json", "--anchor", "greedy=1000").stdout)
    assert [bot["elo"]["value"] for bot in shown["bots"] if bot["bot"] == "greedy"] == [1000]
    assert {duel["games"] for duel in shown["duels"]} == {4}


def test_the_plot_is_a_picture(tmp_path: Path) -> None:
    """PNG and SVG by the suffix, with a transparent background, the same for the same results: by no draw either."""
    import numpy as np  # every worker reads this module, and one draws
    from matplotlib.image import imread

    from service.cli.selfplay.arena.plot import plot

    games = tournament(STRENGTHS, 20, random.Random(5))
    shown = figures.standings(games)
    assert shown == figures.standings(games)
    plot(shown, tmp_path / "elo.png")
    pixels = imread(tmp_path / "elo.png")
    assert pixels.shape[1] == 1280
    assert pixels[0, 0, 3] == 0
    assert len(np.unique(pixels.reshape(-1, 4), axis=0)) > 10
    for name in ("elo.svg", "again.svg"):
        plot(shown, tmp_path / name)
    root = ET.parse(tmp_path / "elo.svg").getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert (tmp_path / "elo.svg").read_bytes() == (tmp_path / "again.svg").read_bytes()


def test_a_game_has_a_line_that_tells_who_sat_where_and_how_it_went(tmp_path: Path) -> None:
    """With versions, decisions and thinking times of both sides."""
    arena("--bots", "greedy,heuristic", *SHORT, "--csv", tmp_path / "games.csv", "--seed", "3")
    games = load(tmp_path / "games.csv")
    assert [game.bots for game in games[:2]] == [("greedy", "heuristic"), ("heuristic", "greedy")]
    for game in games:
        one, two = game.sides
        assert [side.version for side in game.sides] == [BOTS[side.bot].version for side in game.sides]
        assert game.winner in {"greedy", "heuristic", ""}
        assert one.moves + two.moves >= game.turns >= 1
        assert 0 < one.ms_mean <= one.ms_max
        assert 0 < two.ms_p95 <= two.ms_max
        assert (game.seed, game.build) == (3, in_use())
        assert json.loads(game.options)["turn_limit"] == 30


def test_games_depend_on_nobody_else_who_takes_part() -> None:
    """They do not depend on the order of the bots' names or the number of games either."""

    def played(names: Sequence[str], games: int, seed: int = 0) -> dict[Any, Any]:
        options = {"turn_limit": 12}
        tournament = Tournament(tuple(map(Entrant, names)), games, options, seed, "plain")
        chosen = [f for f in fixtures(tournament) if "greedy" in key_of(f) and "random" in key_of(f)]
        records = [play_fixture(tournament, fixture) for fixture in chosen]
        return {key_of(r): (r.winner, r.turns, [(s.score, s.moves) for s in r.sides]) for r in records}

    few, many = played(["greedy", "random"], 2), played(["random", "heuristic", "greedy"], 4)
    assert {key: many[key] for key in few} == few
    assert len(many) == 4
    assert played(["greedy", "random"], 2, seed=1) != few


@pytest.mark.plain
def test_both_games_of_a_shuffle_begin_with_the_same_deal(monkeypatch: pytest.MonkeyPatch) -> None:
    """The two games of a shuffle have the same deal, with the seats swapped; another shuffle is another deal."""
    game, starts = game_named("migrato"), []
    evolve = type(game).evolve

    def watching(self: Any, state: Any, event: Any) -> Any:
        if type(event).__name__ == "GameStarted":
            starts.append((event.first_seat, event.deck, event.hands))
        return evolve(self, state, event)

    monkeypatch.setattr(type(game), "evolve", watching)
    tournament = Tournament((Entrant("greedy"), Entrant("random")), 4, {"turn_limit": 5}, 0, "plain")
    order = [key_of(fixture) for fixture in fixtures(tournament)]
    for fixture in fixtures(tournament):
        play_fixture(tournament, fixture)
    assert order[0][:2] == order[1][1::-1]
    assert starts[0] == starts[1] != starts[2] == starts[3]


def test_rounds_are_interleaved_over_the_pairs() -> None:
    """After any early end, no pair is more than a shuffle ahead of another."""
    tournament = Tournament(tuple(map(Entrant, "dcba")), 6, {}, 0, "plain")
    counts: Counter[tuple[str, ...]] = Counter()
    for fixture in fixtures(tournament):
        counts[tuple(sorted(map(str, key_of(fixture)[:2])))] += 1
        assert max(counts.values()) - min(counts.values() if len(counts) == 6 else [0]) <= 2
    assert set(counts.values()) == {6}


def interrupting(monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    """Ctrl-C while a later game is played."""
    played: list[Any] = []

    def interrupted(tournament: Tournament, fixture: Any) -> Record:
        if len(played) == after:
            raise KeyboardInterrupt
        played.append(fixture)
        return play_fixture(tournament, fixture)

    monkeypatch.setattr(running, "play_fixture", interrupted)


def test_an_interrupted_tournament_goes_on_to_the_same_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Played games are shown and kept, even where the file ends in the middle of a line."""
    whole, parts = tmp_path / "whole.csv", tmp_path / "parts.csv"
    arena("--bots", BOT_NAMES, *SHORT, "--csv", whole)
    with monkeypatch.context() as patch:
        interrupting(patch, after=5)
        result = arena("--bots", BOT_NAMES, *SHORT, "--csv", parts)
    assert result.exit_code == 1
    assert "5 games" in result.stdout
    assert "1 of them wait" in result.stdout
    assert "7 games left" in result.stderr
    assert timeless(parts) == timeless(whole)[:5]
    with parts.open("a") as stream:
        stream.write("3,greedy,rand")
    before = load(parts)
    result = arena("--bots", BOT_NAMES, *SHORT, "--csv", parts, "--resume")
    assert result.exit_code == 0, result.output
    assert timeless(parts) == timeless(whole)
    assert load(parts)[:5] == before  # with the very times: they were not played again


def test_a_tournament_can_grow(tmp_path: Path) -> None:
    """A tournament grows by more games and by more bots, and what was played stays."""
    kept = tmp_path / "games.csv"
    arena("--bots", "greedy,random", "--turn-limit", "10", "--games", "2", "--csv", kept)
    before = load(kept)
    arena("--bots", BOT_NAMES, "--turn-limit", "10", "--games", "4", "--csv", kept, "--resume")
    assert len(load(kept)) == 12
    assert set(before) <= set(load(kept))


def test_ctrl_c_keeps_what_was_played(tmp_path: Path) -> None:
    """With processes at work too: figures, a whole file, exit code 1, no traceback, nobody left behind."""
    kept = tmp_path / "games.csv"
    command = [sys.executable, "-m", "service.cli", "arena", "--bots", "greedy,random", "--games", "100000"]
    with interruptible([*command, "--jobs", "2", "--csv", str(kept)], {}) as process:
        until(lambda: kept.exists() and len(kept.read_text().splitlines()) > 8)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does it
        stdout, stderr = process.communicate(timeout=LIMIT)
        with pytest.raises(ProcessLookupError):
            os.killpg(process.pid, 0)
    assert process.returncode == 1
    assert "greedy - random" in stdout
    assert "--resume" in stderr
    assert "Traceback" not in stderr
    shown = re.search(r"([\d,]+) games \(", stdout)
    assert shown is not None
    assert len(load(kept)) - int(shown[1].replace(",", "")) in (0, 1)  # one may be kept and not counted yet


@pytest.fixture
def tricks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another game, of two to four seats, with bots that play high, low and anything."""

    def playing(name: str, choose: Callable[[Sequence[Any]], Any]) -> Bot:
        return Bot(name, "1", "A test's.", lambda seen, *_: Choice(choose(seen.moves)), milliseconds=1)

    def card(move: Any) -> int:
        return int(move.document["card"])

    chosen: dict[str, Callable[[Sequence[Any]], Any]] = {
        "high": lambda moves: max(moves, key=card),
        "low": lambda moves: min(moves, key=card),
        "first": lambda moves: moves[0],
    }
    bots = {**TRICKS.bots, **{name: playing(name, choose) for name, choose in chosen.items()}}
    monkeypatch.setattr(TRICKS, "bots", bots, raising=False)
    monkeypatch.setitem(GAMES, "tricks", TRICKS)


TABLE_OF_THREE = ("--game", "tricks", "--seats", "3", "--bots", "random,high,low,first")


@pytest.mark.usefixtures("tricks")
def test_a_tournament_of_three_seats(tmp_path: Path) -> None:
    """Every three of four bots meet; places, shared places and ratings; a file that is gone on from and shown again."""
    kept = tmp_path / "games.csv"
    assert arena(*TABLE_OF_THREE, "--games", "3", "--csv", kept).exit_code == 0
    result = arena(*TABLE_OF_THREE, "--games", "12", "--csv", kept, "--resume", "--jobs", "2")
    assert result.exit_code == 0, result.output
    games = load(kept)
    assert len(games) == 48
    for seat in range(3):
        sat = Counter(game.bots[seat] for game in games)
        assert sat == dict.fromkeys(("random", "high", "low", "first"), 12)
    for game in games:
        assert game.game == "tricks"
        assert [side.place for side in game.sides] == list(places_by([side.score for side in game.sides]))
    told = ("48 games of tricks (seed 0;", "Plackett-Luce", "places", "shared", "seat")
    assert all(words in result.stdout for words in told)
    assert arena("--from", kept).stdout == result.stdout
    shown = json.loads(arena("--from", kept, "--json").stdout)
    assert (shown["game"], shown["seats"], shown["anchor"]) == ("tricks", 3, "random")
    assert [sum(bot["placings"]["places"]) for bot in shown["bots"]] == [36] * 4
    assert [sum(seat["places"]) for seat in shown["placings"]] == [48] * 3


@pytest.mark.usefixtures("tricks")
def test_columns_by_seat(tmp_path: Path) -> None:
    """With more than two seats each has its place; a game other than the default is named."""
    kept = tmp_path / "games.csv"
    arena(*TABLE_OF_THREE, "--games", "3", "--csv", kept)
    (row, *_), header = timeless(kept), kept.read_text().splitlines()[0]
    assert header.startswith("game,bot_0,bot_1,bot_2,place_0,place_1,place_2,reason,turns,score_0,")
    assert header.endswith(",version_0,version_1,version_2,seed,options,build,game_name")
    assert (row["game"], row["options"], row["game_name"]) == ("0", "{}", "tricks")
    duel = tmp_path / "duel.csv"
    arena("--game", "tricks", "--bots", "high,low", "--games", "2", "--csv", duel)
    assert duel.read_text().splitlines()[0] == f"{TWO_SEATS},game_name"
    assert arena("--from", duel).exit_code == 0
    refused = arena("--bots", "greedy,random", "--games", "2", "--csv", duel, "--resume")
    assert "has games of tricks, and this would be migrato" in refused.stderr


TWO_SEATS = (
    "game,bot_0,bot_1,winner,reason,turns,score_0,score_1,moves_0,moves_1,ms_mean_0,ms_p95_0,ms_max_0,"
    "ms_mean_1,ms_p95_1,ms_max_1,version_0,version_1,seed,options,build"
)


def test_a_file_of_two_seats_has_its_columns_and_reads_as_it_was_written(tmp_path: Path) -> None:
    """The winner has one column of its own, empty for a draw."""
    kept = tmp_path / "games.csv"
    cells = "0,a,b,b,all_arrived,50,7,9,10,11,1.0,2.0,3.0,1.5,2.5,3.5,1,2,0,{},plain"
    drawn = "1,b,a,,turn_limit,60,8,8,10,11,1.0,2.0,3.0,1.5,2.5,3.5,2,1,0,{},plain"
    text = "\n".join([TWO_SEATS, cells, drawn]) + "\n"
    kept.write_text(text)
    games = load(kept)
    won = [(game.winner, [side.place for side in game.sides]) for game in games]
    assert won == [("b", [2, 1]), ("", [1, 1])]
    store(kept, games)
    assert kept.read_text() == text


@pytest.mark.usefixtures("tricks")
def test_a_tournament_of_three_seats_refuses_what_does_not_fit() -> None:
    """Exit code 2 and a sentence."""
    for options, words in (
        (["--games", "4"], "no multiple of 3"),
        (["--seats", "5"], "two, three or four seats, not 5"),
        (["--bots", "high,low"], "at least as many bots"),
        (["--rules", "opla"], "no options of its own"),
        (["--options", '{"wind": 3}'], "no such option"),
    ):
        assert words in refusal(*TABLE_OF_THREE, *options)


def test_line_ups_sit_everywhere_and_in_every_order() -> None:
    """Three seats: a shuffle is played with each on every seat, and the order round the table alternates."""
    tournament = Tournament(tuple(map(Entrant, "cab")), 6, {}, 0, "plain", seats=3)
    seated = ["".join(map(str, key_of(fixture))) for fixture in fixtures(tournament)]
    assert seated == ["abc0", "bca1", "cab2", "acb3", "cba4", "bac5"]


def test_without_the_library_it_plays_and_counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """One line says what to install; scores and their intervals need nothing."""
    for module in ("commands.arena", "selfplay.arena.standings"):
        monkeypatch.setattr(f"service.cli.{module}.find_spec", lambda name: None)
    result = arena("--bots", "greedy,random", *SHORT, "--plot", tmp_path / "elo.svg")
    assert result.exit_code == 0
    assert "pip install choix matplotlib" in result.stderr
    assert "greedy - random" in result.stdout
    assert "Elo" not in result.stdout
    assert not (tmp_path / "elo.svg").exists()


def test_a_tournament_that_makes_no_sense_is_refused() -> None:
    """Exit code 2 and a sentence."""
    for options, words in (
        ([], "--bots"),
        (["--bots", "greedy"], "at least two bots"),
        (["--bots", "greedy,deep-blue"], "no bot 'deep-blue'"),
        (["--bots", "greedy,random,greedy"], "there twice"),
        (["--bots", "greedy@300ms,random"], "takes no budget"),
        ([*PAIR, "--games", "5"], "odd"),
        ([*PAIR, "--seats", "3"], "migrato has two seats, not 3"),
        (["--game", "chess", "--bots", "greedy,random"], "no game 'chess'"),
        ([*PAIR, "--resume"], "--csv"),
        ([*PAIR, "--plot", "elo.gif"], ".svg or .png"),
        ([*PAIR, "--options", "{"], "no JSON"),
        ([*PAIR, "--options", "[]"], "no JSON object"),
        ([*PAIR, "--options", '{"wind": 3}'], "no such option"),
        ([*PAIR, "--anchor", "greedy=high"], "no number"),
        ([*PAIR, "--anchor", "heuristic", "--games", "2"], "did not play"),
        ([*TWO, "--csv", "/nonexistent/games.csv"], "cannot be written"),
        ([*TWO, "--plot", "/nonexistent/elo.svg"], "cannot be written"),
        (["--from", str(ROOT / "README.md")], "does not hold the results"),
    ):
        assert words in refusal(*options)


OTHERS: list[tuple[dict[str, object], str]] = [
    ({"version": "0"}, "greedy in version 0"),
    ({"seat": 1, "bot": "heuristic"}, "games of heuristic"),
    ({"seed": 7}, "seed 7"),
    ({"options": "{}"}, "options {}"),
    ({"build": "another"}, "build another"),
    ({"number": 3}, "a game 3 in which greedy and random sit in another order"),
]


def test_it_goes_on_only_from_its_own_games(tmp_path: Path) -> None:
    """Other bots, versions, options, seeds or builds are told by name, and the file stays as it is."""
    kept = tmp_path / "games.csv"
    command = (*PAIR, "--turn-limit", "10", "--games", "2", "--csv", kept)
    assert arena(*command).exit_code == 0
    assert "is there already" in refusal(*command)
    games = load(kept)
    for change, words in OTHERS:
        alter: Any = changed if change.keys() <= {"seat", "version", "bot"} else Record._replace
        store(kept, [alter(games[0], **change), *games[1:]])
        text = kept.read_text()
        assert words in refusal(*command, "--resume")
        assert kept.read_text() == text


def test_files_that_make_no_sense_are_not_shown(tmp_path: Path) -> None:
    """A mixture would be fitted to something that never was."""
    games = [record(0, ("a", "b"), "a"), record(2, ("a", "b"), "b")]
    others: list[tuple[dict[str, Any], str]] = [
        ({"number": 0}, "line 3: this game is there already"),
        ({"options": "{}"}, "different options"),
        ({"build": "another"}, "different build"),
        ({"seat": 1, "version": "2"}, "versions 1 and 2 of b"),
        ({"turns": "many"}, "line 3: this is no game's result"),
        ({"turns": "-5"}, "line 3: this is no game's result"),
        ({"seat": 0, "ms_max": math.nan}, "line 3: this is no game's result"),
        ({"options": "5"}, "line 3: this is no game's result"),
        ({"options": "hello"}, "line 3: this is no game's result"),
        ({"seat": 0, "bot": "[red]x[/red]"}, "line 3: this is no game's result"),
    ]
    for other, words in others:
        alter: Any = changed if "seat" in other else Record._replace
        store(tmp_path / "games.csv", [games[0], alter(games[1], **other)])
        assert words in refusal("--from", tmp_path / "games.csv")


def test_games_of_two_seeds_are_shown_together(tmp_path: Path) -> None:
    """The same pair and numbers, but other shuffles: all of them count."""
    for seed in ("1", "2"):
        arena("--bots", "greedy,random", *SHORT, "--seed", seed, "--csv", tmp_path / seed)
    first, second = ((tmp_path / seed).read_text().splitlines(keepends=True) for seed in ("1", "2"))
    (tmp_path / "both").write_text("".join([*first, *second[1:]]))
    assert "seed 1, 2" in arena("--from", tmp_path / "both").stdout
    shown = json.loads(arena("--from", tmp_path / "both", "--json").stdout)
    assert ([duel["games"] for duel in shown["duels"]], shown["unpaired"]) == ([8], 0)


def test_nothing_is_shown_of_too_few_games(tmp_path: Path) -> None:
    """Of none, neither a picture nor a fault; one whose counterpart with swapped seats is missing does not count."""
    (tmp_path / "games.csv").touch()
    result = arena("--from", tmp_path / "games.csv")
    assert (result.exit_code, "no game" in result.stderr) == (1, True)
    shown = figures.standings([record(0, ("a", "b"), "a")])
    assert (shown.games, shown.unpaired, shown.anchor) == (1, 1, None)


class Guest:
    """A bot that plays the first legal move and keeps what it was asked."""

    def __init__(self) -> None:
        self.seen: list[Observation] = []
        self.budgets: list[Budget] = []

    def __call__(self, seen: Observation, rng: Rng, budget: Budget, stop: Stop) -> Choice:
        self.seen.append(seen)
        self.budgets.append(budget)
        while budget.milliseconds is not None and not stop():
            pass
        return Choice(seen.moves[0])


def guest_against_greedy(
    monkeypatch: pytest.MonkeyPatch, remembers: bool, budget: Budget | None = None, **given: int
) -> tuple[Guest, Record, set[int]]:
    """The guest in seat 1, its game, and the seats for which anything was remembered."""
    guest, minds = Guest(), set()
    game = game_named("migrato")
    remember = type(game).update_knowledge

    def noticing(self: Any, memory: Any, seat: int, *happened: Any) -> Any:
        minds.add(seat)
        return remember(self, memory, seat, *happened)

    with monkeypatch.context() as patch:
        patch.setitem(BOTS, "guest", Bot("guest", "1", "A guest.", guest, 1, budget, remembers))
        patch.setattr(type(game), "update_knowledge", noticing)
        entrants = (Entrant("greedy"), Entrant("guest", **given))
        tournament = Tournament(entrants, 2, {"turn_limit": 40}, 0, "plain")
        return guest, play_fixture(tournament, next(fixtures(tournament))), minds


@pytest.mark.plain
def test_a_bot_that_remembers_is_shown_its_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kept event by event; nothing is spent on a side that forgets: it would cost time and help nobody."""
    nothing = game_named("migrato").initial_knowledge()
    guest, _, minds = guest_against_greedy(monkeypatch, remembers=True)
    assert (minds, guest.seen[-1].knowledge != nothing) == ({1}, True)
    guest, _, minds = guest_against_greedy(monkeypatch, remembers=False)
    assert (minds, guest.seen[-1].knowledge == nothing) == (set(), True)


@pytest.mark.plain
def test_a_bot_thinks_by_its_own_budget_or_by_the_one_that_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    """Iterations are the bot's to count, milliseconds are kept by the clock here."""
    own = Budget(iterations=5)
    for given, wanted, name in (
        ({}, own, "guest"),
        ({"iterations": 9}, Budget(iterations=9), "guest@9it"),
        ({"milliseconds": 2}, Budget(milliseconds=2), "guest@2ms"),
    ):
        guest, game, _ = guest_against_greedy(monkeypatch, remembers=False, budget=own, **given)
        assert (set(guest.budgets), game.sides[1].bot) == ({wanted}, name)
    assert game.sides[1].ms_max > 1.0


def test_budgets_are_written_behind_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """A budget stands behind a bot's name as in the results; any other form is refused."""
    monkeypatch.setitem(BOTS, "guest", Bot("guest", "1", "A guest.", Guest(), 1, Budget(iterations=5)))
    result = arena("--bots", "guest,guest@3it,guest@1ms", "--games", "2", "--turn-limit", "3", "--json")
    assert {bot["bot"] for bot in json.loads(result.stdout)["bots"]} == {"guest", "guest@3it", "guest@1ms"}
    assert "is no budget" in arena("--bots", "guest,guest@fast").stderr
