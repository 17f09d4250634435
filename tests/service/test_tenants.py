"""Two tenants: what one asks about the other's things is answered as about what does not exist, with no other work."""

import re
import statistics
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from hashlib import sha256
from itertools import product
from typing import Any

import pytest
from flask.testing import FlaskClient

from events.redis.connections.client import RedisClient
from events.runtime import bootstrap
from events.runtime.settings import Settings
from service.http.blueprint import Operation
from service.http.resources import BLUEPRINTS
from tests.events.dump import dump
from tests.service.conftest import NewService
from tests.service.recording import AllThere
from tests.service.table import PEOPLE, WITH_OPEN, bearer, json_of, new_game

KEYS = {"club": "the club's key", "team": "the team's key"}
OURS, THEIRS = (bearer(key) for key in KEYS.values())
NOWHERE = "x" * 22
ALL = [o for blueprint in BLUEPRINTS for o in blueprint.operations if "<" in o.path]
OPERATIONS = [o for o in ALL if "<game_id:game_id>" in o.path]
CATALOGUE = {"choose"}  # what everybody has: the names of bots are no secret
OTHERS = [o for o in ALL if o not in OPERATIONS and o.endpoint not in CATALOGUE]
BODIES: tuple[Any, ...] = (
    None,
    {},
    {"player": "eve"},
    {"player": "eve", "invite": "mi_0123456789abcdef_" + "a" * 32},
    {"bot": "greedy"},
    {"winner": 0},
    {"seconds": 60},
    {"type": "resign"},
    {"version": 1},
    {"version": 1, "resample": True},
)
USUAL = {"seat": "1", "invite_id": "0" * 16}
Answered = tuple[int, str, dict[str, str]]
OWN = frozenset(("Date", "RateLimit", "Content-Length"))  # headers that differ from one request to the next


@pytest.fixture
def client(settings: Settings, new_service: NewService) -> FlaskClient:
    """A caller of a service with two apps."""
    digests = {app: sha256(key.encode()).hexdigest() for app, key in KEYS.items()}
    keyed = replace(settings, app_keys=digests, limits="off")
    service = new_service(keyed, bootstrap.application(keyed), AllThere())
    return service.test_client()


def in_steps(sent: list[int], ask: Callable[[], Answered]) -> tuple[Answered, list[int]]:
    """The answer, and how many commands went to the store in each round trip for it.

    The least of two: the first may bring something into memory, and either may meet what a process looks up by time.
    """
    steps = list[list[int]]()
    for _ in range(2):
        sent.clear()
        answer = ask()
        steps.append(list(sent))
    return answer, min(steps, key=lambda step: (len(step), sum(step)))


def asked(
    client: FlaskClient, operation: Operation, ids: Mapping[str, str], headers: Mapping[str, str], body: Any
) -> Answered:
    """The answer about a game or a thing of these ids, by the names of variables, less the game's."""
    named = USUAL | dict(ids)
    path = re.sub(r"<[a-z_]+:([a-z_]+)>", lambda match: named[match[1]], operation.path)
    game_id = ids.get("game_id", path)
    answer = client.open(path, method=operation.method, json=body, headers=headers)
    shown = {name: value.replace(game_id, "ID") for name, value in answer.headers if name not in OWN}
    return answer.status_code, answer.text.replace(game_id, "ID"), shown


@pytest.fixture
def strangers(client: FlaskClient) -> tuple[Mapping[str, str], ...]:
    """Nobody, another app, and a seat of another app's game."""
    other = new_game(client, THEIRS, seats=PEOPLE)
    return {}, THEIRS, bearer(other["seats"][0]["token"])


@pytest.mark.plain
def test_another_tenants_private_game_is_no_game(
    client: FlaskClient, sent: list[int], strangers: tuple[Mapping[str, str], ...], redis_url: str
) -> None:
    """By its status, body and headers, and by what is asked of the store: one that waits, one that is played, and one
    that is over. What is refused leaves nothing behind.
    """
    clock = {"kind": "per-move", "seconds": 86_400}
    waiting = new_game(client, OURS, seats=WITH_OPEN, joining="invite")
    running = new_game(client, OURS, seats=PEOPLE, clock=clock)
    over = new_game(client, OURS, seats=PEOPLE)
    resigning, other = (bearer(seat["token"]) for seat in over["seats"])
    resigned = client.post(over["links"]["moves"], json={"type": "resign"}, headers=resigning)
    assert resigned.status_code == 201
    client.post(f"/v1/games/{waiting['id']}/seats/1/invites", headers=OURS)
    client.post(f"/v1/games/{over['id']}/rematch", headers=other)
    link = RedisClient.to(redis_url, 5.0)
    before = dump(link)
    for operation, headers in product(OPERATIONS, strangers):
        for body in BODIES if operation.method != "GET" else (None,):
            ask = partial(asked, client, operation, headers=headers, body=body)
            nothing, *found = (
                in_steps(sent, partial(ask, {"game_id": game_id}))
                for game_id in (NOWHERE, waiting["id"], running["id"], over["id"])
            )
            assert found == [nothing] * 3, (operation.endpoint, headers, body)
            assert nothing[0][0] >= 400
    assert dump(link) == before


