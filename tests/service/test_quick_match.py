"""Quick match over HTTP."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from flask.testing import FlaskClient

from events.store.link import link_to
from events.times import milliseconds_of
from tests.service.table import OURS, Json, bearer, code_of, errors_of, json_of
from tests.support.waiting import LIMIT

MATCH = "/v1/quick-match"


def join(client: FlaskClient, player: str, headers: Mapping[str, str] = OURS, **wanted: Any) -> Json:
    """Look for a partner."""
    answer = client.post(MATCH, json={"player": player} | wanted, headers=headers)
    assert (answer.status_code, answer.headers["Cache-Control"]) == (201, "no-store"), answer.text
    assert answer.headers["Location"] == f"{MATCH}/{json_of(answer)['ticket']}"
    return json_of(answer)


def look(client: FlaskClient, ticket: Json, query: str = "") -> Json:
    """The ticket as it is now."""
    return json_of(client.get(f"{MATCH}/{ticket['ticket']}{query}", headers=OURS))


@pytest.mark.parametrize("game", ["migrato", "migo"])
def test_from_a_ticket_to_a_game(guarded: FlaskClient, game: str) -> None:
    """Both play by the tokens that their tickets tell; nothing else does."""
    first = join(guarded, "ada", game=game, rating=1480, range=200, client_seed="four geese")
    assert (first["status"], first["match"]) == ("waiting", None)
    second = join(guarded, "bo", game=game, rating=1555.5, range=100)
    first = look(guarded, first)
    assert first["status"] == second["status"] == "matched"
    assert {first["match"]["seat"], second["match"]["seat"]} == {0, 1}
    for ticket, player in ((first, "ada"), (second, "bo")):
        path = ticket["match"]["links"]["self"]
        view = json_of(guarded.get(path, headers=bearer(ticket["match"]["token"])))
        assert (view["status"], view["visibility"]) == ("playing", "private")
        assert (view["rated"], view["unrated_because"]) == (False, "uncommon")  # they have named ratings
        assert view["seats"][view["viewer"]]["player"] == player
    assert code_of(guarded.get(path)) == (404, "not-found")


def test_tickets_expire(guarded: FlaskClient, redis_url: str) -> None:
    """Each request puts that off by a minute while it waits; matched, it is there for an hour, whoever asks."""
    ticket, link = join(guarded, "ada"), link_to(redis_url, 5.0)
    (key,) = link.call("KEYS", "*:ticket:*")

    def shown() -> float:
        """The seconds until then, as the store has them and as the answer says."""
        answer = look(guarded, ticket)
        left = int(link.call("PEXPIRETIME", key))
        assert milliseconds_of(answer["expires_at"]) == pytest.approx(left, abs=1000)
        return (left - int(link.call("TIME")[0]) * 1000) / 1000

    for seconds in (60, 30):
        link.call("EXPIRE", key, seconds)
        assert 30 < shown() <= 61
    join(guarded, "bo")
    assert 1800 < shown() <= 3601
    link.call("EXPIRE", key, 1000)
    assert shown() <= 1001


def test_long_polls(guarded: FlaskClient) -> None:
    """They are woken by the partner, or by the time of a bot for whom nobody comes."""
    ticket = join(guarded, "ada")["ticket"]
    client = guarded.application.test_client()
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(client.get, f"{MATCH}/{ticket}?wait=20", headers=OURS)
        partner = join(guarded, "bo")
        assert json_of(waiting.result(LIMIT))["match"]["id"] == partner["match"]["id"]
    answer = look(guarded, join(guarded, "ada", bot="greedy", bot_after=1), "?wait=5")
    assert answer["status"] == "matched"
    view = json_of(guarded.get(answer["match"]["links"]["self"], headers=OURS))
    assert sorted(seat["kind"] for seat in view["seats"]) == ["bot", "human"]


def test_somebody_who_waits_already(guarded: FlaskClient) -> None:
    """409; the same request with its key gets its ticket."""
    keyed = OURS | {"Idempotency-Key": "order-17"}
    first = join(guarded, "ada", keyed)
    assert code_of(guarded.post(MATCH, json={"player": "ada"}, headers=OURS)) == (409, "already-waiting")
    again = join(guarded, "ada", keyed)
    assert again["expires_at"] >= first["expires_at"], "it is asked for, which keeps it"
    assert again | {"expires_at": first["expires_at"]} == first
    answer = guarded.post(MATCH, json={"player": "ada", "rating": 3}, headers=keyed)
    assert code_of(answer) == (422, "idempotency-mismatch")


def test_bad_requests(guarded: FlaskClient) -> None:
    """The field at fault is named, games and bots that are not known by codes of their own; and nobody waits."""
    rated, against_bot = {"player": "ada", "rating": 1500}, {"player": "ada", "bot": "greedy"}
    for body, field in (
        ({}, "player"),
        ({"player": ""}, "player"),
        *((rated | {"rating": rating}, "rating") for rating in ("1500", True, 1e9)),
        (rated | {"range": -1}, "range"),
        ({"player": "ada", "range": 100}, "range"),
        *((against_bot | {"bot_after": after}, "bot_after") for after in (-1, 3601, 1.5)),
        ({"player": "ada", "bot_after": 10}, "bot_after"),
        ({"player": "ada", "options": {"first_seat": 7}}, "options.first_seat"),
        ({"player": "ada", "options": {"colour": "red"}}, "options.colour"),
        ({"player": "ada", "visibility": "secret"}, "visibility"),
        ({"player": "ada", "seats": []}, "seats"),
    ):
        assert errors_of(guarded.post(MATCH, json=body, headers=OURS)) == [field], body
    for body, code in (({"game": "chess"}, "unknown-game"), ({"bot": "oracle"}, "unknown-bot")):
        answer = guarded.post(MATCH, json={"player": "ada"} | body, headers=OURS)
        assert code_of(answer) == (422, code)
    assert join(guarded, "ada")["status"] == "waiting"
