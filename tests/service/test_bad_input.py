"""Bad input: what is refused is refused by name, and leaves the event log as it was."""

from pathlib import Path

import pytest
from flask.testing import FlaskClient

from events.runtime import bootstrap
from events.runtime.embedded import EmbeddedServer
from events.runtime.settings import Settings
from events.use_cases.application import Application
from service.http.app import create_app
from tests.service.recording import AllThere
from tests.service.refusals import Refused
from tests.service.table import FIRST_MOVE, SECOND_MOVE, Table, code_of, deck, json_of, new_game, set_table


class TestUnknownThings:
    """Games, seats, slots, faces that do not exist."""

    @pytest.mark.parametrize("game_id", ["x" * 22, "x", "x" * 64, "x" * 65, "%00", "a%2Fb", "..", "a_b", "ä"])
    @pytest.mark.parametrize("what", ["", "/moves", "/events", "/legal-moves"])
    def test_unknown_game(self, client: FlaskClient, game_id: str, what: str) -> None:
        """404 for whoever has no token for it; a stranger who wants to move is asked for one."""
        answer = client.get(f"/v1/games/{game_id}{what}")
        assert code_of(answer) in [(404, "not-found"), (401, "unauthorized"), (405, "method-not-allowed")]
        if what in {"", "/events"}:
            assert code_of(answer) == (404, "not-found")

    @pytest.mark.parametrize("seat", [2, 7, 99, 10**20])
    def test_unknown_seat(self, table: Table, refused: Refused, seat: int) -> None:
        """404 for a seat that the game does not have."""
        answer = table.client.post(
            f"{table.path}/seats/{seat}", json={"player": "eve"}, headers=table.bearer(0)
        )
        refused(answer, 404, "not-found")

    @pytest.mark.parametrize("seat", ["-1", "one", "1.0", ""])
    def test_no_seat_at_all(self, table: Table, refused: Refused, seat: str) -> None:
        """404 for what is no number."""
        answer = table.client.post(
            f"{table.path}/seats/{seat}", json={"player": "eve"}, headers=table.bearer(0)
        )
        refused(answer, 404, "not-found")

    @pytest.mark.parametrize("slot", [0, 5, -1, 10**18])
    def test_unknown_slot(self, table: Table, refused: Refused, slot: int) -> None:
        """422 for a slot that nobody has."""
        problem = refused(
            table.move(0, {"type": "play", "card": "G5d", "slot": slot}), 422, "validation-error"
        )
        assert list(problem["errors"]) == ["slot"]

    def test_empty_slot(self, table: Table, refused: Refused) -> None:
        """422 for a slot in which no column lies."""
        refused(table.move(0, {"type": "play", "card": "G5d", "slot": 3}), 422, "illegal-move")

    @pytest.mark.parametrize(
        "card", ["G9x", "X1d", "g5d", "G5d ", " G5d", "G5d\n", "K3n", "HUNT", "?", "", "ÄÖÜ"]
    )
    def test_unknown_face(self, table: Table, refused: Refused, card: str) -> None:
        """422 for a card that does not exist."""
        problem = refused(
            table.move(0, {"type": "play", "card": card, "slot": None}), 422, "validation-error"
        )
        assert list(problem["errors"]) == ["card"]

    def test_unknown_bot(self, client: FlaskClient) -> None:
        """422 for a bot that does not exist."""
        seats = [{"kind": "human"}, {"kind": "bot", "bot": "oracle"}]
        assert code_of(client.post("/v1/games", json={"seats": seats})) == (422, "unknown-bot")
        assert json_of(client.get("/v1/games"))["games"] == []

    def test_unknown_game_name(self, client: FlaskClient) -> None:
        """422 for a game that nobody plays here."""
        assert code_of(client.post("/v1/games", json={"game": "chess"})) == (422, "unknown-game")
        assert json_of(client.get("/v1/games"))["games"] == []