# What there is besides games, by the name of the address's variable: an id that nothing has.
NOTHING = {
    "ticket": f"mq_{'x' * 43}",
    "player_id": f"pl_{'x' * 20}",
    "job": NOWHERE,
    "name": "nobody",
    "key_id": "0" * 12,
    "webhook_id": NOWHERE,
    "delivery_id": "1-0",
}


def things_of(client: FlaskClient, headers: Mapping[str, str]) -> dict[str, str]:
    """The same of what is an app's."""
    game = new_game(client, headers, seats=[{"kind": "human", "player": "ada"}] * 2)
    match = json_of(client.post("/v1/quick-match", json={"player": "ada"}, headers=headers))
    webhook = json_of(client.post("/v1/webhooks", json={"url": "https://198.41.0.4/"}, headers=headers))
    ping = json_of(client.post(f"/v1/webhooks/{webhook['id']}/ping", headers=headers))
    return {
        "ticket": match["ticket"],
        "player_id": game["seats"][0]["player_id"],
        "name": "club",
        "webhook_id": webhook["id"],
        "delivery_id": ping["delivery_id"],
    }


@pytest.mark.plain
def test_another_tenants_things_are_none(
    client: FlaskClient, sent: list[int], strangers: tuple[Mapping[str, str], ...]
) -> None:
    """Tickets of quick match, players, questions to bots, apps and their keys, webhooks and deliveries."""
    variables = {name for o in OTHERS for name in re.findall(r"<[a-z_]+:([a-z_]+)>", o.path)}
    assert variables == set(NOTHING)  # every operation that takes an id is asked
    things = NOTHING | things_of(client, OURS)
    for operation, headers in product(OTHERS, strangers):
        for body in BODIES if operation.method != "GET" else (None,):
            ask = partial(asked, client, operation, headers=headers, body=body)
            found, nothing = (in_steps(sent, partial(ask, ids)) for ids in (things, NOTHING))
            assert found == nothing, (operation.endpoint, headers, body)
            assert nothing[0][0] >= 400
        assert asked(client, operation, things, {}, None)[0] in (401, 404)


ROUNDS = 50  # of four guesses each
MOST_WORK = 1.2  # times as many calls as an answer about nothing an answer about something may usually take


@contextmanager
def counted_calls() -> Iterator[Counter[str]]:
    """The calls of this thread meanwhile, by kind: "call" of Python, "c_call" of C."""
    steps = Counter[str]()
    sys.setprofile(lambda _frame, kind, _argument: steps.update((kind,)))
    try:
        yield steps
    finally:
        sys.setprofile(None)


@pytest.mark.plain
@pytest.mark.parametrize("headers", [{}, THEIRS], ids=["a stranger", "another app"])
def test_guesses_take_no_more_work(client: FlaskClient, headers: dict[str, str], sent: list[int]) -> None:
    """As many calls, and as many requests to the store, for a game that is there, one that differs from it in a letter,
    and one that is not. Time itself tells little on a machine that others use.
    """
    there = new_game(client, OURS, seats=PEOPLE)["id"]
    near = there[:-1] + ("x" if there[-1] != "x" else "y")
    work: dict[str, list[int]] = {there: [], near: [], NOWHERE: [], "y" * 22: []}
    requests: dict[str, Counter[tuple[int, ...]]] = {game_id: Counter() for game_id in work}
    seen = set[tuple[int, str]]()
    for _ in range(ROUNDS):
        for game_id, taken in work.items():
            sent.clear()
            with counted_calls() as steps:
                answer = client.get(f"/v1/games/{game_id}", headers=headers | {"X-Request-Id": "one"})
            taken.append(steps["call"] + steps["c_call"])
            requests[game_id].update([tuple(sent)])
            seen.add((answer.status_code, answer.text))
    assert len(seen) == 1
    # Usually: now and then whoever asks meets what a process looks up by time.
    assert {one.most_common(1)[0][0] for one in requests.values()} == {(1,)}, requests
    usual = {game_id: statistics.median(taken) for game_id, taken in work.items()}
    assert max(usual.values()) < MOST_WORK * min(usual.values()), usual
