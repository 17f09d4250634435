"""Two tenants: what one asks about the other's things is answered as about what does not exist, with no other work."""

import statistics
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import pytest
from flask.testing import FlaskClient

from events.runtime.settings import Settings
from events.store.link import link_to
from service.http.blueprint import Operation
from service.http.resources import BLUEPRINTS
from service.http.routing.path_parameters import parameters_of
from tests.events.dump import dump
from tests.service.conftest import stopped
from tests.service.table import OURS, PEOPLE, THEIRS, WITH_OPEN, bearer, json_of, new_game

NOWHERE = "x" * 22
ALL = [o for blueprint in BLUEPRINTS for o in blueprint.operations if "{" in o.path]
OPERATIONS = [o for o in ALL if "{game_id}" in o.path]
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
def settings(settings: Settings) -> Settings:
    """So many requests are allowed here."""
    return replace(settings, limits="off")


@pytest.fixture
def client(guarded: FlaskClient) -> FlaskClient:
    """A caller of a service with two apps, which looks nothing up again for being old."""
    return stopped(guarded)


@dataclass(frozen=True, slots=True)
class Asking:
    """Somebody's requests, and what they make the service do."""

    client: FlaskClient
    sent: list[int]

    def __call__(
        self, operation: Operation, ids: Mapping[str, str], headers: Mapping[str, str], body: Any
    ) -> tuple[Answered, list[int]]:
        """The answer about a game or a thing, less the game's id, and the commands of each round trip for it.

        It is asked for twice: the first request may bring something into memory.
        """
        path = operation.path.format_map(USUAL | dict(ids))
        game_id = ids.get("game_id", path)
        for _ in range(2):
            self.sent.clear()
            answer = self.client.open(path, method=operation.method, json=body, headers=headers)
        shown = {name: value.replace(game_id, "ID") for name, value in answer.headers if name not in OWN}
        return (answer.status_code, answer.text.replace(game_id, "ID"), shown), list(self.sent)


@pytest.fixture
def asked(client: FlaskClient, sent: list[int]) -> Asking:
    return Asking(client, sent)


@pytest.fixture
def strangers(client: FlaskClient) -> tuple[Mapping[str, str], ...]:
    """Nobody, another app, and a seat of another app's game."""
    other = new_game(client, THEIRS, seats=PEOPLE)
    return {}, THEIRS, bearer(other["seats"][0]["token"])


@pytest.mark.plain
def test_another_tenants_private_game_is_no_game(
    client: FlaskClient, asked: Asking, strangers: tuple[Mapping[str, str], ...], redis_url: str
) -> None:
    """By answers, and by what is asked of the store: one that waits, is played, or is over. Nothing is left behind."""
    clock = {"kind": "per-move", "seconds": 86_400}
    waiting = new_game(client, OURS, seats=WITH_OPEN, joining="invite")
    running = new_game(client, OURS, seats=PEOPLE, clock=clock)
    over = new_game(client, OURS, seats=PEOPLE)
    resigning, other = (bearer(seat["token"]) for seat in over["seats"])
    resigned = client.post(over["links"]["moves"], json={"type": "resign"}, headers=resigning)
    assert resigned.status_code == 201
    client.post(f"/v1/games/{waiting['id']}/seats/1/invites", headers=OURS)
    client.post(f"/v1/games/{over['id']}/rematch", headers=other)
    link = link_to(redis_url, 5.0)
    before = dump(link)
    for operation, headers in product(OPERATIONS, strangers):
        for body in BODIES if operation.method != "GET" else (None,):
            nothing, *found = (
                asked(operation, {"game_id": game_id}, headers, body)
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
    "bot": "nobody",
    "delivery_id": "1-0",
}


def things_of(client: FlaskClient, headers: Mapping[str, str]) -> dict[str, str]:
    """The same of what is an app's."""
    game = new_game(client, headers, seats=[{"kind": "human", "player": "ada"}] * 2)
    match = json_of(client.post("/v1/quick-match", json={"player": "ada"}, headers=headers))
    webhook = json_of(client.post("/v1/webhooks", json={"url": "https://198.41.0.4/"}, headers=headers))
    ping = json_of(client.post(f"/v1/webhooks/{webhook['id']}/ping", headers=headers))
    bot = {"name": "my-bot", "url": "https://198.41.0.4/"}
    assert client.post("/v1/bots", json=bot, headers=headers).status_code == 201
    return {
        "bot": "my-bot",
        "ticket": match["ticket"],
        "player_id": game["seats"][0]["player_id"],
        "name": "ours",
        "webhook_id": webhook["id"],
        "delivery_id": ping["delivery_id"],
    }


@pytest.mark.plain
def test_another_tenants_things_are_none(
    client: FlaskClient, asked: Asking, strangers: tuple[Mapping[str, str], ...]
) -> None:
    """Tickets of quick match, players, questions to bots, apps and their keys, webhooks and deliveries."""
    variables = {parameter.name for o in OTHERS for parameter in parameters_of(o.path)}
    assert variables == set(NOTHING)  # every operation that takes an id is asked
    things = NOTHING | things_of(client, OURS)
    for operation, headers in product(OTHERS, strangers):
        for body in BODIES if operation.method != "GET" else (None,):
            found, nothing = (asked(operation, ids, headers, body) for ids in (things, NOTHING))
            assert found == nothing, (operation.endpoint, headers, body)
            assert nothing[0][0] >= 400
        assert asked(operation, things, {}, None)[0][0] in (401, 404)


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
    """As many calls, and requests to the store, for a game that is there, one but for a letter, and one that is not."""
    there = new_game(client, OURS, seats=PEOPLE)["id"]
    near = there[:-1] + ("x" if there[-1] != "x" else "y")
    work: dict[str, list[int]] = {there: [], near: [], NOWHERE: [], "y" * 22: []}
    seen = set[tuple[int, str, tuple[int, ...]]]()
    for _ in range(10):
        for game_id, taken in work.items():
            sent.clear()
            with counted_calls() as steps:
                answer = client.get(f"/v1/games/{game_id}", headers=headers)
            taken.append(steps["call"] + steps["c_call"])
            seen.add((answer.status_code, answer.text, tuple(sent)))
    assert [asked for *_, asked in seen] == [(1,)]
    usual = {game_id: statistics.median(taken) for game_id, taken in work.items()}
    assert max(usual.values()) < MOST_WORK * min(usual.values()), usual
