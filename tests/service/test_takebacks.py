"""Takebacks over HTTP: who may ask and answer, what everybody is told, and why not."""

from typing import Any

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.service.table import PEOPLE, Json, bearer, code_of, json_of, new_game

NOTHING = (409, "nothing-to-take-back")


class Taken:
    """A game in which seat 0 has moved, by which nobody has learnt anything."""

    def __init__(self, client: FlaskClient, seats: list[Json], **wanted: Any) -> None:
        self.client = client
        self.game = new_game(client, game="migo", seats=seats, options={"first_seat": 0}, **wanted)
        self.path = self.game["links"]["self"]
        moves = json_of(client.get(f"{self.path}/legal-moves", headers=self.held(0)))["moves"]
        self.before = self.view()
        answer = client.post(f"{self.path}/moves", json=moves[0], headers=self.held(0))
        assert answer.status_code == 201, answer.text

    def held(self, seat: int | None) -> dict[str, str]:
        return bearer(None if seat is None else self.game["seats"][seat]["token"])

    def say(self, seat: int | None, body: Any = None, **headers: str) -> TestResponse:
        return self.client.post(f"{self.path}/takeback", json=body, headers=self.held(seat) | headers)

    def look(self, seat: int | None) -> Json:
        answer = self.client.get(f"{self.path}/takeback", headers=self.held(seat))
        assert answer.status_code == 200, answer.text
        return json_of(answer)

    def view(self) -> Json:
        return json_of(self.client.get(self.path, headers=self.held(0)))

    def types(self) -> list[str]:
        events = json_of(self.client.get(f"{self.path}/events", headers=self.held(0)))["events"]
        return [event["type"] for event in events]


def types_of(answer: TestResponse) -> list[str]:
    assert answer.status_code == 200, answer.text
    return [event["type"] for event in json_of(answer)["events"]]


def test_one_asks_and_the_other_agrees(client: FlaskClient) -> None:
    """The answer has the events, the game as it is then, and its version as an ETag; the game counts or not as before.

    A request that is sent again is answered the same.
    """
    game = Taken(client, PEOPLE)
    assert game.look(0)["may_ask"]
    asked = game.say(0)
    assert types_of(asked) == ["takeback_requested"]
    assert json_of(asked)["game"]["turn_version"] == json_of(asked)["version"] - 1
    assert types_of(game.say(0)) == []  # it was said before
    assert game.look(1) | {"version": 0} == {
        "version": 0,
        "asked_by": 0,
        "to_version": game.before["version"],
        "agreed": [],
        "missing": [1],
        "may_ask": False,
        "refusal": None,
        "left": 20,
    }
    keyed = {"Idempotency-Key": "k1"}
    agreed = game.say(1, {"agree": True}, **keyed)
    assert types_of(agreed) == ["takeback_answered", "moves_taken_back"]
    after = game.view()
    assert after["unrated_because"] == "first_seat"  # and no takeback
    assert json_of(agreed)["version"] == after["version"] == after["turn_version"]
    assert json_of(asked)["game"]["last_move"]["seat"] == 0
    assert after["last_move"] is None
    assert agreed.headers["ETag"] == f'"{after["version"]}"'
    for same in ("state", "turn", "to_act", "status", "rated", "seats"):
        assert after[same] == game.before[same], same
    assert json_of(game.say(1, {"agree": True}, **keyed)) == json_of(agreed)
    assert code_of(game.say(1, {"agree": False}, **keyed)) == (422, "idempotency-mismatch")
    assert game.types()[-3:] == ["takeback_requested", "takeback_answered", "moves_taken_back"]


def test_an_answer_to_another_request(client: FlaskClient) -> None:
    """A late answer to one request does not agree to another one that is open by then."""
    game = Taken(client, PEOPLE)
    game.say(0)
    asked = game.look(1)["to_version"]
    before = game.types()
    late = game.say(1, {"agree": True, "to_version": asked + 1})
    assert code_of(late) == NOTHING
    assert f"version {asked}" in json_of(late)["detail"]
    assert game.types() == before
    assert types_of(game.say(1, {"agree": True, "to_version": asked}))[-1] == "moves_taken_back"


def test_refusals(client: FlaskClient) -> None:
    """Only seats say anything; others learn nothing of a private game, and may look at a public one."""
    game = Taken(client, PEOPLE, visibility="private")
    assert code_of(game.say(None)) == (401, "unauthorized")
    assert code_of(client.get(f"{game.path}/takeback")) == (404, "not-found")
    public = Taken(client, PEOPLE, visibility="public")
    assert public.look(None)["may_ask"] is False
    elsewhere = client.post(f"{public.path}/takeback", headers=game.held(0))
    assert code_of(elsewhere) == (403, "forbidden")
    before = game.types()
    bad: list[Any] = [[], "yes", {"agree": "yes"}, {"agree": 1}, {"agreed": True}, {"to_version": 4}]
    bad += [{"agree": True, "to_version": version} for version in ("4", -1)]
    for body in bad:
        assert code_of(game.say(0, body)) == (422, "validation-error"), body
    assert game.types() == before
