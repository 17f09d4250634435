"""Players over HTTP: names and ids, who may see and erase whom, and that a name is shown from nowhere else."""

import logging
from hashlib import sha256
from typing import Any

import pytest
from flask.testing import FlaskClient

from events.redis.connections.client import RedisClient
from events.runtime import bootstrap
from events.runtime.settings import Settings
from events.use_cases.application import Application
from tests.events.dump import holding
from tests.service.conftest import NewService
from tests.service.recording import AllThere
from tests.service.table import Json, code_of, json_of, new_game
from tests.service.thinking import Worker

NAME = "Ada Lovelace"
SEATS = [{"kind": "human", "player": NAME}, {"kind": "open"}]
NOBODY = "/v1/players/pl_" + "0" * 20
KEYS = {"ours": "key-of-ours", "theirs": "key-of-theirs"}


@pytest.fixture
def guarded(settings: Settings, new_service: NewService) -> FlaskClient:
    """A service with app keys."""
    hashes = {app: sha256(key.encode()).hexdigest() for app, key in KEYS.items()}
    known = Settings(redis_url=settings.redis_url, queue_url=settings.queue_url, app_keys=hashes)
    return new_service(known, bootstrap.application(known), AllThere()).test_client()


def bearer(token: str) -> dict[str, str]:
    """The header that lets somebody in."""
    return {"Authorization": f"Bearer {token}"}


def address(seat: Json) -> str:
    """Where a seat's player is."""
    return f"/v1/players/{seat['player_id']}"


class TestLooking:
    """GET /v1/players/{id}."""

    def test_all_that_is_kept_of_a_player(self, client: FlaskClient) -> None:
        """The name, since when, and where the games are."""
        game = new_game(client, seats=SEATS)
        answer = client.get(address(game["seats"][0]))
        assert answer.headers["Cache-Control"] == "no-store"
        player = json_of(answer)
        links = player.pop("links")
        assert player == {
            "player_id": game["seats"][0]["player_id"],
            "player": NAME,
            "created_at": game["created_at"],
            "ratings": [],
            "recent_games": {"game_ids": [game["id"]], "next": None},
        }
        assert client.get(links["self"]).status_code == 200
        assert [line["id"] for line in json_of(client.get(links["games"]))["games"]] == [game["id"]]

    def test_the_same_name_is_the_same_player(self, client: FlaskClient) -> None:
        """At creation and on taking a seat."""
        game = new_game(client, seats=SEATS)
        other = new_game(client, seats=[{"kind": "open"}, {"kind": "human", "player": "bob"}])
        taken = json_of(client.post(f"{other['links']['self']}/seats/0", json={"player": NAME}))
        assert taken["player"] == NAME
        assert taken["player_id"] == game["seats"][0]["player_id"] != other["seats"][1]["player_id"]

    def test_events_hold_ids(self, client: FlaskClient) -> None:
        """Views and listings show the name beside the id."""
        game = new_game(client, seats=SEATS, visibility="public")
        taken = json_of(client.post(f"{game['links']['self']}/seats/1", json={"player": "bob"}))
        created, sat_down, *_ = json_of(client.get(game["links"]["events"]))["events"]
        assert created["data"]["seats"][0]["player"] == game["seats"][0]["player_id"]
        assert sat_down["data"]["player"] == taken["player_id"]
        expected = [
            {"seat": 0, "kind": "human", "player": NAME, "player_id": game["seats"][0]["player_id"]},
            {"seat": 1, "kind": "human", "player": "bob", "player_id": taken["player_id"]},
        ]
        assert json_of(client.get(game["links"]["self"]))["seats"] == expected

    @pytest.mark.parametrize("name", ["pl_" + "0" * 20, "pl_abcdefghij0123456789"])
    def test_a_name_in_the_form_of_an_id_is_refused(self, client: FlaskClient, name: str) -> None:
        """Nobody could tell them apart."""
        answer = client.post(
            "/v1/games", json={"seats": [{"kind": "human", "player": name}, {"kind": "open"}]}
        )
        assert code_of(answer) == (422, "validation-error")
        assert list(json_of(answer)["errors"]) == ["seats.0.player"]

    @pytest.mark.parametrize("path", ["/v1/players/ada", "/v1/players/pl_", "/v1/players/PL_" + "0" * 20])
    def test_what_is_no_id_is_not_found(self, client: FlaskClient, path: str) -> None:
        """Without asking the store."""
        assert code_of(client.get(path)) == (404, "not-found")
        assert code_of(client.delete(path)) == (404, "not-found")


