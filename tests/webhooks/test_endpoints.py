"""/v1/webhooks: who may create one, what is refused, what is shown and what never."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any

import pytest
from flask.testing import FlaskClient
from standardwebhooks import Webhook

from events.application import Application
from events.backup import dump
from events.errors import TooManyWebhooks
from events.features.signing_secrets import signed
from events.features.webhooks import endpoints
from events.features.webhooks.deliveries import DEAD, of_message
from events.features.webhooks.endpoints import MOST
from events.fsck.keys import type_of
from events.runtime.embedded import EmbeddedServer
from events.runtime.settings import Settings
from events.store import keys
from events.store.link import link_to
from service.http.app import create_app
from tests.support.recording import AllThere
from tests.support.sure import sure
from tests.webhooks.conftest import create, move
from tests.webhooks.test_app_events import OURS, THEIRS, client
from workers.webhooks.relay import Relay

Json = dict[str, Any]
URL = "https://198.41.0.4/hook"  # an address, so that no name is looked up

__all__ = ["client"]


def new(client: FlaskClient, headers: dict[str, str] = OURS, **wanted: Any) -> Json:
    answer = client.post("/v1/webhooks", json={"url": URL} | wanted, headers=headers)
    assert answer.status_code == 201, answer.text
    assert answer.headers["Location"] == f"/v1/webhooks/{answer.json['id']}"  # type: ignore[index]
    return dict(answer.json or {})


def test_a_secret_is_shown_once(client: FlaskClient) -> None:
    """Each webhook has its own."""
    one, other = (
        new(
            client, types=["game.finished"], description="results \U0001f468\u200d\U0001f469\u200d\U0001f467"
        ),
        new(client),
    )
    assert one["secret"].startswith("whsec_")
    assert one["secret"] != other["secret"]
    path = f"/v1/webhooks/{one['id']}"
    listed = client.get("/v1/webhooks", headers=OURS)
    assert [webhook["id"] for webhook in listed.json["webhooks"]] == [one["id"], other["id"]]  # type: ignore[index]
    shown = [listed, client.get(path, headers=OURS), client.patch(path, json={}, headers=OURS)]
    shown.append(client.get(f"{path}/deliveries", headers=OURS))
    for answer in shown:
        assert answer.status_code == 200
        assert "whsec_" not in answer.text
    assert shown[1].json == {name: value for name, value in one.items() if name != "secret"}
    rotated = sure(client.post(f"{path}/secret", headers=OURS).json)
    assert rotated["secret"] not in (one["secret"], other["secret"])
    assert rotated["former_expires_at"] is not None
    assert client.post(f"{path}/secret", json={"overlap": 0}, headers=OURS).json["former_expires_at"] is None  # type: ignore[index]


def test_each_secret_signs_for_as_long_as_it_was_promised(client: FlaskClient, engine: Application) -> None:
    """Also where the answer to a rotation was lost, and it is sent again; so many at the most, until one ends."""
    now = [datetime(2026, 11, 27, tzinfo=UTC)]
    engine.webhooks._now = lambda: now[0]
    state, first = engine.webhooks.create("club", URL, (), "", None, None)

    def rotate(overlap: int) -> str:
        return engine.webhooks.rotate("club", state.endpoint.id, overlap)[0]

    def sign(*wanted: str) -> bool:
        sent = signed(engine.webhooks.store.secrets(state.endpoint), "ping-1", b"{}", now[0])[
            "webhook-signature"
        ]
        return sent.split() == [Webhook(secret).sign("ping-1", now[0], "{}") for secret in wanted]

    lost, second = rotate(86_400), rotate(3_600)
    assert sign(second, lost, first)
    third = rotate(86_400)
    fourth = rotate(86_400)
    assert sign(fourth, third, second, lost, first)
    refused = client.post(f"/v1/webhooks/{state.endpoint.id}/secret", headers=OURS)
    assert (refused.status_code, refused.json["limit"]) == (429, {"name": "secrets-per-webhook", "quota": 5})  # type: ignore[index]
    assert "2026-11-27T01:00:00.000Z" in refused.json["detail"]  # type: ignore[index]
    now[0] += timedelta(seconds=3_600)
    assert sign(fourth, third, second, first)
    fifth = rotate(86_400)
    now[0] += timedelta(days=1)
    assert sign(fifth)
    assert sign(rotate(0))


def test_bad_webhooks(client: FlaskClient) -> None:
    """Each is refused by the member's name, and nothing is created."""
    inside = ("127.0.0.1/", "10.1.2.3/", "[::1]/", "169.254.169.254/latest", "0x7f.1/", "user@198.41.0.4/")
    urls = (
        None,
        "http://198.41.0.4/",
        "ftp://198.41.0.4/",
        "x" * 3000,
        *(f"https://{rest}" for rest in inside),
    )
    wrong: list[tuple[Json, str]] = [({"url": url}, "url") for url in urls]
    wrong += [
        ({"types": ["game.lost"]}, "types.0"),
        ({"types": ["ping"]}, "types.0"),
        ({"types": ["game.scored", "game.scored"]}, "types"),
        ({"types": "game.scored"}, "types"),
        ({"description": "x" * 257}, "description"),
        ({"description": "a\nb"}, "description"),
        ({"game_id": "short"}, "game_id"),
        ({"game_id": "x" * 22}, "game_id"),
        ({"seat_token": "no token"}, "seat_token"),
        ({"secret": "whsec_mine"}, "secret"),
    ]
    for wanted, field in wrong:
        answer = client.post("/v1/webhooks", json={"url": URL} | wanted, headers=OURS)
        assert answer.status_code == 422, answer.text
        assert list(answer.json["errors"]) == [field]  # type: ignore[index]
    assert client.get("/v1/webhooks", headers=OURS).json == {"webhooks": []}


