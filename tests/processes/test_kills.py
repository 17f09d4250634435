"""SIGKILL to any process at any moment: games go on, and nothing that was told is lost or doubled."""

import io
import os
import signal
import sys
import time
from contextlib import suppress
from functools import partial

import pytest
import requests

from drills.clients.remote_bot import remote_bot
from events.audit.findings import PASSED
from events.audit.verify import verify
from events.log.export import games_in
from tests.processes.conftest import KINDS, is_whole
from tests.support.engine import Engine, is_alive
from tests.support.players import Human, Json, Player, bots_game, check_history, is_settled, logged
from tests.support.receiver import Got, Receiver, receiver
from tests.support.waiting import LIMIT, until

BOTS = ("maxn-easy", "heuristic", "greedy", "random")
TOLD = ("version", "commitment", "head")  # of an event; what was hidden may be shown meanwhile

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")


def go_on(player: Player, games: dict[str, int]) -> None:
    """Wait until each of the games has gone beyond the version that was seen of it, or is over."""

    def moved(game_id: str) -> bool:
        view = player.view(game_id)
        return bool(view["version"] > games[game_id]) or is_settled(view)

    for game_id in games:
        until(partial(moved, game_id), otherwise=lambda: str(player.view(game_id)))  # noqa: B023 (called at once)


def check_all(player: Player, games: list[str], humans: list[Human]) -> None:
    """Every game gets to its end, and its history is whole and the one that was told."""
    for human in humans:
        human.join(LIMIT)
        assert not human.is_alive()
        events = human.player.events(human.game_id)
        human.check(events)
        check_history(events)
    for game_id in games:
        until(lambda game_id=game_id: is_settled(player.view(game_id)))  # type: ignore[misc]
        check_history(player.events(game_id))


def test_any_process_may_be_killed(mortal: Engine) -> None:
    """One after the other, each in the middle of a game of bots, while people, four bots of Migo and somebody else's
    bot play on. The remote bot's moves are all its own, and the export of Migo proves every move of its bots.
    """
    watcher = Player(mortal.url)
    humans = [Human(mortal.url, seed, turns=40) for seed in range(2)]
    for human in humans:
        human.start()
    migo = bots_game(watcher, BOTS, turns=None, game="migo")
    with remote_bot(1) as url:
        seats = [{"kind": "remote", "url": url}, {"kind": "bot", "bot": "greedy"}]
        new = {"seats": seats, "visibility": "public", "options": {"turn_limit": 40}}
        remote = str(watcher.ask("POST", "/v1/games", new)["id"])
        until(lambda: watcher.view(remote)["version"] > 8)
        games = [migo, remote]
        for number, kind in enumerate([KINDS[0], *KINDS]):
            game_id = bots_game(watcher, turns=30)
            games.append(game_id)
            until(lambda: watcher.view(game_id)["version"] > number)  # noqa: B023 (called at once)
            mortal.kill(kind)
            go_on(watcher, {game_id: watcher.view(game_id)["version"]})
            until(lambda: is_whole(mortal), otherwise=mortal.tail)
        check_all(watcher, games, humans)
    chosen = [event["data"] for event in watcher.events(remote) if event["type"] == "move_chosen"]
    assert "remote" not in [data["replaces"] for data in chosen]
    check_migo(watcher, migo)


@pytest.mark.nightly("a role is not started again while the process hangs that it is forked from")
def test_a_role_does_without_its_nursery(mortal: Engine) -> None:
    """A role whose nursery was killed is executed instead of forked, and the nursery is replaced."""
    stopped = mortal.signal("nursery", signal.SIGSTOP)
    mortal.kill("thinker")
    until(lambda: is_whole(mortal) and not is_alive(stopped), otherwise=mortal.tail)


def check_migo(watcher: Player, game_id: str) -> None:
    """The result of a game of Migo is whole, and the audit finds every move of a bot again."""
    view, events = watcher.view(game_id), watcher.events(game_id)
    assert min(view["result"]["places"]) == 1
    assert len(view["state"]["rounds"]) == sum(view["result"]["flags"]) > 1
    takes = [event for event in events if event["type"] == "card_taken"]
    assert len(takes) == len([event for event in events if event["type"] == "move_chosen"])
    exported = requests.get(f"{watcher.url}/v1/games/{game_id}/export", timeout=LIMIT)
    (export,) = games_in(io.BytesIO(exported.content))
    report = verify(export, bots=True)
    assert report.wrong is None, report.wrong.document
    assert (report.verdict, report.complete) == (PASSED, True)


def test_the_supervisor_may_be_killed(mortal: Engine) -> None:
    """Everything dies with it; what is started next on the same directory goes on where it was, and a receiver of
    webhooks gets all that the app's log has, in order for each game.

    The second time everything is killed at once, the event store first, so that nobody can finish anything: as in a
    power cut.
    """
    watcher = Player(mortal.url)
    human = Human(mortal.url, seed=3, turns=60)
    games: list[str] = []
    with receiver(_take_a_while) as server:
        hook = watcher.ask("POST", "/v1/webhooks", {"url": server.url})["id"]
        human.start()
        for power_cut in (False, True):
            games += [bots_game(watcher) for _ in range(2)]
            count = len(server.got)
            until(partial(_all_beyond, watcher, games[-2:], 8))
            until(partial(_has_more, server, count + 5), otherwise=mortal.tail)
            told = {game_id: watcher.events(game_id) for game_id in games}
            processes = mortal.processes()
            if power_cut:
                mortal.kill("store")
                for pid in [*processes, mortal.pid]:
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
            mortal.kill_supervisor()
            mortal.start()
            assert [kind for pid, kind in processes.items() if is_alive(pid)] == []
            for game_id, events in told.items():
                now = watcher.events(game_id)[: len(events)]
                assert list(map(_told, now)) == list(map(_told, events))
            go_on(watcher, {game_id: len(events) for game_id, events in told.items()})
        check_all(watcher, games, [human])
        for game_id in games:
            until(partial(_is_over, server, game_id), otherwise=mortal.tail)
        log = logged(mortal.url, games)
        for game_id in games:
            wanted = [event["id"] for event in log if event["data"]["game_id"] == game_id]
            assert [event["id"] for event in server.of_game(game_id)] == wanted
            assert len(wanted) > 4
        requests.delete(f"{mortal.url}/v1/webhooks/{hook}", timeout=LIMIT).raise_for_status()


def _take_a_while(_: Got) -> int:
    time.sleep(0.05)  # so that deliveries are under way at any moment
    return 200


def _told(event: Json) -> list[object]:
    return [event[name] for name in TOLD]


def _all_beyond(watcher: Player, games: list[str], version: int) -> bool:
    return all(watcher.view(game_id)["version"] > version for game_id in games)


def _has_more(server: Receiver, count: int) -> bool:
    return len(server.got) >= count


def _is_over(server: Receiver, game_id: str) -> bool:
    """True if the receiver knows that nothing follows in the game."""
    return [event["type"] for event in server.of_game(game_id)][-1:] == ["game.scored"]
