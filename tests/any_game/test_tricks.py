"""A game that the engine has never seen is entered in two tables, and everything works with it.

It is the one of `docs/how-to/add-a-game.md`: three seats, hidden cards, bots. Nothing in the engine names it.
"""

import io
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import orjson
import pytest
from flask.testing import FlaskClient
from pyarrow import parquet

from domain.registry import GAMES
from events.application import Application
from events.archive.mover import Mover
from events.archive.reader import ArchiveReader
from events.archive.storage import Directory
from events.archive.tables import write
from events.audit.findings import PASSED
from events.audit.verify import verified_origin, verify
from events.log.export import games_in
from events.runtime import bootstrap
from events.runtime.settings import Settings
from events.store.link import link_to
from events.store.whole_games import RedisGames
from service.http.app import Service
from tests.audit.tamper import parts
from tests.service.conftest import NewService
from tests.service.migo.table import MigoTable
from tests.service.table import code_of, json_of, new_game
from tests.service.thinking import Worker
from tests.support.recording import AllThere
from tests.support.tricks import register

Json = dict[str, Any]
PEOPLE = [{"kind": "human", "player": name} for name in ("ada", "bo", "cy")]
WITH_A_BOT = [*PEOPLE[:2], {"kind": "bot", "bot": "random"}]
DECK = [1, 2, 3, 7, 8, 9, 4, 5, 6, 10, 11, 12]


@pytest.fixture
def settings(settings: Settings, tmp_path: Path) -> Settings:
    """Settings with an archive beside the store."""
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
        settings, application, AllThere(), Worker(settings, application).bot_questions
    )
    return service.test_client()


FIRST: Any = SimpleNamespace(choice=lambda moves: moves[0])


class Table(MigoTable):
    """A public game of three over HTTP, in which people play their first legal move."""

    def __init__(self, client: FlaskClient, application: Application, **wanted: Any) -> None:
        asked = {"game": "tricks", "seats": PEOPLE, "visibility": "public"} | wanted
        super().__init__(client, application, new_game(client, **asked))


@pytest.fixture
def table(client: FlaskClient, application: Application) -> Table:
    """Two people and a bot."""
    return Table(client, application, seats=WITH_A_BOT)


def test_it_is_played_to_its_end(client: FlaskClient, application: Application) -> None:
    """Three seats play a game to its end; the result has the place of every seat."""
    for seats in (2, 3, 4):
        table = Table(client, application, seats=[PEOPLE[0], *[WITH_A_BOT[2]] * (seats - 1)])
        table.finish(FIRST)
        result = table.get()["result"]
        assert (result["reason"], result["scored"], sum(result["scores"])) == ("all_played", True, 3)
        assert [place == 1 for place in result["places"]] == [
            score == max(result["scores"]) for score in result["scores"]
        ]
    table, turns = Table(client, application), []
    while table.get(seat=0)["status"] != "finished":
        turns.append(table.get(seat=0)["turn"])
        table.play(FIRST, 1)
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
    table.finish(FIRST)
    assert table.get()["result"]["places"] == [2, 1, 2]
    (dealt,) = [event for event in table.events() if event["type"] == "game_started"]
    assert (dealt["data"]["hands"], dealt["redacted"]) == (hands, [])


def test_it_is_replayed_as_it_was_seen(table: Table) -> None:
    """Every step of the replay shows the view of its time, though the game is over."""
    table.play(FIRST, 5)
    for seat in (None, 0, 1):
        items = table.get("/replay?limit=100", seat)["items"]
        assert [item["events"][0]["type"] for item in items[:2]] == ["game_created", "card_played"]
        for item in items:
            assert item["view"] == table.get(f"?version={item['version']}", seat)
        assert items[-1]["version"] == table.get()["version"]


