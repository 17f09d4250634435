"""A game that the engine has never seen is entered in two tables, and everything works with it.

It is the one of `docs/how-to/add-a-game.md`: three seats, hidden cards, bots. Nothing in the engine names it.
"""

import io
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest
from flask.testing import FlaskClient
from pyarrow import parquet

from domain.registry import GAMES
from events.archive.mover import Mover
from events.archive.reader import ArchiveReader
from events.archive.storage import Directory
from events.archive.tables import write
from events.audit.findings import PASSED
from events.audit.verify import verified_origin, verify
from events.log.export import Exported, games_in
from events.redis.connections.client import RedisClient
from events.redis.whole_games import RedisGames
from events.runtime import bootstrap
from events.runtime.settings import Settings
from events.use_cases.application import Application
from service.http.app import Service
from tests.audit.tamper import parts
from tests.service.conftest import NewService
from tests.service.recording import AllThere
from tests.service.table import code_of, json_of, new_game
from tests.service.thinking import Worker
from tests.tricks import register

Json = dict[str, Any]
PEOPLE = [{"kind": "human", "player": name} for name in ("ada", "bo", "cy")]
WITH_A_BOT = [*PEOPLE[:2], {"kind": "bot", "bot": "random"}]
DECK = [1, 2, 3, 7, 8, 9, 4, 5, 6, 10, 11, 12]


@pytest.fixture
def settings(settings: Settings, tmp_path: Path) -> Settings:
    """With an archive beside the store."""
    return replace(settings, archive=str(tmp_path / "archive"))


