"""Games: creating, joining, listing and looking at them."""

from collections.abc import Callable
from hashlib import sha256

import pytest
from flask.testing import FlaskClient

from events.runtime import bootstrap
from events.runtime.settings import Settings
from events.use_cases.application import Application
from tests.service.conftest import NewService
from tests.service.recording import AllThere
from tests.service.table import FIRST_MOVE, Table, code_of, json_of, new_game, set_table

KEYS = {"ours": "key-of-ours", "theirs": "key-of-theirs"}


@pytest.fixture
def guarded(settings: Settings, new_service: NewService) -> FlaskClient:
    """A service with app keys."""
    hashes = {app: sha256(key.encode()).hexdigest() for app, key in KEYS.items()}
    known = Settings(redis_url=settings.redis_url, queue_url=settings.queue_url, app_keys=hashes)
    return new_service(known, bootstrap.application(known), AllThere()).test_client()


def key(app: str) -> dict[str, str]:
    """The header that lets an app in."""
    return {"Authorization": f"Bearer {KEYS[app]}"}


class TestCreating:
    """POST /v1/games."""

    @pytest.mark.parametrize("body", [None, b"", b"{}"])
    def test_everything_has_a_default(self, client: FlaskClient, body: bytes | None) -> None:
        """An empty body, or none, makes a private rated game of one human against the bot greedy."""
        headers = {"Content-Type": "application/json"} if body else {}
        answer = client.post("/v1/games", data=body, headers=headers)
        assert answer.status_code == 201
        game = json_of(answer)
        assert [seat["kind"] for seat in game["seats"]] == ["human", "bot"]
        assert game["seats"][1]["bot"] == "greedy"
        assert (game["game"], game["status"], game["rated"], game["visibility"]) == (
            "migrato", "playing", False, "private",
        )  # fmt: skip
        assert game["options"]["rules"] == "digital"

    def test_headers(self, client: FlaskClient) -> None:
        """The answer says where the game is and at which version, and is stored by nobody, for it holds a token."""
        answer = client.post("/v1/games", json={})
        game = json_of(answer)
        assert answer.headers["Location"] == f"/v1/games/{game['id']}" == game["links"]["self"]
        assert answer.headers["ETag"] == f'"{game["version"]}"'
        assert answer.headers["Cache-Control"] == "no-store"

    def test_links_lead_somewhere(self, client: FlaskClient) -> None:
        """Every link that can be read can be read with the seat's token."""
        game = new_game(client)
        token = {"Authorization": f"Bearer {game['seats'][0]['token']}"}
        for name, link in game["links"].items():
            expected = 405 if name == "moves" else 200
            assert client.get(link, headers=token).status_code == expected

    def test_only_people_get_tokens(self, client: FlaskClient) -> None:
        """A bot's seat and an open one have none."""
        seats = [{"kind": "human", "player": "ada"}, {"kind": "open"}]
        assert ["token" in seat for seat in new_game(client, seats=seats)["seats"]] == [True, False]
        assert ["token" in seat for seat in new_game(client)["seats"]] == [True, False]

    def test_a_set_up_game_is_marked(self, client: FlaskClient, application: Application) -> None:
        """A game on a given deck is unrated, and everybody can see that it was set up."""
        table = set_table(client, application, visibility="public")
        view = json_of(table.get())
        assert (view["rated"], view["setup"]) == (False, True)

    def test_every_option_is_resolved(self, client: FlaskClient) -> None:
        """What was asked for is in the answer, and all else as well."""
        asked = {"rules": "opla", "return_flight": True, "memory_aid": True, "first_seat": 1, "turn_limit": 9}
        options = new_game(client, options=asked)["options"]
        assert asked.items() <= options.items()
        assert set(options) == {*asked, "movement", "sweep", "turn_cap", "deck_list", "flight_points"}


