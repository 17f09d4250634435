"""Takebacks over HTTP: who may ask and answer, what everybody is told, and why not."""

from typing import Any

import pytest
from flask.testing import FlaskClient

from events.use_cases.application import Application
from tests.service.table import Json, code_of, json_of

PEOPLE = [{"kind": "human", "player": name} for name in ("ada", "bo", "cy")]
BOT = {"kind": "bot", "bot": "greedy"}


class Taken:
    """A game in which seat 0 has moved, by which nobody has learnt anything."""

    def __init__(self, client: FlaskClient, seats: list[Json], **wanted: Any) -> None:
        self.client = client
        body = {"game": "migo", "seats": seats, "options": {"first_seat": 0}} | wanted
        self.game = json_of(client.post("/v1/games", json=body))
        self.path = self.game["links"]["self"]
        moves = json_of(client.get(f"{self.path}/legal-moves", headers=self.held(0)))["moves"]
        self.before = self.view()
        answer = client.post(f"{self.path}/moves", json=moves[0], headers=self.held(0))
        assert answer.status_code == 201, answer.text

    def held(self, seat: int | None) -> dict[str, str]:
        return {} if seat is None else {"Authorization": f"Bearer {self.game['seats'][seat]['token']}"}

    def say(self, seat: int | None, body: Any = None, **headers: str) -> Any:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.client.post(f"{self.path}/takeback", json=body, headers=self.held(seat) | named)

    def look(self, seat: int | None) -> Json:
        answer = self.client.get(f"{self.path}/takeback", headers=self.held(seat))
        assert answer.status_code == 200, answer.text
        return json_of(answer)

    def view(self) -> Json:
        return json_of(self.client.get(self.path, headers=self.held(0)))

    def types(self) -> list[str]:
        events = json_of(self.client.get(f"{self.path}/events", headers=self.held(0)))["events"]
        return [event["type"] for event in events]


def types_of(answer: Any) -> list[str]:
    assert answer.status_code == 200, answer.text
    return [event["type"] for event in json_of(answer)["events"]]


def test_one_asks_and_the_other_agrees(client: FlaskClient) -> None:
    """The answer has the events, the game as it is then, and its version as an ETag."""
    game = Taken(client, PEOPLE[:2])
    assert game.look(0)["may_ask"]
    asked = game.say(0)
    assert types_of(asked) == ["takeback_requested"]
    assert game.look(1) | {"version": 0} == {
        "version": 0,
        "asked_by": 0,
        "to_version": game.before["version"],
        "agreed": [],
        "missing": [1],
        "may_ask": False,
        "refusal": None,
        "left": 19,
    }
    agreed = game.say(1, {"agree": True})
    assert types_of(agreed) == ["takeback_answered", "moves_taken_back"]
    after = game.view()
    assert json_of(agreed)["version"] == after["version"]
    assert agreed.headers["ETag"] == f'"{after["version"]}"'
    for same in ("state", "turn", "to_act", "status", "rated", "seats"):
        assert after[same] == game.before[same], same


def test_a_refusal_ends_it(client: FlaskClient) -> None:
    game = Taken(client, PEOPLE)
    game.say(0)
    assert types_of(game.say(2, {"agree": True})) == ["takeback_answered"]
    assert types_of(game.say(1, {"agree": False})) == ["takeback_answered"]
    assert code_of(game.say(1, {"agree": True})) == (409, "nothing-to-take-back")
    assert game.look(1)["asked_by"] is None


def test_an_answer_to_another_request(client: FlaskClient) -> None:
    """A word that comes late does not agree to what is asked by then."""
    game = Taken(client, PEOPLE[:2])
    game.say(0)
    asked = game.look(1)["to_version"]
    before = game.types()
    late = game.say(1, {"agree": True, "to_version": asked + 1})
    assert code_of(late) == (409, "nothing-to-take-back")
    assert f"version {asked}" in json_of(late)["detail"]
    assert game.types() == before
    assert types_of(game.say(1, {"agree": True, "to_version": asked}))[-1] == "moves_taken_back"


def test_whoever_has_said_so_before_changes_nothing(client: FlaskClient) -> None:
    game = Taken(client, PEOPLE)
    game.say(0)
    before = game.types()
    assert types_of(game.say(0)) == []
    assert game.types() == before


def test_a_request_that_is_sent_again_is_answered_the_same(client: FlaskClient) -> None:
    game = Taken(client, PEOPLE[:2])
    game.say(0)
    first = game.say(1, {"agree": True}, Idempotency_Key="k1")
    again = game.say(1, {"agree": True}, Idempotency_Key="k1")
    assert json_of(first) == json_of(again)
    assert code_of(game.say(1, {"agree": False}, Idempotency_Key="k1")) == (422, "idempotency-mismatch")
    assert game.types().count("moves_taken_back") == 1


def test_against_a_bot(client: FlaskClient, application: Application) -> None:
    """At once, if it has not moved; then there is nothing to take back."""
    game = Taken(client, [PEOPLE[0], BOT])
    assert types_of(game.say(0)) == ["takeback_requested", "moves_taken_back"]
    assert code_of(game.say(0)) == (409, "nothing-to-take-back")


def test_what_was_learnt(client: FlaskClient) -> None:
    """A card was drawn: the refusal names the event."""
    game = json_of(client.post("/v1/games", json={"seats": PEOPLE[:2], "options": {"first_seat": 0}}))
    path, held = game["links"]["self"], {"Authorization": f"Bearer {game['seats'][0]['token']}"}
    client.post(f"{path}/moves", json={"type": "exchange"}, headers=held)
    refused = client.post(f"{path}/takeback", headers=held)
    assert code_of(refused) == (409, "something-was-learnt")
    assert json_of(refused)["learnt_by"] == "hand_exchanged"
    seen = json_of(client.get(f"{path}/takeback", headers=held))
    assert (seen["may_ask"], seen["refusal"]) == (False, "something-was-learnt")


def test_who_may(client: FlaskClient) -> None:
    """Seats only; others learn nothing of a private game, and may look at a public one."""
    game = Taken(client, PEOPLE[:2], visibility="private")
    assert code_of(game.say(None)) == (401, "unauthorized")
    assert client.get(f"{game.path}/takeback").status_code == 404
    public = Taken(client, PEOPLE[:2], visibility="public")
    assert public.look(None)["may_ask"] is False
    elsewhere = client.post(f"{public.path}/takeback", headers=game.held(0))
    assert elsewhere.status_code in (401, 403)


@pytest.mark.parametrize(
    "body",
    [
        {"agree": "yes"},
        {"agree": 1},
        {"agreed": True},
        [],
        "yes",
        {"to_version": 4},
        {"agree": True, "to_version": "4"},
        {"agree": True, "to_version": -1},
    ],
)
def test_bad_words(client: FlaskClient, body: Any) -> None:
    game = Taken(client, PEOPLE[:2])
    before = game.types()
    assert game.say(0, body).status_code == 422
    assert game.types() == before


def test_the_game_is_still_rated(client: FlaskClient) -> None:
    """Everybody has agreed, and the events tell it."""
    game = Taken(client, PEOPLE[:2])
    game.say(0)
    game.say(1, {"agree": True})
    assert game.view()["rated"]
