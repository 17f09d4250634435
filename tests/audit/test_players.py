"""`migrato audit players`: bots behind people are marked, honest people are not, and every run says the same."""

import csv
import json
import math
from collections.abc import Sequence
from dataclasses import replace
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from benchmarks.people import PEOPLE, Person, behind, honest, played
from domain.migrato.game import MIGRATO
from events.audit.players.agreement import Answers, Panel, default_bots
from events.audit.players.choices import Choices
from events.audit.players.facts import Facts, facts_of
from events.audit.players.facts import Person as Told
from events.audit.players.likelihood import weighed
from events.audit.players.report import Collected, PlayersReport, weight
from events.audit.statistics.strengths import Played
from events.log.export import Exported, games_in
from service.cli.players_report import CAUTION, UNMEASURED, document, show, write_csv
from tests.audit.games import Corpus, parsed
from tests.support.command import migrato

QUICK_BOTS = ("greedy", "heuristic", "net")
ADA = honest("ada", "level-3")


def game(*people: Person, number: int) -> Exported:
    """A game that these people played."""
    (one,) = games_in(BytesIO(played(people, number)))
    return one


def report_on(
    games: Sequence[Exported], bots: Sequence[str] = QUICK_BOTS, budget: float = 30.0
) -> PlayersReport:
    """The report on all players of these games."""
    collected, panel = Collected(), Panel(MIGRATO, bots, budget)
    for one in games:
        collected.add(facts_of(MIGRATO, panel, one))
    return collected.report()


def alarms(report: PlayersReport) -> dict[str, list[str]]:
    """Marks of the report, by player."""
    return {player.name: player.alarms for player in report.players if player.alarms}


def test_a_bot_is_found_though_three_of_thirty_moves_are_anybodys() -> None:
    """In one game; the verifier's remark needs every move to be the bot's."""
    report = report_on([game(behind("eve", "heuristic", 0.1), ADA, number=1)])
    assert alarms(report) == {"eve": ["migrato heuristic"]}
    (found,) = (one for one in report.players[0].agreement if one.bot == "heuristic")
    assert found.rate.share < 1
    assert found.honest is not None
    assert found.honest < found.rate.low


def test_a_bot_of_which_good_players_are_alike_is_found_over_several_games() -> None:
    """The bot is marked, and none of its opponents is."""
    games = [game(behind("eve", "net"), honest(f"ada {n}", PEOPLE[n]), number=n) for n in range(3, 7)]
    assert alarms(report_on(games)) == {"eve": ["migrato net"]}


def test_honest_players_are_not_marked() -> None:
    """One of each kind; `python -m benchmarks bots-behind-people honest` counts 200 of each."""
    pairs = zip(PEOPLE[::2], PEOPLE[1::2], strict=True)
    games = [
        game(honest(one, one), honest(other, other), number=100 + n) for n, (one, other) in enumerate(pairs)
    ]
    report = report_on(games)
    assert alarms(report) == {}
    assert {player.name for player in report.players} == set(PEOPLE)


@pytest.mark.nightly("a search that thinks too long for the day is no longer found behind a person")
def test_the_strongest_bot_is_found_over_thirty_games() -> None:
    """`level-7`, asked for 24 choices in each game, with other seeds than it had."""
    games = [
        game(behind("eve", "level-7"), honest(f"ada {n}", PEOPLE[n % len(PEOPLE)]), number=200 + n)
        for n in range(30)
    ]
    report = report_on(games, ("level-7",), budget=24.0)
    assert alarms(report) == {"eve": ["migrato level-7"]}
    assert 600 < report.players[0].agreement[0].rate.of <= 30 * 24


def test_times_that_no_person_has_are_marked() -> None:
    even = Person("even", ADA.bots, seconds=3.0, spread=0.02)
    quick = Person("quick", ADA.bots, seconds=0.3, spread=0.6)
    report = report_on([game(even, quick, number=11), game(ADA, honest("bo", "level-4"), number=12)])
    assert alarms(report) == {"even": ["too even"], "quick": ["too quick"]}


def _results(*results: tuple[str, str, float, int]) -> PlayersReport:
    """The report on games of which only the results are known."""
    collected = Collected()
    for at, (one, other, points, of) in enumerate(results):
        for number in range(of):
            played_one = Played(one, other, float(number < points), 1)
            people = {one: Told(), other: Told()}
            collected.add(Facts(f"{at}-{number}", "migrato", people, [played_one], Answers({}, {}, {})))
    return collected.report()


