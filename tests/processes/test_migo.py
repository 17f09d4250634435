"""A whole game of Migo on a real engine, with four bots, while its processes are killed."""

import io
import sys

import pytest
import requests

from events.audit.findings import PASSED
from events.audit.verify import verify
from events.log.export import games_in
from tests.processes.conftest import NewEngine
from tests.processes.players import Player, bots_game, check_history, is_settled
from tests.waiting import until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")

BOTS = ("maxn-easy", "heuristic", "greedy", "random")
KILLED = ("bot worker", "web worker", "store", "dispatcher", "bot worker")
ENDS_WITHIN = 120.0  # seconds, on a busy machine


def test_four_bots_play_to_the_end_whatever_is_killed(new_engine: NewEngine) -> None:
    """Each kill comes in the middle of a round; the game goes on, ends, and its export proves every move of a bot."""
    engine = new_engine().start()
    watcher = Player(engine.url)
    game_id = bots_game(watcher, BOTS, turns=None, game="migo")
    for number, kind in enumerate(KILLED, 1):
        until(lambda number=number: watcher.view(game_id)["turn"] > 9 * number, ENDS_WITHIN)  # type: ignore[misc]
        engine.kill(kind)
    until(lambda: is_settled(watcher.view(game_id)), ENDS_WITHIN)
    view = watcher.view(game_id)
    assert min(view["result"]["places"]) == 1
    assert len(view["state"]["rounds"]) == sum(view["result"]["flags"]) > 1
    events = watcher.events(game_id)
    check_history(events)
    takes = [event for event in events if event["type"] == "card_taken"]
    assert len(takes) == len([event for event in events if event["type"] == "move_chosen"])
    exported = requests.get(f"{engine.url}/v1/games/{game_id}/export", timeout=20)
    (export,) = games_in(io.BytesIO(exported.content))
    report = verify(export, bots=True)
    assert report.wrong is None, report.wrong.document
    assert (report.verdict, report.complete) == (PASSED, True)
