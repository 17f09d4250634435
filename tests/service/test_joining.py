"""Watching and joining over HTTP: whom a game lets in, invites, the lobby, and seats that are handed over."""

from datetime import UTC, datetime
from typing import Any

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from events.times import milliseconds_of
from tests.service.table import (
    OURS,
    PEOPLE,
    THEIRS,
    WITH_OPEN,
    Json,
    bearer,
    code_of,
    errors_of,
    json_of,
    new_game,
    parts_of,
)

BO = {"player": "bo"}
NOWHERE = "/v1/games/0123456789abcdefghijkl"
SAME = {"X-Request-Id": "one"}  # so that two answers can be compared to the byte


def created(client: FlaskClient, **wanted: Any) -> Json:
    """A new game of ours with an open seat."""
    return new_game(client, OURS, **{"seats": WITH_OPEN} | wanted)


def invited(client: FlaskClient, path: str, **wanted: Any) -> Json:
    """A new invite to the open seat."""
    answer = client.post(f"{path}/seats/1/invites", json=wanted, headers=OURS)
    assert (answer.status_code, answer.headers["Cache-Control"]) == (201, "no-store"), answer.text
    return json_of(answer)


def invites_of(client: FlaskClient, path: str) -> list[Json]:
    """All invites that are good."""
    invites: list[Json] = json_of(client.get(f"{path}/invites", headers=OURS))["invites"]
    return invites


def sit(client: FlaskClient, path: str, invite: str, **headers: str) -> TestResponse:
    """Ask for the open seat, with an invite."""
    return client.post(f"{path}/seats/1", json=BO | {"invite": invite}, headers=SAME | headers)


def find(client: FlaskClient, code: str) -> TestResponse:
    """Type a join code."""
    return client.post("/v1/invites/lookup", json={"code": code}, headers=SAME)


class TestInvites:
    """POST, GET and DELETE of invites, and what they open."""

    def test_a_private_game_by_invite(self, guarded: FlaskClient) -> None:
        """From the invite to the game: whoever has the code needs nothing else."""
        game = created(guarded, joining="invite")
        path = game["links"]["self"]
        assert game["joining"] == "invite"
        invite = invited(guarded, path)
        left = (datetime.fromisoformat(invite["expires_at"]) - datetime.now(UTC)).total_seconds()
        assert 86_000 < left <= 86_401
        assert invites_of(guarded, path) == [{name: invite[name] for name in ("id", "seat", "expires_at")}]
        seat = sit(guarded, path, invite["invite"])
        assert (seat.status_code, json_of(seat)["status"]) == (201, "playing")
        view = json_of(guarded.get(path, headers=bearer(json_of(seat)["token"])))
        assert (view["viewer"], view["joining"]) == (1, "invite")
        assert invites_of(guarded, path) == []

    def test_a_join_code(self, guarded: FlaskClient) -> None:
        """Eight letters that somebody reads out lead to the seat, however they are written, for at most a day."""
        game = created(guarded, joining="invite")
        path = game["links"]["self"]
        invite = invited(guarded, path, short=True, expires_in=86_400)
        code = invite["join_code"]
        shown = {"game_id": game["id"], **{name: invite[name] for name in ("seat", "invite", "expires_at")}}
        for typed in (
            code,
            f"{code[:4]}-{code[4:]}",
            f" {code.lower()} ",
            code.replace("0", "o").replace("1", "l"),
        ):
            answer = find(guarded, typed)
            assert (answer.status_code, json_of(answer)) == (200, shown)
            assert answer.headers["Cache-Control"] == "no-store"
        assert "join_code" not in invited(guarded, path)
        assert sit(guarded, path, json_of(find(guarded, code))["invite"]).status_code == 201
        absent = find(guarded, "00000000")
        assert code_of(absent) == (404, "not-found")
        for typed in ("UUUUUUUU", "0", invite["invite"][:32]):
            assert find(guarded, typed).data == absent.data

    def test_a_void_one_tells_nothing(self, guarded: FlaskClient) -> None:
        """Replayed, revoked, of another game, made up: as a game that is not there, to the byte.

        In a public game everybody may read what is wrong.
        """
        path = created(guarded, joining="invite")["links"]["self"]
        used, revoked = (invited(guarded, path) for _ in range(2))
        for invite_id, refusal in (
            *((name, (404, "not-found")) for name in ("0123456789abcdef", "0", "x" * 16, "0123456789ABCDEF")),
            (revoked["id"], None),
        ):
            answer = guarded.delete(f"{path}/invites/{invite_id}", headers=OURS)
            assert answer.status_code == 204 if refusal is None else code_of(answer) == refusal
        absent = sit(guarded, NOWHERE, used["invite"])
        assert code_of(absent) == (404, "not-found")
        for code in ("mi_", used["invite"][:-1], "x" * 128):
            assert sit(guarded, path, code).data == absent.data
        assert sit(guarded, path, used["invite"]).status_code == 201
        assert sit(guarded, path, used["invite"]).data == absent.data
        answer = sit(guarded, created(guarded, visibility="public")["links"]["self"], "mi_x")
        assert code_of(answer) == (403, "forbidden")
        assert "invite" in json_of(answer)["detail"]

    def test_bad_input(self, guarded: FlaskClient) -> None:
        """A code that is read out is good for a day at the most; there is no invite otherwise."""
        path = created(guarded)["links"]["self"]
        body = {"short": True, "expires_in": 86_401}
        refused = guarded.post(f"{path}/seats/1/invites", json=body, headers=OURS)
        assert (errors_of(refused), invites_of(guarded, path)) == (["expires_in"], [])