def test_an_address_of_ones_own_machine(client: FlaskClient) -> None:
    """The refusal says what is wrong, names the setting that allows it, and the command that needs none."""
    for url, is_allowable in (("http://127.0.0.1:3000/hook", True), ("ftp://127.0.0.1/", False)):
        answer = client.post("/v1/webhooks", json={"url": url}, headers=OURS)
        (told,) = answer.json["errors"]["url"]  # type: ignore[index]
        for words in ("127.0.0.1 is not on the public internet", "MIGRATO_REMOTE_ALLOW", "`migrato listen`"):
            assert (words in told) == is_allowable, told


def test_changes(client: FlaskClient) -> None:
    """A change alters the members that it names, and no others; a bad one alters nothing."""
    webhook = new(client, types=["game.finished"])
    path = f"/v1/webhooks/{webhook['id']}"
    for wanted, field in [
        ({"url": "https://127.0.0.1/"}, "url"),
        ({"types": ["x"]}, "types.0"),
        ({"disabled": 1}, "disabled"),
        ({"game_id": "x" * 22}, "game_id"),
    ]:
        answer = client.patch(path, json=wanted, headers=OURS)
        assert (answer.status_code, list(answer.json["errors"])) == (422, [field])  # type: ignore[index]
    for overlap in (-1, 604_801, "1"):
        assert client.post(f"{path}/secret", json={"overlap": overlap}, headers=OURS).status_code == 422
    for query in ("status=lost", "limit=0", "cursor=%20", "x=1"):
        assert client.get(f"{path}/deliveries?{query}", headers=OURS).status_code == 422
    assert client.get(path, headers=OURS).json == {n: v for n, v in webhook.items() if n != "secret"}

    def changed(**wanted: Any) -> list[Any]:
        shown = client.patch(path, json=wanted, headers=OURS).json or {}
        return [shown[name] for name in ("disabled", "disabled_reason", "url", "types")]

    assert changed(disabled=True, url=URL + "/2") == [True, "app", URL + "/2", ["game.finished"]]
    assert changed(disabled=False, types=[]) == [False, None, URL + "/2", []]