class TestJoining:
    """POST /v1/games/{id}/seats/{seat}."""

    def test_a_look_at_the_seat_tells_whether_the_deck_was_set_up(
        self, client: FlaskClient, application: Application
    ) -> None:
        """Before anybody relies on the commitment; which deck it is stays hidden."""
        waiting = set_table(
            client, application, seats=[{"kind": "human"}, {"kind": "open"}], visibility="public"
        )
        shuffled = new_game(client, seats=[{"kind": "human"}, {"kind": "open"}], visibility="public")
        assert json_of(client.get(f"{waiting.path}/seats/1"))["setup"] is True
        assert json_of(client.get(f"/v1/games/{shuffled['id']}/seats/1"))["setup"] is False
        assert "deck" not in json_of(client.get(f"{waiting.path}/seats/1"))

    def test_the_game_starts_with_its_last_open_seat(
        self, client: FlaskClient, application: Application
    ) -> None:
        """The token that comes back plays the seat."""
        waiting = set_table(
            client, application, seats=[{"kind": "open"}, {"kind": "open"}], visibility="public"
        )
        first = client.post(f"{waiting.path}/seats/0", json={"player": "ada", "client_seed": "geese"})
        assert first.status_code == 201
        assert json_of(first)["status"] == "waiting"
        assert json_of(waiting.get())["state"] is None
        second = json_of(client.post(f"{waiting.path}/seats/1", json={"player": "bob"}))
        assert (second["seat"], second["kind"], second["player"], second["status"]) == (
            1,
            "human",
            "bob",
            "playing",
        )
        token = {"Authorization": f"Bearer {json_of(first)['token']}"}
        assert client.post(f"{waiting.path}/moves", json=FIRST_MOVE, headers=token).status_code == 201

    def test_headers(self, client: FlaskClient, application: Application) -> None:
        """The answer holds a token: nobody stores it."""
        waiting = set_table(
            client, application, seats=[{"kind": "human"}, {"kind": "open"}], visibility="public"
        )
        answer = client.post(f"{waiting.path}/seats/1", json={"player": "bob"})
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["Location"] == waiting.path
        assert answer.headers["ETag"] == f'"{json_of(answer)["version"]}"'

    def test_the_id_of_a_private_game_invites_where_everybody_is_the_app(
        self, client: FlaskClient, guarded: FlaskClient
    ) -> None:
        """Without app keys whoever knows the id may sit down; with them the app, or whoever holds a seat."""
        seats = {"seats": [{"kind": "human"}, {"kind": "open"}]}
        game = json_of(client.post("/v1/games", json=seats))["links"]["self"]
        assert code_of(client.get(game)) == (404, "not-found")
        assert client.post(f"{game}/seats/1", json={"player": "bob"}).status_code == 201
        game = json_of(guarded.post("/v1/games", json=seats, headers=key("ours")))["links"]["self"]
        assert code_of(guarded.post(f"{game}/seats/1", json={"player": "eve"})) == (404, "not-found")
        assert guarded.post(f"{game}/seats/1", json={"player": "bob"}, headers=key("ours")).status_code == 201

    def test_a_private_game_of_bots_is_its_apps_to_watch(
        self, client: FlaskClient, guarded: FlaskClient
    ) -> None:
        """Nobody holds a token of it: without app keys whoever knows its id may look, with them the app alone."""
        bots = {"seats": [{"kind": "bot", "bot": "greedy"}, {"kind": "bot", "bot": "random"}]}
        game = json_of(client.post("/v1/games", json=bots))["links"]["self"]
        assert client.get(game).status_code == 200
        game = json_of(guarded.post("/v1/games", json=bots, headers=key("ours")))["links"]["self"]
        assert code_of(guarded.get(game)) == (404, "not-found")
        assert guarded.get(game, headers=key("ours")).status_code == 200

    def test_a_seat_is_taken_once(self, client: FlaskClient, application: Application) -> None:
        """The second one is told so."""
        waiting = set_table(
            client, application, seats=[{"kind": "human"}, {"kind": "open"}], visibility="public"
        )
        assert client.post(f"{waiting.path}/seats/1", json={"player": "bob"}).status_code == 201
        assert code_of(client.post(f"{waiting.path}/seats/1", json={"player": "eve"})) == (409, "seat-taken")


