"""`/metrics` of a whole engine: every process's metrics, whichever web worker is asked, and whatever has died."""

import requests
from prometheus_client.parser import text_string_to_metric_families

from tests.support.engine import Engine
from tests.support.players import Player, bots_game, is_settled
from tests.support.waiting import LIMIT, until

CREATED = ("migrato_http_requests_total", "POST /v1/games 201")
WATCHED = {
    ("migrato_answer_seconds_count", "bot"),
    ("migrato_answer_seconds_count", "score"),
    ("migrato_bot_thinking_seconds_count", "greedy"),
    ("migrato_job_wait_seconds_count", "bot migrato"),
    ("migrato_job_seconds_count", "score migrato"),
    CREATED,
}


def metrics(engine: Engine) -> dict[tuple[str, str], float]:
    """Every sample's value by its name and its labels' values, in the order of the labels' names."""
    text = requests.get(f"{engine.url}/metrics", timeout=LIMIT).text
    return {
        (sample.name, " ".join(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def play_a_game(engine: Engine) -> None:
    """Two bots, to the end."""
    player = Player(engine.url)
    game_id = bots_game(player)
    until(lambda: is_settled(player.view(game_id)), otherwise=engine.tail)


def test_every_process_tells_what_it_does_and_none_is_forgotten(mortal: Engine) -> None:
    """Web workers, bot workers and the dispatcher; no counter falls when one of them dies."""
    play_a_game(mortal)
    until(lambda: set(metrics(mortal)) >= WATCHED, otherwise=mortal.tail)
    first = metrics(mortal)
    assert first["migrato_answer_seconds_count", "bot"] >= 10
    assert (
        first["migrato_bot_thinking_seconds_count", "greedy"] >= first["migrato_answer_seconds_count", "bot"]
    )
    for kind in ("bot worker", "web worker", "background worker"):
        mortal.kill(kind)
    play_a_game(mortal)
    scored = ("migrato_job_seconds_count", "score migrato")
    until(lambda: metrics(mortal)[scored] > first[scored])
    for _ in range(10):  # it is chance which web worker answers
        now = metrics(mortal)
        assert all(now[name] > first[name] for name in WATCHED - {("migrato_answer_seconds_count", "score")})
        assert now[CREATED] == first[CREATED] + 1
