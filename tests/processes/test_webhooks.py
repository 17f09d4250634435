"""Webhooks of a whole engine whose receiver dies; `test_kills` kills the engine in the middle of deliveries."""

import sys

import pytest
import requests

from tests.support.engine import Engine
from tests.support.players import Human, Player, bots_game, is_settled, logged
from tests.support.receiver import receiver
from tests.support.waiting import LIMIT, until


@pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")
def test_a_receiver_that_is_away_for_a_while(mortal: Engine) -> None:
    """Games go on meanwhile; back on its port, it gets all that it has missed, in order for each game."""
    watcher = Player(mortal.url)
    with receiver() as server:
        hook = watcher.ask("POST", "/v1/webhooks", {"url": server.url})["id"]
        games, people = [bots_game(watcher)], [Human(mortal.url, seed, 20) for seed in range(3)]
        for person in people:
            person.start()
        until(lambda: server.of_game(games[0]), otherwise=mortal.tail)
    known = [got.document["id"] for got in server.accepted]
    for _ in range(2):
        games.append(bots_game(watcher, turns=10))
        until(lambda: is_settled(watcher.view(games[-1])), otherwise=mortal.tail)
    for person in people:
        person.join(LIMIT)
        person.check(person.player.events(person.game_id))
        games.append(person.game_id)

    def is_over() -> bool:
        return [one["type"] for one in logged(mortal.url, games)].count("game.scored") == len(games)

    until(is_over, otherwise=mortal.tail)
    log = logged(mortal.url, games)
    wanted = {game: [one["id"] for one in log if one["data"]["game_id"] == game] for game in games}
    assert len(log) - len(known) > 20
    with receiver(port=server.port) as back:

        def got(game_id: str) -> list[str]:
            """Each event once, in the order in which they came first."""
            return list(dict.fromkeys(one["id"] for one in server.of_game(game_id) + back.of_game(game_id)))

        until(lambda: {game_id: got(game_id) for game_id in games} == wanted, otherwise=mortal.tail)
    requests.delete(f"{mortal.url}/v1/webhooks/{hook}", timeout=LIMIT).raise_for_status()
