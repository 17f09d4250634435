"""Rate limits: who is counted, by what, and what a caller hears who has had enough."""

import re
import time
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from typing import Any
from unittest.mock import Mock

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from events.application import Application
from events.errors import StoreUnavailable
from events.features.apps.keys import AppKeys
from events.features.apps.scopes import ADMIN, READ
from events.measures import FirstNames
from events.runtime import metrics
from events.runtime.rates import RUNNING, SEAT_FORKS, rates_of
from events.runtime.settings import Settings
from events.store.link import link_to
from events.store.queues import rate_counts
from service.http.admission import rates
from service.http.resources import BLUEPRINTS
from tests.service.conftest import NewService
from tests.service.table import (
    FIRST_MOVE,
    KEYS,
    OURS,
    THEIRS,
    Json,
    bearer,
    code_of,
    json_of,
    parts_of,
    people,
    set_table,
)
from tests.service.thinking import Worker
from tests.support.recording import AllThere
from tests.support.running import ROOT
from tests.support.waiting import until

Make = Callable[..., FlaskClient]
UNKNOWN = "x" * 22
BESIDE = {"Migrato-App-Key": OURS["Authorization"].removeprefix("Bearer ")}


@pytest.fixture
def make(settings: Settings, application: Application, worker: Worker, new_service: NewService) -> Make:
    """Makes a service with limits, and a caller of it; `keys`: with the keys of two apps."""

    def made(
        limits: str, *, keys: bool = False, at: str = settings.queue_url or "", **more: Any
    ) -> FlaskClient:
        app_keys = {app: sha256(key.encode()).hexdigest() for app, key in KEYS.items()} if keys else {}
        wanted = replace(settings, limits=limits, app_keys=app_keys, queue_url=at, **more)
        # The application is made anew where it has to know keys.
        service = new_service(wanted, None if keys else application, AllThere(), worker.bot_questions)
        return service.test_client()

    return made


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> int:
    """The allowance of an app, and of an address without keys, in times that of one person."""
    monkeypatch.setattr(rates, "OF_AN_APP", 3)
    return 3


def limit_of(answer: TestResponse) -> str:
    """The limit that refuses, by its name; the answer says how long to wait."""
    assert code_of(answer) == (429, "rate-limited"), answer.text
    problem = json_of(answer)
    limit: dict[str, Any] = problem["limit"]
    wait = int(answer.headers["Retry-After"])
    assert 1 <= wait <= limit["window_seconds"]
    assert (
        answer.headers["RateLimit-Policy"]
        == f'"{limit["name"]}";q={limit["quota"]};w={limit["window_seconds"]}'
    )
    assert re.fullmatch(rf'"{limit["name"]}";r=0;t=\d+', answer.headers["RateLimit"])
    return str(limit["name"])


def test_headers_tell_what_is_left(make: Make) -> None:
    """Of a costly request, also where it is refused for another reason; not of others."""
    client = make("games=1/1m")
    for left in (199, 198):
        answer = client.post("/v1/games", json={})
        assert answer.headers["RateLimit-Policy"] == '"games-per-address";q=200;w=60'
        assert re.fullmatch(rf'"games-per-address";r={left};t=[0-9]+', answer.headers["RateLimit"])
    wrong = client.post("/v1/games", json={"visibility": 5})
    assert wrong.status_code == 422
    assert wrong.headers["RateLimit"].startswith('"games-per-address";r=197;')
    assert "RateLimit" not in client.get("/v1/bots").headers
    answer = make("games=1/1m", keys=True).post("/v1/games", headers=OURS)
    assert answer.headers["RateLimit-Policy"] == '"games-per-app";q=200;w=60'


def test_an_app_is_counted_by_itself(make: Make, few: int) -> None:
    """From wherever it calls; another app at the same address has its own limit. The operator sees refusals counted."""
    client = make("games=1/1h", keys=True)
    counted = metrics.LIMITED.labels("games-per-app")._value
    for number in range(few):
        here = {"REMOTE_ADDR": f"10.0.0.{number % 7}"}
        assert client.post("/v1/games", headers=OURS, environ_base=here).status_code == 201
    before = counted.get()
    for number in (1, 2):
        assert limit_of(client.post("/v1/games", headers=OURS)) == "games-per-app"
        assert counted.get() == before + number
    assert client.post("/v1/games", headers=THEIRS).status_code == 201