def test_a_pair_that_loses_to_each_other_is_found() -> None:
    """Against everybody else both win half of their games."""
    names = ["ann", "bo", "cy", "dee", "eve"]
    fair = [(one, other, 6.0, 12) for at, one in enumerate(names) for other in names[at + 1 :]]
    assert not any(pair.is_unusual for pair in _results(*fair).pairs)
    rigged = [(a, b, 12.0 if (a, b) == ("dee", "eve") else points, of) for a, b, points, of in fair]
    report = _results(*rigged)
    assert [(pair.one, pair.other) for pair in report.pairs if pair.is_unusual] == [("dee", "eve")]
    assert report.comparisons == 10
    stronger = [(a, b, 12.0 if a == "ann" else points, of) for a, b, points, of in fair]
    assert not any(pair.is_unusual for pair in _results(*stronger).pairs)


def test_choices_that_say_nothing_are_left_out(played: Corpus) -> None:
    """Of one move, or of moves that come to the same; hints, bots, takebacks and fallen tokens are no choices."""
    for name, export in played.finished.items():
        choices = Choices(MIGRATO, parsed(export))
        seen = list(choices.chosen())
        for one in seen:
            ways = [choices.causes(one, move) for move in one.observation.moves]
            assert any(way != ways[0] for way in ways), name
            assert one.caused in ways or one.hinted or "discard" in str(one.caused), name
        if name == "bots":
            assert seen == []
        if name == "people":
            assert sum(choices.hints.values()) == 3
            assert 1 <= sum(one.hinted for one in seen) <= 3


def test_costly_bots_are_asked_for_some_choices_always_the_same() -> None:
    one = game(ADA, honest("bo", "mixed"), number=21)
    panel = Panel(MIGRATO, ("careful",), budget=0.1)  # 10 ms a choice
    first, again = (facts_of(MIGRATO, panel, one).document for _ in range(2))
    assert first == again
    asked = {name: sum(of for _, of in bots["careful"]) for name, bots in first["answers"][0].items()}
    assert asked == {"ada": 10, "bo": 10}


def test_facts_are_read_as_they_were_written() -> None:
    facts = facts_of(MIGRATO, Panel(MIGRATO, QUICK_BOTS, 1.0), game(ADA, honest("bo", "level-2"), number=22))
    assert Facts.read(json.loads(json.dumps(facts.document))) == facts
    assert default_bots(MIGRATO) == (*QUICK_BOTS, "level-7")


def test_the_chances_of_a_choice_add_up() -> None:
    """Those of all choices that there are, for people of every strength and for a bot: so no ratio is too high."""
    exported = game(honest("ada", "level-5"), honest("bo", "mixed"), number=23)
    choices, tried = Choices(MIGRATO, exported), 0
    for one in list(choices.chosen())[::9]:
        ways = list[Any]()
        for way in [choices.causes(one, move) for move in one.observation.moves]:
            if way not in ways:
                ways.append(way)
        weighings = [weighed(choices, replace(one, caused=way)) for way in ways]
        told = [one.under(agrees=at == 0) for at, one in enumerate(weighings) if one is not None]
        assert len(told) == len(ways)
        assert sum(math.exp(one.bot) for one in told) == pytest.approx(1)
        for strength in range(len(told[0].people)):
            assert sum(math.exp(one.people[strength]) for one in told) == pytest.approx(1)
        tried += 1
    assert tried > 5


def test_honest_players_have_low_ratios_and_only_by_bots_that_judge_as_they_do() -> None:
    """A ratio by `heuristic` would mark people who often play like it, as `mixed` ones do."""
    report = report_on([game(honest("bo", "mixed"), honest("ada", "level-6"), number=24)])
    ratios = {(player.name, one.bot): one.ratio for player in report.players for one in player.agreement}
    assert {who for who, ratio in ratios.items() if ratio is not None} == {("bo", "net"), ("ada", "net")}
    assert all(ratio < 0 for ratio in ratios.values() if ratio is not None)


@pytest.mark.nightly("a search that thinks too long for the day is no longer found in few choices")
def test_the_strongest_bot_is_found_in_few_choices() -> None:
    """`level-7`, asked for 24 choices in each of three games, with other seeds than it had; nobody else is marked."""
    games = [
        game(behind("eve", "level-7"), honest(f"ada {n}", PEOPLE[n]), number=300 + n)
        for n in (3, 5, 9)  # against a middling, a strong and a mixed player
    ]
    report = report_on(games, ("level-7",), budget=24.0)
    assert alarms(report) == {"eve": ["migrato level-7"]}
    assert report.players[0].agreement[0].rate.of <= 72