@pytest.fixture
def application(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Application:
    """The whole engine, which knows one game more."""
    register(monkeypatch)
    return bootstrap.application(settings)


@pytest.fixture
def client(settings: Settings, application: Application, new_service: NewService) -> FlaskClient:
    """A caller of the service; every answer is held to the description that names the game as well."""
    service: Service = new_service(
        settings, application, AllThere(), Worker(settings, application).bot_queries
    )
    return service.test_client()


class Table:
    """A game of three over HTTP."""

    def __init__(self, client: FlaskClient, application: Application, **wanted: Any) -> None:
        self.client, self.application = client, application
        asked = {"game": "tricks", "seats": PEOPLE, "visibility": "public"} | wanted
        self.adopt(new_game(client, **asked))

    def adopt(self, created: Json) -> None:
        """Sit down at a game that was just created."""
        self.path = f"/v1/games/{created['id']}"
        self.id: str = created["id"]
        self.tokens = [seat.get("token") for seat in created["seats"]]

    def bearer(self, seat: int | None) -> dict[str, str]:
        """The header of a seat; none for a spectator."""
        return {} if seat is None else {"Authorization": f"Bearer {self.tokens[seat]}"}

    def get(self, what: str = "", seat: int | None = None) -> Json:
        """Something of the game, as a seat or a spectator."""
        return json_of(self.client.get(f"{self.path}{what}", headers=self.bearer(seat)))

    def post(self, what: str, seat: int | None, body: Json) -> Any:
        """Something that a seat asks for."""
        return self.client.post(f"{self.path}{what}", json=body, headers=self.bearer(seat))

    def events(self, seat: int | None = None) -> list[Json]:
        """All events, as a seat or a spectator sees them."""
        found: list[Json] = self.get("/events?limit=1000", seat)["events"]
        return found

    def play(self, moves: int = 99) -> int:
        """People play their first legal move, bots what they choose; the number of moves."""
        for made in range(moves):
            view = self.get(seat=0)
            if view["status"] == "finished":
                return made
            seat, version = view["to_act"], view["version"]
            if view["seats"][seat]["kind"] == "bot":
                assert self.application.bot_turns.bot_move(self.id, version) is not None
            else:
                move = self.get("/legal-moves", seat)["moves"][0]
                assert self.post("/moves", seat, move).status_code == 201
        return moves

    def finish(self) -> None:
        """Play to the end, and let the result be confirmed."""
        self.play()
        self.application.bot_turns.score_game(self.id)
        self.application.listing.update(self.id)

    def file(self) -> bytes:
        """The game to take away."""
        answer = self.client.get(f"{self.path}/export", headers=self.bearer(0))
        assert answer.status_code == 200, answer.text
        data: bytes = answer.data
        return data

    def export(self) -> Exported:
        """The same, read."""
        (exported,) = games_in(io.BytesIO(self.file()))
        return exported


@pytest.fixture
def table(client: FlaskClient, application: Application) -> Table:
    """Two people and a bot."""
    return Table(client, application, seats=WITH_A_BOT)


def test_it_is_played_to_its_end(client: FlaskClient, application: Application) -> None:
    """By as many as it allows; the result has the place of every seat. A turn is a move: what only follows from one is
    no turn of its own.
    """
    for seats in (2, 3, 4):
        table = Table(client, application, seats=[PEOPLE[0], *[WITH_A_BOT[2]] * (seats - 1)])
        table.finish()
        result = table.get()["result"]
        assert (result["reason"], result["scored"], sum(result["scores"])) == ("all_played", True, 3)
        assert [place == 1 for place in result["places"]] == [
            score == max(result["scores"]) for score in result["scores"]
        ]
    table, turns = Table(client, application), []
    while table.get(seat=0)["status"] != "finished":
        turns.append(table.get(seat=0)["turn"])
        table.play(1)
    assert turns == list(range(1, 10))


def test_each_seat_sees_its_own_cards_only(client: FlaskClient, application: Application) -> None:
    """In views, events and lists of moves, until the game is over; a prepared deck is dealt as it is."""
    table = Table(client, application, setup={"deck": DECK})
    hands = [[1, 2, 3], [7, 8, 9], [4, 5, 6]]
    for viewer in (None, 0, 1, 2):
        seen = [hand if seat == viewer else [None] * 3 for seat, hand in enumerate(hands)]
        view = table.get(seat=viewer)
        assert view["state"]["hands"] == seen
        assert view["state"]["deck"] == [None] * 3
        (dealt,) = [event for event in table.events(viewer) if event["type"] == "game_started"]
        assert (dealt["data"]["hands"], dealt["redacted"]) == (seen, ["deck", "hands"])
    assert table.get("/legal-moves", 0)["moves"] == [{"type": "play", "card": card} for card in (1, 2, 3)]
    table.finish()
    assert table.get()["result"]["places"] == [2, 1, 2]
    (dealt,) = [event for event in table.events() if event["type"] == "game_started"]
    assert (dealt["data"]["hands"], dealt["redacted"]) == (hands, [])


def test_it_is_replayed_as_it_was_seen(table: Table) -> None:
    """Every step shows the view of that time, and of a game that runs no more."""
    table.play(5)
    for seat in (None, 0, 1):
        items = table.get("/replay?limit=100", seat)["items"]
        assert [item["events"][0]["type"] for item in items[:2]] == ["game_created", "card_played"]
        for item in items:
            assert item["view"] == table.get(f"?version={item['version']}", seat)
        assert items[-1]["version"] == table.get()["version"]


def test_a_running_game_is_forked_with_hidden_cards_drawn_anew(table: Table) -> None:
    """The fork shows the forker's own cards, and plays on to an export that is compared with its origin.

    A forged position is found, sealed anew as the operator could, with the origin at hand.
    """
    table.play(2)
    version, state = table.get()["version"], table.get(seat=0)["state"]
    fork = table.post("/fork", 0, {"version": version, "resample": True})
    assert fork.status_code == 201, fork.text
    again = Table.__new__(Table)
    again.client, again.application = table.client, table.application
    again.adopt(json_of(fork))
    assert again.get(seat=0)["state"] == state
    again.finish()
    table.finish()
    origin: Any = verified_origin(table.export())
    report = verify(again.export(), bots=True, origin=origin)
    assert (report.verdict, report.wrong) == (PASSED, None)
    changes: tuple[Json, ...] = (
        {"turn": "soon"},
        {"note": "evil"},
        {"position": {"won": [False, False, False]}},  # truths for numbers
        {"position": {"won": None}},  # missing
        {"position": {"deck": [99, 99, "x"]}},
    )
    for changed in changes:
        forged = parts(again.file())
        data = forged.events[1]["data"]
        position = data["position"] | changed.get("position", {})
        position = {name: value for name, value in position.items() if value is not None}
        data |= changed | {"position": position}
        (read,) = games_in(io.BytesIO(forged.reseal().file))
        assert verify(read, origin=origin).wrong is not None, changed


def test_a_finished_game_is_kept(table: Table, settings: Settings, tmp_path: Path) -> None:
    """It is streamed, verified offline, with the bot asked again, archived, and has its rows in the tables. A forged
    card is found. It has no judge, so its moves are not analysed.
    """
    table.play(4)
    assert verify(table.export()).wrong is None
    table.finish()
    events, result = table.events(), table.get()["result"]
    answer = table.client.get(f"{table.path}/events", headers={"Accept": "text/event-stream"})
    frames = [line[6:] for line in answer.text.splitlines() if line.startswith("data: {")]
    assert [orjson.loads(frame) for frame in frames][: len(events)] == events
    answer = table.client.get(f"{table.path}/analysis", headers=table.bearer(0))
    assert code_of(answer) == (409, "no-analysis")

    exported = table.export()
    report = verify(exported, bots=True)
    assert (report.verdict, report.wrong, report.complete) == (PASSED, None, True)
    forged = [re.sub(rb'"card":\d+', b'"card":0', line) for line in exported.events]
    assert verify(replace(exported, events=forged)).wrong is not None
    assert table.get("/audit")["verdict"] == "passed"

    assert settings.archive is not None
    directory = Directory(Path(settings.archive))
    link = RedisClient.to(settings.redis_url, 5.0)  # type: ignore[arg-type]
    later = lambda: datetime.now(UTC) + timedelta(days=8)  # noqa: E731 -- a clock
    assert Mover(RedisGames(link), directory, GAMES, 7 * 86_400.0, now=later).run() is not None
    archived = ArchiveReader(directory).find(table.id, None)
    assert archived is not None
    assert table.get()["status"] == "finished"
    assert verify(table.export(), bots=True).verdict == PASSED

    write([archived], GAMES, tmp_path / "tables")
    (row,) = parquet.read_table(tmp_path / "tables" / "games.parquet").to_pylist()
    assert (row["game"], row["kind_2"], row["bot_2"]) == ("tricks", "bot", "random")
    assert [row[f"place_{seat}"] for seat in range(3)] == result["places"]
    rows = parquet.read_table(tmp_path / "tables" / "events.parquet").to_pylist()
    assert [one["type"] for one in rows] == [event["type"] for event in events]


def test_a_bot_gives_hints_and_chooses(client: FlaskClient, application: Application) -> None:
    """For the seat that is to act, and for a described position."""
    table = Table(client, application)
    assert table.get("/hint", 0)["bot"] == "random"
    asked = {"game": "tricks", "view": table.get(seat=0), "history": table.events(0)}
    chosen = client.post("/v1/bots/random/choose", json=asked)
    assert chosen.status_code == 200, chosen.text
    assert json_of(chosen)["move"] in table.get("/legal-moves", 0)["moves"]
    (line,) = [bot for bot in json_of(client.get("/v1/bots"))["bots"] if bot["name"] == "random"]
    assert "tricks" in line["games"]


def test_requests_that_it_refuses(client: FlaskClient, application: Application) -> None:
    """Another game's options and moves, a wrong number of seats, an unknown game: each says what there is. Of a deck
    that is prepared no card is missing, there twice, or none of the game's.
    """
    table = Table(client, application)
    for body, code, words in (
        ({"game": "trick"}, "unknown-game", "tricks"),
        ({"game": "tricks", "seats": PEOPLE[:1]}, "validation-error", "2, 3 or 4"),
        ({"game": "tricks", "options": {"return_flight": True}}, "validation-error", "return_flight"),
        ({"options": {"trumps": True}}, "validation-error", "trumps"),
        *(
            ({"game": "tricks", "seats": PEOPLE, "setup": {"deck": deck}}, "validation-error", "setup.deck")
            for deck in ([1, 2, 3], [1] * 12, [*range(2, 14)], [])
        ),
    ):
        answer = client.post("/v1/games", json=body)
        assert code_of(answer)[1] == code
        assert words in answer.text
    for move, code in (
        ({"type": "exchange"}, "validation-error"),
        ({"type": "play", "card": "K3d"}, "validation-error"),
        ({"type": "play", "card": 13}, "illegal-move"),
    ):
        assert code_of(table.post("/moves", 0, move))[1] == code
    assert len(table.events()) == 2


def test_a_dry_run_and_a_resignation(client: FlaskClient, application: Application) -> None:
    """A move is foreseen as far as it is known, a resignation too, and nothing happens; who resigns comes last."""
    table = Table(client, application, setup={"deck": DECK})
    preview = json_of(table.post("/moves?dry_run=true", 0, {"type": "play", "card": 2}))
    assert [event["data"] for event in preview["events"]] == [{"card": 2}]
    preview = json_of(table.post("/moves?dry_run=true", 0, {"type": "resign"}))
    assert [event["type"] for event in preview["events"]] == ["player_resigned", "game_ended"]
    assert table.post("/moves", 1, {"type": "resign"}).status_code == 201
    assert table.get()["result"]["places"] == [1, 3, 1]
