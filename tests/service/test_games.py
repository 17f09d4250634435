"""Games: creating, joining, listing and looking at them."""

from hashlib import sha256

import pytest
from flask.testing import FlaskClient

from events.application import Application
from tests.service.table import (
    FIRST_MOVE,
    KEYS,
    OURS,
    PEOPLE,
    THEIRS,
    WITH_OPEN,
    Table,
    bearer,
    code_of,
    errors_of,
    json_of,
    new_game,
    set_table,
)

BOTS = [{"kind": "bot", "bot": "greedy"}, {"kind": "bot", "bot": "random"}]


class TestCreating:
    """POST /v1/games."""

    def test_everything_has_a_default(self, client: FlaskClient) -> None:
        """An empty body, or none, makes a private game of one human against the bot greedy."""
        for body in (None, b"", b"{}"):
            headers = {"Content-Type": "application/json"} if body else {}
            answer = client.post("/v1/games", data=body, headers=headers)
            assert answer.status_code == 201
            game = json_of(answer)
            assert [(seat["kind"], seat.get("bot")) for seat in game["seats"]] == [
                ("human", None),
                ("bot", "greedy"),
            ]
            assert ["token" in seat for seat in game["seats"]] == [True, False]
            shown = [game[name] for name in ("game", "status", "rated", "visibility")]
            assert shown == ["migrato", "playing", False, "private"]
            assert game["options"]["rules"] == "digital"
            assert answer.headers["Location"] == f"/v1/games/{game['id']}" == game["links"]["self"]
            assert answer.headers["ETag"] == f'"{game["version"]}"'
            assert answer.headers["Cache-Control"] == "no-store"
        token = bearer(game["seats"][0]["token"])
        for name, link in game["links"].items():  # each leads somewhere
            assert client.get(link, headers=token).status_code == (405 if name == "moves" else 200)

    def test_every_option_is_resolved(self, client: FlaskClient) -> None:
        """All that was asked for is in the answer, and all else as well."""
        asked = {"rules": "opla", "return_flight": True, "memory_aid": True, "first_seat": 1, "turn_limit": 9}
        options = new_game(client, options=asked)["options"]
        assert asked.items() <= options.items()
        assert set(options) == {*asked, "movement", "sweep", "turn_cap", "deck_list", "flight_points"}


class TestJoining:
    """POST /v1/games/{id}/seats/{seat}."""

    def test_the_game_starts_with_its_last_open_seat(
        self, client: FlaskClient, application: Application
    ) -> None:
        """The token that comes back plays the seat, and nobody stores it; a seat is taken once."""
        open_seats = [{"kind": "open"}, {"kind": "open"}]
        game = set_table(client, application, seats=open_seats, visibility="public")
        shuffled = new_game(client, seats=WITH_OPEN)
        assert ["token" in seat for seat in shuffled["seats"]] == [True, False]
        seat = json_of(client.get(f"{game.path}/seats/1"))
        assert (seat["setup"], "deck" in seat) == (True, False)
        assert json_of(client.get(f"{shuffled['links']['self']}/seats/1"))["setup"] is False
        first = client.post(f"{game.path}/seats/0", json={"player": "ada", "client_seed": "geese"})
        assert (first.status_code, json_of(first)["status"]) == (201, "waiting")
        assert json_of(game.get())["state"] is None
        second = client.post(f"{game.path}/seats/1", json={"player": "bob"})
        taken = json_of(second)
        told = [taken[name] for name in ("seat", "kind", "player", "status")]
        assert told == [1, "human", "bob", "playing"]
        assert second.headers["Cache-Control"] == "no-store"
        assert second.headers["Location"] == game.path
        assert second.headers["ETag"] == f'"{taken["version"]}"'
        assert code_of(client.post(f"{game.path}/seats/1", json={"player": "eve"})) == (409, "seat-taken")
        token = bearer(json_of(first)["token"])
        assert client.post(f"{game.path}/moves", json=FIRST_MOVE, headers=token).status_code == 201

    def test_private_games(self, client: FlaskClient, guarded: FlaskClient) -> None:
        """Without keys all who know the id may sit down, or watch bots; with keys the app alone."""
        game = new_game(client, seats=WITH_OPEN)["links"]["self"]
        assert code_of(client.get(game)) == (404, "not-found")
        assert client.post(f"{game}/seats/1", json={"player": "bob"}).status_code == 201
        assert client.get(new_game(client, seats=BOTS)["links"]["self"]).status_code == 200
        game = new_game(guarded, OURS, seats=WITH_OPEN)["links"]["self"]
        assert code_of(guarded.post(f"{game}/seats/1", json={"player": "eve"})) == (404, "not-found")
        assert guarded.post(f"{game}/seats/1", json={"player": "bob"}, headers=OURS).status_code == 201
        game = new_game(guarded, OURS, seats=BOTS)["links"]["self"]
        assert code_of(guarded.get(game)) == (404, "not-found")
        assert guarded.get(game, headers=OURS).status_code == 200


