"""The queries on people that the guide shows: each is compared with the same counted along the games."""

import math
import re
import statistics
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from benchmarks.people import Person, honest, recorded
from domain.registry import GAMES
from events.archive.tables import Table, event_rows, events_schema, game_row, games_schema
from events.times import milliseconds_of
from tests.support.markdown import ROOT, blocks
from tests.support.sure import sure

PAIRS, TIMES, HINTS = blocks(ROOT / "docs/how-to/find-bots-behind-people.md", "sql")
ANN, BO, CY = (Person(name, honest(name, "greedy").bots, spread=0.1 * n) for n, name in enumerate("abc", 1))


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Any]]:
    """The directory of the tables, with six games of three people and two hints; and the games as they were played."""
    place = tmp_path_factory.mktemp("tables")
    tables = [(ANN, BO), (BO, ANN), (ANN, BO), (ANN, CY), (CY, BO), (BO, CY)]
    games = [recorded(people, number) for number, people in enumerate(tables)]
    with (
        Table(place / "games.parquet", games_schema(GAMES)) as of_games,
        Table(place / "events.parquet", events_schema(GAMES)) as of_events,
    ):
        for now, history in games:
            of_games.add(game_row(now, history))
            rows = list(event_rows(now.game_id, history, now.game))
            for row in rows:
                of_events.add(row)
        for _ in range(2):
            of_events.add({**rows[-3], "type": "hint_given", "seat": 0, "turn": 0})
    return place, games


def ask(games: tuple[Path, list[Any]], query: str) -> dict[Any, tuple[Any, ...]]:
    """The rows that a query gives, by their first column or, of pairs, their first two."""
    import duckdb  # here, so that only one worker imports it

    asked = re.sub(r"'(\w+\.parquet)'", lambda match: f"'{games[0] / match[1]}'", query)
    rows = sure(duckdb.sql(asked)).fetchall()
    return {row[:2] if query is PAIRS else row[0]: row[2:] if query is PAIRS else row[1:] for row in rows}


def test_points_of_two_between_them_and_against_others(games: tuple[Path, list[Any]]) -> None:
    points = defaultdict[tuple[str, str], list[float]](list)
    for now, _ in games[1]:
        names, winner = [seat.player for seat in now.status.seats], now.status.result.winner
        for seat, (one, other) in enumerate((names, names[::-1])):
            points[one, other].append(0.5 if winner is None else float(winner == seat))
    told = ask(games, PAIRS)
    assert told.keys() == points.keys()
    for (one, other), (count, between, against) in told.items():
        rest = [point for pair, got in points.items() if pair[0] == one and pair[1] != other for point in got]
        assert count == len(points[one, other])
        assert between == pytest.approx(statistics.fmean(points[one, other]))
        assert against == pytest.approx(statistics.fmean(rest))


def test_times_of_thinking(games: tuple[Path, list[Any]]) -> None:
    logs = defaultdict[str, list[float]](list)
    for now, history in games[1]:
        moves = [event for event in history if event.seat is not None]
        for before, event in pairwise(moves):
            took = milliseconds_of(event.at) - milliseconds_of(before.at)
            if took:
                logs[now.status.seats[event.seat].player].append(math.log(took))
    told = ask(games, TIMES)
    assert list(told) == ["a", "b", "c"]
    for name, (count, seconds, spread, quick) in told.items():
        assert count == len(logs[name])
        assert seconds == pytest.approx(math.exp(statistics.fmean(logs[name])) / 1000)
        assert spread == pytest.approx(statistics.stdev(logs[name]))
        assert quick == 0


def test_hints(games: tuple[Path, list[Any]]) -> None:
    (first, *_) = games[1][-1][0].status.seats
    assert ask(games, HINTS) == {first.player: (2, 1)}
