"""Another game is played over HTTP, and described, as soon as it and its schemas are registered."""

import pytest
from flask.testing import FlaskClient

from domain.registry import DEFAULT_GAME, GAMES
from service.http.documentation.openapi import as_json, spec
from service.http.documentation.sharing import whole
from service.http.schemas.of_each_game import GAME_SCHEMAS, camel, events_of
from tests.events.counter import COUNTER
from tests.service.contract import validator
from tests.service.counter_schemas import COUNTER_SCHEMAS
from tests.service.table import FIRST_MOVE, bearer, code_of, json_of, new_game

PEOPLE = [{"kind": "human"}, {"kind": "human"}]


@pytest.fixture
def counter(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> FlaskClient:
    """A caller of the service, which was made before the game was registered."""
    monkeypatch.setitem(GAMES, COUNTER.name, COUNTER)
    monkeypatch.setitem(GAME_SCHEMAS, COUNTER.name, COUNTER_SCHEMAS)
    return client


def counting(counter: FlaskClient, **wanted: object) -> tuple[str, list[dict[str, str]]]:
    """A new game of it: its path, and the headers of its seats."""
    game = new_game(counter, game="counter", **wanted)
    return game["links"]["self"], [bearer(s.get("token")) for s in game["seats"]]


def test_the_bots_of_one_game(counter: FlaskClient) -> None:
    """They are shown as they are in that game, though another one has bots of the same names."""
    for name, game in GAMES.items():
        lines = json_of(counter.get(f"/v1/bots?game={name}"))["bots"]
        assert [line["name"] for line in lines] == list(game.bots)
        for line in lines:
            bot, strength = game.bots[line["name"]], game.strengths.get(line["name"])
            assert (line["version"], line["description"]) == (bot.version, bot.description)
            assert line["strength"] == (None if strength is None else strength._asdict())
            assert name in line["games"]
    answer = counter.get("/v1/bots?game=chess")
    assert code_of(answer) == (422, "unknown-game")
    assert "counter" in json_of(answer)["detail"]


def test_hints_are_by_the_strongest_bot() -> None:
    """Unless another one is named, and as far as strengths were measured."""
    for game in GAMES.values():
        strongest = max(game.strengths, key=lambda name: game.strengths[name].elo)
        assert game.hint_bot == strongest


def test_as_many_seats_as_the_game_has(counter: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """A game may have several numbers of seats, and more than two. One without a page of rules cites none."""
    monkeypatch.setattr(type(COUNTER), "seat_counts", (2, 3, 9))
    assert counter.post("/v1/games", json={"game": "counter", "seats": PEOPLE * 4}).status_code == 422
    answer = counter.post("/v1/games", json={"game": "counter", "seats": PEOPLE * 2})
    assert json_of(answer)["errors"] == {"seats": ["The game counter has 2, 3 or 9 seats, not 4."]}
    assert "rule_url" not in json_of(answer)
    assert len(counting(counter, seats=[{"kind": "human"}] * 9)[1]) == 9


def test_the_description(counter: FlaskClient) -> None:
    """It has all games, one after the other; moves and events are told apart by their type within each."""
    schemas = spec()["components"]["schemas"]
    for holder, name in (
        ("LegalMoves", "Move"),
        ("EventsPage", "Event"),
        ("PreviewedMove", "PreviewedEvent"),
    ):
        (member,) = schemas[holder]["properties"].keys() & {"moves", "events"}
        union = schemas[holder]["properties"][member]["items"]
        assert union == {"anyOf": [{"$ref": component(game, name)} for game in GAMES]}
    assert set(schemas["CounterMove"]["discriminator"]["mapping"]) == {"add"}
    assert schemas["CounterEvent"]["discriminator"]["mapping"]["added"].endswith("/CounterAdded")
    assert schemas["Result"]["properties"]["reason"]["enum"][-1] == "goal"
    check = validator(schemas["LegalMoves"]["properties"]["moves"]["items"])
    assert check.is_valid({"type": "add", "amount": 1})
    assert check.is_valid(FIRST_MOVE)
    assert not check.is_valid(FIRST_MOVE | {"amount": 1})


def component(game: str, name: str) -> str:
    """Name of that part of the game's description; for the first game it has no prefix."""
    return f"#/components/schemas/{'' if game == DEFAULT_GAME else camel(game)}{name}"


def test_documents_that_name_their_game_are_told_apart_by_it(counter: FlaskClient) -> None:
    """A view, a new game, a line of a listing: each in the form of its game, and of no other."""
    schemas = spec()["components"]["schemas"]
    views = {game: component(game, "GameView") for game in GAMES}
    assert schemas["PlayedMove"]["properties"]["game"] == {
        "oneOf": [{"$ref": view} for view in views.values()],
        "discriminator": {"propertyName": "game", "mapping": views},
    }
    for name in ("GameView", "GameLine", "NewlyCreated", "NewlyForked", "SeatDetails"):
        for game in GAMES:
            schema = whole({"$ref": component(game, name)}, schemas)
            assert schema["properties"]["game"]["const"] == game
            assert "game" in schema["required"]
            assert "anyOf" not in schema["properties"].get("options", {})
    path, seats = counting(counter, seats=PEOPLE)
    view = json_of(counter.get(path, headers=seats[0]))
    fitting = [game for game in GAMES if validator({"$ref": views[game]}).is_valid(view)]
    assert fitting == ["counter"]


def test_a_request_that_need_not_name_its_game_takes_any(counter: FlaskClient) -> None:
    """A kind that a game does not have is not among the forms."""
    members = spec()["components"]["schemas"]["NewGame"]["properties"]
    assert len(members["options"]["anyOf"]) == len(GAMES) + 1  # and null
    assert len(members["setup"]["anyOf"]) == len(GAMES)  # the count has none


def test_events_that_cannot_be_told_apart_are_one(counter: FlaskClient) -> None:
    """Events of the same form have one schema for all games; others are the game's own."""
    for game in GAMES:
        assert events_of(game)["seat_taken"] is events_of(DEFAULT_GAME)["seat_taken"]
    created = {type(events_of(game)["game_created"]).__name__ for game in GAMES}
    assert created == {component(game, "GameCreated").rpartition("/")[2] for game in GAMES}


def test_without_it_the_description_is_as_before() -> None:
    """Nothing that was kept while another game was there stays."""
    assert b"CounterMove" not in as_json()
