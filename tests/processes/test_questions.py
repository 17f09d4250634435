"""Bots that are asked, and bots' moves that are found again: on a real engine, with real workers."""

import hmac
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import requests

from domain.bot import Budget
from domain.lifecycle import EventRecord
from domain.registry import game_named
from tests.processes.engine import Engine
from tests.processes.players import Json, Player, bots_game, is_settled
from tests.waiting import until

SECONDS = 40


@pytest.fixture
def seat(engine: Engine) -> Player:
    """A person to act in a new public game against greedy."""
    created = Player(engine.url).ask("POST", "/v1/games", {"visibility": "public"})
    player = Player(engine.url, created["seats"][0]["token"])
    player.patience = SECONDS
    return player


def game_of(player: Player) -> str:
    assert player.token is not None
    return player.token.split("_")[1]


def position(player: Player) -> Json:
    """All that the player would tell a bot elsewhere."""
    game_id = game_of(player)
    return {"view": player.view(game_id), "history": player.events(game_id)}


def choose(engine: Engine, bot: str, body: Json, **headers: str) -> requests.Response:
    return requests.post(f"{engine.url}/v1/bots/{bot}/choose", json=body, headers=headers, timeout=SECONDS)


def chosen(engine: Engine, bot: str, body: Json) -> Json:
    """The answer of the bot, asked again where the machine is so busy that it is 503 first."""
    return Player(engine.url, patience=SECONDS).ask("POST", f"/v1/bots/{bot}/choose", body)


def test_a_bot_is_asked_about_a_position(engine: Engine, seat: Player) -> None:
    """It answers as soon as it has thought, by way of a worker."""
    body = position(seat) | {"budget": {"iterations": 40}, "seed": "00000000000000a7"}
    first, again = (chosen(engine, "ismcts", body) | {"milliseconds": 0} for _ in range(2))
    assert first == again
    assert 1 <= first["iterations"] <= 40
    assert first["move"] in seat.ask("GET", f"/v1/games/{game_of(seat)}/legal-moves")["moves"]


def test_a_job_to_poll(engine: Engine, seat: Player) -> None:
    """202 and a place to look at, where the answer is in the end; the thinker stands still until then."""
    body = position(seat) | {"budget": {"milliseconds": 100}}
    engine.signal("thinker", signal.SIGSTOP)
    accepted = choose(engine, "ismcts", body, Prefer="respond-async")
    assert (accepted.status_code, accepted.headers["Preference-Applied"]) == (202, "respond-async")
    job = engine.url + accepted.headers["Location"]
    assert requests.get(job, timeout=SECONDS).status_code == 202
    engine.signal("thinker", signal.SIGCONT)
    done = requests.get(job, params={"wait": 10}, timeout=SECONDS)
    assert done.status_code == 200
    assert done.json()["milliseconds"] >= 100


@pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")
def test_thinking_holds_up_nobody(engine: Engine, seat: Player) -> None:
    """While a thinker is at it, which stands still, the web processes answer and games' bots play a game to its end.
    Killed in the middle of a question, it is replaced, and the next question is answered.
    """
    body = position(seat) | {"budget": {"milliseconds": 5000}}
    worked = processor_ticks(engine)
    accepted = choose(engine, "ismcts", body, Prefer="respond-async")
    job = engine.url + accepted.headers["Location"]
    until(lambda: processor_ticks(engine) > worked + 10)  # a tenth of a second: it thinks
    engine.signal("thinker", signal.SIGSTOP)
    for _ in range(20):
        assert requests.get(f"{engine.url}/healthz", timeout=SECONDS).ok
    game_id = bots_game(Player(engine.url), turns=4)
    until(lambda: is_settled(Player(engine.url).view(game_id)), 20)
    assert requests.get(job, timeout=SECONDS).status_code == 202
    engine.kill("thinker")
    assert chosen(engine, "greedy", position(seat))["move"]


def processor_ticks(engine: Engine) -> int:
    """Hundredths of a second for which the thinker has worked."""
    pid = next(pid for pid, kind in engine.processes().items() if kind == "thinker")
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11])


def test_a_hint_is_recorded_once_however_many_ask(engine: Engine, seat: Player) -> None:
    """At once, at two web processes: one event, and the same answer for all."""
    path = f"/v1/games/{game_of(seat)}/hint?bot=ismcts"
    with ThreadPoolExecutor(6) as pool:
        asked = [pool.submit(seat.ask, "GET", path) for _ in range(6)]
        answers = [done.result() for done in asked]
    assert answers == [answers[0]] * 6
    assert [event["type"] for event in seat.events(game_of(seat))][2:] == ["hint_given"]
    assert requests.get(engine.url + path, timeout=SECONDS).status_code == 401


def test_the_moves_of_bots_are_found_again(engine: Engine) -> None:
    """From what everybody sees of a finished game: the seed follows from the game's, and the move from the seed."""
    watcher = Player(engine.url)
    game_id = bots_game(watcher, ("ismcts-easy", "random"), turns=8)
    until(lambda: is_settled(watcher.view(game_id)), 60)
    view, events = watcher.view(game_id), watcher.events(game_id)
    secret = bytes.fromhex(view["fairness"]["server_seed"])
    found = list(refound(game_id, secret, events))
    assert {bot for bot, _, _ in found} == {"ismcts-easy", "random"}
    assert all(move == played for _, move, played in found)
    seeds = [event["data"]["seed"] for event in events if event["type"] == "move_chosen"]
    assert len(set(seeds)) == len(seeds)


def refound(game_id: str, secret: bytes, events: list[Json]) -> Iterator[tuple[str, Any, Any]]:
    """Each bot's move: the bot, what it comes to when it is asked again, what was played."""
    game = game_named("migrato")
    state, memories = game.initial(), [game.initial_knowledge(), game.initial_knowledge()]
    for number, document in enumerate(events):
        wire = EventRecord(document["type"], document["schema"], document["seat"], document["data"])
        event = game.decode(wire)
        if wire.type == "move_chosen":
            assert wire.seat is not None
            data, version = wire.data, document["version"] - 1
            derived = hmac.digest(secret, f"bot:{game_id}:{version}".encode(), "sha256")[:8].hex()
            assert data["seed"] == derived
            budget = None if data["budget"] is None else Budget(**data["budget"])
            seen = game.observe(state, wire.seat, memories[wire.seat])
            move = game.think(seen, data["bot"], int(data["seed"], 16), budget).move
            caused = game.decide(state, wire.seat, move, Unused())
            yield data["bot"], game.encode(caused[0]).data, events[number + 1]["data"]
        before, state = state, game.evolve(state, event)
        if state is not before:
            memories = [
                game.update_knowledge(memory, at, before, event, state) for at, memory in enumerate(memories)
            ]


class Unused:
    """A chance for moves after which nothing is shuffled."""

    def shuffled(self, number: int, cards: Any, client_seeds: Any) -> tuple[int, ...]:
        """Any order."""
        return tuple(cards)

    def first_seat(self, seats: int, client_seeds: Any) -> int:
        """Any."""
        return 0
