"""schemathesis against a real service: no 5xx, and no answer that openapi.yaml does not know."""

from collections.abc import Iterable, Iterator, Mapping
from http import HTTPStatus
from random import Random
from typing import Any
from uuid import uuid4

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.core.parameters import ParameterLocation
from schemathesis.specs.openapi.checks import positive_data_acceptance

from events.engine.pending_action import QUEUES
from events.features.apps.scopes import ADMIN, USUAL
from events.runtime import bootstrap
from events.runtime.embedded import EmbeddedServer
from events.runtime.settings import Settings
from events.store.link import link_to
from events.store.queues.keys import DISPATCHER_ALIVE, WEBHOOKS_ALIVE, workers
from service.http.documentation.openapi import spec
from service.http.operations.readiness import KEPT, SIGN
from tests.service.conftest import gunicorn
from tests.service.migo.prepared import ropes
from tests.service.table import deck

# A document may fit its schema and yet mean nothing: a cursor that was never given out, a deck that is none.
OTHER_CHECKS: list[Any] = [positive_data_acceptance]
SECONDS = 60  # on a machine that is very busy
LONG_WAITS = {str(seconds) for seconds in range(1, 31)}
REQUEST_LINE = 4094  # bytes that gunicorn reads of it, if it is not told otherwise


schema = schemathesis.openapi.from_dict(spec())
Case = schemathesis.Case[Any]
# `make test` asks a few times, always the same; `make test-all` more often, and something else each time.
STEADY = settings().derandomize
schema.config.phases.coverage.enabled = not STEADY
schema.config.phases.examples.enabled = not STEADY  # tests of openapi.yaml send each of them


def examples(number: int) -> settings:
    """So many examples of each operation, or as many as are tried everywhere."""
    most = 1 if STEADY else number
    return settings(max_examples=most, deadline=None, suppress_health_check=list(HealthCheck), database=None)


@pytest.fixture
def address(running_web: str, games: "Games", thinker: None, server: EmbeddedServer) -> str:
    """Address of the real service; its dispatcher and workers seem to be alive, and bots can be asked."""
    enliven(server)
    return running_web


def enliven(server: EmbeddedServer) -> None:
    """Let it seem as if all processes were running."""
    link = link_to(server.url, timeout=5.0)
    link.calls(
        [
            ("SET", DISPATCHER_ALIVE, "1", "PX", SIGN),
            ("SET", WEBHOOKS_ALIVE, "1", "PX", SIGN),
            ("SET", "rq:worker:1", "1", "PX", KEPT),
        ]
    )
    link.calls([("SADD", workers(queue), "rq:worker:1") for queue in QUEUES])
    link.close()


SET_UP: dict[str, Any] = {"migrato": {"deck": deck()}, "migo": {"rounds": [ropes({})]}}


@pytest.fixture(scope="module")
def games(running_web: str, server: EmbeddedServer) -> Iterator["Games"]:
    """Maker of games for callers that have one, in a store that other tests have left no apps in."""
    link = link_to(server.url, timeout=5.0)
    link.call("FLUSHALL")
    link.close()
    with requests.Session() as session:
        yield Games(session, running_web, Settings(redis_url=server.url))


class Games:
    """Makes games on the real service: of which kind, the case itself decides."""

    def __init__(self, session: requests.Session, address: str, settings: Settings) -> None:
        self._session = session
        self._address = address
        self._application = bootstrap.application(settings)

    def one(self, case: Case, standing: str) -> tuple[str, str]:
        """A game that stands so: its id, and the token of seat 0."""
        asked = (case.query, case.body, case.headers, case.path_parameters)
        name = Random(repr(asked)).choice(list(SET_UP))
        wanted = {"game": name, "seats": [{"kind": "human"}, {"kind": "open"}], "setup": SET_UP[name]}
        game = self._session.post(f"{self._address}/v1/games", json=wanted, timeout=SECONDS).json()
        game_id, token = game["id"], game["seats"][0]["token"]
        if standing != "waiting":
            self._post(f"{game_id}/seats/1", token, {"player": "bob"})
        if standing == "finished":
            self._post(f"{game_id}/moves", token, {"type": "resign"})
            self._application.bot_turns.score_game(game_id)
        return game_id, token

    def _post(self, path: str, token: str, body: object) -> None:
        headers = {"Authorization": f"Bearer {token}"}
        address = f"{self._address}/v1/games/{path}"
        assert self._session.post(address, json=body, headers=headers, timeout=SECONDS).status_code == 201


@schema.exclude(path_regex="game_id").parametrize()
@examples(20)
def test_a_stranger(case: Case, address: str) -> None:
    """Whatever is asked without a token; test_tenants.py asks about games, whose answers are held to the same."""
    validated(case, address)


