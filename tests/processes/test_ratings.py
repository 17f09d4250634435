"""Ratings by real dispatchers that are killed while games end: each game counts once, and a rebuild changes nothing."""

import subprocess
import sys
from pathlib import Path

from domain.lifecycle import Json, Seat
from events.application import Application
from events.engine.new_game import NewGame
from events.runtime import bootstrap
from events.runtime.settings import Settings
from service.cli.commands.projections import rebuild_all
from tests.support.running import ROOT, clean_environment
from tests.support.waiting import until

NAMES = ("ada", "bo", "cy", "dee")
GAMES = 16
KILLS = 1


def dispatching(url: str, log: Path) -> subprocess.Popen[bytes]:
    with log.open("ab") as output:
        return subprocess.Popen(
            [sys.executable, "-m", "workers", "dispatch"],
            cwd=ROOT,
            env=clean_environment({"MIGRATO_REDIS_URL": url}),
            stdout=output,
            stderr=subprocess.STDOUT,
        )


def play(application: Application, number: int) -> str:
    """A game that one of the two has resigned."""
    first, second = NAMES[number % 4], NAMES[(number + 1 + number // 4 % 3) % 4]
    seats = (Seat("human", first), Seat("human", second))
    new = NewGame("migo", {"first_seat": "random"}, seats, pairing="app")
    game_id = application.creation.create("club", new).snapshot.game_id
    application.moves.play(game_id, number % 2, {"type": "resign"})
    application.bot_turns.score_game(game_id)
    return game_id


def board(application: Application) -> list[Json]:
    return application.leaderboards.page("club", "migo", "none", 100)[0]


def test_killed_dispatchers(settings: Settings, redis_url: str, tmp_path: Path) -> None:
    """Of two dispatchers one is killed again and again; the other takes over what it had read and not done."""
    application = bootstrap.application(settings)
    log = tmp_path / "log"
    dispatchers = [dispatching(redis_url, log) for _ in range(2)]
    try:
        for killed in range(KILLS + 1):
            until(lambda: log.read_text().count("dispatching") == 2 + killed)  # noqa: B023 (called at once)
            for number in range(killed * GAMES // (KILLS + 1), (killed + 1) * GAMES // (KILLS + 1)):
                play(application, number)
            if killed < KILLS:
                dispatchers[0].kill()
                dispatchers[0].wait()
                dispatchers[0] = dispatching(redis_url, log)
        until(lambda: sum(entry["games"] for entry in board(application)) == 2 * GAMES)
        found = board(application)
        assert sum(entry["wins"] for entry in found) == GAMES
    finally:
        for one in dispatchers:
            one.kill()
            one.wait()
    rebuilt = rebuild_all(settings)
    assert (rebuilt.games, rebuilt.rated, rebuilt.left) == (GAMES, GAMES, {})
    assert board(application) == found
