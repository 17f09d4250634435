"""Bots that are asked: on a real engine, with real workers."""

import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import requests

from tests.support.engine import Engine
from tests.support.players import Json, Player, bots_game, is_settled
from tests.support.waiting import LIMIT, until


@pytest.fixture
def seat(engine: Engine) -> Player:
    """A person to act in a new public game against greedy."""
    created = Player(engine.url).ask("POST", "/v1/games", {"visibility": "public"})
    return Player(engine.url, created["seats"][0]["token"])


def game_of(player: Player) -> str:
    assert player.token is not None
    return player.token.split("_")[1]


def position(player: Player) -> Json:
    """All that the player would tell a bot elsewhere."""
    game_id = game_of(player)
    return {"view": player.view(game_id), "history": player.events(game_id)}


def choose(engine: Engine, bot: str, body: Json, **headers: str) -> requests.Response:
    return requests.post(f"{engine.url}/v1/bots/{bot}/choose", json=body, headers=headers, timeout=LIMIT)


def chosen(engine: Engine, bot: str, body: Json) -> Json:
    """The answer of the bot, asked again where the machine is so busy that it is 503 first."""
    return Player(engine.url).ask("POST", f"/v1/bots/{bot}/choose", body)


def test_a_bot_is_asked_about_a_position(engine: Engine, seat: Player) -> None:
    """A worker thinks about the question, and the answer comes as soon as it has thought."""
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
    assert requests.get(job, timeout=LIMIT).status_code == 202
    engine.signal("thinker", signal.SIGCONT)
    while (done := requests.get(job, params={"wait": 10}, timeout=LIMIT)).status_code == 202:
        pass
    assert done.status_code == 200
    assert done.json()["milliseconds"] >= 100


@pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")
def test_thinking_holds_up_nobody(engine: Engine, seat: Player) -> None:
    """While a thinker is at it, which stands still, the web processes answer and games' bots play a game to its end.
    Killed in the middle of a question, it is replaced; that question is answered, and the next one.
    """
    while requests.get(job := _asked_and_stopped(engine, seat), timeout=LIMIT).status_code != 202:
        engine.signal("thinker", signal.SIGCONT)  # it was done before it stood still: once more
    for _ in range(20):
        assert requests.get(f"{engine.url}/healthz", timeout=LIMIT).ok
    game_id = bots_game(Player(engine.url), turns=4)
    until(lambda: is_settled(Player(engine.url).view(game_id)))
    assert requests.get(job, timeout=LIMIT).status_code == 202
    engine.kill("thinker")
    assert chosen(engine, "greedy", position(seat))["move"]
    until(lambda: requests.get(job, params={"wait": 10}, timeout=LIMIT).status_code == 200)


def test_a_thinker_that_is_told_to_stop_loses_no_question(engine: Engine, seat: Player) -> None:
    """Under load, and though it is replaced: every question is answered, and thought about once; so are batches."""
    body = position(seat) | {"budget": {"milliseconds": 40}}
    before, jobs = thoughts(engine), list[str]()
    for asked in (body, {"positions": [body] * 8}, *[body] * 7):
        jobs.append(engine.url + choose(engine, "ismcts", asked, Prefer="respond-async").headers["Location"])
    until(lambda: thoughts(engine) > before + 1)
    engine.signal("thinker", signal.SIGTERM)
    for job in jobs:
        until(lambda job=job: requests.get(job, params={"wait": 10}, timeout=LIMIT).status_code == 200)  # type: ignore[misc]
    assert thoughts(engine) == before + 16


def thoughts(engine: Engine) -> int:
    """Answers of `ismcts` so far, by the engine's own count."""
    lines = requests.get(f"{engine.url}/metrics", timeout=LIMIT).text.splitlines()
    name = 'migrato_bot_thinking_seconds_count{bot="ismcts"}'
    return round(sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith(name)))


def _asked_and_stopped(engine: Engine, seat: Player) -> str:
    """The address of a question on which the thinker had worked for a tenth of a second when it was stopped."""
    worked = processor_ticks(engine)
    body = position(seat) | {"budget": {"milliseconds": 5000}}
    accepted = choose(engine, "ismcts", body, Prefer="respond-async")
    until(lambda: processor_ticks(engine) > worked + 10)
    engine.signal("thinker", signal.SIGSTOP)
    return engine.url + accepted.headers["Location"]


def processor_ticks(engine: Engine) -> int:
    """Hundredths of a second for which the thinker has worked."""
    pid = next(pid for pid, kind in engine.processes().items() if kind == "thinker")
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11])


def test_a_hint_is_recorded_once_however_many_ask(engine: Engine, seat: Player) -> None:
    """Many ask for a hint at once at two web processes: one event is recorded, and all get the same answer."""
    path = f"/v1/games/{game_of(seat)}/hint?bot=ismcts"
    with ThreadPoolExecutor(6) as pool:
        asked = [pool.submit(seat.ask, "GET", path) for _ in range(6)]
        answers = [done.result() for done in asked]
    assert answers == [answers[0]] * 6
    assert [event["type"] for event in seat.events(game_of(seat))][2:] == ["hint_given"]
    assert requests.get(engine.url + path, timeout=LIMIT).status_code == 401
