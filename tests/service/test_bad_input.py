"""Bad input: what is refused is refused by name, and leaves the event log as it was."""

from pathlib import Path

from flask.testing import FlaskClient

from events.application import Application
from events.runtime import bootstrap
from events.runtime.embedded import EmbeddedServer
from events.runtime.settings import Settings
from events.store.link import link_to
from service.http.app import create_app
from tests.service.refusals import Refused
from tests.service.table import FIRST_MOVE, SECOND_MOVE, WITH_OPEN, Table, code_of, deck, json_of, set_table
from tests.support.recording import AllThere

EVE = {"player": "eve"}
LOOKS = ("", "/events", "/legal-moves")


def test_unknown_games(client: FlaskClient) -> None:
    """404 for whoever has no token for it; a stranger who wants to move is asked for one."""
    for game_id in ("x" * 22, "x", "x" * 64, "x" * 65, "%00", "a%2Fb", "..", "a_b", "\xe4"):
        for what in ("", "/events"):
            assert code_of(client.get(f"/v1/games/{game_id}{what}")) == (404, "not-found"), game_id
        legal = code_of(client.get(f"/v1/games/{game_id}/legal-moves"))
        assert legal in [(404, "not-found"), (401, "unauthorized")], game_id
        move = code_of(client.get(f"/v1/games/{game_id}/moves"))
        assert move in [(404, "not-found"), (405, "method-not-allowed")], game_id


def test_unknown_seats_and_faces(table: Table, refused: Refused) -> None:
    """404 for a seat that the game does not have, and for what is no number; 422 for a card that does not exist."""
    for seat in (2, 7, 99, 10**20, "-1", "one", "1.0", ""):
        path = f"{table.path}/seats/{seat}"
        answer = table.client.post(path, json={"player": "eve"}, headers=table.bearer(0))
        refused(answer, 404, "not-found")
    for card in ("G9x", "X1d", "g5d", "G5d ", " G5d", "G5d\n", "K3n", "HUNT", "?", "", "\xc4\xd6\xdc"):
        answer = table.move(0, {"type": "play", "card": card, "slot": None})
        assert list(refused(answer, 422, "validation-error")["errors"]) == ["card"]


class TestMovesOutOfPlace:
    """Moves that are well formed, but not allowed now."""

    def test_illegal_ones(self, table: Table, refused: Refused) -> None:
        """Cards that are not in hand, in the same words whoever holds them, and no column; both happen or neither."""
        opponents, nobodys, *_ = (
            refused(table.move(0, move), 422, "illegal-move")["detail"]
            for move in (
                {"type": "play", "card": "K3d", "slot": None},
                {"type": "play", "card": "K4d", "slot": None},
                {"type": "discard", "card": "T5d"},
                FIRST_MOVE | {"discard": "T5d"},
                {"type": "play", "card": "G5d", "slot": 3},
            )
        )
        assert opponents.replace("K3d", "K4d") == nobodys

    def test_at_the_wrong_time(self, table: Table, refused: Refused) -> None:
        """409 for the seat that has to wait, while the game waits, and once it is over, resigning included."""
        assert refused(table.move(1, SECOND_MOVE), 409, "not-your-turn")["to_act"] == 0
        waiting = set_table(table.client, table.application, seats=WITH_OPEN)
        Refused(waiting)(waiting.move(0, FIRST_MOVE), 409, "game-not-started")
        assert table.move(0, {"type": "resign"}).status_code == 201
        is_over = Refused(table)
        for seat in (0, 1):
            for move in (FIRST_MOVE, {"type": "resign"}):
                is_over(table.move(seat, move), 409, "game-over")


def test_bad_decks(client: FlaskClient) -> None:
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