class TestLooking:
    """GET /v1/games/{id}."""

    def test_each_sees_what_it_may(self, public: Table) -> None:
        """A seat sees its own hand, a spectator none, all see all once the game is over; earlier versions stay."""
        hands = ["G5d", "G4n", "HUN"], ["K3d", "S3n", "T5d"]
        then = json_of(public.get("?version=2", 0))
        for viewer, shown in ((0, [hands[0], None]), (1, [None, hands[1]]), (None, [None, None])):
            view = json_of(public.get(seat=viewer))
            assert (view["viewer"], view["rated"], view["setup"]) == (viewer, False, True)
            assert [player["hand"] for player in view["state"]["players"]] == shown
            assert [player["hand_size"] for player in view["state"]["players"]] == [3, 3]
            assert view["fairness"]["server_seed"] is None
        public.move(0, {"type": "resign"})
        view = json_of(public.get())
        result = {"winner": 1, "reason": "resigned", "scores": [0, 0], "scored": False, "places": [2, 1]}
        assert (view["status"], view["result"]) == ("finished", result)
        assert [player["hand"] for player in view["state"]["players"]] == list(hands)
        seed = bytes.fromhex(view["fairness"]["server_seed"])
        assert sha256(seed).hexdigest() == view["fairness"]["commitment"]
        answer = public.get("?version=2", 0)
        assert (json_of(answer), answer.headers["ETag"]) == (then, '"2"')
        assert json_of(public.get("?version=1", 0))["state"] is None

    def test_apps(self, guarded: FlaskClient) -> None:
        """An app's key opens its game, but no hand; another app is always told that there is no such game."""
        game = new_game(guarded, OURS, seats=PEOPLE)
        view = json_of(guarded.get(game["links"]["self"], headers=OURS))
        assert view["viewer"] is None
        assert [player["hand"] for player in view["state"]["players"]] == [None, None]
        assert code_of(guarded.get(game["links"]["legal_moves"], headers=OURS)) == (403, "forbidden")
        moved = guarded.post(game["links"]["moves"], json=FIRST_MOVE, headers=OURS)
        assert code_of(moved) == (403, "forbidden")
        for path in (game["links"]["self"], game["links"]["events"]):
            for headers in (THEIRS, {}):
                assert code_of(guarded.get(path, headers=headers)) == (404, "not-found")

    def test_caches_ask_first(self, table: Table) -> None:
        """A view differs by viewer only: Vary says so, and the entity tag tells nothing else."""
        answers = [table.get(seat=seat) for seat in (0, 1)]
        answers.append(table.client.head(table.path, headers=table.bearer(0)))
        for answer in answers:
            named = [answer.headers[name] for name in ("ETag", "Vary", "Cache-Control")]
            assert named == ['"2"', "Authorization, Accept, Origin", "private, no-cache"]
        assert (answer.status_code, answer.data) == (200, b"")
        for tags in ('"2"', 'W/"2"', "*", '"1", W/"2"'):
            answer = table.get(seat=0, If_None_Match=tags)
            assert (answer.status_code, answer.data, answer.headers["ETag"]) == (304, b"", '"2"')
        for tags in ('"1"', '"x"', '"02"'):
            answer = table.get(seat=0, If_None_Match=tags)
            assert (answer.status_code, answer.headers["ETag"], json_of(answer)["version"]) == (200, '"2"', 2)

    @pytest.mark.plain
    def test_waiting(self, table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
        """For the next version, for whom the current one is known; and only where there will be one."""
        waits: list[int] = []

        def wait_for(game_id: str, after: int, seconds: float) -> int:
            waits.append(after)
            return after  # no news

        monkeypatch.setattr(table.application.views, "wait_for", wait_for)
        assert table.get("?wait=30", 0, If_None_Match='"2"').status_code == 304
        assert waits == [2]
        assert table.get("?wait=30", 0).status_code == 200
        assert table.get("?wait=30", 0, If_None_Match='"1"').status_code == 200
        assert table.get("?wait=30&version=1", 0, If_None_Match='"1"').status_code == 304
        table.finish()
        answer = table.get("?wait=30", 0)
        assert json_of(answer)["result"]["scored"] is True
        assert table.get("?wait=30", 0, If_None_Match=answer.headers["ETag"]).status_code == 304
        assert waits == [2]


class TestListing:
    """GET /v1/games."""

    def test_pages(self, client: FlaskClient) -> None:
        """The cursor leads through all of them, once; no line tells a token, a hand or a seed."""
        made = [new_game(client)["id"] for _ in range(5)]
        found: list[str] = []
        cursor: str | None = ""
        while cursor is not None:
            answer = client.get(f"/v1/games?limit=2{cursor and f'&cursor={cursor}'}")
            assert len(json_of(answer)["games"]) <= 2
            found += [game["id"] for game in json_of(answer)["games"]]
            cursor = json_of(answer)["next"]
            assert not any(secret in answer.text for secret in ("token", "hand", "mg_"))
        assert sorted(found) == sorted(made)

    def test_filters(self, client: FlaskClient) -> None:
        """The list is filtered by status, by game and by player."""
        ada = new_game(client, seats=WITH_OPEN)["id"]
        bob = new_game(client, seats=[{"kind": "human", "player": "bob"}, BOTS[0]])["id"]

        def found(query: str) -> list[str]:
            return [game["id"] for game in json_of(client.get(f"/v1/games?{query}"))["games"]]

        assert found("player=ada") == found("status=waiting") == [ada]
        assert found("player=bob") == found("status=playing&game=migrato") == [bob]
        assert found("game=migo") == found("status=finished") == found("player=eve") == []

    def test_my_games(self, guarded: FlaskClient) -> None:
        """One request for a player's screen; private games of an app with a key say whose turn it is, too."""
        game = new_game(guarded, OURS, seats=PEOPLE, options={"first_seat": 0})
        waits = new_game(guarded, OURS, seats=WITH_OPEN)

        def found(query: str) -> list[tuple[str, int | None]]:
            lines = json_of(guarded.get(f"/v1/games?{query}", headers=OURS))["games"]
            return [(line["id"], line["to_act"]) for line in lines]

        assert found("player=ada&order=turn") == [(game["id"], 0), (waits["id"], None)]
        assert found("to_act=ada") == [(game["id"], 0)]
        ada = game["seats"][0]
        moved = guarded.post(
            f"{game['links']['self']}/moves", json={"type": "exchange"}, headers=bearer(ada["token"])
        )
        assert moved.status_code == 201
        (line, _) = json_of(guarded.get("/v1/games?player=ada&order=turn", headers=OURS))["games"]
        view = json_of(guarded.get(game["links"]["self"], headers=OURS))
        assert {name: line[name] for name in line.keys() & view.keys() - {"seats"}} == {
            name: view[name] for name in line.keys() & view.keys() - {"seats"}
        }
        assert errors_of(guarded.get("/v1/games?order=turn", headers=OURS)) == ["order"]
        assert errors_of(guarded.get("/v1/games?to_act=", headers=OURS)) == ["to_act"]

    def test_each_app_lists_its_own(self, guarded: FlaskClient) -> None:
        """Private or public, games of another app are not listed; strangers neither create nor list."""
        game = new_game(guarded, OURS, visibility="public")
        for app, ids in (("ours", [game["id"]]), ("theirs", [])):
            listed = json_of(guarded.get("/v1/games", headers=bearer(KEYS[app])))["games"]
            assert [line["id"] for line in listed] == ids
        for answer in (guarded.get("/v1/games"), guarded.post("/v1/games", json={})):
            assert code_of(answer) == (401, "unauthorized")