def test_a_seat_and_its_address(make: Make, application: Application) -> None:
    """A seat has its own limit, and those behind one address have one together."""
    client = make("records=2/1h", keys=True)
    games = [json_of(client.post("/v1/games", headers=OURS)) for _ in range(6)]

    def audit(number: int, there: str = "10.0.0.1") -> TestResponse:
        token = games[number]["seats"][0]["token"]
        path = f"/v1/games/{games[number]['id']}/audit"
        return client.get(path, headers=bearer(token), environ_base={"REMOTE_ADDR": there})

    assert [audit(0).status_code for _ in range(2)] == [200, 200]
    assert limit_of(audit(0)) == "records-per-seat"
    assert limit_of(audit(0, "10.0.0.2")) == "records-per-seat"
    for number in (1, 2, 3, 4):
        assert [audit(number).status_code for _ in range(2)] == [200, 200]
    assert limit_of(audit(5)) == "records-per-address"
    assert audit(5, "10.0.0.2").status_code == 200


def audit(client: FlaskClient, game: Any, more: dict[str, str]) -> TestResponse:
    """The answer to a costly request of seat 0, all from one address."""
    headers = bearer(game["seats"][0]["token"]) | more
    return client.get(f"/v1/games/{game['id']}/audit", headers=headers)


