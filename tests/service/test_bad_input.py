"""Bad input: what is refused is refused by name, and leaves the event log as it was."""

from pathlib import Path

from flask.testing import FlaskClient
from redis import Redis

from events.runtime import bootstrap
from events.runtime.embedded import EmbeddedServer
from events.runtime.settings import Settings
from events.use_cases.application import Application
from service.http.app import create_app
from tests.service.recording import AllThere
from tests.service.refusals import Refused
from tests.service.table import (
    FIRST_MOVE,
    SECOND_MOVE,
    WITH_OPEN,
    Table,
    bearer,
    code_of,
    deck,
    json_of,
    new_game,
    set_table,
)


class TestUnknownThings:
    """Games, seats, slots, faces that do not exist."""

    def test_unknown_game(self, client: FlaskClient) -> None:
        """404 for whoever has no token for it; a stranger who wants to move is asked for one."""
        for game_id in ("x" * 22, "x", "x" * 64, "x" * 65, "%00", "a%2Fb", "..", "a_b", "\xe4"):
            for what in ("", "/events"):
                assert code_of(client.get(f"/v1/games/{game_id}{what}")) == (404, "not-found"), game_id
            legal = code_of(client.get(f"/v1/games/{game_id}/legal-moves"))
            assert legal in [(404, "not-found"), (401, "unauthorized")], game_id
            move = code_of(client.get(f"/v1/games/{game_id}/moves"))
            assert move in [(404, "not-found"), (405, "method-not-allowed")], game_id

    def test_unknown_seat(self, table: Table, refused: Refused) -> None:
        """404 for a seat that the game does not have, and for what is no number."""
        for seat in (2, 7, 99, 10**20, "-1", "one", "1.0", ""):
            path = f"{table.path}/seats/{seat}"
            answer = table.client.post(path, json={"player": "eve"}, headers=table.bearer(0))
            refused(answer, 404, "not-found")

    def test_unknown_slot(self, table: Table, refused: Refused) -> None:
        """422 for a slot that nobody has."""
        for slot in (0, 5, -1, 10**18):
            answer = table.move(0, {"type": "play", "card": "G5d", "slot": slot})
            assert list(refused(answer, 422, "validation-error")["errors"]) == ["slot"]

    def test_empty_slot(self, table: Table, refused: Refused) -> None:
        """422 for a slot in which no column lies."""
        refused(table.move(0, {"type": "play", "card": "G5d", "slot": 3}), 422, "illegal-move")

    def test_unknown_face(self, table: Table, refused: Refused) -> None:
        """422 for a card that does not exist."""
        for card in ("G9x", "X1d", "g5d", "G5d ", " G5d", "G5d\n", "K3n", "HUNT", "?", "", "\xc4\xd6\xdc"):
            answer = table.move(0, {"type": "play", "card": card, "slot": None})
            assert list(refused(answer, 422, "validation-error")["errors"]) == ["card"]

    def test_unknown_bot_or_game(self, client: FlaskClient) -> None:
        """422 for a bot that does not exist, and for a game that nobody plays here."""
        seats = [{"kind": "human"}, {"kind": "bot", "bot": "oracle"}]
        assert code_of(client.post("/v1/games", json={"seats": seats})) == (422, "unknown-bot")
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

    def test_not_your_turn_or_seat(self, table: Table, refused: Refused) -> None:
        """409 for the seat that has to wait, and for a seat that is somebody's."""
        assert refused(table.move(1, SECOND_MOVE), 409, "not-your-turn")["to_act"] == 0
        answer = table.client.post(f"{table.path}/seats/1", json={"player": "eve"}, headers=table.bearer(0))
        refused(answer, 409, "seat-taken")

    def test_game_over(self, table: Table) -> None:
        """409 for whoever still moves, resigning included."""
        assert table.move(0, {"type": "resign"}).status_code == 201
        refused = Refused(table)
        for seat in (0, 1):
            for move in (FIRST_MOVE, {"type": "resign"}):
                refused(table.move(seat, move), 409, "game-over")

    def test_game_not_started(self, client: FlaskClient, application: Application) -> None:
        """409 while the game waits for players."""
        waiting = set_table(client, application, seats=WITH_OPEN)
        Refused(waiting)(waiting.move(0, FIRST_MOVE), 409, "game-not-started")