class TestLooking:
    """GET /v1/games/{id}."""

    def test_a_seat_sees_its_own_hand_only(self, table: Table) -> None:
        """Hands of others are null."""
        view = json_of(table.get(seat=0))
        assert view["viewer"] == 0
        assert [player["hand"] for player in view["state"]["players"]] == [["G5d", "G4n", "HUN"], None]
        assert [player["hand_size"] for player in view["state"]["players"]] == [3, 3]

    def test_a_spectator_sees_no_hand(self, client: FlaskClient, application: Application) -> None:
        """Neither does the bearer of no token."""
        table = set_table(client, application, visibility="public")
        view = json_of(table.get())
        assert view["viewer"] is None
        assert [player["hand"] for player in view["state"]["players"]] == [None, None]
        assert view["fairness"]["server_seed"] is None

    def test_an_app_sees_what_a_spectator_sees(self, guarded: FlaskClient) -> None:
        """Its key opens the game and no hand."""
        seats = [{"kind": "human"}, {"kind": "human"}]
        game = json_of(guarded.post("/v1/games", json={"seats": seats}, headers=key("ours")))
        view = json_of(guarded.get(game["links"]["self"], headers=key("ours")))
        assert view["viewer"] is None
        assert [player["hand"] for player in view["state"]["players"]] == [None, None]
        assert code_of(guarded.get(game["links"]["legal_moves"], headers=key("ours"))) == (403, "forbidden")
        moved = guarded.post(game["links"]["moves"], json=FIRST_MOVE, headers=key("ours"))
        assert code_of(moved) == (403, "forbidden")

    def test_another_app_sees_nothing(self, guarded: FlaskClient) -> None:
        """A private game of another app is not there, whatever is asked of it."""
        game = json_of(guarded.post("/v1/games", json={}, headers=key("ours")))
        for what in ("", "/events"):
            path = f"{game['links']['self']}{what}"
            assert code_of(guarded.get(path, headers=key("theirs"))) == (404, "not-found")
            assert code_of(guarded.get(path)) == (404, "not-found")

    def test_everybody_sees_everything_once_it_is_over(
        self, client: FlaskClient, application: Application
    ) -> None:
        """Hands, the deck, and the seed of the shuffles."""
        table = set_table(client, application, visibility="public")
        table.move(0, {"type": "resign"})
        view = json_of(table.get())
        assert view["status"] == "finished"
        result = {"winner": 1, "reason": "resigned", "scores": [0, 0], "scored": False, "places": [2, 1]}
        assert view["result"] == result
        assert [player["hand"] for player in view["state"]["players"]] == [
            ["G5d", "G4n", "HUN"], ["K3d", "S3n", "T5d"],
        ]  # fmt: skip
        seed = bytes.fromhex(view["fairness"]["server_seed"])
        assert sha256(seed).hexdigest() == view["fairness"]["commitment"]

    def test_the_view_of_an_earlier_version(self, client: FlaskClient, application: Application) -> None:
        """It is what was seen then: also of a game that is over by now."""
        table = set_table(client, application, visibility="public")
        then = json_of(table.get(seat=0))
        table.move(0, FIRST_MOVE)
        table.move(0, {"type": "resign"})
        answer = table.get("?version=2", 0)
        assert json_of(answer) == then
        assert answer.headers["ETag"] == '"2"'
        assert json_of(table.get("?version=1", 0))["state"] is None

    @pytest.mark.parametrize("tags", ['"2"', 'W/"2"', "*", '"1", W/"2"'])
    def test_not_modified(self, table: Table, tags: str) -> None:
        """If-None-Match compares weakly: 304 without a body, and with the entity tag."""
        answer = table.get(seat=0, If_None_Match=tags)
        assert answer.status_code == 304
        assert answer.data == b""
        assert answer.headers["ETag"] == '"2"'

    @pytest.mark.parametrize("tags", ['"1"', '"x"', '"02"'])
    def test_modified(self, table: Table, tags: str) -> None:
        """Another version is sent whole."""
        answer = table.get(seat=0, If_None_Match=tags)
        assert (answer.status_code, answer.headers["ETag"], json_of(answer)["version"]) == (200, '"2"', 2)

    def test_caches_ask_first_and_know_who_asked(self, table: Table) -> None:
        """A view differs by viewer only: Vary says so, and the entity tag tells nothing else."""
        answers = [table.get(seat=seat) for seat in (0, 1)]
        assert {answer.headers["ETag"] for answer in answers} == {'"2"'}
        assert {answer.headers["Vary"] for answer in answers} == {"Authorization, Accept, Origin"}
        assert {answer.headers["Cache-Control"] for answer in answers} == {"private, no-cache"}

    @pytest.fixture
    def waits(self, table: Table, monkeypatch: pytest.MonkeyPatch) -> list[int]:
        """After which version somebody has waited; they get no news."""
        asked: list[int] = []

        def wait_for(game_id: str, after: int, seconds: float) -> int:
            asked.append(after)
            return after

        monkeypatch.setattr(table.application.views, "wait_for", wait_for)
        return asked

    def test_waiting_for_the_next_version_waits(self, table: Table, waits: list[int]) -> None:
        """For whom the current one is known."""
        assert table.get("?wait=30", 0, If_None_Match='"2"').status_code == 304
        assert waits == [2]

    def test_waiting_without_a_tag_does_not_wait(self, table: Table, waits: list[int]) -> None:
        """There is nothing to wait for."""
        assert table.get("?wait=30", 0).status_code == 200
        assert table.get("?wait=30", 0, If_None_Match='"1"').status_code == 200
        assert waits == []

    def test_waiting_for_an_earlier_version_does_not_wait(self, table: Table, waits: list[int]) -> None:
        """It will never change."""
        assert table.get("?wait=30&version=1", 0, If_None_Match='"1"').status_code == 304
        assert waits == []

    def test_waiting_for_a_settled_game_does_not_wait(self, table: Table, waits: list[int]) -> None:
        """Nor will a game that is over and scored."""
        table.move(0, {"type": "resign"})
        table.application.bot_turns.score_game(table.id)
        answer = table.get("?wait=30", 0)
        assert json_of(answer)["result"]["scored"] is True
        assert table.get("?wait=30", 0, If_None_Match=answer.headers["ETag"]).status_code == 304
        assert waits == []

    def test_head(self, table: Table) -> None:
        """HEAD answers the headers of GET."""
        answer = table.client.head(table.path, headers=table.bearer(0))
        assert (answer.status_code, answer.data, answer.headers["ETag"]) == (200, b"", '"2"')


