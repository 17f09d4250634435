"""A write that was answered and is lost with its master: a kept head proves it; fsck tells of games that are gone."""

from typing import Any

import pytest
from flask.testing import FlaskClient

from drills.cluster.node import Node
from drills.cluster.servers import Cluster
from events.runtime import bootstrap
from events.runtime.settings import Settings
from events.store import keys
from events.store.cluster.slots import slot_of
from service.cli.commands.fsck import checked
from service.cli.commands.projections import rebuild_all
from service.http.app import create_app
from tests.support.recording import AllThere

Json = dict[str, Any]
OF_THE_APP = "{app:anonymous}"  # where the games of callers without a key are listed


class Game:
    """A game of two people, of which a client keeps the heads."""

    def __init__(self, client: FlaskClient) -> None:
        self._client = client
        seats = [{"kind": "human", "player": name} for name in ("ada", "bo")]
        created = client.post("/v1/games", json={"seats": seats}).get_json()
        self.id = str(created["id"])
        self._tokens = [{"Authorization": f"Bearer {seat['token']}"} for seat in created["seats"]]

    def ask(self, path: str = "") -> Any:
        """The answer to whoever has the first seat."""
        return self._client.get(f"/v1/games/{self.id}{path}", headers=self._tokens[0])

    def heads(self) -> list[str]:
        """The head of each version."""
        return [event["head"] for event in self.ask("/events?limit=500").get_json()["events"]]

    def move(self, number: int) -> None:
        """Make the legal move of this number, for the seat that is to act."""
        token = self._tokens[self.ask().get_json()["to_act"]]
        path = f"/v1/games/{self.id}"
        legal = self._client.get(f"{path}/legal-moves", headers=token).get_json()["moves"]
        made = self._client.post(f"{path}/moves", headers=token, json=legal[number])
        assert made.status_code == 201, made.get_json()


@pytest.fixture
def settings(own_cluster: Cluster, redis_url: str) -> Settings:
    """Games on a cluster; a move is answered before a replica has it."""
    return Settings(redis_url=own_cluster.url, queue_url=redis_url, limits="off")


@pytest.fixture
def client(settings: Settings) -> FlaskClient:
    """A caller of a service on it."""
    return create_app(settings, bootstrap.application(settings), AllThere()).test_client()


def game_on(client: FlaskClient, cluster: Cluster, node: Node) -> Game:
    """A game that this server has."""
    games = (Game(client) for _ in range(1000))
    return next(game for game in games if cluster.owner(slot_of(keys.stream(game.id))) is node)


def test_a_move_that_is_lost_with_its_master(
    own_cluster: Cluster, client: FlaskClient, settings: Settings
) -> None:
    """A kept head tells of the game that is shorter, fsck of the one that is gone; nothing else is wrong."""
    listing = own_cluster.owner(slot_of(OF_THE_APP))
    master = next(node for node in own_cluster.owners() if node is not listing)
    (replica,) = own_cluster.replicas_of(master)
    game = game_on(client, own_cluster, master)
    game.move(0)
    own_cluster.catch_up(master)
    on_both = game.heads()
    with replica.stopped():
        master.ask("CLIENT", "KILL", "TYPE", "replica")
        game.move(0)
        gone = game_on(client, own_cluster, master)
        kept = game.heads()
        master.kill()
    own_cluster.until(
        "the replica has its place", lambda: replica in own_cluster.owners() and own_cluster.is_whole()
    )
    assert game.heads() == on_both == kept[: len(on_both)]
    assert gone.ask().status_code in (401, 404)
    told = game.ask(f"/events?after={len(kept)}")
    assert (told.status_code, told.get_json()["version"]) == (404, len(on_both))
    game.move(-1)
    assert game.heads()[len(on_both)] != kept[len(on_both)]
    checked(settings, repair=True, patience=3600.0)
    rebuild_all(settings)
    left = checked(settings, repair=False, patience=3600.0).findings
    assert [(finding.code, finding.game_id) for finding in left] == [("listing-orphan", gone.id)]