class TestMovesOutOfPlace:
    """Moves that make sense, but not now."""

    def test_card_not_in_hand(self, table: Table, refused: Refused) -> None:
        """422 for a card that is not there, in the same words whoever holds it."""
        opponents = refused(table.move(0, {"type": "play", "card": "K3d", "slot": None}), 422, "illegal-move")
        nobodys = refused(table.move(0, {"type": "play", "card": "K4d", "slot": None}), 422, "illegal-move")
        assert opponents["detail"].replace("K3d", "K4d") == nobodys["detail"]
        refused(table.move(0, {"type": "discard", "card": "T5d"}), 422, "illegal-move")

    def test_discard_in_the_same_request_not_in_hand(self, table: Table, refused: Refused) -> None:
        """Both happen or neither."""
        refused(table.move(0, FIRST_MOVE | {"discard": "T5d"}), 422, "illegal-move")

    def test_not_your_turn(self, table: Table, refused: Refused) -> None:
        """409 for the seat that has to wait."""
        problem = refused(table.move(1, SECOND_MOVE), 409, "not-your-turn")
        assert problem["to_act"] == 0

    def test_game_over(self, client: FlaskClient, application: Application) -> None:
        """409 for whoever still moves, resigning included."""
        table = set_table(client, application)
        assert table.move(0, {"type": "resign"}).status_code == 201
        before = table.log()
        for seat in (0, 1):
            for move in (FIRST_MOVE, {"type": "resign"}):
                assert code_of(table.move(seat, move)) == (409, "game-over")
        assert table.log() == before

    def test_game_not_started(self, client: FlaskClient, application: Application) -> None:
        """409 while the game waits for players."""
        waiting = set_table(client, application, seats=[{"kind": "human"}, {"kind": "open"}])
        before = waiting.log()
        assert code_of(waiting.move(0, FIRST_MOVE)) == (409, "game-not-started")
        assert waiting.log() == before

    def test_seat_taken(self, table: Table, refused: Refused) -> None:
        """409 for a seat that is somebody's."""
        answer = table.client.post(f"{table.path}/seats/1", json={"player": "eve"}, headers=table.bearer(0))
        refused(answer, 409, "seat-taken")


class TestBadDecks:
    """422 bad-deck, which says what is wrong."""

    def test_wrong_length(self, client: FlaskClient) -> None:
        """Missing cards and superfluous ones are named, each as often as it is."""
        answer = client.post("/v1/games", json={"setup": {"deck": deck()[2:]}})
        assert code_of(answer) == (422, "bad-deck")
        assert (json_of(answer)["missing"], json_of(answer)["extra"]) == (["G5d", "K3d"], [])
        answer = client.post("/v1/games", json={"setup": {"deck": [*deck(), "T5d", "T5d"]}})
        assert code_of(answer) == (422, "bad-deck")
        assert (json_of(answer)["missing"], json_of(answer)["extra"]) == ([], ["T5d", "T5d"])
        assert json_of(client.get("/v1/games"))["games"] == []

    def test_wrong_composition(self, client: FlaskClient) -> None:
        """A card in place of another one is named, and so is a face that does not exist."""
        answer = client.post("/v1/games", json={"setup": {"deck": ["T5d", *deck()[1:]]}})
        assert code_of(answer) == (422, "bad-deck")
        assert (json_of(answer)["missing"], json_of(answer)["extra"]) == (["G5d"], ["T5d"])
        answer = client.post("/v1/games", json={"setup": {"deck": ["X9z", *deck()[1:]]}})
        assert code_of(answer) == (422, "validation-error")
        assert "X9z" in answer.text
        assert json_of(client.get("/v1/games"))["games"] == []


class TestTokens:
    """401 and 403."""

    @pytest.mark.parametrize(
        "header",
        [
            "",
            "Bearer",
            "Bearer ",
            "Basic YTpi",
            "Bearer x y",
            "Bearer wrong",
            "Token x",
            "Bearer " + "x" * 4000,
            "Bearer ü",
        ],
    )
    @pytest.mark.parametrize("what", ["", "/events", "/legal-moves"])
    def test_wrong_token(self, table: Table, refused: Refused, header: str, what: str) -> None:
        """401 for a token that nobody has, and for what is no token."""
        answer = table.client.get(f"{table.path}{what}", headers={"Authorization": header})
        refused(answer, 401, "unauthorized")
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")

    def test_a_token_with_the_wrong_secret(self, table: Table, refused: Refused) -> None:
        """401 for a seat token that was changed; 401 for a seat that has no token."""
        changed = table.tokens[0][:-4] + "AAAA"
        for token in (
            changed,
            table.tokens[0].replace("_0_", "_1_", 1),
            table.tokens[0].replace("_0_", "_7_", 1),
        ):
            answer = table.client.post(
                f"{table.path}/moves", json=FIRST_MOVE, headers={"Authorization": f"Bearer {token}"}
            )
            refused(answer, 401, "unauthorized")

    def test_another_games_token(
        self, table: Table, client: FlaskClient, application: Application, refused: Refused
    ) -> None:
        """403 for the token of another game, for reading as for writing."""
        other = set_table(client, application)
        refused(
            client.post(f"{table.path}/moves", json=FIRST_MOVE, headers=other.bearer(0)), 403, "forbidden"
        )
        for what in ("", "/events", "/legal-moves"):
            refused(client.get(f"{table.path}{what}", headers=other.bearer(0)), 403, "forbidden")
        taking = client.post(f"{table.path}/seats/1", json={"player": "eve"}, headers=other.bearer(0))
        refused(taking, 403, "forbidden")

    def test_another_games_token_in_a_public_game(
        self, client: FlaskClient, application: Application
    ) -> None:
        """403 also where no token at all would do."""
        public, other = set_table(client, application, visibility="public"), set_table(client, application)
        assert client.get(public.path).status_code == 200
        assert code_of(client.get(public.path, headers=other.bearer(0))) == (403, "forbidden")

    def test_no_token(self, table: Table, refused: Refused) -> None:
        """A private game is 404 to strangers; to move, a token is asked for."""
        refused(table.client.get(table.path), 404, "not-found")
        refused(table.client.get(f"{table.path}/events"), 404, "not-found")
        refused(table.client.post(f"{table.path}/moves", json=FIRST_MOVE), 401, "unauthorized")
        refused(table.client.get(f"{table.path}/legal-moves"), 401, "unauthorized")
        refused(table.client.post(f"{table.path}/seats/1", json={"player": "eve"}), 404, "not-found")

    def test_a_seat_creates_and_lists_no_games(self, table: Table, refused: Refused) -> None:
        """403 for a seat's token where an app's key belongs."""
        refused(table.client.post("/v1/games", json={}, headers=table.bearer(0)), 403, "forbidden")
        refused(table.client.get("/v1/games", headers=table.bearer(0)), 403, "forbidden")


