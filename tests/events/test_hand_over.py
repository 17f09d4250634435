"""A seat given to another player: by whom, and what becomes of the former token."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest

from domain.lifecycle import Seat
from events.application import Application
from events.engine.access import STRANGER, Caller, new_game_id
from events.engine.new_game import NewGame
from events.errors import EngineError, Forbidden, GameNotFound, Unauthorized
from events.features.seats import seats
from events.log.snapshot import Snapshot
from events.store.connections.client import RedisClient
from tests.events.conftest import Make
from tests.events.dump import dump
from tests.events.refusals import refusal_of

APP, OTHER = Caller("app", app="one"), Caller("app", app="two")
PEOPLE = (Seat("human", "ada", client_seed="four geese"), Seat("human", "bo"))


@pytest.fixture
def make(make: Make) -> Make:
    """Makes applications that know the keys of two apps."""
    return partial(make, keyed=True)


def new(here: Application, **more: Any) -> tuple[str, str]:
    """A game of two people, and ada's token."""
    created = here.creation.create("one", NewGame("counter", {}, PEOPLE, **more))
    return created.snapshot.game_id, created.tokens[0]


def names(here: Application, snapshot: Snapshot) -> list[str]:
    return [seat["player"] for seat in here.views.game_document(snapshot, None)["seats"]]


def looked_at(here: Application, game_id: str, token: str) -> Snapshot:
    return here.views.open_game(game_id, here.callers.who_asks(token, game_id))


@pytest.mark.parametrize("by", ["app", "seat"])
def test_the_token_goes_over(make: Make, by: str) -> None:
    """In one step: the former one is void in every process, and the event says who gave the seat to whom."""
    here, there = make(), make()
    game_id, token = new(here)
    assert there.callers.who_asks(token, game_id).seat == 0
    caller = APP if by == "app" else here.callers.who_asks(token, game_id)
    after, successor = here.seats.hand_over(game_id, 0, "zoe", caller)
    assert names(here, after) == ["zoe", "bo"]
    assert (after.status.seats[0].stands_in, after.status.seats[0].client_seed) == (True, "four geese")
    for application in (here, there, make()):
        with pytest.raises(Unauthorized):
            looked_at(application, game_id, token)
        assert looked_at(application, game_id, successor).status.seats[0].player != "ada"
    (event,) = make().views.history(game_id, after=after.version - 1)
    assert (event.type, event.seat) == ("seat_handed_over", 0)
    assert event.data == {"app": "one" if by == "app" else None, "player": after.status.seats[0].player}
    here.listing.update(game_id)
    assert here.listing.page("one", player="ada").games == []
    listed = [line["id"] for line in here.listing.page("one", player="zoe").games]
    assert listed == ([game_id] if by == "app" else [])


def test_by_the_seat_itself_it_is_a_guest(here: Application) -> None:
    """Nobody becomes a player whom the app has named, on a player's word."""
    game_id, token = new(here)
    zoe = here.seats.hand_over(game_id, 1, "zoe", APP)[0].status.seats[1].player
    ada = here.callers.who_asks(token, game_id)
    after, _ = here.seats.hand_over(game_id, 0, "zoe", ada)
    assert names(here, after) == ["zoe", "zoe"]
    assert after.status.seats[0].player != zoe


def test_nobody_else_gives_a_seat_away(here: Application, make: Make, link: RedisClient) -> None:
    """Another seat, another app, a stranger: nothing happens, and no name is kept."""
    game_id, _ = new(here)
    public, _ = new(here, visibility="public")
    before = dump(link)
    for caller, game, refusal in (
        (Caller("seat", seat=1, game_id=game_id), game_id, Forbidden),
        (OTHER, game_id, GameNotFound),
        (STRANGER, game_id, GameNotFound),
        (OTHER, public, Forbidden),
        (STRANGER, public, Forbidden),
        (APP, new_game_id(), GameNotFound),
    ):
        with pytest.raises(refusal):
            make().seats.hand_over(game, 0, "eve", caller)
    assert dump(link) == before


def test_no_seat_to_give(here: Application, link: RedisClient) -> None:
    """An open one, one that is not there, one to who has it, one of a game that is over."""
    game_id, _ = new(here)
    waiting = here.creation.create("one", NewGame("counter", {}, (Seat("human"), Seat("open")))).snapshot
    for game, seat, player, code in (
        (waiting.game_id, 1, "zoe", "not-found"),
        (game_id, 7, "zoe", "not-found"),
        (game_id, 0, "ada", "validation-error"),
    ):
        assert refusal_of(here.seats.hand_over, game, seat, player, APP) == code
    here.interventions.abort(game_id, APP)
    before = dump(link)
    assert refusal_of(here.seats.hand_over, game_id, 0, "zoe", APP) == "game-over"
    assert dump(link) == before


def test_so_often_and_no_more(here: Application, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """A seat is handed over a limited number of times: each is an event, and a game must have an end."""
    monkeypatch.setattr(seats, "HAND_OVERS", 3)
    game_id, _ = new(here)
    for player in ("zoe", "yan", "xia"):
        here.seats.hand_over(game_id, 0, player, APP)
    assert refusal_of(make().seats.hand_over, game_id, 0, "will", APP) == "no-more-tokens"
    assert here.seats.hand_over(game_id, 1, "will", APP)


def test_all_at_once(here: Application, make: Make) -> None:
    """By the seat itself once: the others hold a token that is void. One player sits there, by the last token."""
    game_id, token = new(here)
    ada = here.callers.who_asks(token, game_id)
    crowd = [make() for _ in range(6)]

    def give(number: int) -> str | None:
        try:
            return crowd[number].seats.hand_over(game_id, 0, f"p{number}", ada)[1]
        except EngineError:
            return None

    with ThreadPoolExecutor(len(crowd)) as pool:
        tokens = [one for one in pool.map(give, range(len(crowd))) if one is not None]
    assert len(tokens) == 1
    assert make().callers.who_asks(tokens[0], game_id).seat == 0
