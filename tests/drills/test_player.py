"""A drill's player: what it makes of a loss, by what the engine says afterwards."""

import random
import threading
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from domain.registry import GAMES
from drills.clients.client import Answer, Client
from drills.clients.player import GENESIS, Abandoned, Player, linked
from drills.history import History, read

Json = dict[str, Any]
OVER: Json = {"version": 3, "to_act": None, "result": {"scored": True}}
RUNNING: Json = {"version": 3, "to_act": 1, "result": None}
REFUSED = Answer(401, {"detail": "This token is not known."})


class Scripted(Client):
    """In the place of an engine: gives one answer after the other."""

    answers: list[tuple[str, Answer]]

    def ask(self, do: str, method: str, path: str, **more: Any) -> Answer:
        """The next answer, which must be to such a request."""
        (expected, answer), *self.answers = self.answers
        assert do == expected
        return answer


def events(*commitments: str, before: str = GENESIS[0]) -> list[Json]:
    """Events from the first one on, each with the head that follows."""
    found: list[Json] = []
    for version, name in enumerate(commitments, 1):
        commitment = sha256(name.encode()).hexdigest()
        before = linked(before, commitment)
        found.append({"version": version, "head": before, "commitment": commitment})
    return found


def page(found: list[Json]) -> tuple[str, Answer]:
    """The answer that brings them."""
    return "events", Answer(200, {"events": found, "next": len(found), "version": len(found)})


@pytest.fixture
def player(tmp_path: Path) -> Player:
    """Somebody who sits at seat 0, which was an open one."""
    client = Scripted("", "bo", History(tmp_path), 1.0, threading.Event())
    game = GAMES["migrato"]
    return Player(client, game, "game", random.Random(1), threading.Event(), 0, "token")


def script(player: Player, *answers: tuple[str, Answer]) -> None:
    """The answers that the engine is going to give."""
    assert isinstance(player.client, Scripted)
    player.client.answers = list(answers)


def noticed(player: Player) -> list[Json]:
    """The losses in the history that it has seen."""
    entries = read(player.client.history.directory, "game")
    return [entry for entry in entries if entry["is"] == "regressed"]


@pytest.mark.parametrize("at", ["look", "events"])
def test_a_seat_that_is_lost_is_taken_again(player: Player, at: str) -> None:
    """In every request that refuses its token; by the heads that were kept it shows that the past is another one."""
    sat = list[str]()

    def sit_again() -> str:
        sat.append("again")
        return "another token"

    player.sit_again = sit_again
    look = ("look", Answer(200, RUNNING))
    before = (look, page(events("one", "two", "three")))
    lost = (("look", REFUSED),) if at == "look" else (look, ("events", REFUSED))
    over = ("look", Answer(200, OVER))
    again = page(events("one", "two", "other"))
    script(player, *before, *lost, over, ("events", Answer(404, {"version": 2})), over, again)
    player.read = 0
    player.play()
    assert (sat, player.token) == (["again"], "another token")
    assert len(noticed(player)) == 1


def test_a_seat_of_a_game_that_is_gone_is_given_up(player: Player) -> None:
    """A player gives up the seat of a game that is gone, because nobody can take it again."""
    script(player, ("look", REFUSED))
    with pytest.raises(Abandoned):
        player.play()


def test_events_read_for_a_bot_count_as_seen(player: Player) -> None:
    """Events that are read for a bot's sake count: that they are gone is noticed by what comes in their place."""
    script(
        player,
        page(events("one", "two", "three")),
        ("events", Answer(200, {"events": [], "next": 3, "version": 3})),
        page(events("one", "two", "other")),
    )
    assert len(player._history()) == 3
    assert noticed(player) == []
    player._read_on()
    assert [entry["version"] for entry in noticed(player)] == [2]
