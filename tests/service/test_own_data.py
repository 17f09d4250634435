"""Own data over HTTP: each limit and the member that it names, filters, repeats, and the metadata of apps."""

from typing import Any

import pytest
from flask.testing import FlaskClient

from events.application import Application
from events.features.apps.scopes import ADMIN
from tests.service.table import OURS, THEIRS, Json, bearer, code_of, errors_of, json_of, new_game

PLAYERS = [{"kind": "human", "player": "ada"}, {"kind": "open"}]
GOLD: Json = {"external_id": "order-1", "metadata": {"plan": "gold"}}


def listed(client: FlaskClient, query: str, headers: Any = OURS) -> list[str]:
    """The ids of the games of a page."""
    answer = client.get(f"/v1/games?{query}", headers=headers)
    assert answer.status_code == 200, answer.text
    return [game["id"] for game in json_of(answer)["games"]]


def test_a_game_with_it(guarded: FlaskClient) -> None:
    """Shown with the new game, in its view, in its line and after a change, to its app alone; null unsets."""
    seats = [PLAYERS[0] | {"metadata": {"team": "red", "left": None}}, PLAYERS[1]]
    game = new_game(guarded, OURS, seats=seats, visibility="public", **GOLD)
    path, red = game["links"]["self"], [{"team": "red"}, None]
    for shown in (game, json_of(guarded.get(path, headers=OURS))):
        assert {name: shown[name] for name in GOLD} == GOLD
        assert [seat.get("metadata") for seat in shown["seats"]] == red
    change = {"metadata": {"plan": None, "a b": ""}, "seats": [{"seat": 1, "metadata": {"team": "blue"}}]}
    for _ in range(2):
        answer = guarded.patch(path, json=change, headers=OURS)
        assert json_of(answer) == {
            "id": game["id"],
            "external_id": "order-1",
            "metadata": {"a b": ""},
            "seats": [{"seat": 0, "metadata": {"team": "red"}}, {"seat": 1, "metadata": {"team": "blue"}}],
        }
        assert (answer.headers["Cache-Control"], "ETag" in answer.headers) == ("no-store", False)
    assert json_of(guarded.get(path, headers=OURS))["version"] == game["version"]
    for headers in (THEIRS, bearer(game["seats"][0]["token"]), {}):
        view = json_of(guarded.get(path, headers=headers))
        assert not {"external_id", "metadata"} & (view.keys() | view["seats"][0].keys())
    assert code_of(guarded.patch(path, json=change, headers=THEIRS)) == (403, "forbidden")
    assert code_of(guarded.patch(path, json=change)) == (401, "unauthorized")
    everything = {"external_id": None, "metadata": None, "seats": [{"seat": 0, "metadata": None}]}
    left = json_of(guarded.patch(path, json=everything, headers=OURS))
    assert (left["external_id"], left["metadata"], left["seats"][0]["metadata"]) == (None, {}, {})
    assert "metadata" not in json_of(guarded.get(path, headers=OURS))


def test_filters(guarded: FlaskClient) -> None:
    """By a key, by the external id, by both; by no other app."""
    game = new_game(guarded, OURS, metadata={"plan": "gold", "a b&c": "d=e"}, external_id="order 1/")
    other = new_game(guarded, OURS, metadata={"plan": "gold"})
    assert sorted(listed(guarded, "metadata=plan=gold")) == sorted([game["id"], other["id"]])
    assert listed(guarded, "metadata=a%20b%26c%3Dd%3De") == [game["id"]]
    assert listed(guarded, "external_id=order%201/&metadata=plan=gold") == [game["id"]]
    assert listed(guarded, "metadata=plan=") == listed(guarded, "metadata=plan=gold", THEIRS) == []
    for query, member in (
        ("metadata=plan=a&metadata=plan=b", "metadata"),
        ("metadata=gold", "metadata"),
        ("metadata==gold", "metadata"),
        (f"metadata={'k' * 41}=gold", "metadata"),
        (f"metadata=plan={'x' * 501}", "metadata"),
        ("external_id=", "external_id"),
    ):
        assert errors_of(guarded.get(f"/v1/games?{query}", headers=OURS)) == [member], query