def test_news_that_no_worker_reads_do_not_grow(
    client: FlaskClient, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Endpoints that come and go where no webhook worker runs."""
    monkeypatch.setattr("events.features.webhooks.redis.endpoints.TOLD", 3)
    for _ in range(5):
        client.delete(f"/v1/webhooks/{new(client)['id']}", headers=OURS)
    assert link_to(redis_url, 5.0).call("SCARD", keys.WEBHOOKS_CHANGED) == 3


def test_two_tenants_do_not_learn_of_each_other(client: FlaskClient, engine: Application) -> None:
    """A game and a seat of another app are like none at all; tests/service/test_tenants.py has its webhooks."""
    game_id, tokens = create(engine, "other")
    absent = f"mg_{'x' * 22}_0_{'y' * 43}"
    for wanted in (
        [{"game_id": game_id}, {"game_id": "x" * 22}],
        [{"seat_token": tokens[0]}, {"seat_token": absent}],
    ):
        answers = [client.post("/v1/webhooks", json={"url": URL} | one, headers=OURS) for one in wanted]
        assert [answer.status_code for answer in answers] == [422, 422]
        assert answers[0].data == answers[1].data
    assert client.get("/v1/webhooks", headers=OURS).json == {"webhooks": []}


def test_only_apps_have_webhooks(client: FlaskClient, engine: Application) -> None:
    """No seats and no strangers. A seat's token ties one to the seat: not one of another game, nor one that is void."""
    game_id, tokens = create(engine)
    other, _ = create(engine)

    def posted(headers: dict[str, str] = OURS, **wanted: str) -> int:
        return client.post("/v1/webhooks", json={"url": URL, **wanted}, headers=headers).status_code

    for headers, status in [({}, 401), ({"Authorization": f"Bearer {tokens[0]}"}, 403)]:
        assert client.get("/v1/webhooks", headers=headers).status_code == status
        assert posted(headers) == status
    webhook = new(client, seat_token=tokens[1])
    assert (webhook["game_id"], webhook["seat"]) == (game_id, 1)
    assert new(client, seat_token=tokens[1], game_id=game_id)["seat"] == 1
    assert posted(seat_token=tokens[1], game_id=other) == 422
    app = engine.callers.who_asks("key-of-the-club")
    engine.interventions.replace_player(game_id, 1, "greedy", app, None)
    assert posted(seat_token=tokens[1]) == 422


def test_so_many_and_no_more(client: FlaskClient, engine: Application) -> None:
    """An app may have so many webhooks and no more, also where requests come at once."""

    def add(_: int) -> bool:
        with suppress(TooManyWebhooks):
            engine.webhooks.create("club", URL, [], "", None, None)
            return True
        return False

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(add, range(MOST + 10))) == MOST
    refused = client.post("/v1/webhooks", json={"url": URL}, headers=OURS)
    assert (refused.status_code, refused.json["code"]) == (409, "too-many-webhooks")  # type: ignore[index]
    assert new(client, THEIRS)["waiting"] == 0


