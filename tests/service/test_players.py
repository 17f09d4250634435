"""Players over HTTP: names and ids, who may see and erase whom, and that a name is shown from nowhere else."""

import logging
from typing import Any

import pytest
from flask.testing import FlaskClient

from events.application import Application
from events.runtime.settings import Settings
from events.store.link import link_to
from tests.events.dump import holding
from tests.service.table import OURS, THEIRS, WITH_OPEN, Json, bearer, code_of, errors_of, json_of, new_game
from tests.service.thinking import Worker

NAME = "Ada Lovelace"
SEATS = [{"kind": "human", "player": NAME}, {"kind": "open"}]
OTHER = [{"kind": "open"}, {"kind": "human", "player": "bo"}]
NOBODY = "/v1/players/pl_" + "0" * 20


def address(seat: Json) -> str:
    """The URL of a seat's player."""
    return f"/v1/players/{seat['player_id']}"


def sit(client: FlaskClient, game: Json, player: str, headers: Any = None, **more: str) -> Json:
    """Take the open seat of a new game; the seat."""
    number = next(seat["seat"] for seat in game["seats"] if seat["kind"] == "open")
    path = f"{game['links']['self']}/seats/{number}"
    answer = client.post(path, json={"player": player} | more, headers=headers)
    assert answer.status_code == 201, answer.text
    return json_of(answer)


def listed(client: FlaskClient, player: str, headers: Any = None) -> list[Json]:
    """The games of a player, by name or id."""
    answer = client.get("/v1/games", query_string={"player": player}, headers=headers)
    games: list[Json] = json_of(answer)["games"]
    return games


class TestLooking:
    """GET /v1/players/{id}."""

    def test_a_player(self, client: FlaskClient) -> None:
        """The name, since when, and where the games are; the same name is the same player, on a seat taken too."""
        game = new_game(client, seats=SEATS, visibility="public")
        answer = client.get(address(game["seats"][0]))
        assert answer.headers["Cache-Control"] == "no-store"
        player = json_of(answer)
        links = player.pop("links")
        assert player == {
            "player_id": game["seats"][0]["player_id"],
            "player": NAME,
            "display_name": None,
            "created_at": game["created_at"],
            "ratings": [],
            "recent_games": {"game_ids": [game["id"]], "next": None},
        }
        assert client.get(links["self"]).status_code == 200
        assert [line["id"] for line in json_of(client.get(links["games"]))["games"]] == [game["id"]]
        other = new_game(client, seats=OTHER)
        taken = sit(client, other, NAME)
        assert taken["player"] == NAME
        assert taken["player_id"] == player["player_id"] != other["seats"][1]["player_id"]
        bob = sit(client, game, "bob")
        created, sat_down, *_ = json_of(client.get(game["links"]["events"]))["events"]
        assert created["data"]["seats"][0]["player"] == player["player_id"]
        assert sat_down["data"]["player"] == bob["player_id"]
        ids = (NAME, player["player_id"]), ("bob", bob["player_id"])
        assert json_of(client.get(game["links"]["self"]))["seats"] == [
            {"seat": seat, "kind": "human", "player": name, "player_id": player_id, "connected": False}
            for seat, (name, player_id) in enumerate(ids)
        ]


class TestErasing:
    """DELETE /v1/players/{id}."""

    def test_the_name_is_gone_and_the_id_stays(self, client: FlaskClient) -> None:
        """In views and listings; no event changes, the game goes on, and the same name is somebody new."""
        game = new_game(client, seats=SEATS, visibility="public")
        sit(client, game, "bob")
        seat, player = game["seats"][0], address(game["seats"][0])
        token = bearer(seat["token"])
        before = client.get(game["links"]["events"]).data
        answer = client.delete(player)
        assert (answer.status_code, answer.data) == (204, b"")
        shown = {name: value for name, value in seat.items() if name != "token"} | {"player": None}
        assert json_of(client.get(game["links"]["self"]))["seats"][0] == shown | {"connected": False}
        (line,) = listed(client, seat["player_id"])
        assert line["seats"][0]["player"] is None
        assert listed(client, NAME) == []
        for answer in (client.delete(player), client.get(player)):
            assert code_of(answer) == (404, "not-found")
            assert json_of(answer) == json_of(client.get(NOBODY))
        assert client.get(game["links"]["events"]).data == before
        moved = client.post(game["links"]["moves"], json={"type": "exchange"}, headers=token)
        assert moved.status_code == 201
        assert json_of(moved)["game"]["seats"][0]["player"] is None
        assert new_game(client, seats=SEATS)["seats"][0]["player_id"] != seat["player_id"]


