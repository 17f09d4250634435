"""Several processes, threads and greenlets at one game: nothing is lost, nothing is doubled."""

import json
import subprocess
import sys
from collections import Counter as Tally

from domain.lifecycle import Seat
from events.application import Application
from events.engine.new_game import NewGame
from events.log.envelope import check_chain
from events.store.link import link_to
from tests.events.wiring import application_on
from tests.support.waiting import LIMIT

GOAL = 100

PLAYER = """
import sys
if sys.argv[4:]:
    from gevent import monkey; monkey.patch_all()
import json
from domain.errors import DomainError
from events.errors import VersionConflict
from events.store.link import link_to
from events.store.connections.client import RedisClient
from tests.events.wiring import application_on
from threading import Thread

url, game_id, name = sys.argv[1:4]
application, made = application_on(link_to(url, 5.0)), []

def play(thread):
    for turn in range(10_000):
        key = f"{name}-{thread}-{turn}"
        for seat in (0, 1):
            try:
                played = application.moves.play(game_id, seat, {"amount": 1, "note": key}, key=key)
            except VersionConflict:
                continue
            except DomainError as error:
                if error.code == "game-over":
                    return
            else:
                again = application.moves.play(game_id, seat, {"amount": 1, "note": key}, key=key)
                assert again.repeated and again.events == played.events
                made.append((played.events[0].version, key))

threads = [Thread(target=play, args=(number,)) for number in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(json.dumps(made))
"""


def test_all_of_them_play_one_game(redis_url: str) -> None:
    """Every version has one event, every answered move is there once, no unanswered one is, the chain holds.

    One process plays by threads, the other by greenlets.
    """
    application = application_on(link_to(redis_url, 5.0))
    seats = (Seat("human"), Seat("human"))
    game_id = application.creation.create("app", NewGame("counter", {"goal": GOAL}, seats)).snapshot.game_id
    players = [
        subprocess.Popen(
            [sys.executable, "-c", PLAYER, redis_url, game_id, *arguments], stdout=subprocess.PIPE, text=True
        )
        for arguments in (["by threads"], ["by greenlets", "greenlets"])
    ]
    made: list[tuple[int, str]] = []
    for player in players:
        said, _ = player.communicate(timeout=3 * LIMIT)
        assert player.returncode == 0
        made += [(version, key) for version, key in json.loads(said)]

    history = application.views.history(game_id)
    assert [event.version for event in history] == list(range(1, len(history) + 1))
    added = [(event.version, event.data["note"]) for event in history if event.type == "added"]
    assert sorted(made) == added
    assert len(added) == GOAL
    assert Tally(event.seat for event in history if event.type == "added") == {0: GOAL // 2, 1: GOAL // 2}
    assert_chain_holds(application, game_id)


def assert_chain_holds(application: Application, game_id: str) -> None:
    """Every commitment and every head follows from the seed and the events."""
    snapshot, events = application.views.snapshot(game_id), application.views.history(game_id)
    check_chain(snapshot.game, game_id, events, snapshot.secrets.seed)