class TestPreconditions:
    """If-Match and Idempotency-Key."""

    @pytest.mark.parametrize("tag", ['"1"', '"3"', '"abc"', '"02"', 'W/"2"', '"1", "3"', '""'])
    def test_stale_if_match(self, table: Table, refused: Refused, tag: str) -> None:
        """412 with the current version; a weak tag never matches here (RFC 9110, 13.1.1)."""
        problem = refused(table.move(0, FIRST_MOVE, If_Match=tag), 412, "version-mismatch")
        assert problem["version"] == 2

    @pytest.mark.parametrize("tag", ['"2"', '"1", "2"', "*", ' "7" ,, "2", ', '"x", W/"2", "2"'])
    def test_current_if_match(self, table: Table, tag: str) -> None:
        """A list that names the version lets the move through, and so does `*`."""
        assert table.move(0, FIRST_MOVE, If_Match=tag).status_code == 201

    @pytest.mark.parametrize(
        "tag", ["", "2", '"2', '2"', "w/2", 'w/"2"', '"2" "3"', "*, *", '"2", *', '"a b"', ",", "'2'"]
    )
    @pytest.mark.parametrize("header", ["If-Match", "If-None-Match"])
    def test_malformed_tags(self, table: Table, refused: Refused, header: str, tag: str) -> None:
        """422 with the header's name for what is no entity tag."""
        headers = table.bearer(0) | {header: tag}
        if header == "If-Match":
            answer = table.client.post(f"{table.path}/moves", json=FIRST_MOVE, headers=headers)
        else:
            answer = table.client.get(table.path, headers=headers)
        assert list(refused(answer, 422, "validation-error")["errors"]) == [header]

    def test_reused_idempotency_key(self, table: Table) -> None:
        """422 for the same key with another body; nothing happens."""
        assert table.move(0, FIRST_MOVE, Idempotency_Key="one").status_code == 201
        before = table.log()
        answer = table.move(0, {"type": "exchange"}, Idempotency_Key="one")
        assert code_of(answer) == (422, "idempotency-mismatch")
        assert table.log() == before

    @pytest.mark.parametrize("key", ["", "x" * 256])
    def test_bad_idempotency_key(self, table: Table, refused: Refused, key: str) -> None:
        """422 with the header's name for a key of no or of too many characters."""
        problem = refused(table.move(0, FIRST_MOVE, Idempotency_Key=key), 422, "validation-error")
        assert list(problem["errors"]) == ["Idempotency-Key"]

    def test_longest_idempotency_key(self, table: Table) -> None:
        """255 characters are fine."""
        first, again = (table.move(0, FIRST_MOVE, Idempotency_Key="x" * 255) for _ in range(2))
        assert (first.status_code, again.data) == (201, first.data)
        other = table.move(1, SECOND_MOVE, Idempotency_Key="x" * 254 + "y")
        assert (other.status_code, other.data != first.data) == (201, True)