@schema.include(path_regex="game_id").parametrize()
@examples(20)
def test_a_seat(case: Case, address: str, games: Games) -> None:
    """Whatever is asked by a seat while the other one is open, when it is its turn, and of a game that is over."""
    for standing in ("waiting", "playing", "finished"):
        seat = as_seat(case, games.one(case, standing))
        if standing == "finished":
            seat.headers.setdefault("Accept", "text/event-stream")
        validated(seat, address)


def as_seat(case: Case, seat: tuple[str, str]) -> Case:
    """The same request about a real game, with its seat's token."""
    game_id, token = seat
    return about(case, {"game_id": game_id}, token)


def about(case: Case, ids: Mapping[str, str], token: str) -> Case:
    """The same request about things that are there, with a token; what is wrong on purpose stays as it is."""
    wrong = (
        {place for place, made in case.meta.components.items() if made.mode.is_negative}
        if case.meta
        else set()
    )
    if ParameterLocation.PATH not in wrong:
        case.path_parameters.update(ids)
    if ParameterLocation.HEADER not in wrong:
        case.headers["Authorization"] = f"Bearer {token}"
    return case


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Iterator["Keyed"]:
    """A real service with an app and an administrator, on a store of its own: the others' has no keys."""
    with EmbeddedServer(None) as server:
        enliven(server)
        apps = bootstrap.apps(Settings(redis_url=server.url))
        app, admin = apps.create("club", USUAL).text, apps.create("ops", [ADMIN]).text
        log = tmp_path_factory.mktemp("keyed") / "web.log"
        with gunicorn(server.url, log, MIGRATO_LIMITS="off") as web, requests.Session() as session:
            yield Keyed(session, web, app, admin)


class Keyed:
    """The service, its keys, and something of each kind that an operation may be about."""

    def __init__(self, session: requests.Session, address: str, app: str, admin: str) -> None:
        self.address = address
        self.app = app
        self.admin = admin
        self._session = session

    def asked(self, method: str, path: str, body: object, key: str) -> Any:
        """The answer."""
        headers = {"Authorization": f"Bearer {key}"}
        answer = self._session.request(
            method, f"{self.address}{path}", json=body, headers=headers, timeout=SECONDS
        )
        assert answer.ok, answer.text
        return answer.json()

    def made(self, path: str, body: object, key: str) -> Any:
        """Things that this request makes."""
        return self.asked("POST", path, body, key)

    def things(self, names: Iterable[str]) -> dict[str, str]:
        """An id of each kind that a path names, of something that is there."""
        return {name: self._thing(name) for name in names if name in REAL}

    def _thing(self, name: str) -> str:
        if name == "game_id":
            seats = [{"kind": "human", "player": "ada"}, {"kind": "open"}]
            wanted = {"seats": seats, "joining": "invite"}
            return str(self.made("/v1/games", wanted, self.app)["id"])
        if name == "webhook_id":
            there = self.asked("GET", "/v1/webhooks", None, self.app)[
                "webhooks"
            ]  # an app has so many at most
            made = there[0] if there else self.made("/v1/webhooks", {"url": "https://198.41.0.4/"}, self.app)
            return str(made["id"])
        if name == "player_id":
            seats = [{"kind": "human", "player": "ada"}, {"kind": "human", "player": "bo"}]
            return str(self.made("/v1/games", {"seats": seats}, self.app)["seats"][0]["player_id"])
        if name == "ticket":
            return str(self.made("/v1/quick-match", {"player": uuid4().hex}, self.app)["ticket"])
        name = f"app-{uuid4().hex[:12]}"
        self.made("/v1/apps", {"name": name}, self.admin)
        return name


REAL = frozenset(("game_id", "webhook_id", "player_id", "ticket", "name"))


@pytest.mark.nightly("an answer to an app about its own things that openapi.yaml does not know, or a crash")
@schema.parametrize()
@examples(4)
def test_an_app(case: Case, keyed: Keyed) -> None:
    """Whatever is asked with an app's key, about its own games, players, webhooks and tickets."""
    validated(about(case, keyed.things(case.path_parameters), keyed.app), keyed.address)


@pytest.mark.nightly("the same of an administrator")
@schema.include(path_regex="/v1/apps").parametrize()
@examples(4)
def test_an_administrator(case: Case, keyed: Keyed) -> None:
    """Whatever is asked about apps by who administers them."""
    validated(about(case, keyed.things(case.path_parameters), keyed.admin), keyed.address)


def validated(case: Case, address: str) -> None:
    """Make the request, without a long wait, and hold the answer to every check.

    A request line that is too long is refused before there is an operation that could know this answer: the
    description's introduction has it, for all.
    """
    if str(case.query.get("wait", "")) in LONG_WAITS:
        case.query["wait"] = "0"
    response = case.call(base_url=address, timeout=SECONDS)
    if response.status_code == HTTPStatus.REQUEST_URI_TOO_LONG:
        assert len(response.request.path_url) > REQUEST_LINE - len("DELETE  HTTP/1.1")
        assert response.json()["code"] == "uri-too-long"
        return
    case.validate_response(response, excluded_checks=OTHER_CHECKS)