class TestDisplayNames:
    """PATCH /v1/players/{id}, and the look-up by name."""

    def test_it_is_shown_wherever_the_player_is(self, client: FlaskClient) -> None:
        """Beside the name, of games that began before, too; null takes it away."""
        game = new_game(client, seats=SEATS, visibility="public")
        path = address(game["seats"][0])
        changed = client.patch(path, json={"display_name": "Ada  the First "})
        assert json_of(changed) == json_of(client.get(path))
        assert json_of(changed)["display_name"] == "Ada the First"
        again = new_game(client, seats=SEATS, visibility="public")
        for shown in (
            json_of(client.get(game["links"]["self"])),
            again,
            *json_of(client.get("/v1/games"))["games"],
            *json_of(client.get("/v1/lobby"))["games"],
        ):
            assert (shown["seats"][0]["player"], shown["seats"][0]["display_name"]) == (NAME, "Ada the First")
        assert json_of(client.patch(path, json={"display_name": None}))["display_name"] is None
        for wrong in ("", "a\u200bb", 7):
            assert errors_of(client.patch(path, json={"display_name": wrong})) == ["display_name"]
        assert "display_name" not in json_of(client.get(game["links"]["self"]))["seats"][0]

    def test_a_player_is_found_by_name(self, client: FlaskClient) -> None:
        """By every way to write it, and by no other name; a guest is not."""
        game = new_game(client, seats=SEATS)
        found = json_of(client.get("/v1/players", query_string={"player": f" {NAME} "}))["players"]
        assert found == [json_of(client.get(address(game["seats"][0])))]
        assert json_of(client.get("/v1/players?player=nobody")) == {"players": []}
        assert errors_of(client.get("/v1/players")) == ["player"]

    def test_only_the_players_app_may(self, guarded: FlaskClient) -> None:
        """For everybody else there is no such player."""
        game = new_game(guarded, OURS, seats=SEATS, visibility="public")
        path, seat = address(game["seats"][0]), bearer(game["seats"][0]["token"])
        for headers, status in ((THEIRS, 404), (seat, 403), ({}, 401)):
            refused = guarded.patch(path, json={"display_name": "x"}, headers=headers)
            assert refused.status_code == status
        assert json_of(guarded.get(f"/v1/players?player={NAME}", headers=THEIRS)) == {"players": []}
        for headers, status in ((seat, 403), ({}, 401)):
            assert guarded.get(f"/v1/players?player={NAME}", headers=headers).status_code == status
        assert json_of(guarded.get(path, headers=OURS))["display_name"] is None
        assert guarded.patch(NOBODY, json={"display_name": "x"}, headers=OURS).status_code == 404

    def test_it_is_erased_with_the_player(self, client: FlaskClient, settings: Settings) -> None:
        """The display name is erased with the player, for only the sealed record holds it."""
        game = new_game(client, seats=SEATS, visibility="public")
        path = address(game["seats"][0])
        client.patch(path, json={"display_name": "Countess"})
        link = link_to(settings.redis_url or "", 5.0)
        assert holding(link, b"Countess") == []
        assert client.delete(path).status_code == 204
        seat = json_of(client.get(game["links"]["self"]))["seats"][0]
        assert seat["player"] is None
        assert "display_name" not in seat
        assert client.patch(path, json={"display_name": "x"}).status_code == 404