class TestBadDecks:
    """422 bad-deck, which says what is wrong."""

    def test_wrong_decks(self, client: FlaskClient) -> None:
        """Missing cards and superfluous ones are named, each as often as it is."""
        wrong: list[tuple[list[str], list[str], list[str]]] = [
            (deck()[2:], ["G5d", "K3d"], []),
            ([*deck(), "T5d", "T5d"], [], ["T5d", "T5d"]),
            (["T5d", *deck()[1:]], ["G5d"], ["T5d"]),
        ]
        for cards, missing, extra in wrong:
            answer = client.post("/v1/games", json={"setup": {"deck": cards}})
            assert code_of(answer) == (422, "bad-deck")
            assert (json_of(answer)["missing"], json_of(answer)["extra"]) == (missing, extra)
        answer = client.post("/v1/games", json={"setup": {"deck": ["X9z", *deck()[1:]]}})
        assert code_of(answer) == (422, "validation-error")
        assert "X9z" in answer.text
        assert json_of(client.get("/v1/games"))["games"] == []
        game = new_game(client)
        assert [line["id"] for line in json_of(client.get("/v1/games"))["games"]] == [game["id"]]


class TestTokens:
    """401 and 403."""

    def test_wrong_token(self, table: Table, refused: Refused) -> None:
        """401 for a token that nobody has, and for what is no token."""
        none = ("", "Bearer", "Bearer ", "Basic YTpi", "Bearer x y", "Bearer wrong", "Token x", "Bearer \xfc")
        for header in (*none, "Bearer " + "x" * 4000):
            for what in ("", "/events", "/legal-moves"):
                answer = table.client.get(f"{table.path}{what}", headers={"Authorization": header})
                refused(answer, 401, "unauthorized")
                assert answer.headers["WWW-Authenticate"].startswith("Bearer")

    def test_a_token_with_the_wrong_secret(self, table: Table, refused: Refused) -> None:
        """401 for a seat token that was changed; 401 for a seat that has no token."""
        token = table.tokens[0]
        for other in (token[:-4] + "AAAA", token.replace("_0_", "_1_", 1), token.replace("_0_", "_7_", 1)):
            answer = table.client.post(f"{table.path}/moves", json=FIRST_MOVE, headers=bearer(other))
            refused(answer, 401, "unauthorized")

    def test_another_games_token(
        self, table: Table, client: FlaskClient, application: Application, refused: Refused
    ) -> None:
        """403 for the token of another game, for reading as for writing; also where no token at all would do."""
        other = set_table(client, application).bearer(0)
        refused(client.post(f"{table.path}/moves", json=FIRST_MOVE, headers=other), 403, "forbidden")
        for what in ("", "/events", "/legal-moves"):
            refused(client.get(f"{table.path}{what}", headers=other), 403, "forbidden")
        taking = client.post(f"{table.path}/seats/1", json={"player": "eve"}, headers=other)
        refused(taking, 403, "forbidden")
        public = set_table(client, application, visibility="public")
        assert client.get(public.path).status_code == 200
        refused(client.get(public.path, headers=other), 403, "forbidden")

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

    def test_stale_if_match(self, table: Table, refused: Refused) -> None:
        """412 with the current version; a weak tag never matches here (RFC 9110, 13.1.1)."""
        for tag in ('"1"', '"3"', '"abc"', '"02"', 'W/"2"', '"1", "3"', '""'):
            problem = refused(table.move(0, FIRST_MOVE, If_Match=tag), 412, "version-mismatch")
            assert problem["version"] == 2

    def test_current_if_match(self, client: FlaskClient, application: Application) -> None:
        """A list that names the version lets the move through, and so does `*`."""
        for tag in ('"2"', '"1", "2"', "*", ' "7" ,, "2", ', '"x", W/"2", "2"'):
            assert set_table(client, application).move(0, FIRST_MOVE, If_Match=tag).status_code == 201, tag

    def test_malformed_tags(self, table: Table, refused: Refused) -> None:
        """422 with the header's name for what is no entity tag."""
        none = ("", "2", '"2', '2"', "w/2", 'w/"2"', '"2" "3"', "*, *", '"2", *', '"a b"', ",", "'2'")
        for tag in none:
            answer = table.move(0, FIRST_MOVE, If_Match=tag)
            assert list(refused(answer, 422, "validation-error")["errors"]) == ["If-Match"], tag
            answer = table.get("", 0, If_None_Match=tag)
            assert list(refused(answer, 422, "validation-error")["errors"]) == ["If-None-Match"], tag

    def test_reused_idempotency_key(self, table: Table) -> None:
        """422 for the same key with another body; nothing happens."""
        assert table.move(0, FIRST_MOVE, Idempotency_Key="one").status_code == 201
        before = table.log()
        answer = table.move(0, {"type": "exchange"}, Idempotency_Key="one")
        assert code_of(answer) == (422, "idempotency-mismatch")
        assert table.log() == before

    def test_lengths_of_idempotency_keys(self, table: Table, refused: Refused) -> None:
        """422 with the header's name for a key of no or of too many characters; 255 are fine."""
        for key in ("", "x" * 256):
            problem = refused(table.move(0, FIRST_MOVE, Idempotency_Key=key), 422, "validation-error")
            assert list(problem["errors"]) == ["Idempotency-Key"]
        first, again = (table.move(0, FIRST_MOVE, Idempotency_Key="x" * 255) for _ in range(2))
        assert (first.status_code, again.data) == (201, first.data)
        other = table.move(1, SECOND_MOVE, Idempotency_Key="x" * 254 + "y")
        assert (other.status_code, other.data != first.data) == (201, True)


