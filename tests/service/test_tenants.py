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
from typing import Any

import pytest
from flask.testing import FlaskClient

from events.redis.connections.client import ServerClient
from events.runtime import bootstrap
from events.runtime.settings import Settings
from service.http.resources import BLUEPRINTS
from tests.service.conftest import NewService
from tests.service.recording import AllThere
from tests.service.table import json_of
from tests.service.test_apps import bearer

KEYS = {"club": "the club's key", "team": "the team's key"}
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
Answered = tuple[int, str, dict[str, str]]
OWN = frozenset(("Date", "RateLimit", "Content-Length"))  # headers that differ from one request to the next


@pytest.fixture
def client(settings: Settings, new_service: NewService) -> FlaskClient:
    """A caller of a service with two apps."""
    digests = {app: sha256(key.encode()).hexdigest() for app, key in KEYS.items()}
    keyed = replace(settings, app_keys=digests, limits="off")
    service = new_service(keyed, bootstrap.application(keyed), AllThere())
    return service.test_client()


def path_of(path: str, game_id: str) -> str:
    """An address of an operation on that game."""
    named = path.replace("<game_id:game_id>", game_id).replace("<invite:invite_id>", "0" * 16)
    return re.sub(r"<[^>]+>", "1", named)


def in_steps(sent: list[int], ask: Callable[[], Answered]) -> tuple[Answered, list[int]]:
    """What is answered, and how many commands went to the store in each round trip for it.

    The least of two: the first may bring something into memory, and either may meet what a process looks up by time.
    """
    steps = list[list[int]]()
    for _ in range(2):
        sent.clear()
        answer = ask()
        steps.append(list(sent))
    return answer, min(steps, key=lambda step: (len(step), sum(step)))


def asked(
    client: FlaskClient, method: str, path: str, game_id: str, headers: Mapping[str, str], body: Any
) -> Answered:
    """What is answered about a game, less its id."""
    answer = client.open(path_of(path, game_id), method=method, json=body, headers=headers)
    shown = {name: value.replace(game_id, "ID") for name, value in answer.headers if name not in OWN}
    return answer.status_code, answer.text.replace(game_id, "ID"), shown


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.endpoint)
def test_another_tenants_private_game_is_no_game(
    client: FlaskClient, operation: Any, sent: list[int]
) -> None:
    """By its status, body and headers, and by what is asked of the store: one that waits, one that is played, and one
    that is over.
    """
    ours, theirs = (bearer(key) for key in KEYS.values())
    people = [{"kind": "human", "player": "ada"}, {"kind": "human", "player": "bo"}]
    clock = {"kind": "per-move", "seconds": 86_400}
    waiting, running, over = (
        json_of(client.post("/v1/games", json=wanted, headers=ours))
        for wanted in (
            {"seats": [people[0], {"kind": "open"}], "joining": "invite"},
            {"seats": people, "clock": clock},
            {"seats": people},
        )
    )
    resigned = client.post(
        f"/v1/games/{over['id']}/moves", json={"type": "resign"}, headers=bearer(over["seats"][0]["token"])
    )
    assert resigned.status_code == 201
    client.post(f"/v1/games/{waiting['id']}/seats/1/invites", headers=ours)
    client.post(f"/v1/games/{over['id']}/rematch", headers=bearer(over["seats"][1]["token"]))
    other = json_of(client.post("/v1/games", json={"seats": people}, headers=theirs))
    strangers: tuple[dict[str, str], ...] = ({}, theirs, bearer(other["seats"][0]["token"]))
    for headers in strangers:
        for body in BODIES if operation.method != "GET" else (None,):
            nothing, *found = (
                in_steps(
                    sent, partial(asked, client, operation.method, operation.path, game_id, headers, body)
                )
                for game_id in (NOWHERE, waiting["id"], running["id"], over["id"])
            )
            assert found == [nothing] * 3, (headers, body)
            assert nothing[0][0] >= 400


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


def things_of(client: FlaskClient, headers: dict[str, str]) -> dict[str, str]:
    """The same of what is an app's."""
    game = json_of(
        client.post("/v1/games", json={"seats": [{"kind": "human", "player": "ada"}] * 2}, headers=headers)
    )
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


def test_every_operation_stands_here() -> None:
    """Whatever takes an id is asked for below, with one that somebody else's thing has."""
    variables = {name for o in OTHERS for name in re.findall(r"<[a-z_]+:([a-z_]+)>", o.path)}
    assert variables == set(NOTHING)


@pytest.mark.parametrize("operation", OTHERS, ids=lambda operation: operation.endpoint)
def test_another_tenants_things_are_none(client: FlaskClient, operation: Any, sent: list[int]) -> None:
    """Tickets of quick match, players, questions to bots, apps and their keys, webhooks and deliveries."""
    ours, theirs = (bearer(key) for key in KEYS.values())
    things = NOTHING | things_of(client, ours)
    other = json_of(client.post("/v1/games", json={}, headers=theirs))
    for headers in ({}, theirs, bearer(other["seats"][0]["token"])):
        for body in BODIES if operation.method != "GET" else (None,):
            found, nothing = (
                in_steps(sent, partial(answered, client, operation, ids, headers, body))
                for ids in (things, NOTHING)
            )
            assert found == nothing, (headers, body)
            assert nothing[0][0] >= 400
    assert answered(client, operation, things, {}, None)[0] in (401, 404)


def answered(
    client: FlaskClient, operation: Any, ids: Mapping[str, str], headers: dict[str, str], body: Any
) -> Answered:
    """What is answered about a thing, less its id."""
    path = re.sub(r"<[a-z_]+:([a-z_]+)>", lambda match: ids[match[1]], operation.path)
    answer = client.open(path, method=operation.method, json=body, headers=headers)
    shown = {name: value for name, value in answer.headers if name not in OWN}
    return answer.status_code, answer.text, shown


ROUNDS = 250  # of four guesses each
MOST_WORK = 1.2  # times as many calls as an answer about nothing an answer about something may usually take


@contextmanager
def counted_calls() -> Iterator[Counter[str]]:
    """What this thread calls meanwhile, by kind: "call" of Python, "c_call" of C."""
    steps = Counter[str]()
    sys.setprofile(lambda _frame, kind, _argument: steps.update((kind,)))
    try:
        yield steps
    finally:
        sys.setprofile(None)


@pytest.mark.parametrize("who", ["a stranger", "another app"])
def test_a_thousand_guesses_take_no_more_work(
    client: FlaskClient, who: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As many calls, and as many requests to the store, for a game that is there, one that differs from it in a letter,
    and one that is not. Time itself tells little on a machine that others use.
    """
    ours, theirs = (bearer(key) for key in KEYS.values())
    headers = {} if who == "a stranger" else theirs
    people = [{"kind": "human", "player": "ada"}, {"kind": "human", "player": "bo"}]
    there = json_of(client.post("/v1/games", json={"seats": people}, headers=ours))["id"]
    near = there[:-1] + ("x" if there[-1] != "x" else "y")
    sent = list[int]()
    counted = ServerClient.calls

    def calls(link: ServerClient, requests: Any) -> Any:
        sent.append(len(requests))
        return counted(link, requests)

    work: dict[str, list[int]] = {there: [], near: [], NOWHERE: [], "y" * 22: []}
    requests: dict[str, Counter[tuple[int, ...]]] = {game_id: Counter() for game_id in work}
    seen = set[tuple[int, str]]()
    monkeypatch.setattr(ServerClient, "calls", calls)
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