class TestVersionsAndCursors:
    """Query strings that lead nowhere."""

    @pytest.mark.parametrize("cursor", ["x", "", "0", "-1", "AAAA", "x" * 256, "x" * 257, "ü", "../.."])
    def test_bad_cursor(self, table: Table, refused: Refused, cursor: str) -> None:
        """422 for a cursor that was never given out."""
        problem = refused(
            table.client.get("/v1/games", query_string={"cursor": cursor}), 422, "validation-error"
        )
        assert list(problem["errors"]) == ["cursor"]

    @pytest.mark.parametrize(
        "query", ["version=-1", "version=x", "version=", "version=1.0", "version=%D9%A3", "version=1e3"]
    )
    def test_negative_version(self, table: Table, refused: Refused, query: str) -> None:
        """422 for a version that is none."""
        assert list(refused(table.get(f"?{query}", 0), 422, "validation-error")["errors"]) == ["version"]

    @pytest.mark.parametrize(
        "query", ["after=-1", "after=x", "after=", "after=+1", "after=1_0", "after=" + "9" * 400]
    )
    def test_negative_after(self, table: Table, refused: Refused, query: str) -> None:
        """422 for a start that is none."""
        assert list(refused(table.get(f"/events?{query}", 0), 422, "validation-error")["errors"]) == ["after"]

    @pytest.mark.parametrize("query", ["?version=3", "?version=0", "?version=1000000000", "/events?after=3"])
    def test_version_beyond_the_end(self, table: Table, refused: Refused, query: str) -> None:
        """404 for a version that the game has not reached; the answer says how far it is."""
        path, _, rest = query.rpartition("?")
        assert refused(table.get(f"{path}?{rest}", 0), 404, "not-found")["version"] == 2

    @pytest.mark.parametrize("value", ["3", "-1", "x", ""])
    def test_bad_last_event_id(self, table: Table, refused: Refused, value: str) -> None:
        """A stream resumes only after an event that there is."""
        answer = table.get("/events", 0, Accept="text/event-stream", Last_Event_ID=value)
        refused(answer, *((404, "not-found") if value == "3" else (422, "validation-error")))

    @pytest.mark.parametrize(
        ("path", "query", "name"),
        [
            ("/events", "limit=0", "limit"),
            ("/events", "limit=1001", "limit"),
            ("/events", "wait=31", "wait"),
            ("/events", "wait=-1", "wait"),
            ("", "wait=31", "wait"),
            ("", "wait=x", "wait"),
        ],
    )
    def test_out_of_range(self, table: Table, refused: Refused, path: str, query: str, name: str) -> None:
        """Limits and waits have their bounds."""
        assert list(refused(table.get(f"{path}?{query}", 0), 422, "validation-error")["errors"]) == [name]

    @pytest.mark.parametrize("query", ["limit=0", "limit=101", "status=lost", "status=", "player=", "game="])
    def test_bad_listing(self, client: FlaskClient, query: str) -> None:
        """So have the listing's filters."""
        answer = client.get(f"/v1/games?{query}")
        assert code_of(answer) == (422, "validation-error")
        assert list(json_of(answer)["errors"]) == [query.partition("=")[0]]


class TestRedisDown:
    """503 store-unavailable; it recovers by itself."""

    def test_redis_down(self, tmp_path: Path) -> None:
        """While Redis is away everything that needs it says 503 and when to come again; then all goes on."""
        with EmbeddedServer(tmp_path) as server:
            settings = Settings(redis_url=server.url, queue_url=server.url, redis_timeout=0.5)
            application = bootstrap.application(settings)
            client = create_app(settings, application, AllThere()).test_client()
            table = set_table(client, application)
            before = table.log()
        down = [
            client.post("/v1/games", json={}),
            client.get("/v1/games"),
            table.get("", 0),
            table.get("/events", 0),
            table.get("/legal-moves", 0),
            table.move(0, FIRST_MOVE, Idempotency_Key="one"),
            table.move(0, FIRST_MOVE, "?dry_run=true"),
        ]
        for answer in down:
            assert code_of(answer) == (503, "store-unavailable")
            assert int(answer.headers["Retry-After"]) >= 1
        assert client.get("/healthz").status_code == 200
        assert client.get("/v1/bots").status_code == 200
        with EmbeddedServer(tmp_path):
            assert table.log() == before
            again = table.move(0, FIRST_MOVE, Idempotency_Key="one")
            assert again.status_code == 201
            assert json_of(again)["version"] == len(table.log())


def test_nothing_of_a_refusal_is_in_a_listing(client: FlaskClient) -> None:
    """A game that was refused is nowhere, one that was not is."""
    client.post("/v1/games", json={"setup": {"deck": ["G5d"]}})
    game = new_game(client)
    assert [line["id"] for line in json_of(client.get("/v1/games"))["games"]] == [game["id"]]