def test_a_backend_that_sends_requests_of_its_seats(make: Make, few: int) -> None:
    """With its app's key beside a seat's token the app's limits count in place of the address's. The key must be good.

    The header tells the limit that will be met first, which is the seat's own only at first.
    """
    for more, whose, most in (({}, "address", 5 * 4), (BESIDE, "app", few * 4)):
        client = make("records=4/1h", keys=True)
        games = [json_of(client.post("/v1/games", headers=OURS)) for _ in range(11)]
        told = audit(client, games[10], more).headers["RateLimit"]
        assert told.startswith('"records-per-seat";r=3;')
        for number in range(most - 2):
            told = audit(client, games[number // 2], more).headers["RateLimit"]
        assert told.startswith(f'"records-per-{whose}";r=1;')
        assert audit(client, games[10], more).status_code == 200
        assert limit_of(audit(client, games[10], more)) == f"records-per-{whose}"
        for wrong in (UNKNOWN, games[0]["seats"][0]["token"]):
            assert code_of(audit(client, games[0], {"Migrato-App-Key": wrong})) == (401, "unauthorized")


def test_guesses_of_a_backend(make: Make) -> None:
    """Void tokens of its players count as its app's: nobody else at the address is locked out, nor is it by others.

    What can be guessed, such as a code, counts by address all the same.
    """
    client = make("guesses=1/1h", keys=True)
    game = json_of(client.post("/v1/games", headers=OURS))
    path, void = f"/v1/games/{game['id']}", bearer(f"mg_{game['id']}_0_{'x' * 43}")
    for _ in range(10):
        assert client.get(path, headers=void | BESIDE).status_code == 401
    for _ in range(5):
        assert client.get(path, headers=bearer(UNKNOWN) | BESIDE).status_code == 401
    assert limit_of(client.get(path, headers=void)) == "guesses-per-address"
    for headers in (BESIDE, OURS | BESIDE):
        looked = client.post("/v1/invites/lookup", json={"code": "00000000"}, headers=headers)
        assert limit_of(looked) == "guesses-per-address"
    assert client.get(path, headers=void | BESIDE).status_code == 401


COSTLY: dict[str, tuple[str, str, Any]] = {
    "create_game": ("POST", "/v1/games", None),
    "ask_for_rematch": ("POST", "/v1/games/{id}/rematch", None),
    "join_quick_match": ("POST", "/v1/quick-match", {"player": "ada"}),
    "find_invite": ("POST", "/v1/invites/lookup", {"code": "00000000"}),
    "fork_game": ("POST", "/v1/games/{id}/fork", {"version": 1}),
    "export_game": ("GET", "/v1/games/{id}/export", None),
    "audit_game": ("GET", "/v1/games/{id}/audit", None),
    "choose": ("POST", "/v1/bots/greedy/choose", {}),
    "hint": ("GET", "/v1/games/{id}/hint", None),
    "issue_embed_ticket": ("POST", "/v1/games/{id}/embed-tickets", {"parent": "https://game.example"}),
}
OF_A_SEAT = ("hint", "issue_embed_ticket")


def test_costly_operations(make: Make, application: Application, few: int, subtests: pytest.Subtests) -> None:
    """Each is counted before anything is looked up, so that it tells nothing of whether a game exists."""
    limited = {o.endpoint: o.limited for blueprint in BLUEPRINTS for o in blueprint.operations if o.limited}
    assert limited.keys() == {*COSTLY, "analyse_game", "try_bot"}  # the tests below
    table = set_table(make("off"), application)
    client = make("games=1/1h,forks=1/1h,bots=1/1h,records=1/1h,requests=off")
    for number, (name, (method, path, body)) in enumerate(COSTLY.items()):
        most, whose, headers = (1, "seat", table.bearer(0)) if name in OF_A_SEAT else (few, "address", {})
        for game_id in (table.id,) if name in OF_A_SEAT else (table.id, UNKNOWN):
            with subtests.test(name, game_id=game_id):
                options: Json = {"method": method, "json": body, "headers": headers}
                options["environ_base"] = {
                    "REMOTE_ADDR": f"10.{number}.{len(game_id)}.{game_id == UNKNOWN:d}"
                }
                asked = path.format(id=game_id)
                assert 429 not in {client.open(asked, **options).status_code for _ in range(most)}
                assert limit_of(client.open(asked, **options)) == f"{limited[name]}-per-{whose}"


def test_a_trial_counts_as_many_questions(make: Make) -> None:
    """A trial calls somebody else's server, so it counts as many questions; by default an app may make 60 a minute."""
    client = make("bots=2/1h,requests=off")
    for left in (200, 0):
        answer = client.post("/v1/bots/my-bot/try")
        assert answer.status_code == 404
        assert answer.headers["RateLimit"].startswith(f'"bots-per-address";r={left};')
    assert limit_of(client.post("/v1/bots/my-bot/try")) == "bots-per-address"


def test_analyses(make: Make, application: Application) -> None:
    """Counted with a seat's hints where workers are asked; refusals count nothing."""
    table = set_table(make("off"), application)
    client = make("bots=2/1h,requests=off")
    path, seats = f"{table.path}/analysis", [table.bearer(0), table.bearer(1)]
    for _ in range(3):
        assert client.get(path, headers=seats[0]).status_code == 409
    for bot in ("greedy", "random"):
        assert client.get(f"{table.path}/hint?bot={bot}", headers=seats[0]).status_code == 200
    table.move(0, {"type": "resign"})
    assert limit_of(client.get(path, headers=seats[0])) == "bots-per-seat"
    assert client.get(path, headers=seats[1]).status_code == 200


def test_forks_of_one_game(make: Make, application: Application) -> None:
    """Forks count for the game, by all callers, and forks of forks with them."""
    table = set_table(make("off"), application)
    client = make("game-forks=2/1d")
    table.move(0, FIRST_MOVE)
    path, wanted = f"{table.path}/fork", {"version": 3, "resample": True}
    keyed = table.bearer(0) | {"Idempotency-Key": "again"}
    assert client.post(path, json=wanted).status_code == 404
    oracle = {"seats": [{"kind": "human"}, {"kind": "bot", "bot": "oracle"}]}
    for wrong, status in (({"version": 99}, 404), (oracle, 422)):
        for _ in range(3):
            assert client.post(path, json=wanted | wrong, headers=table.bearer(0)).status_code == status
    for _ in range(3):
        made = client.post(path, json=wanted, headers=keyed)
        assert made.status_code == 201
    fork, token = json_of(made)["links"]["self"], json_of(made)["seats"][0]["token"]
    version = {"version": json_of(made)["version"], "resample": True}
    assert client.post(f"{fork}/fork", json=version, headers=bearer(token)).status_code == 201
    assert limit_of(client.post(path, json=wanted, headers=table.bearer(1))) == "forks-per-game"
    assert client.post(path, json=wanted).status_code == 404
    assert client.post(path, json=wanted, headers=keyed).status_code == 201


def test_a_caller_without_permission_is_refused_before_it_is_counted(make: Make, few: int) -> None:
    """A stranger's refused requests use up nobody's share: no forks of a game, and nothing of others at the address."""
    client = make("games=1/1h,forks=1/1h,game-forks=1/1d,bots=1/1h", keys=True)
    game = json_of(client.post("/v1/games", json={"seats": people(2), "visibility": "public"}, headers=OURS))
    path, seats = f"/v1/games/{game['id']}", [bearer(seat["token"]) for seat in game["seats"]]
    to_act = json_of(client.get(path, headers=seats[0]))["to_act"]
    client.post(f"{path}/moves", json={"type": "resign"}, headers=seats[to_act])
    for _ in range(6 * few):
        assert client.post(f"{path}/fork", json={"version": 2}).status_code == 401
        assert client.post(f"{path}/rematch").status_code == 403
        assert client.post("/v1/games").status_code == 401
        assert client.post("/v1/quick-match", json={"player": "ada"}).status_code == 401
        assert client.post("/v1/bots/greedy/choose", json={}).status_code == 401
    assert client.post(f"{path}/fork", json={"version": 2}, headers=seats[1]).status_code == 201
    assert client.post(f"{path}/rematch", headers=seats[0]).status_code == 200
    assert client.get(f"{path}/analysis", headers=seats[0]).status_code == 200


def test_hot_requests(make: Make, application: Application) -> None:
    """Each seat for itself, by its token, whatever it asks for and however it writes the header."""
    table = set_table(make("off"), application)
    client = make("requests=5/1h")
    token = table.tokens[0]
    for header in (f"Bearer {token}", f"bearer  {token}", f"Bearer {token} "):
        for path in (table.path, f"{table.path}/legal-moves"):
            last = client.get(path, headers={"Authorization": header})
    assert limit_of(last) == "requests-per-seat"
    assert limit_of(client.get("/v1/bots", headers=table.bearer(0))) == "requests-per-seat"
    assert limit_of(client.post(f"{table.path}/moves", headers=table.bearer(0))) == "requests-per-seat"
    assert client.get(table.path, headers=table.bearer(1)).status_code == 200
    assert client.get("/v1/bots").status_code == 200
    assert client.get("/healthz", headers=table.bearer(0)).status_code == 200


def test_limits_of_an_apps_own(make: Make, application: Application) -> None:
    """Below its share or above it, also for its backend; a limit that is off is off. A change leaves the others."""
    client, apps = make("games=1/2m,forks=1/1m,bots=off"), application.apps
    apps.create("club")
    admin = bearer(apps.create("ops", [ADMIN]).text)
    limits = {"games": 1, "forks": 500, "bots": 0, "records": 0}
    changed = client.patch("/v1/apps/club", json={"limits": {**limits, "forks": 9}}, headers=admin)
    assert json_of(changed)["limits"] == {**limits, "forks": 9}
    assert apps.change("club", {"limits": {"forks": 500}}).app.limits == limits
    own = bearer(apps.rotate("club").text)
    created = client.post("/v1/games", json={"seats": people(2)}, headers=own)
    assert created.headers["RateLimit-Policy"] == '"games-per-app";q=1;w=60'
    refused = client.post("/v1/games", json={}, headers=own)
    assert (limit_of(refused), json_of(refused)["limit"]["quota"]) == ("games-per-app", 1)
    seat = bearer(json_of(created)["seats"][0]["token"])
    backend = {"Migrato-App-Key": own["Authorization"].removeprefix("Bearer ")}
    path = f"/v1/games/{json_of(created)['id']}"
    assert limit_of(client.get(f"{path}/audit", headers=seat | backend)) == "records-per-app"
    forked = client.post(f"{path}/fork", json={"version": 1}, headers=own)
    assert forked.headers["RateLimit-Policy"] == '"forks-per-app";q=500;w=60', forked.text
    asked = client.post("/v1/bots/greedy/choose", json={}, headers=own)
    assert (asked.status_code, "RateLimit" in asked.headers) == (422, False)
    assert apps.change("club", {"limits": None}).app.limits == {}
    again = client.post("/v1/games", json={}, headers=bearer(apps.rotate("club", 0).text))
    assert again.headers["RateLimit-Policy"] == '"games-per-app";q=200;w=120'
    for wrong in ({"games": -1}, {"moves": 1}, {"games": 1.5}, {"requests": 1}):
        assert client.patch("/v1/apps/club", json={"limits": wrong}, headers=admin).status_code == 422, wrong


def test_a_refused_request_counts_for_its_app_without_a_lookup(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An app beyond its pace costs the store nothing, and its metrics have the refusals."""
    monkeypatch.setattr(metrics, "APPS", FirstNames(50))  # other tests of this process have used up names
    client = make("requests=1/1h", keys=True)
    refusals = metrics.APP_REQUESTS.labels("ours", "limited")._value
    before = refusals.get()
    admitted = [client.get("/v1/bots", headers=OURS).status_code for _ in range(rates.OF_AN_APP)]
    monkeypatch.setattr(AppKeys, "known", Mock(side_effect=AssertionError))
    refused = [client.get("/v1/bots", headers=OURS).status_code for _ in range(2)]
    assert (admitted, refused) == ([200] * rates.OF_AN_APP, [429] * 2)
    assert refusals.get() == before + 2


def test_a_header_is_no_address(make: Make, few: int) -> None:
    """Nobody uses up the limit of an address by naming it in place of a token."""
    client = make("requests=1/1h", keys=True)
    for _ in range(8 * few):
        assert client.get("/v1/games", headers={"Authorization": "127.0.0.1"}).status_code in (401, 429)
    assert client.get("/v1/bots").status_code == 200


def test_a_caller_without_a_token_is_counted_by_its_address(make: Make) -> None:
    """A caller with another long header each time is counted all the same, and none of them is kept."""
    client = make("requests=1/1h", keys=True)

    def send(number: int) -> TestResponse:
        here = {"REMOTE_ADDR": "10.0.0.7"}
        return client.get("/v1/bots", headers=bearer(f"{number:0600}"), environ_base=here)

    answers = [send(number) for number in range(6)]
    assert 429 not in [answer.status_code for answer in answers[:5]]
    assert limit_of(answers[5]) == "requests-per-address"
    assert client.get("/v1/bots").status_code == 200


def test_guesses(make: Make, application: Application) -> None:
    """After too many wrong tokens none is looked up, and all get one answer, near or far; a short key could be found.

    Who was good here before stays so, until a key is void; a key of the settings that is long needs no look-up.
    """
    client = make("guesses=2/1h", keys=True)
    shop, late = (application.apps.create(name, [READ]).text for name in ("shop", "late"))
    game = json_of(client.post("/v1/games", headers=OURS))
    path, seat = f"/v1/games/{game['id']}", game["seats"][0]["token"]
    assert client.get("/v1/games", headers=bearer(shop)).status_code == 200
    for number in range(10):
        wrong = [f"mg_{game['id']}_0_{number:043d}", f"key {number}"][number % 2]
        assert client.get(path, headers=bearer(wrong)).status_code == 401
    key, elsewhere = KEYS["ours"], {"REMOTE_ADDR": "10.0.0.9"}
    for at, good in (("/v1/games", shop), ("/v1/games", key), (path, seat)):
        assert client.get(at, headers=bearer(good)).status_code == 200
    unknown = [late, key + "x", key[:-1], key.upper(), KEYS["theirs"], "x"]
    unknown += [f"mg_{UNKNOWN}_0_{'x' * 43}", f"mk_{'a' * 12}_{'x' * 43}"]
    refused = [client.get("/v1/games", headers=bearer(one)) for one in unknown]
    assert {limit_of(answer) for answer in refused} == {"guesses-per-address"}
    assert {bare_of(answer) for answer in refused} == {bare_of(refused[0])}
    assert client.get("/v1/games", headers=bearer(late), environ_base=elsewhere).status_code == 200
    application.apps.revoke("shop")
    until(lambda: client.get("/v1/games", headers=bearer(shop)).status_code != 200)
    assert limit_of(client.get("/v1/games", headers=bearer(shop))) == "guesses-per-address"


def bare_of(answer: TestResponse) -> str:
    """A refusal, less how long it holds and which request it answers."""
    shown = {name: value for name, value in json_of(answer).items() if name not in ("request_id", "detail")}
    headers = [name for name, _ in answer.headers]
    return repr((answer.status_code, shown, re.sub(r"\d+", "", json_of(answer)["detail"]), headers))


@pytest.mark.parametrize("what", ["ticket", "invite"])
def test_guesses_of_tickets_and_invites(make: Make, what: str) -> None:
    """They count as wrong tokens do; what an app passes on does not count against the app's address."""
    client = make("guesses=2/1h", keys=True)
    seats = [{"kind": "human"}, {"kind": "open"}]
    game = json_of(client.post("/v1/games", json={"seats": seats, "joining": "invite"}, headers=OURS))
    path = f"/v1/games/{game['id']}"

    def guess(number: int, headers: Any = None) -> TestResponse:
        if what == "ticket":
            stream = {"Accept": "text/event-stream"}
            return client.get(f"{path}/events?ticket=mt_0_seat_{number}_9_{'x' * 43}", headers=stream)
        asked = {"player": "eve", "invite": f"mi_{number:016x}_{'x' * 32}"}
        return client.post(f"{path}/seats/1", json=asked, headers=headers)

    if what == "invite":
        assert {guess(number, OURS).status_code for number in range(30)} == {403}
        assert client.get("/v1/games", headers=OURS).status_code == 200
    for number in range(10):
        assert guess(number).status_code == (401 if what == "ticket" else 404)
    after = guess(11)
    assert after.text.startswith(": rate-limited") if what == "ticket" else after.status_code == 429
    unknown = bearer("key")
    assert limit_of(client.get("/v1/games", headers=unknown)) == "guesses-per-address"
    assert client.get("/v1/games", headers=OURS).status_code == 200


# What a quick person does in a minute, by the limit that it counts for.
MINUTE = {
    name: int(number)
    for name, number in re.findall(
        r"^\| `([a-z-]+)` .*\| (\d+)[^|]*\|$", (ROOT / "docs/reference/limits.md").read_text(), re.MULTILINE
    )
}


def test_a_quick_person_meets_no_limit(make: Make, application: Application) -> None:
    """All of that minute at once, by one seat at one address, with the limits as they are by default."""
    assert {*MINUTE, RUNNING} == rates_of("on").keys()
    assert MINUTE[SEAT_FORKS] == MINUTE["forks"]
    hints, forks = MINUTE["bots"], MINUTE["forks"]
    records, typed = MINUTE["records"] // 2, MINUTE["guesses"] // 2
    assert (MINUTE["game-forks"], MINUTE["games"]) == (forks, forks + typed)
    moves = (MINUTE["requests"] - hints - 2 * records - 2 * forks - 2 * typed) // 4
    table, client = set_table(make("off"), application), make("on")
    mine, statuses = table.bearer(0), list[int]()

    def does(times: int, method: str, path: str, body: Any = None, headers: Any = mine) -> None:
        for _ in range(times):
            answer = client.open(path, method=method, json=body, headers=headers)
            assert "rate-limited" not in answer.text
            statuses.append(answer.status_code)

    does(moves, "GET", table.path)
    does(moves, "GET", f"{table.path}/legal-moves")
    does(moves, "POST", f"{table.path}/moves?dry_run=true", FIRST_MOVE)
    does(hints, "GET", f"{table.path}/hint?bot=greedy")
    does(records, "GET", f"{table.path}/audit")
    does(records, "GET", f"{table.path}/export")
    does(forks, "POST", f"{table.path}/fork", {"version": 2, "resample": True})
    does(forks, "POST", "/v1/games", {}, {})
    assert set(statuses) == {200, 201}
    does(moves, "POST", f"{table.path}/moves", {"type": "abandon", "slot": 3})
    does(typed, "POST", "/v1/invites/lookup", {"code": "00000000"}, {})
    does(typed, "GET", table.path, None, bearer(f"mg_{table.id}_0_{'x' * 43}"))
    assert set(statuses) == {200, 201, 401, 404, 422}
    assert len(statuses) == MINUTE["requests"]


def test_off(make: Make, redis_url: str) -> None:
    """With the limits off nothing is counted, and no answer speaks of limits."""
    client = make("off")
    answer = client.post("/v1/games", json={})
    assert (answer.status_code, answer.headers.get("RateLimit")) == (201, None)
    assert not link_to(redis_url, 5.0).call("KEYS", "migrato:limit*")


def test_a_server_that_is_away_stops_nobody(
    make: Make, few: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Then each process counts for itself, and does not ask every time; a window ends though the clock is set back."""
    asked, clock, right = list[int](), [0.0], time.time

    def away(*_: object) -> Any:
        asked.append(1)
        raise StoreUnavailable("it is away")

    monkeypatch.setattr(rate_counts.RedisRateCounts, "count", away)
    monkeypatch.setattr(rates, "AWAY", 3600.0)
    client = make("games=1/1h")
    parts_of(client).rate_limits._own._clock = lambda: clock[0]
    limited = [201] * few + [429]
    assert [client.post("/v1/games").status_code for _ in limited] == limited
    assert len(asked) == 1
    assert "each process counts requests for itself: it is away" in caplog.text
    clock[0] += 3_600
    monkeypatch.setattr(time, "time", lambda: right() - 7_200)
    assert client.post("/v1/games").status_code == 201


def test_a_proxy_that_nobody_named(make: Make, few: int, caplog: pytest.LogCaptureFixture) -> None:
    """Once its address has reached a limit the operator hears of it; nothing is said of a caller without a proxy."""
    client = make("games=1/1h")
    for _ in range(few + 1):
        client.post("/v1/games")
    assert "TRUSTED_PROXIES" not in caplog.text
    refused = client.post("/v1/games", headers={"X-Forwarded-For": "10.0.0.1"})
    assert limit_of(refused) == "games-per-address"
    told = "127.0.0.1 has reached a limit; if it is a proxy, name it in MIGRATO_TRUSTED_PROXIES"
    assert told in caplog.text


def test_callers_behind_a_trusted_proxy(make: Make, few: int) -> None:
    """Each has the allowance of an address, in requests, in what is costly and in guesses, whatever port it has."""
    ada, bob = ({"X-Forwarded-For": f"{address}:5678"} for address in ("192.0.2.1", "[2001:db8::1]"))
    asks: dict[str, Callable[[FlaskClient, dict[str, str]], TestResponse]] = {
        "requests=1/1h": lambda client, who: client.get("/v1/bots", headers=who),
        "games=1/1h": lambda client, who: client.post("/v1/games", headers=who),
        "guesses=1/1h": lambda client, who: client.get("/v1/games", headers=who | bearer("wrong")),
    }
    for limits, ask in asks.items():
        client = make(limits, trusted_proxies=("127.0.0.1",))
        assert 429 in [ask(client, ada).status_code for _ in range(few + 1)]
        assert ask(client, bob).status_code != 429, limits


def test_the_names_are_all_there() -> None:
    """Every rate has words for what it counts."""
    assert {name for name, rate in rates_of("on").items() if rate.seconds} == set(rates.WHAT)