class TestErasing:
    """DELETE /v1/players/{id}."""

    def test_the_name_is_gone_and_the_id_stays(self, client: FlaskClient) -> None:
        """In views, in listings, in the list of the player's games."""
        game = new_game(client, seats=SEATS, visibility="public")
        seat, view = game["seats"][0], game["links"]["self"]
        answer = client.delete(address(seat))
        assert (answer.status_code, answer.data) == (204, b"")
        assert json_of(client.get(view))["seats"][0] == {**withheld(seat), "player": None}
        (line,) = json_of(client.get(f"/v1/games?player={seat['player_id']}"))["games"]
        assert line["seats"][0]["player"] is None
        assert json_of(client.get(f"/v1/games?player={NAME}"))["games"] == []

    def test_a_repeat_finds_nobody(self, client: FlaskClient) -> None:
        """Nothing is left that could tell that there was somebody."""
        player = address(new_game(client, seats=SEATS)["seats"][0])
        assert client.delete(player).status_code == 204
        for answer in (client.delete(player), client.get(player)):
            assert code_of(answer) == (404, "not-found")
            assert json_of(answer) == json_of(client.get(NOBODY))

    def test_the_game_goes_on(self, client: FlaskClient) -> None:
        """The token is the seat's, not the name's; and the same name is somebody new."""
        game = new_game(client, seats=SEATS)
        seat, token = game["seats"][0], bearer(game["seats"][0]["token"])
        client.post(f"{game['links']['self']}/seats/1", json={"player": "bob"})
        client.delete(address(seat))
        moved = client.post(game["links"]["moves"], json={"type": "exchange"}, headers=token)
        assert moved.status_code == 201
        assert json_of(moved)["game"]["seats"][0]["player"] is None
        assert new_game(client, seats=SEATS)["seats"][0]["player_id"] != seat["player_id"]

    def test_a_finished_game_verifies_afterwards(self, client: FlaskClient) -> None:
        """Not one event has changed, so the chain is what it was."""
        game = new_game(client, seats=SEATS, visibility="public")
        client.post(f"{game['links']['self']}/seats/1", json={"player": "bob"})
        client.post(
            game["links"]["moves"], json={"type": "resign"}, headers=bearer(game["seats"][0]["token"])
        )
        before = json_of(client.get(game["links"]["events"]))
        client.delete(address(game["seats"][0]))
        assert json_of(client.get(game["links"]["events"])) == before

    def test_only_the_players_app_may(self, guarded: FlaskClient) -> None:
        """For everybody else there is no such player, and there never was."""
        ours, theirs = bearer(KEYS["ours"]), bearer(KEYS["theirs"])
        game = json_of(guarded.post("/v1/games", json={"seats": SEATS, "visibility": "public"}, headers=ours))
        player, seat = address(game["seats"][0]), bearer(game["seats"][0]["token"])
        for act in (guarded.get, guarded.delete):
            assert json_of(act(player, headers=theirs)) == json_of(act(NOBODY, headers=theirs))
            for path in (player, NOBODY):
                assert code_of(act(path, headers=theirs)) == (404, "not-found")
                assert code_of(act(path, headers=seat)) == (403, "forbidden")
                assert code_of(act(path)) == (401, "unauthorized")
        assert json_of(guarded.get(player, headers=ours))["player"] == NAME
        assert guarded.delete(player, headers=ours).status_code == 204

    def test_players_from_before_there_were_app_keys(
        self, client: FlaskClient, settings: Settings, new_service: NewService
    ) -> None:
        """They are the app `anonymous`'s, for which a key can be made."""
        player = address(new_game(client, seats=SEATS)["seats"][0])
        hashes = {"anonymous": sha256(b"key").hexdigest()}
        known = Settings(redis_url=settings.redis_url, queue_url=settings.queue_url, app_keys=hashes)
        keyed = new_service(known, bootstrap.application(known), AllThere()).test_client()
        assert code_of(keyed.delete(player)) == (401, "unauthorized")
        assert keyed.delete(player, headers=bearer("key")).status_code == 204

    def test_a_name_that_a_stranger_gave_belongs_to_the_games_app(self, guarded: FlaskClient) -> None:
        """Whoever takes a seat of a public game; the app is who is asked to erase it."""
        ours = bearer(KEYS["ours"])
        game = json_of(guarded.post("/v1/games", json={"seats": SEATS, "visibility": "public"}, headers=ours))
        taken = json_of(guarded.post(f"{game['links']['self']}/seats/1", json={"player": "bob"}))
        assert guarded.delete(address(taken), headers=ours).status_code == 204


