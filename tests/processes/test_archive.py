"""A real engine with an archive: games go there while others are played, whatever is killed."""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.processes.engine import Engine
from tests.processes.players import Player, bots_game, check_history
from tests.project.running import ROOT, clean_environment
from tests.waiting import until


def migrato(engine: Engine, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a sub-command on the engine's data directory."""
    return subprocess.run(
        [sys.executable, "-m", "service.cli", *arguments],
        cwd=ROOT,
        env=clean_environment({"MIGRATO_DATA_DIR": str(engine.data_dir)}),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def archived(engine: Engine) -> set[str]:
    """The ids of the games in the archive; none may be there twice."""
    listed = [json.loads(line) for line in migrato(engine, "archive", "list", "--json").stdout.splitlines()]
    ids = [game["game_id"] for game in listed]
    assert len(ids) == len(set(ids))
    return set(ids)


@pytest.fixture
def engine(short_path: Path) -> Any:
    """An engine whose games stay for a second after they are over."""
    engine = Engine(short_path / "data", MIGRATO_ARCHIVE_AFTER="1", MIGRATO_FSYNC="no")
    yield engine.start()
    engine.end()


def test_games_go_to_the_archive_whatever_is_killed(engine: Engine) -> None:
    """The archiver is killed again and again; every game is there in the end, once, and answered from there."""
    watcher = Player(engine.url)
    games = {bots_game(watcher, turns=10) for _ in range(12)}
    for _ in range(6):
        time.sleep(0.7)  # about as long as it takes to start: it dies before its work, amid it, or after it
        if "archiver" in engine.processes().values():
            engine.kill("archiver")
    until(lambda: archived(engine) == games, 60, engine.tail)
    # The archiver may have died between the two: a game is in a file before it leaves Redis.
    until(lambda: json.loads(migrato(engine, "fsck", "--json").stdout)["games"] == 0, 60, engine.tail)

    for game_id in games:
        assert watcher.view(game_id)["status"] == "finished"
        check_history(watcher.events(game_id))
    live = migrato(engine, "fsck", "--json")
    assert (live.returncode, json.loads(live.stdout)["archived"]) == (0, 12), live.stdout + live.stderr

    engine.stop()
    assert migrato(engine, "archive", "verify").stdout == "12 games, all sound.\n"
    restored = migrato(engine, "archive", "restore", "--all")
    assert restored.stdout == "12 games restored, 0 were there already.\n", restored.stderr
    assert migrato(engine, "fsck").returncode == 0


def test_events_are_the_same_from_both_places(engine: Engine) -> None:
    """Byte for byte, over a real connection."""
    watcher = Player(engine.url)
    game_id = bots_game(watcher, turns=30)
    address = f"{engine.url}/v1/games/{game_id}/events?limit=500"
    until(lambda: watcher.events(game_id)[-1]["type"] == "game_scored", 30, engine.tail)
    before = requests.get(address, timeout=10).content
    until(lambda: archived(engine) == {game_id}, 30, engine.tail)
    until(lambda: json.loads(migrato(engine, "fsck", "--json").stdout)["games"] == 0, 30, engine.tail)
    assert requests.get(address, timeout=10).content == before