class TestTokens:
    """401, 403, and 404 for a private game."""

    def test_wrong_ones(self, table: Table, refused: Refused) -> None:
        """401 for a token that nobody has, for what is no token, and for a seat's token that was changed."""
        token = table.tokens[0]
        changed = token[:-4] + "AAAA", token.replace("_0_", "_1_", 1), token.replace("_0_", "_7_", 1)
        none = ("", "Bearer", "Bearer ", "Basic YTpi", "Bearer x y", "Bearer wrong", "Token x", "Bearer \xfc")
        for header in (*none, "Bearer " + "x" * 4000, *(f"Bearer {other}" for other in changed)):
            headers = {"Authorization": header}
            answers = [table.client.get(f"{table.path}{what}", headers=headers) for what in LOOKS]
            answers.append(table.client.post(f"{table.path}/moves", json=FIRST_MOVE, headers=headers))
            for answer in answers:
                refused(answer, 401, "unauthorized")
                assert answer.headers["WWW-Authenticate"].startswith("Bearer")

    def test_another_games(self, table: Table, refused: Refused) -> None:
        """403 for reading as for writing; also where no token at all would do, and where an app's key belongs."""
        client = table.client
        other = set_table(client, table.application).bearer(0)
        public = set_table(client, table.application, visibility="public")
        assert client.get(public.path).status_code == 200
        for path in (*(f"{table.path}{what}" for what in LOOKS), public.path, "/v1/games"):
            refused(client.get(path, headers=other), 403, "forbidden")
        for path, body in (
            (f"{table.path}/moves", FIRST_MOVE),
            (f"{table.path}/seats/1", EVE),
            ("/v1/games", {}),
        ):
            refused(client.post(path, json=body, headers=other), 403, "forbidden")

    def test_none(self, table: Table, refused: Refused) -> None:
        """A private game is not there for strangers; to move, a token is asked for. A seat that is taken stays so."""
        for what in ("", "/events"):
            refused(table.get(what), 404, "not-found")
        refused(table.get("/legal-moves"), 401, "unauthorized")
        refused(table.client.post(f"{table.path}/moves", json=FIRST_MOVE), 401, "unauthorized")
        seat = f"{table.path}/seats/1"
        refused(table.client.post(seat, json=EVE), 404, "not-found")
        refused(table.client.post(seat, json=EVE, headers=table.bearer(0)), 409, "seat-taken")


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
    ("/v1/games", "cursor", ["x", "", "0", "-1", "AAAA", "x" * 256, "x" * 257, "\xfc", "../.."]),
    ("/v1/games", "limit", ["0", "101"]),
    ("/v1/games", "status", ["lost", ""]),
    ("/v1/games", "player", [""]),
    ("/v1/games", "game", [""]),
    ("{game}", "version", ["-1", "x", "", "1.0", "\u0663", "1e3"]),
    ("{game}", "wait", ["31", "x"]),
    ("{game}/events", "after", ["-1", "x", "", "+1", " 1", "1_0", "9" * 400]),
    ("{game}/events", "limit", ["0", "1001"]),
    ("{game}/events", "wait", ["31", "-1"]),
]


def test_parameters_out_of_bounds(table: Table, refused: Refused) -> None:
    """422 with the parameter's name: for versions and cursors that are none, and beyond the bounds of numbers."""
    for path, name, values in OUT_OF_BOUNDS:
        headers = table.bearer(0) if "{game}" in path else {}
        for value in values:
            at = path.format(game=table.path)
            answer = table.client.get(at, query_string={name: value}, headers=headers)
            assert list(refused(answer, 422, "validation-error")["errors"]) == [name], (path, value)


class TestRedisDown:
    """503 store-unavailable; it recovers by itself."""

    def test_redis_refuses(self) -> None:
        """The problem says that Redis refuses, and why; a repeat is due after 30 seconds, for an operator must act."""
        with EmbeddedServer(None) as server:
            settings = Settings(redis_url=server.url, queue_url=server.url)
            client = create_app(settings, bootstrap.application(settings), AllThere()).test_client()
            link = link_to(server.url, 5.0)
            memory, rights = ("CONFIG", "SET", "maxmemory"), ("ACL", "SETUSER", "default")
            for why, setting, refused, allowed in (
                ("its memory is full", memory, 1, 0),
                ("its user may not do that", rights, "-xadd", "+xadd"),
            ):
                link.call(*setting, refused)
                answer = client.post("/v1/games", json={})
                assert code_of(answer) == (503, "store-unavailable")
                assert json_of(answer)["detail"] == f"The event store refuses at the moment: {why}."
                assert answer.headers["Retry-After"] == "30"
                link.call(*setting, allowed)
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
            client.get("/v1/bots"),  # some may be registered
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
        with EmbeddedServer(tmp_path):
            assert table.log() == before
            again = table.move(0, FIRST_MOVE, Idempotency_Key="one")
            assert again.status_code == 201
            assert json_of(again)["version"] == len(table.log())