def test_pings_wait_up_to_a_number(
    client: FlaskClient, engine: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An app that pings all the time fills neither the store nor the memory of the process that sends for everybody."""
    monkeypatch.setattr(endpoints, "MOST_WAITING", 3)
    webhook = new(client)
    path = f"/v1/webhooks/{webhook['id']}/ping"
    assert [client.post(path, headers=OURS).status_code for _ in range(4)] == [202, 202, 202, 429]
    limit = client.post(path, headers=OURS).json["limit"]  # type: ignore[index]
    assert limit == {"name": "waiting-per-webhook", "quota": 3}
    endpoint = engine.webhooks.get("club", webhook["id"]).endpoint
    (one, *rest) = engine.webhooks.store.deliveries(endpoint, dead=False)
    assert len(rest) == 2
    engine.webhooks.store.delivered(endpoint, one)
    assert client.post(path, headers=OURS).status_code == 202


def test_dead_letters_are_kept_up_to_a_number(engine: Application, client: FlaskClient, relay: Relay) -> None:
    """The oldest go; pages list all of them once."""
    webhook_id = new(client)["id"]
    endpoint = engine.webhooks.get("club", webhook_id).endpoint
    game_id, _ = create(engine)
    for _ in range(20):
        move(engine, game_id)
    relay.step(1)
    logged = engine.app_logs.page("club", "0", 100).messages
    deliveries = [of_message(one) for one in logged]
    cursor = sure(engine.webhooks.store.cursor(endpoint))
    assert engine.webhooks.store.take(endpoint, cursor, logged[-1].id, deliveries)
    assert not engine.webhooks.store.take(endpoint, cursor, logged[-1].id, deliveries)
    most = len(deliveries) - 2
    assert most < DEAD
    for one in deliveries:
        engine.webhooks.store.give_up(endpoint, one, most)
    found, cursor = list[str](), ""
    while True:
        page = sure(client.get(f"/v1/webhooks/{webhook_id}/deliveries?limit=3{cursor}", headers=OURS).json)
        found += [one["id"] for one in page["deliveries"]]
        if page["next"] is None:
            break
        cursor = f"&cursor={page['next']}"
    assert found == [one.id for one in logged[2:]]
    resent = client.post(f"/v1/webhooks/{webhook_id}/deliveries/{found[0]}/resend", headers=OURS)
    assert (resent.status_code, resent.json["attempts"]) == (202, 0)  # type: ignore[index]
    again = client.post(f"/v1/webhooks/{webhook_id}/deliveries/{found[0]}/resend", headers=OURS)
    assert again.status_code == 404
    waiting = sure(client.get(f"/v1/webhooks/{webhook_id}/deliveries?status=waiting", headers=OURS).json)
    assert [one["id"] for one in waiting["deliveries"]] == [found[0]]


class TestOnAServerOfItsOwn:
    """No worker of another test still writes there."""

    @pytest.fixture
    def redis_url(self) -> Iterator[str]:
        with EmbeddedServer(None) as server:
            yield server.url

    def test_every_key_is_known_and_copied(
        self, engine: Application, client: FlaskClient, relay: Relay, redis_url: str
    ) -> None:
        """Every key of webhooks is known to fsck, and copied by backups."""
        webhook_id = new(client)["id"]
        endpoint = engine.webhooks.get("club", webhook_id).endpoint
        create(engine)
        relay.step(1)
        for _ in range(2):
            client.post(f"/v1/webhooks/{webhook_id}/ping", headers=OURS)
        (one, *_) = engine.webhooks.store.deliveries(endpoint, dead=False)
        engine.webhooks.store.give_up(endpoint, one, DEAD)
        link = link_to(redis_url, 5.0)
        found = [key.decode() for key in link.call("KEYS", "*")]
        kinds = dict(
            zip(found, (kind.decode() for kind in link.calls([("TYPE", key) for key in found])), strict=True)
        )
        assert {key: type_of(key) for key in found} == kinds
        assert {key.partition("}:")[2].partition(":")[0] for key in found if key.startswith("{app:")} >= {
            *("log", "logged", "endpoints", "endpoint-secrets", "endpoint-cursors", "backlog", "dead")
        }
        dump.dump(link.servers()[0], BytesIO())
        with EmbeddedServer(None) as other:
            copy = link_to(other.url, 5.0)
            dump.copy(link, copy)
            assert sorted(copy.call("KEYS", "*")) == sorted(key.encode() for key in found)


def test_without_keys_everybody_is_the_app(settings: Settings, application: Application) -> None:
    """Without keys everybody is the app, as elsewhere; but no page of another site is."""
    client = create_app(settings, application, AllThere()).test_client()
    assert client.post("/v1/webhooks", json={"url": URL}).status_code == 201
    foreign = {"Origin": "https://elsewhere.example"}
    assert client.post("/v1/webhooks", json={"url": URL}, headers=foreign).status_code == 403
    assert client.get("/v1/events", headers=foreign).status_code == 403
    assert client.get("/v1/webhooks", headers=foreign).status_code == 403