def test_a_name_is_nowhere_but_in_the_sealed_record(
    client: FlaskClient,
    application: Application,
    settings: Settings,
    worker: Worker,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Not in any key of the store, while bots think about a question too, and not in the log."""
    caplog.set_level(logging.DEBUG)
    link = link_to(settings.redis_url or "", 5.0)
    seats = [{"kind": "human", "player": NAME}, {"kind": "human", "player": "Bo Peep"}]
    game = new_game(client, seats=seats, visibility="public")
    token = bearer(game["seats"][0]["token"])
    view = json_of(client.get(game["links"]["self"], headers=token))
    history: list[Any] = json_of(client.get(game["links"]["events"], headers=token))["events"]
    history[0]["data"]["seats"][0]["player"] = NAME  # as somebody may post it
    assert NAME in str(view)
    worker.busy = True
    asked = {"view": view, "history": history, "seed": "0" * 16, "budget": {"iterations": 10}}
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
        commitment = game["fairness"]["commitment"]
        fairness = {"commitment": commitment, "server_seed": None, "signature": None}
        assert seat["fairness"] == fairness | {"client_seeds": ["geese", None]}
        taken = sit(client, game, "bob", client_seed="teals")
        assert code_of(client.get(f"{path}/seats/1")) == (404, "not-found")
        view = json_of(client.get(path, headers=bearer(taken["token"])))
        assert view["fairness"] == fairness | {"client_seeds": ["geese", "teals"]}
        game = new_game(client, seats=[{"kind": "open"}, {"kind": "bot", "bot": "greedy"}])
        assert (game["status"], game["version"]) == ("waiting", 1)
        taken = sit(client, game, "ada", client_seed="geese")
        assert taken["status"] == "playing"
        view = json_of(client.get(game["links"]["self"], headers=bearer(taken["token"])))
        assert view["fairness"]["commitment"] == game["fairness"]["commitment"]
        assert view["fairness"]["client_seeds"] == ["geese", None]

    def test_seats_that_are_not_there(self, guarded: FlaskClient) -> None:
        """A private game of an app is the app's, which passes on what it likes."""
        game = new_game(guarded, OURS, seats=WITH_OPEN)["links"]["self"]
        for headers in ({}, THEIRS):
            assert code_of(guarded.get(f"{game}/seats/1", headers=headers)) == (404, "not-found")
        assert guarded.get(f"{game}/seats/1", headers=OURS).status_code == 200
        for path in (f"{game}/seats/2", f"{game}/seats/999", f"/v1/games/{'0' * 22}/seats/0"):
            assert code_of(guarded.get(path, headers=OURS)) == (404, "not-found")


class TestGuests:
    """Those who take a seat without the app's key may call themselves anything, and are told nothing by that."""

    @pytest.fixture
    def ada(self, guarded: FlaskClient) -> Json:
        """A player of an app, who has played in a private game only."""
        seat: Json = new_game(guarded, OURS, seats=SEATS)["seats"][0]
        return seat

    @staticmethod
    def waiting(guarded: FlaskClient) -> Json:
        """A public game of that app which anybody may join."""
        return new_game(guarded, OURS, seats=OTHER, visibility="public")

    @pytest.mark.parametrize("who", ["nobody", "another app", "another seat"])
    def test_a_guessed_name_confirms_nothing(self, guarded: FlaskClient, ada: Json, who: str) -> None:
        """Neither by the id nor by anything else: a name that nobody has is answered alike."""
        told = []
        for name in (NAME, "Nobody Atall"):
            game = self.waiting(guarded)
            seat = bearer(game["seats"][1]["token"])
            headers = {"nobody": {}, "another app": THEIRS, "another seat": seat}[who]
            taken = sit(guarded, game, name, headers)
            assert taken["player_id"] != ada["player_id"]
            assert taken["player"] == name
            for shown in (game["links"]["self"], game["links"]["events"]):
                assert ada["player_id"] not in guarded.get(shown).text
            told.append({member: len(str(value)) for member, value in taken.items() if member != "player"})
        assert told[0] == told[1]

    def test_nothing_is_gained_under_the_name(
        self, guarded: FlaskClient, ada: Json, application: Application
    ) -> None:
        """The player's games are the player's; the guest's are found by the guest's id; another time it is another."""
        game = self.waiting(guarded)
        guest = sit(guarded, game, NAME)
        application.listing.update(game["id"])
        for player, is_found in ((NAME, False), (ada["player_id"], False), (guest["player_id"], True)):
            assert (game["id"] in [line["id"] for line in listed(guarded, player, OURS)]) is is_found
        second = sit(guarded, self.waiting(guarded), NAME)
        assert second["player_id"] not in (guest["player_id"], ada["player_id"])
        assert sit(guarded, self.waiting(guarded), NAME, OURS)["player_id"] == ada["player_id"]
        (line,) = listed(guarded, guest["player_id"], OURS)
        assert line["seats"][0] == {"seat": 0, "kind": "human", "player": NAME} | {
            "player_id": guest["player_id"]
        }
        assert code_of(guarded.delete(address(guest), headers=THEIRS))[0] == 404
        assert json_of(guarded.get(address(guest), headers=OURS))["player"] == NAME
        assert guarded.delete(address(guest), headers=OURS).status_code == 204
        assert json_of(guarded.get(game["links"]["self"]))["seats"][0]["player"] is None
        assert guarded.get(address(ada), headers=OURS).status_code == 200