OK: dict[str, Any] = {
    "keys": {"metadata": {f"k{number}": "" for number in range(50)}},
    "key": {"metadata": {"k" * 40: "v"}},
    "value": {"metadata": {"k": "\U0001f426" * 500}},
    "external_id": {"external_id": "~" * 255},
}
WRONG: list[tuple[Json, str]] = [
    ({"metadata": {f"k{number}": "" for number in range(51)}}, "metadata"),
    ({"metadata": {"k" * 41: "v"}}, "metadata"),
    ({"metadata": {"": "v"}}, "metadata"),
    ({"metadata": {"a=b": "v"}}, "metadata"),
    ({"metadata": {"k": "v" * 501}}, "metadata.k"),
    ({"metadata": {"k": 1}}, "metadata.k"),
    ({"metadata": {"k": {"deep": "v"}}}, "metadata.k"),
    ({"metadata": ["k"]}, "metadata"),
    ({"external_id": ""}, "external_id"),
    ({"external_id": "x" * 256}, "external_id"),
    ({"external_id": "a\nb"}, "external_id"),
    ({"external_id": 7}, "external_id"),
]
WRONG_CHANGES: list[tuple[Json, str]] = [
    ({"seats": [{"seat": 2, "metadata": {"k": "v"}}]}, "seats.0.seat"),
    ({"seats": [{"seat": 0}]}, "seats.0.metadata"),
    ({"seats": [{"seat": 0, "metadata": {"k": 1}}]}, "seats.0.metadata.k"),
    ({"seats": [{"seat": 0, "metadata": {}}] * 2}, "seats"),
    ({"visibility": "public"}, "visibility"),
]


def test_limits(guarded: FlaskClient) -> None:
    """The last value that passes; the first that is refused by the name of its member, and changes nothing."""
    game = new_game(guarded, OURS, seats=PLAYERS, **GOLD)
    path, games = game["links"]["self"], len(listed(guarded, ""))
    for body, member in WRONG:
        assert errors_of(guarded.post("/v1/games", json=body, headers=OURS)) == [member], body
        assert errors_of(guarded.patch(path, json=body, headers=OURS)) == [member], body
    for body, member in WRONG_CHANGES:
        assert errors_of(guarded.patch(path, json=body, headers=OURS)) == [member], body
    seats = [PLAYERS[0] | {"metadata": {"k": 1}}, PLAYERS[1]]
    assert errors_of(guarded.post("/v1/games", json={"seats": seats}, headers=OURS)) == ["seats.0.metadata.k"]
    fork = {
        "version": 1,
        "seats": [{"kind": "human", "metadata": {"k": "v"}}, {"kind": "bot", "bot": "greedy"}],
    }
    assert errors_of(guarded.post(f"{path}/fork", json=fork, headers=OURS)) == ["seats.0.metadata"]
    assert len(listed(guarded, "")) == games
    view = json_of(guarded.get(path, headers=OURS))
    assert {name: view[name] for name in GOLD} == GOLD
    for body in OK.values():
        made = new_game(guarded, OURS, **body)
        assert {name: made[name] for name in body} == body
        body |= {"external_id": None}
        assert guarded.patch(path, json={"metadata": None}, headers=OURS).status_code == 200
        assert guarded.patch(path, json=body, headers=OURS).status_code == 200


@pytest.fixture
def admin(application: Application) -> dict[str, str]:
    """The header of an administrator."""
    return bearer(application.apps.create("ops", [ADMIN]).text)


def test_metadata_of_apps(client: FlaskClient, admin: dict[str, str]) -> None:
    """Administrators keep metadata of apps, which outlive the app's keys."""
    wanted = {"name": "club", "metadata": {"owner": "kim", "none": None}}
    made = json_of(client.post("/v1/apps", json=wanted, headers=admin))
    assert made["app"]["metadata"] == {"owner": "kim"}
    assert client.delete("/v1/apps/club", headers=admin).status_code == 204
    changed = client.patch("/v1/apps/club", json={"metadata": {"plan": "gold"}}, headers=admin)
    assert json_of(changed)["metadata"] == {"owner": "kim", "plan": "gold"}
    assert json_of(client.get("/v1/apps/club", headers=admin))["metadata"] == {"owner": "kim", "plan": "gold"}
    for body, member in WRONG[:8]:
        assert errors_of(client.patch("/v1/apps/club", json=body, headers=admin)) == [member]
        assert errors_of(client.post("/v1/apps", json={"name": "x"} | body, headers=admin)) == [member]
    full = {"metadata": {f"k{number}": "" for number in range(49)}}
    assert errors_of(client.patch("/v1/apps/club", json=full, headers=admin)) == ["metadata"]
    assert json_of(client.get("/v1/apps/club", headers=admin))["metadata"] == {"owner": "kim", "plan": "gold"}
    assert "metadata" not in json_of(client.patch("/v1/apps/club", json={"metadata": None}, headers=admin))
    assert code_of(client.patch("/v1/apps/nobody", json={"metadata": {}}, headers=admin)) == (
        404,
        "not-found",
    )
    assert code_of(client.patch("/v1/apps/club", json={"metadata": {}})) == (401, "unauthorized")