def test_a_name_is_nowhere_but_in_the_sealed_record(
    client: FlaskClient,
    application: Application,
    settings: Settings,
    worker: Worker,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Not in any key of the store, while bots think about a question too, and not in the log."""
    caplog.set_level(logging.DEBUG)
    link = RedisClient.to(settings.redis_url or "", 5.0)
    seats = [{"kind": "human", "player": NAME}, {"kind": "human", "player": "Bo Peep"}]
    game = new_game(client, seats=seats, visibility="public")
    token = bearer(game["seats"][0]["token"])
    view = json_of(client.get(game["links"]["self"], headers=token))
    history: list[Any] = json_of(client.get(game["links"]["events"], headers=token))["events"]
    history[0]["data"]["seats"][0]["player"] = NAME  # as in events of former releases
    assert NAME in str(view)
    worker.busy = True
    asked = {"view": view, "history": history, "seed": "0" * 16}
    question = client.post("/v1/bots/ismcts/choose", json=asked, headers={"Prefer": "respond-async"})
    assert question.status_code == 202
    assert holding(link, NAME.encode()) == []
    worker.busy = False
    worker.catch_up()
    assert json_of(client.get(question.headers["Location"]))["bot"] == "ismcts"
    assert client.get(f"{game['links']['self']}/hint?bot=greedy", headers=token).status_code == 200
    client.post(game["links"]["moves"], json={"type": "exchange"}, headers=token)
    client.post(game["links"]["moves"], json={"type": "resign"}, headers=bearer(game["seats"][1]["token"]))
    application.bot_turns.score_game(game["id"])
    application.listing.update(game["id"])
    client.get(f"/v1/games?player={NAME}")
    for name in (NAME, "Bo Peep"):
        assert holding(link, name.encode()) == []
        assert name not in caplog.text


class TestBeforeSittingDown:
    """GET /v1/games/{id}/seats/{seat}."""

    def test_the_commitment_can_be_seen_before_a_client_seed_is_chosen(self, client: FlaskClient) -> None:
        """Of a private game too, which may not be looked at; once it runs the seat is as private as the game."""
        game = new_game(client, seats=[{"kind": "human", "client_seed": "geese"}, {"kind": "open"}])
        path = game["links"]["self"]
        assert code_of(client.get(path)) == (404, "not-found")
        seat = json_of(client.get(f"{path}/seats/1"))
        assert (seat["kind"], seat["status"], seat["version"]) == ("open", "waiting", 1)
        assert seat["fairness"] == {
            "commitment": game["fairness"]["commitment"], "server_seed": None, "client_seeds": ["geese", None],
            "signature": None,
        }  # fmt: skip
        taken = client.post(f"{path}/seats/1", json={"player": "bob", "client_seed": "teals"})
        assert code_of(client.get(f"{path}/seats/1")) == (404, "not-found")
        view = json_of(client.get(path, headers=bearer(json_of(taken)["token"])))
        assert view["fairness"]["client_seeds"] == ["geese", "teals"]

    def test_whoever_creates_a_game_can_choose_a_client_seed_last(self, client: FlaskClient) -> None:
        """By leaving the own seat open, and taking it when the commitment is known; against a bot too."""
        game = new_game(client, seats=[{"kind": "open"}, {"kind": "bot", "bot": "greedy"}])
        assert (game["status"], game["version"]) == ("waiting", 1)
        path = game["links"]["self"]
        taken = json_of(client.post(f"{path}/seats/0", json={"player": "ada", "client_seed": "geese"}))
        assert taken["status"] == "playing"
        view = json_of(client.get(path, headers=bearer(taken["token"])))
        assert view["fairness"]["commitment"] == game["fairness"]["commitment"]
        assert view["fairness"]["client_seeds"] == ["geese", None]

    def test_who_may_not_sit_down_may_not_look(self, guarded: FlaskClient) -> None:
        """A private game of an app is the app's, which passes on what it likes."""
        ours, seats = bearer(KEYS["ours"]), [{"kind": "human"}, {"kind": "open"}]
        game = json_of(guarded.post("/v1/games", json={"seats": seats}, headers=ours))["links"]["self"]
        for headers in ({}, bearer(KEYS["theirs"])):
            assert code_of(guarded.get(f"{game}/seats/1", headers=headers)) == (404, "not-found")
        assert guarded.get(f"{game}/seats/1", headers=ours).status_code == 200

    def test_a_seat_that_is_not_there(self, client: FlaskClient) -> None:
        """And one of a game that is not there."""
        game = new_game(client, seats=SEATS)["links"]["self"]
        for path in (f"{game}/seats/2", f"{game}/seats/999", f"/v1/games/{'0' * 22}/seats/0"):
            assert code_of(client.get(path)) == (404, "not-found")


def withheld(seat: Json) -> Json:
    """A new seat without its token."""
    return {name: value for name, value in seat.items() if name != "token"}


class TestGuests:
    """Whoever takes a seat without the app's key may call itself anything, and is told nothing by that."""

    @pytest.fixture
    def ada(self, guarded: FlaskClient) -> Json:
        """A player of an app, who has played in a private game only."""
        answer = guarded.post("/v1/games", json={"seats": SEATS}, headers=bearer(KEYS["ours"]))
        seat: Json = json_of(answer)["seats"][0]
        return seat

    @staticmethod
    def waiting(guarded: FlaskClient) -> Json:
        """A public game of that app which anybody may join."""
        wanted = {"seats": [{"kind": "open"}, {"kind": "human", "player": "bo"}], "visibility": "public"}
        return json_of(guarded.post("/v1/games", json=wanted, headers=bearer(KEYS["ours"])))

    @pytest.mark.parametrize("who", ["nobody", "another app", "another seat"])
    def test_a_guessed_name_confirms_nothing(self, guarded: FlaskClient, ada: Json, who: str) -> None:
        """Neither by the id nor by anything else: a name that nobody has is answered alike."""
        told = []
        for name in (NAME, "Nobody Atall"):
            game = self.waiting(guarded)
            path = f"{game['links']['self']}/seats/0"
            token = {"nobody": {}, "another app": bearer(KEYS["theirs"])}.get(who)
            headers = bearer(game["seats"][1]["token"]) if token is None else token
            answer = guarded.post(path, json={"player": name}, headers=headers)
            taken = json_of(answer)
            assert taken["player_id"] != ada["player_id"]
            assert taken["player"] == name
            for shown in (game["links"]["self"], game["links"]["events"]):
                assert ada["player_id"] not in guarded.get(shown).text
            told.append(
                (
                    answer.status_code,
                    sorted(taken),
                    {n: len(str(v)) for n, v in taken.items() if n != "player"},
                )
            )
        assert told[0] == told[1]

    def test_nothing_is_gained_under_the_name(
        self, guarded: FlaskClient, ada: Json, application: Application
    ) -> None:
        """The player's games are the player's; the app finds the guest's by the guest's id."""
        game, ours = self.waiting(guarded), bearer(KEYS["ours"])
        path = f"{game['links']['self']}/seats/0"
        guest = json_of(guarded.post(path, json={"player": NAME}))
        application.listing.update(game["id"])
        for player, expected in ((NAME, False), (ada["player_id"], False), (guest["player_id"], True)):
            listed = json_of(guarded.get("/v1/games", query_string={"player": player}, headers=ours))["games"]
            assert (game["id"] in [line["id"] for line in listed]) is expected
        again = self.waiting(guarded)
        second = json_of(guarded.post(f"{again['links']['self']}/seats/0", json={"player": NAME}))
        assert second["player_id"] not in (guest["player_id"], ada["player_id"])

    def test_the_apps_word_is_taken(self, guarded: FlaskClient, ada: Json) -> None:
        """With its key the name is its player's."""
        game = self.waiting(guarded)
        path = f"{game['links']['self']}/seats/0"
        taken = json_of(guarded.post(path, json={"player": NAME}, headers=bearer(KEYS["ours"])))
        assert taken["player_id"] == ada["player_id"]

    def test_guests_are_erased_like_players(
        self, guarded: FlaskClient, ada: Json, application: Application
    ) -> None:
        """By the game's app, which finds the id in the game; the app's own player of that name stays."""
        game, ours = self.waiting(guarded), bearer(KEYS["ours"])
        guarded.post(f"{game['links']['self']}/seats/0", json={"player": NAME})
        application.listing.update(game["id"])
        lines = json_of(guarded.get("/v1/games", headers=ours))["games"]
        ids = {seat["player_id"] for line in lines for seat in line["seats"] if seat.get("player") == NAME}
        (guest,) = ids - {ada["player_id"]}
        assert code_of(guarded.delete(f"/v1/players/{guest}", headers=bearer(KEYS["theirs"])))[0] == 404
        assert json_of(guarded.get(f"/v1/players/{guest}", headers=ours))["player"] == NAME
        assert guarded.delete(f"/v1/players/{guest}", headers=ours).status_code == 204
        assert json_of(guarded.get(game["links"]["self"]))["seats"][0]["player"] is None
        assert guarded.get(address(ada), headers=ours).status_code == 200
