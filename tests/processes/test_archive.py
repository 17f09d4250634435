"""A real engine with an archive: games go there while others are played, whatever is killed."""

import json
import os
import stat

import requests

from events.store import keys
from events.store.due_games import PARTITIONS
from events.store.link import link_to
from tests.processes.conftest import NewEngine
from tests.support.command import migrato
from tests.support.engine import Engine
from tests.support.players import Player, bots_game, check_history
from tests.support.waiting import LIMIT, until

GAMES = 4
KILLS = 2


def archived(engine: Engine) -> set[str]:
    """The ids of the games in the archive; fails if a game is there twice."""
    listed = migrato("archive", "list", "--json", "--data-dir", engine.data_dir).stdout
    ids = [json.loads(line)["game_id"] for line in listed.splitlines()]
    assert len(ids) == len(set(ids))
    return set(ids)


def live(engine: Engine) -> int:
    """The number of games that are not in the archive alone."""
    done = migrato("fsck", "--json", "--data-dir", engine.data_dir)
    return int(json.loads(done.stdout)["games"])


def files(engine: Engine) -> int:
    """The number of files in the archive, unfinished ones among them."""
    return len([path for path in (engine.data_dir / "archive").rglob("*") if path.is_file()])


def test_games_go_to_the_archive_whatever_is_killed(new_engine: NewEngine) -> None:
    """The archiver is killed before its work and amid it; every game is there in the end, once, and answered the same
    from there, byte for byte. Nobody else reads any of it, whatever the umask; public keys are public.
    """
    umask = os.umask(0o022)
    try:
        engine = new_engine(MIGRATO_ARCHIVE_AFTER="1", MIGRATO_FSYNC="no").start()
    finally:
        os.umask(umask)
    watcher, link = Player(engine.url), link_to(f"unix://{engine.data_dir}/redis/redis.sock", 5.0)
    long = bots_game(watcher, turns=30)
    games = {long, *(bots_game(watcher, turns=10) for _ in range(GAMES - 1))}
    address = f"{engine.url}/v1/games/{long}/events?limit=500"
    until(lambda: watcher.events(long)[-1]["type"] == "game_scored", otherwise=engine.tail)
    before = requests.get(address, timeout=LIMIT).content
    for known in range(KILLS):
        until(lambda: "background worker" in engine.processes().values(), otherwise=engine.tail)
        until(lambda known=known: files(engine) >= known, otherwise=engine.tail)  # type: ignore[misc]
        engine.kill("background worker")
        link.call("DEL", *map(keys.archiving, PARTITIONS))  # its locks would expire, 20 seconds later
    until(lambda: archived(engine) == games, otherwise=engine.tail)
    # The archiver may have died between the two: a game is in a file before it leaves Redis.
    until(lambda: live(engine) == 0, otherwise=engine.tail)
    assert requests.get(address, timeout=LIMIT).content == before
    for game_id in games:
        assert watcher.view(game_id)["status"] == "finished"
        check_history(watcher.events(game_id))
    modes = {path: stat.S_IMODE(path.lstat().st_mode) for path in engine.data_dir.rglob("*")}
    assert {path.parts[len(engine.data_dir.parts)] for path in modes} >= {"archive", "keys", "redis", "lock"}
    assert [path for path, mode in modes.items() if mode & 0o077 and path.suffixes != [".pub", ".pem"]] == []
    assert stat.S_IMODE(engine.data_dir.stat().st_mode) == 0o700

    checked = migrato("fsck", "--json", "--data-dir", engine.data_dir)
    assert (checked.exit_code, json.loads(checked.stdout)["archived"]) == (0, GAMES), checked.output
    engine.stop()
    place = ("--data-dir", engine.data_dir)
    verified = migrato("archive", "verify", *place).stdout
    assert verified.startswith(f"{GAMES} games: {GAMES} with nothing wrong (")
    restored = migrato("archive", "restore", "--all", *place)
    assert restored.stdout == f"{GAMES} games restored, 0 were there already.\n", restored.stderr
    assert migrato("fsck", *place).exit_code == 0
