"""Usage over HTTP: who reads it, and of which days."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from unittest.mock import patch

import pytest
from flask.testing import FlaskClient

from events.application import Application
from events.errors import QuotaSpent
from events.features.apps.administration import Apps
from events.features.apps.port import FoundKey
from events.features.apps.redis.apps import RedisAppStore
from events.features.apps.scopes import ADMIN, CHOOSE, READ
from events.features.usage.port import Noted, Slice
from events.features.usage.redis import RedisUsage
from events.log.usage import Used
from events.runtime import bootstrap
from events.runtime.settings import Settings
from events.store.link import link_to
from tests.service.table import bearer, code_of, errors_of, json_of, new_game

USAGE = "/v1/apps/club/usage?from=2026-11-01&to=2026-11-30"


@pytest.fixture
def apps(application: Application) -> Apps:
    """The use-cases of apps on the service's store, for what the command line does."""
    return application.apps


def test_an_app_and_administrators_read_it_and_nobody_else(
    client: FlaskClient, apps: Apps, redis_url: str
) -> None:
    game = new_game(client)
    store = RedisUsage(link_to(redis_url, 10.0))
    store.add(
        "club", "2026-11-03", [Slice("5", [Noted("1-0", Used("club", "2026-11-03", {"people": 7}), "")])]
    )
    admin = bearer(apps.create("ops", [ADMIN]).text)
    own = bearer(apps.create("club", [READ]).text)
    for reader in (admin, own):
        report = json_of(client.get(USAGE, headers=reader))
        assert [(day["date"], day["moves_by_people"]) for day in report["days"]] == [("2026-11-03", 7)]
        assert (report["from"], report["to"], report["total"]["moves_by_people"]) == (
            "2026-11-01",
            "2026-11-30",
            7,
        )
    others = {
        "another app": bearer(apps.create("rival").text),
        "a seat": bearer(game["seats"][0]["token"]),
        "without the scope": bearer(apps.create("choosy", [CHOOSE]).text),
    }
    for who, token in others.items():
        assert code_of(client.get(USAGE, headers=token)) == (403, "forbidden"), who
    choosy = client.get("/v1/apps/choosy/usage", headers=others["without the scope"])
    assert code_of(choosy) == (403, "forbidden")
    assert code_of(client.get(USAGE)) == (401, "unauthorized")
    assert code_of(client.get("/v1/apps/nobody/usage", headers=admin)) == (404, "not-found")
    assert json_of(client.get("/v1/apps/rival/usage", headers=others["another app"]))["days"] == []


def test_days_that_are_none_are_refused(client: FlaskClient, apps: Apps) -> None:
    own = bearer(apps.create("club").text)
    wrong = {
        "from=2026-11-31": "from",
        "to=now": "to",
        "from=2026-11-02&to=2026-11-01": "from",
        "day=1": "day",
    }
    wrong |= {"from=2020-01-01&to=2026-01-01": "from", "to=0001-01-01": ""}
    for query, member in wrong.items():
        answer = client.get(f"/v1/apps/club/usage?{query}", headers=own)
        if member:
            assert list(errors_of(answer)) == [member], query
        else:
            assert answer.status_code == 200, query


def test_an_administrator_sets_quotas_and_a_refusal_says_when_they_begin_anew(
    client: FlaskClient,
    apps: Apps,
    settings: Settings,
    application: Application,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A quota of a day begins anew at midnight, twelve hours after noon."""
    noon, find_key = (
        datetime.now(UTC).replace(hour=12, minute=0, second=0, microsecond=0),
        RedisAppStore.find_key,
    )
    at = int(noon.timestamp() * 1000)

    def found(store: RedisAppStore, key_id: str) -> FoundKey | None:
        key = find_key(store, key_id)
        return key and replace(key, now=at)

    monkeypatch.setattr(RedisAppStore, "now", lambda _: at)
    monkeypatch.setattr(RedisAppStore, "find_key", found)
    admin = bearer(apps.create("ops", [ADMIN]).text)
    apps.create("club")
    quotas = {"games": {"day": 1, "month": 100}, "questions": {"day": 0}}
    changed = json_of(client.patch("/v1/apps/club", json={"quotas": quotas}, headers=admin))
    assert changed["quotas"] == quotas
    own = bearer(apps.rotate("club").text)
    assert client.post("/v1/games", json={}, headers=own).status_code == 201
    refused = client.post("/v1/games", json={}, headers=own)
    assert code_of(refused) == (429, "rate-limited")
    limit = json_of(refused)["limit"]
    midnight = noon.replace(hour=0) + timedelta(days=1)
    assert limit == {"name": "games-per-day", "quota": 1, "begins_anew_at": midnight.isoformat()}
    assert refused.headers["Retry-After"] == "43200"
    questions = bootstrap.bot_questions(settings, application)
    with pytest.raises(QuotaSpent):
        questions._admit("club", "a question")
    shown = json_of(client.get("/v1/apps/club/usage", headers=own))["quotas"]
    assert [(quota["name"], quota["used"]) for quota in shown] == [
        ("games-per-day", 1),
        ("games-per-month", 1),
        ("questions-per-day", 0),
    ]
    for wrong in (
        {"games": {"day": -1}},
        {"games": {"week": 1}},
        {"moves": {"day": 1}},
        {"games": {"day": 1.5}},
    ):
        assert code_of(client.patch("/v1/apps/club", json={"quotas": wrong}, headers=admin))[0] == 422, wrong
    assert code_of(client.patch("/v1/apps/club", json={"quotas": None}, headers=own)) == (403, "forbidden")
    freed = json_of(
        client.patch("/v1/apps/club", json={"quotas": None, "metadata": {"a": "b"}}, headers=admin)
    )
    assert ("quotas" in freed, freed["metadata"]) == (False, {"a": "b"})


def test_a_change_of_several_members_is_one_step(client: FlaskClient, apps: Apps) -> None:
    admin = bearer(apps.create("ops", [ADMIN]).text)
    apps.create("club")
    wanted = {"quotas": {"games": {"day": 1}}, "metadata": {"owner": "kim"}}
    with patch.object(RedisAppStore, "put", autospec=True, side_effect=RedisAppStore.put) as put:
        changed = json_of(client.patch("/v1/apps/club", json=wanted, headers=admin))
    assert put.call_count == 1
    assert {name: changed[name] for name in wanted} == wanted