OUT_OF_BOUNDS: list[tuple[str, str, list[str]]] = [
    ("/v1/games?", "cursor", ["x", "", "0", "-1", "AAAA", "x" * 256, "x" * 257, "\xfc", "../.."]),
    ("/v1/games?", "limit", ["0", "101"]),
    ("/v1/games?", "status", ["lost", ""]),
    ("/v1/games?", "player", [""]),
    ("/v1/games?", "game", [""]),
    ("{game}?", "version", ["-1", "x", "", "1.0", "\u0663", "1e3"]),
    ("{game}?", "wait", ["31", "x"]),
    ("{game}/events?", "after", ["-1", "x", "", "+1", " 1", "1_0", "9" * 400]),
    ("{game}/events?", "limit", ["0", "1001"]),
    ("{game}/events?", "wait", ["31", "-1"]),
]


class TestVersionsAndCursors:
    """Query strings that lead nowhere."""

    def test_out_of_bounds(self, table: Table, refused: Refused) -> None:
        """422 with the parameter's name: for versions and cursors that are none, and beyond the bounds of numbers."""
        for path, name, values in OUT_OF_BOUNDS:
            headers = table.bearer(0) if "{game}" in path else {}
            for value in values:
                at = path.format(game=table.path).removesuffix("?")
                answer = table.client.get(at, query_string={name: value}, headers=headers)
                assert list(refused(answer, 422, "validation-error")["errors"]) == [name], (path, value)

    def test_version_beyond_the_end(self, table: Table, refused: Refused) -> None:
        """404 for a version that the game has not reached; the answer says how far it is."""
        for what in ("?version=3", "?version=0", "?version=1000000000", "/events?after=3"):
            assert refused(table.get(what, 0), 404, "not-found")["version"] == 2

    def test_bad_last_event_id(self, table: Table, refused: Refused) -> None:
        """A stream resumes only after an event that there is."""
        for value in ("3", "-1", "x"):
            answer = table.get("/events", 0, Accept="text/event-stream", Last_Event_ID=value)
            refused(answer, *((404, "not-found") if value == "3" else (422, "validation-error")))


class TestRedisDown:
    """503 store-unavailable; it recovers by itself."""

    def test_redis_refuses(self) -> None:
        """It is said that it refuses, and why; what an operator must mend first is worth no try a second later."""
        with EmbeddedServer(None) as server:
            settings = Settings(redis_url=server.url, queue_url=server.url)
            client = create_app(settings, bootstrap.application(settings), AllThere()).test_client()
            redis = Redis.from_url(server.url)
            for why, refused, allowed in (
                ("its memory is full", ("CONFIG", "SET", "maxmemory", 1), ("CONFIG", "SET", "maxmemory", 0)),
                (
                    "its user may not do that",
                    ("ACL", "SETUSER", "default", "-xadd"),
                    ("ACL", "SETUSER", "default", "+xadd"),
                ),
            ):
                redis.execute_command(*refused)  # type: ignore[no-untyped-call]
                answer = client.post("/v1/games", json={})
                assert code_of(answer) == (503, "store-unavailable")
                assert json_of(answer)["detail"] == f"The event store refuses at the moment: {why}."
                assert answer.headers["Retry-After"] == "30"
                redis.execute_command(*allowed)  # type: ignore[no-untyped-call]
                assert client.post("/v1/games", json={}).status_code == 201

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