def test_a_running_game_is_forked_with_hidden_cards_drawn_anew(table: Table) -> None:
    """The fork shows the forker's own cards, and plays on to an export that is compared with its origin."""
    table.play(FIRST, 2)
    version, state = table.get()["version"], table.get(seat=0)["state"]
    again = table.fork(0, version=version, resample=True)
    assert again.get(seat=0)["state"] == state
    again.finish(FIRST)
    table.finish(FIRST)
    origin: Any = verified_origin(table.export(0))
    report = verify(again.export(0), bots=True, origin=origin)
    assert (report.verdict, report.wrong) == (PASSED, None)
    changes: tuple[Json, ...] = (
        {"turn": "soon"},
        {"note": "evil"},
        {"position": {"won": [False, False, False]}},  # truths for numbers
        {"position": {"won": None}},  # missing
        {"position": {"deck": [99, 99, "x"]}},
    )
    for changed in changes:
        forged = parts(again.file(0))
        data = forged.events[1]["data"]
        position = data["position"] | changed.get("position", {})
        position = {name: value for name, value in position.items() if value is not None}
        data |= changed | {"position": position}
        (read,) = games_in(io.BytesIO(forged.reseal().file))
        assert verify(read, origin=origin).wrong is not None, changed


def test_a_finished_game_is_kept(table: Table, settings: Settings, tmp_path: Path) -> None:
    """It is streamed, verified offline, with the bot asked again, archived, and has its rows in the tables."""
    table.play(FIRST, 4)
    assert verify(table.export(0)).wrong is None
    table.finish(FIRST)
    events, result = table.events(), table.get()["result"]
    answer = table.client.get(f"{table.path}/events", headers={"Accept": "text/event-stream"})
    frames = [line[6:] for line in answer.text.splitlines() if line.startswith("data: {")]
    assert [orjson.loads(frame) for frame in frames][: len(events)] == events
    answer = table.client.get(f"{table.path}/analysis", headers=table.bearer(0))
    assert code_of(answer) == (409, "no-analysis")

    exported = table.export(0)
    report = verify(exported, bots=True)
    assert (report.verdict, report.wrong, report.complete) == (PASSED, None, True)
    forged = [re.sub(rb'"card":\d+', b'"card":0', line) for line in exported.events]
    assert verify(replace(exported, events=forged)).wrong is not None
    assert table.get("/audit")["verdict"] == "passed"

    assert settings.archive is not None
    directory = Directory(Path(settings.archive))
    link = link_to(settings.redis_url, 5.0)  # type: ignore[arg-type]
    later = lambda: datetime.now(UTC) + timedelta(days=8)  # noqa: E731 -- a clock
    assert Mover(RedisGames(link), directory, GAMES, 7 * 86_400.0, now=later).run() is not None
    archived = ArchiveReader(directory).find(table.id, None)
    assert archived is not None
    assert table.get()["status"] == "finished"
    assert verify(table.export(0), bots=True).verdict == PASSED

    write([archived], GAMES, tmp_path / "tables")
    (row,) = parquet.read_table(tmp_path / "tables" / "games.parquet").to_pylist()
    assert (row["game"], row["kind_2"], row["bot_2"]) == ("tricks", "bot", "random")
    assert [row[f"place_{seat}"] for seat in range(3)] == result["places"]
    rows = parquet.read_table(tmp_path / "tables" / "events.parquet").to_pylist()
    assert [one["type"] for one in rows] == [event["type"] for event in events]


def test_a_bot_gives_hints_and_chooses(client: FlaskClient, application: Application) -> None:
    """A bot gives a hint to the seat that is to act, and chooses a move in a described position."""
    table = Table(client, application)
    assert table.get("/hint", 0)["bot"] == "random"
    asked = {"game": "tricks", "view": table.get(seat=0), "history": table.events(0)}
    chosen = client.post("/v1/bots/random/choose", json=asked)
    assert chosen.status_code == 200, chosen.text
    assert json_of(chosen)["move"] in table.get("/legal-moves", 0)["moves"]
    (line,) = [bot for bot in json_of(client.get("/v1/bots"))["bots"] if bot["name"] == "random"]
    assert "tricks" in line["games"]


def test_requests_that_it_refuses(client: FlaskClient, application: Application) -> None:
    """Another game's options and moves, a wrong number of seats, an unknown game: each says what there is."""
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