class TestListing:
    """GET /v1/games."""

    def test_newest_first_and_page_by_page(self, client: FlaskClient) -> None:
        """The cursor leads through all of them, once."""
        made = [new_game(client)["id"] for _ in range(5)]
        found: list[str] = []
        cursor: str | None = ""
        while cursor is not None:
            page = json_of(client.get(f"/v1/games?limit=2{cursor and f'&cursor={cursor}'}"))
            assert len(page["games"]) <= 2
            found += [game["id"] for game in page["games"]]
            cursor = page["next"]
        assert sorted(found) == sorted(made)

    def test_filters(self, client: FlaskClient) -> None:
        """By status, by game, by player."""
        ada = new_game(client, seats=[{"kind": "human", "player": "ada"}, {"kind": "open"}])["id"]
        bob = new_game(client, seats=[{"kind": "human", "player": "bob"}, {"kind": "bot", "bot": "greedy"}])[
            "id"
        ]

        def found(query: str) -> list[str]:
            return [game["id"] for game in json_of(client.get(f"/v1/games?{query}"))["games"]]

        assert found("player=ada") == found("status=waiting") == [ada]
        assert found("player=bob") == found("status=playing&game=migrato") == [bob]
        assert found("game=migo") == found("status=finished") == found("player=eve") == []

    def test_each_app_lists_its_own(self, guarded: FlaskClient) -> None:
        """Private or public, games of another app are not listed."""
        game = json_of(guarded.post("/v1/games", json={"visibility": "public"}, headers=key("ours")))
        listed = {app: json_of(guarded.get("/v1/games", headers=key(app)))["games"] for app in KEYS}
        assert [line["id"] for line in listed["ours"]] == [game["id"]]
        assert listed["theirs"] == []

    @pytest.mark.parametrize("ask", [lambda c: c.get("/v1/games"), lambda c: c.post("/v1/games", json={})])
    def test_a_key_is_needed_where_there_are_keys(
        self, guarded: FlaskClient, ask: Callable[[FlaskClient], object]
    ) -> None:
        """Strangers neither create nor list."""
        assert code_of(ask(guarded)) == (401, "unauthorized")  # type: ignore[arg-type]

    def test_no_line_tells_a_secret(self, client: FlaskClient) -> None:
        """Neither tokens nor hands nor seeds."""
        game = new_game(client)
        text = client.get("/v1/games").text
        assert game["seats"][0]["token"] not in text
        assert "token" not in text
        assert "hand" not in text
