"""Games that can be compared with others count for ratings: this is settled and told when they are created."""

from io import BytesIO

import pytest

from domain.lifecycle import Json, Seat
from domain.registry import GAMES
from events.audit.verify import verify
from events.games.access import Caller
from events.games.new_game import NewGame
from events.log.export import export_lines, games_in
from events.log.serialisers import summary_document
from events.log.snapshot import Snapshot
from events.use_cases.application import Application
from events.use_cases.interventions import Verdict
from service.http.schemas.responses.games import UNUSUAL
from tests.events.conftest import NewLink
from tests.events.wiring import application_on

APP = "club"
NAMED, WAITING = (Seat("human", "ada"), Seat("human", "bo")), (Seat("human", "ada"), Seat("open"))
WITH_A_BOT = (Seat("bot", bot="greedy"), Seat("human", "ada"))
DECK = GAMES["migrato"].ladder_options["deck_list"]
TABLE = GAMES["migo"].ladder_options["card_table"]
UNUSUAL_ONES: dict[str, list[Json]] = {
    "migrato": [
        {"turn_limit": 1},
        {"turn_limit": 1000},
        {"memory_aid": True},
        {"deck_list": {**DECK, "G5d": DECK["G5d"] + 1}},
        {"first_seat": 0},
        {"first_seat": 1},
    ],
    "migo": [
        {"turn_limit": 1},
        {"card_table": {**TABLE, "E01": TABLE["E02"]}},
        {"first_seat": 0},
    ],
}
DRAWN: Json = {"first_seat": "random"}
USUAL: dict[str, list[Json]] = {
    "migrato": [DRAWN, DRAWN | {"rules": "opla", "return_flight": True, "deck_list": "standard"}],
    "migo": [DRAWN, DRAWN | {"layout_size": "large", "round4_layout": "pyramid", "turn_limit": None}],
}


@pytest.fixture
def application(new_link: NewLink) -> Application:
    """An application on a store of its own."""
    return application_on(new_link())


def new_game(application: Application, game: str, options: Json, seats: tuple[Seat, ...] = NAMED) -> Snapshot:
    return application.creation.create(APP, NewGame(game, options, seats)).snapshot


def told(game: Snapshot) -> tuple[bool, str | None]:
    """`rated` and the reason against it, in the line of listings and the lobby."""
    line = summary_document(game)
    return line["rated"], line.get("unrated_because")


@pytest.mark.parametrize("game", GAMES)
def test_an_unusual_option_is_told_from_the_start(application: Application, game: str) -> None:
    """Also in games with a seat that is open still, and in those against bots; the default is that seat 0 begins."""
    for seats in (NAMED, WAITING, WITH_A_BOT):
        for options in UNUSUAL_ONES[game]:
            (name,) = options
            assert name in UNUSUAL
            assert told(new_game(application, game, DRAWN | options, seats)) == (False, name)
        assert told(new_game(application, game, {}, seats)) == (False, "first_seat")
        for options in USUAL[game]:
            assert told(new_game(application, game, options, seats)) == (True, None)


@pytest.mark.parametrize("game", GAMES)
def test_the_verdict_is_recorded(application: Application, game: str) -> None:
    """So it stays whatever a later release thinks: a game without it counts as it did. An audit wants an option."""
    unusual = new_game(application, game, {"turn_limit": 1})
    assert unusual.status.unrated == "turn_limit"
    assert told(unusual._replace(status=unusual.status._replace(unrated=None))) == (True, None)
    application.interventions.adjudicate(unusual.game_id, Verdict(winner=1), Caller("app", APP))
    application.bot_turns.score_game(unusual.game_id)
    scored, events = (
        application.views.snapshot(unusual.game_id),
        application.views._store.read(unusual.game_id),
    )
    assert told(scored) == (False, "turn_limit")
    assert events[0].data["unrated_because"] == "turn_limit"
    (exported,) = games_in(BytesIO(b"".join(export_lines(scored, events))))
    assert verify(exported).wrong is None
    record = unusual.game.redact(events[0].record, None)
    assert "unrated_because" not in record[1]


def test_a_game_that_cannot_count_is_as_it_was(application: Application) -> None:
    """If somebody has no name, that is the reason: options are neither judged nor recorded."""
    created = new_game(application, "migrato", {"turn_limit": 5}, (Seat("human"), Seat("human", "bo")))
    assert (created.status.options["first_seat"], created.status.unrated) == (0, None)
    assert told(created) == (False, "unnamed")