def test_sitting_down_without_an_invite(guarded: FlaskClient) -> None:
    """It is as `joining` says, to whoever may see the game; documents of an open game say nothing of it."""
    for joining, visibility, own, others in (
        ("open", "public", 201, 201),
        ("open", "private", 201, 404),
        ("app", "public", 201, 403),
        ("app", "private", 201, 404),
        ("invite", "public", 403, 403),
        ("invite", "private", 403, 404),
    ):
        for headers, status in ((OURS, own), (THEIRS, others), ({}, others)):
            path = created(guarded, joining=joining, visibility=visibility)["links"]["self"]
            answer = guarded.post(f"{path}/seats/1", json=BO, headers=headers)
            assert answer.status_code == status, (joining, visibility)
    for wanted in ({}, {"joining": "open"}, {"joining": None}):
        game = created(guarded, **wanted)
        assert "joining" not in game
        assert "joining" not in json_of(guarded.get(game["links"]["self"], headers=OURS))


class TestLobby:
    """GET /v1/lobby."""

    def test_games_that_can_be_joined(self, guarded: FlaskClient) -> None:
        """With options and names; none that has no open seat."""
        first = created(guarded, options={"turn_limit": 40})
        created(guarded, seats=[PEOPLE[0], {"kind": "bot", "bot": "greedy"}])
        aborted, taken = created(guarded), created(guarded)
        guarded.post(f"{aborted['links']['self']}/abort", headers=OURS)
        guarded.post(f"{taken['links']['self']}/seats/1", json=BO, headers=OURS)
        for game in (aborted, taken):  # as the dispatcher does
            parts_of(guarded).use_cases.listing.update(game["id"])
        (shown,) = json_of(guarded.get("/v1/lobby", headers=OURS))["games"]
        assert (shown["id"], shown["joining"]) == (first["id"], "open")
        assert shown["options"] == first["options"]
        assert shown["seats"][0]["player"] == "ada"
        assert shown["seats"][1] == {"seat": 1, "kind": "open"}

    def test_pages_and_filters(self, guarded: FlaskClient) -> None:
        """By joining, of which `any` is all, and by game; by a cursor, each game once, the newest first."""
        made = {joining: created(guarded, joining=joining) for joining in ("open", "invite", "app")}
        made["migo"] = created(guarded, game="migo", visibility="public")
        ids = {name: game["id"] for name, game in made.items()}
        newest = [game["id"] for game in sorted(made.values(), key=newness, reverse=True)]
        for query, names in (
            ("", ["open", "migo"]),
            ("?joining=invite", ["invite"]),
            ("?joining=app", ["app"]),
            ("?joining=any", list(made)),
            ("?game=migo", ["migo"]),
        ):
            page = json_of(guarded.get(f"/v1/lobby{query}", headers=OURS))
            wanted = [one for one in newest if one in {ids[name] for name in names}]
            assert ([game["id"] for game in page["games"]], page["next"]) == (wanted, None)
        found, cursor = [], ""
        while True:
            page = json_of(guarded.get(f"/v1/lobby?joining=any&limit=2{cursor}", headers=OURS))
            found.append([game["id"] for game in page["games"]])
            if page["next"] is None:
                break
            cursor = f"&cursor={page['next']}"
        assert found == [newest[:2], newest[2:]]

    def test_refusals(self, guarded: FlaskClient) -> None:
        """Each app sees its own games, public ones too; a stranger and a seat see none; bad parameters are named."""
        game = created(guarded, visibility="public")
        assert json_of(guarded.get("/v1/lobby?joining=any", headers=THEIRS)) == {"games": [], "next": None}
        assert code_of(guarded.get("/v1/lobby")) == (401, "unauthorized")
        seat = bearer(game["seats"][0]["token"])
        assert code_of(guarded.get("/v1/lobby", headers=seat)) == (403, "forbidden")
        for query in ("joining=closed", "limit=0", "limit=101", "cursor=x", "status=waiting"):
            answer = guarded.get(f"/v1/lobby?{query}", headers=OURS)
            assert errors_of(answer) == [query.partition("=")[0]]


def newness(game: Json) -> tuple[int, str]:
    """Games of the same millisecond stand by their ids."""
    return milliseconds_of(game["created_at"]), game["id"]


def test_a_seat_is_handed_over(guarded: FlaskClient) -> None:
    """By the seat or the app, which the event names; the former token is of no use from then on."""
    game = created(guarded, seats=PEOPLE, visibility="public", options={"first_seat": "random"}, rated=True)
    path, former = game["links"]["self"], bearer(game["seats"][0]["token"])
    answer = guarded.post(f"{path}/seats/0/hand-over", json={"player": "zoe"}, headers=former)
    assert (answer.status_code, answer.headers["Cache-Control"]) == (201, "no-store")
    seat = json_of(answer)
    assert (seat["player"], seat["kind"]) == ("zoe", "human")
    assert code_of(guarded.get(path, headers=former)) == (401, "unauthorized")
    view = json_of(guarded.get(path, headers=bearer(seat["token"])))
    assert (view["viewer"], view["rated"], view["seats"][0]["player"]) == (0, True, "zoe")
    event = json_of(guarded.get(f"{path}/events"))["events"][-1]
    assert (event["type"], event["seat"], event["redacted"]) == ("seat_handed_over", 0, [])
    assert event["data"] == {"app": None, "player": seat["player_id"]}
    assert guarded.post(f"{path}/seats/1/hand-over", json={"player": "yan"}, headers=OURS).status_code == 201
    event = json_of(guarded.get(f"{path}/events"))["events"][-1]
    assert (event["seat"], event["data"]["app"]) == (1, "ours")