def test_choices_that_nearly_all_make_have_no_weight() -> None:
    assert [weight(chance) for chance in (0.02, 0.4, 0.59, 0.81, 0.86, 0.96)] == [4, 3, 3, 1, 1, 0]


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three games of eve's, in two files, one of them twice, and one that was altered."""
    place = tmp_path_factory.mktemp("games")
    eve = behind("eve", "heuristic", 0.1)
    games = [played([eve, Person(f"[b]ada[/b] {n}", ADA.bots)], 31 + n) for n in range(3)]
    (place / "a.ndjson").write_bytes(games[0] + games[1])
    (place / "b.ndjson").write_bytes(games[2] + games[0] + games[1].replace(b'"seat":0', b'"seat":1', 1))
    return place


def _report(*arguments: str | Path) -> Any:
    done = migrato("audit", "players", "--bots", "heuristic", "--json", *arguments)
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def test_every_run_says_the_same(archive: Path, tmp_path: Path) -> None:
    """The report is the same by several processes, and by a run that goes on from a state."""
    whole = _report(archive)
    assert (whole["games"], whole["left_out"]) == (3, {"failed": 1, "double": 1})
    assert whole["players"][0]["player"] == "eve"
    assert whole["players"][0]["alarms"] == ["migrato heuristic"]
    assert _report("--jobs", "2", archive) == whole
    state = tmp_path / "state"
    assert _report("--state", state, archive / "a.ndjson")["games"] == 2
    lines = len(state.read_bytes().splitlines())
    assert _report("--state", state, archive) == whole
    assert len(state.read_bytes().splitlines()) == lines + 2
    assert _report("--player", "eve", archive)["comparisons"] < whole["comparisons"]


def test_the_tables_say_what_they_do_not_prove(archive: Path, tmp_path: Path) -> None:
    done = migrato("audit", "players", "--bots", "heuristic", "--csv", tmp_path / "players.csv", archive)
    assert done.exit_code == 0
    assert "!  eve " in done.stdout
    assert "[b]ada[/b] 2" in done.stdout
    assert all(sentence in done.stdout for sentence in CAUTION)
    with (tmp_path / "players.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["bot"] for row in rows] == ["heuristic"] * 4
    assert rows[0]["alarms"] == "migrato heuristic"


def test_the_report_says_where_honest_players_were_never_measured() -> None:
    collected = Collected()
    counts = ((1, 2),) * 4
    for name in ("migrato", "migo"):
        answers = Answers({}, {"greedy": {"net": counts}}, {})
        collected.add(Facts(name, name, {"ada": Told()}, [], answers))
    report, shown = collected.report(), StringIO()
    assert document(report, {}, {})["unmeasured"] == ["migo"]
    show(report, {}, Console(file=shown, width=200))
    assert f"migo: {UNMEASURED}" in shown.getvalue()
    assert f"migrato: {UNMEASURED}" not in shown.getvalue()


def test_no_name_is_a_formula_of_a_spreadsheet(tmp_path: Path) -> None:
    """Each can be read back, too: a name that begins with an apostrophe gets another one."""
    names = ["=1+1", "+1", "-1", "@SUM(1)", "＝1", "'=1", "a=1"]
    collected = Collected()
    collected.add(Facts("one", "migrato", {name: Told() for name in names}, [], Answers({}, {}, {})))
    write_csv(collected.report(), tmp_path / "players.csv")
    with (tmp_path / "players.csv").open(encoding="utf-8", newline="") as stream:
        written = [row["player"] for row in csv.DictReader(stream)]
    assert sorted(written) == sorted([*(f"'{name}" for name in names[:-1]), "a=1"])


def test_questions_that_have_no_answer_are_refused(archive: Path, played: Corpus, tmp_path: Path) -> None:
    unknown = migrato("audit", "players", "--bots", "heuristic,hal", archive)
    assert (unknown.exit_code, "there is no bot 'hal'; there are: random" in unknown.stderr) == (2, True)
    running = tmp_path / "running.ndjson"
    running.write_bytes(next(iter(played.running.values())))
    none = migrato("audit", "players", running)
    assert (none.exit_code, "no game to report on; left out: 1 incomplete" in none.stderr) == (2, True)
    nobody = migrato("audit", "players", "--bots", "heuristic", "--player", "zoe", archive / "a.ndjson")
    assert (nobody.exit_code, "There is no game of zoe." in nobody.stderr) == (2, True)
    cut = tmp_path / "cut.ndjson"
    cut.write_bytes((archive / "a.ndjson").read_bytes()[:-100])
    half = migrato("audit", "players", "--bots", "heuristic", cut)
    assert (half.exit_code, "1 game," in half.stdout, f"{cut}: " in half.stderr) == (2, True, True)
