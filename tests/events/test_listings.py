"""Listings: newest first, by status, game and player, a page at a time."""

from base64 import urlsafe_b64encode
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any, cast

import pytest
from orjson import dumps, loads

from domain.lifecycle import Json, Seat
from events.application import Application
from events.engine.access import Caller
from events.engine.new_game import NewGame
from events.errors import BadCursor
from events.features.listings.port import Band, Known, Span
from events.features.listings.projection import Listings
from events.features.listings.redis import RedisListings
from events.log.serialisers import STANDING
from events.store import keys
from events.store.connections.client import RedisClient
from events.times import milliseconds_of
from tests.events.wiring import application_on
from tests.support.sure import sure

STANDING_NAMES = set(STANDING)


@pytest.fixture
def application(link: RedisClient) -> Application:
    """An application whose clock goes on by a second with every look at it."""
    ticks = count()

    def now() -> datetime:
        return datetime(2026, 11, 21, tzinfo=UTC) + timedelta(seconds=next(ticks))

    return application_on(link, now=now)


def new_game(application: Application, *players: str, app: str = "one", goal: int = 10) -> str:
    seats = tuple(Seat("human", name) for name in players) + (Seat("human"),) * (2 - len(players))
    return application.creation.create(app, NewGame("counter", {"goal": goal}, seats)).snapshot.game_id


def ids(lines: list[Json]) -> list[str]:
    return [line["id"] for line in lines]


def all_pages(application: Application, limit: int, **filters: Any) -> list[list[str]]:
    pages, cursor = [], None
    while True:
        page = application.listing.page("one", limit=limit, cursor=cursor, **filters)
        pages.append(ids(page.games))
        cursor = page.cursor
        if cursor is None:
            return pages


def test_newest_first(application: Application) -> None:
    """Only the app's own are listed. A cursor is a place, so games that come meanwhile do not disturb the pages."""
    games = [new_game(application) for _ in range(4)]
    new_game(application, app="other")
    assert ids(application.listing.page("one").games) == games[::-1]
    assert application.listing.page("nobody").games == []
    first = application.listing.page("one", limit=2)
    new_game(application)
    assert ids(application.listing.page("one", limit=2, cursor=first.cursor).games) == games[1::-1]


def test_a_line(application: Application) -> None:
    """It tells only of public things, and how the game stands, which no projection has to be waited for."""
    game_id = new_game(application, "ada")
    ada = application.views.snapshot(game_id).status.seats[0].player
    (line,) = application.listing.page("one").games
    assert line == {
        "id": game_id,
        "game": "counter",
        "status": "playing",
        "rated": False,
        "unrated_because": "unnamed",
        "setup": False,
        "visibility": "private",
        "created_at": "2026-11-21T00:00:00.000Z",
        "updated_at": "2026-11-21T00:00:01.000Z",
        "version": 2,
        "turn": 0,
        "to_act": 0,
        "last_move": None,
        "seats": [
            {"seat": 0, "kind": "human", "player": "ada", "player_id": ada},
            {"seat": 1, "kind": "human"},
        ],
        "result": None,
    }
    application.moves.play(game_id, 0, {"amount": 1})
    (after,) = application.listing.page("one").games
    moved = {"version": 3, "turn": 1, "to_act": 1, "updated_at": "2026-11-21T00:00:02.000Z"}
    spectators = application.views.game_document(application.views.snapshot(game_id), None)["last_move"]
    assert after == line | moved | {"last_move": spectators}
    assert [event["version"] for event in spectators["events"]] == [3]


def test_a_finished_line(application: Application, link: RedisClient) -> None:
    """It says since when, which the confirmation of the result does not change; nothing else is kept beside it."""
    game_id = new_game(application, "ada", "bo", goal=1)
    ended = application.moves.play(game_id, 0, {"amount": 1}).snapshot
    assert link.call("HEXISTS", keys.standings(keys.partition_of(game_id)), game_id)
    scored = application.bot_turns.score_game(game_id)
    assert scored is not None
    (line,) = application.listing.page("one").games
    names = ("status", "version", "to_act", "finished_at", "updated_at")
    assert [line[name] for name in names] == [
        *("finished", ended.version + 1, None, ended.updated_at, scored.snapshot.updated_at)
    ]
    assert application.views.game_document(scored.snapshot, None)["finished_at"] == ended.updated_at
    assert not link.call("HEXISTS", keys.standings(keys.partition_of(game_id)), game_id)


def test_a_clock_in_a_line(link: RedisClient) -> None:
    """It runs on while nobody moves, as the view's; who has moved has no less."""
    application = application_on(link, now=lambda: datetime.now(UTC) - timedelta(seconds=10))
    clock = {"kind": "bank", "seconds": 60, "increment": 1, "when_up": "forfeit"}
    created = application.creation.create(
        "one", NewGame("counter", {"goal": 10}, (Seat("human", "ada"), Seat("human", "bo")), clock=clock)
    )
    application.moves.play(created.snapshot.game_id, 0, {"amount": 1})
    (line,) = application.listing.page("one").games
    view = application.views.game_document(application.views.snapshot(line["id"]), None, past=True)
    assert line["clock"].keys() == view["clock"].keys()
    assert line["clock"]["deadline"] == view["clock"]["deadline"]
    assert line["clock"]["remaining_ms"][0] == view["clock"]["remaining_ms"][0] > 60_000
    deadline, now = (milliseconds_of(line["clock"][name]) for name in ("deadline", "now"))
    assert line["clock"]["remaining_ms"][1] == deadline - now <= 50_000


def test_by_turn(application: Application) -> None:
    """First the games in which it is the player's turn, then what runs, waits and is over: the last change first."""
    waits = application.creation.create(
        "one", NewGame("counter", {}, (Seat("human", "ada"), Seat("open")), "public")
    ).snapshot.game_id
    mine, other = new_game(application, "ada", "bo"), new_game(application, "bo", "ada")
    ended, moved = new_game(application, "ada", "bo", goal=1), new_game(application, "ada", "bo")
    new_game(application, "bo", "cy")
    for game_id in (ended, moved, other):
        application.moves.play(game_id, 0, {"amount": 1})
    application.bot_turns.score_game(ended)
    application.listing.touch([moved, other, ended])
    adas = [other, mine, moved, waits, ended]
    for limit in (1, 2, 9):
        pages = all_pages(application, limit, order="turn", player="ada")
        assert [game_id for page in pages for game_id in page] == adas
    for filters, games in (
        ({"player": "ada", "status": "playing"}, adas[:3]),
        ({"player": "ada", "status": "waiting"}, [waits]),
        ({"player": "ada", "status": "finished"}, [ended]),
        ({"to_act": "ada"}, [other, mine]),
        ({"to_act": "ada", "player": "bo"}, [other, mine]),
        ({"to_act": "bo", "player": "ada"}, [moved]),
        ({"to_act": "ada", "status": "waiting"}, []),
        ({"to_act": "nobody"}, []),
    ):
        assert ids(application.listing.page("one", order="turn", **filters).games) == games, filters  # type: ignore[arg-type]
    for order, games in (
        ("updated", [other, mine]),
        ("stale", [mine, other]),
        ("newest", [other, mine]),
        ("oldest", [mine, other]),
    ):
        assert ids(application.listing.page("one", order=order, to_act="ada").games) == games
    for order, games in (
        ("updated", [ended, other, moved, mine, waits]),
        ("stale", [waits, mine, moved, other]),
    ):
        found = ids(application.listing.page("one", order=order, player="ada").games)
        assert found[: len(games)] == games


def test_a_player_who_has_left_has_no_turn_there(application: Application) -> None:
    """The index still has the game, but its line says who sits there now."""
    game_id = new_game(application, "ada", "bo")
    application.seats.hand_over(game_id, 0, "zoe", Caller("app", app="one"))
    application.listing.update(game_id)
    assert application.listing.page("one", order="turn", player="ada").games == []
    assert ids(application.listing.page("one", order="turn", to_act="zoe").games) == [game_id]


def test_a_change_that_is_noted_late_changes_nothing(application: Application, link: RedisClient) -> None:
    """Neither that of a game that has ended meanwhile, nor one before another."""
    game_id = new_game(application, "ada", "bo", goal=2)
    listings = RedisListings(link)
    application.moves.play(game_id, 0, {"amount": 1})
    early, early_at = listings.known([game_id]), application.views.snapshot(game_id).updated_at
    application.moves.play(game_id, 1, {"amount": 1})

    class Late(RedisListings):
        """One that was read early."""

        def known(self, game_ids: Sequence[str]) -> list[Known | None]:
            assert list(game_ids) == [game_id]
            return early

    application.listing.touch([game_id])
    Listings(Late(link)).touch([game_id])
    assert ids(application.listing.page("one", order="turn", to_act="bo").games) == []
    (line,) = application.listing.page("one", order="updated").games
    assert line["updated_at"] > early_at
    application.bot_turns.score_game(game_id)
    Listings(Late(link)).touch([game_id])
    assert ids(application.listing.page("one", status="finished", order="updated").games) == [game_id]
    assert ids(application.listing.page("one", status="playing", player="ada", order="turn").games) == []


def test_lines_of_a_former_release(application: Application, link: RedisClient) -> None:
    """They lack how games stand until they are made anew, and then are as if there had been no other release."""
    game_id = new_game(application, "ada", "bo")
    application.moves.play(game_id, 0, {"amount": 1})
    application.listing.touch([game_id])
    (line,) = application.listing.page("one", order="turn", player="ada").games
    key = "{app:one}:lines"
    version, _, document = link.call("HGET", key, game_id).partition(b":")
    former = {name: value for name, value in loads(document).items() if name not in STANDING}
    link.call("HSET", key, game_id, version + b":" + dumps(former))
    link.call("DEL", keys.standings(keys.partition_of(game_id)))
    for player in application.views.snapshot(game_id).status.seats:
        link.call("DEL", f"{{app:one}}:games:of:{player.player}")
    (found,) = application.listing.page("one", order="updated").games
    assert found == {name: value for name, value in line.items() if name in former or name == "updated_at"}
    application.listing.touch([game_id])  # as a dispatcher does for a process of that release
    application.listing.update(game_id, anew=True)
    assert application.listing.page("one", order="turn", player="ada").games == [line]
    assert link.call("HEXISTS", keys.standings(keys.partition_of(game_id)), game_id)


def test_filters(application: Application) -> None:
    """Each filter is tried by itself, and all together."""
    ada, bo = new_game(application, "ada", goal=1), new_game(application, "bo", "ada")
    application.moves.play(ada, 0, {"amount": 1})
    application.listing.update(ada)
    for filters, games in (
        ({"player": "ada"}, [bo, ada]),
        ({"player": "bo"}, [bo]),
        ({"player": "ad"}, []),
        ({"status": "finished"}, [ada]),
        ({"status": "playing"}, [bo]),
        ({"status": "waiting"}, []),
        ({"game": "counter"}, [bo, ada]),
        ({"game": "chess"}, []),
        ({"player": "ada", "status": "playing"}, [bo]),
        ({"player": "bo", "status": "finished"}, []),
        ({"game": "counter", "status": "playing", "player": "bo"}, [bo]),
    ):
        assert ids(application.listing.page("one", **filters).games) == games, filters  # type: ignore[arg-type]


def test_by_the_last_event(application: Application) -> None:
    """First the game that moved last, or the one silent for longest; a move is noted though no line shows it."""
    one, two, three = (new_game(application, "ada") for _ in range(3))
    ended = new_game(application, goal=1)
    application.moves.play(two, 0, {"amount": 1})
    application.listing.touch([two])
    application.moves.play(ended, 0, {"amount": 1})
    application.listing.update(ended)
    by_change = [one, three, two, ended]
    for limit in (1, 3, 9):
        for order, expected in (("stale", by_change), ("updated", by_change[::-1])):
            pages = all_pages(application, limit, order=order)
            assert [game_id for page in pages for game_id in page] == expected
    assert all_pages(application, 9, order="stale", status="playing") == [[one, three, two]]
    assert all_pages(application, 9, order="updated", player="ada") == [[two, three, one]]
    at = {line["id"]: line["updated_at"] for line in application.listing.page("one").games}
    assert at == {game_id: application.views.snapshot(game_id).updated_at for game_id in by_change}
    for order in ("newest", "stale"):
        within = {"updated_after": milliseconds_of(at[one]), "updated_before": milliseconds_of(at[two])}
        assert ids(application.listing.page("one", order=order, **within).games) == [three]  # type: ignore[arg-type]


def test_by_creation(application: Application) -> None:
    """The oldest first as well, page by page; between two times, whatever the order and the index."""
    games = [new_game(application, "ada") for _ in range(5)]
    at = [milliseconds_of(line["created_at"]) for line in application.listing.page("one").games][::-1]
    for limit in (1, 2, 9):
        pages = all_pages(application, limit, order="oldest")
        assert [game_id for page in pages for game_id in page] == games
    for filters in ({}, {"player": "ada"}, {"status": "playing"}):
        for order in ("newest", "oldest", "updated", "stale"):
            pages = all_pages(
                application, 2, order=order, created_after=at[0], created_before=at[4], **filters
            )
            found = [game_id for page in pages for game_id in page]
            assert found == (games[1:4] if order in ("oldest", "stale") else games[3:0:-1]), order
    for far in (-(10**14), 10**15):
        assert len(application.listing.page("one", created_after=far).games) == (5 if far < 0 else 0)
        assert len(application.listing.page("one", created_before=far).games) == (0 if far < 0 else 5)


def test_games_that_changed_at_the_same_time(link: RedisClient) -> None:
    """No game is lost between two pages, though several changed at the same time."""
    application = application_on(link, now=lambda: datetime(2026, 11, 21, tzinfo=UTC))
    games = {new_game(application) for _ in range(5)}
    for order in ("stale", "updated"):
        pages = all_pages(application, 2, order=order)
        assert [len(page) for page in pages] == [2, 2, 1]
        assert {game_id for page in pages for game_id in page} == games


def test_a_game_that_gets_another_status_meanwhile_is_listed_once(
    application: Application, link: RedisClient
) -> None:
    """The sets of the statuses are read one after the other, and what is read of the first is not the last word."""
    moved, other = new_game(application, goal=1), new_game(application)

    class Interrupted:
        """A link on which the first game ends right after the look at games that are played."""

        def call(self, *request: Any) -> Any:
            reply = link.call(*request)
            if request[1].endswith(":playing") and application.views.snapshot(moved).status.result is None:
                application.moves.play(moved, 0, {"amount": 1})
                application.listing.update(moved)
            return reply

    listings = RedisListings(cast(RedisClient, Interrupted()))
    places = listings.by_change(
        "one", [Band(("changed", status)) for status in ("waiting", "playing", "finished")], Span(), 9
    )
    assert [member.partition(b":")[2].decode() for _, member in places] == [other, moved]


def test_nobody_is_told_when_private_games_of_everybody_have_changed(application: Application) -> None:
    """Their moves would show; whoever looks after abandoned games finds them all the same."""
    hidden = new_game(application, app="anonymous")
    seats = (Seat("human"), Seat("human"))
    new = NewGame("counter", {"goal": 10}, seats, "public")
    shown = application.creation.create("anonymous", new).snapshot.game_id
    lines = application.listing.page("anonymous").games
    assert [(line["id"], "updated_at" in line) for line in lines] == [(shown, True), (hidden, False)]
    assert ids(application.listing.page("anonymous", order="stale").games) == [shown]
    for game_id in (hidden, shown):
        application.moves.play(game_id, 0, {"amount": 1})
    application.listing.touch([hidden, shown])
    seen = {line["id"]: STANDING_NAMES & line.keys() for line in application.listing.page("anonymous").games}
    assert seen == {hidden: set(), shown: STANDING_NAMES - {"clock"}}
    assert ids(application.listing.page("anonymous", updated_after=0).games) == [shown]


def test_pages_of_few_among_many(application: Application) -> None:
    """Filters that leave little: all of it is found, a page may be short, and the last one says so."""
    few = []
    for number in range(30):
        game_id = new_game(application, "ada", goal=1)
        if number % 15 == 0:
            few.append(game_id)
        else:
            application.moves.play(game_id, 0, {"amount": 1})
            application.listing.update(game_id)
    pages = all_pages(application, limit=1, player="ada", status="playing")
    assert [game_id for page in pages for game_id in page] == few[::-1]
    assert all(len(page) <= 1 for page in pages)


def test_an_update_that_comes_late_changes_nothing(application: Application, link: RedisClient) -> None:
    """A process that looked earlier and writes later does not undo what was written since."""
    game_id = new_game(application, goal=1)
    early = application.views.snapshot(game_id)
    application.moves.play(game_id, 0, {"amount": 1})
    application.listing.update(game_id)
    Listings(RedisListings(link)).update(early)
    assert [line["status"] for line in application.listing.page("one").games] == ["finished"]
    assert application.listing.page("one", status="playing").games == []


def test_a_taken_seat_makes_the_game_its_players_too(application: Application) -> None:
    """From the next update on, the listing of a player has a game in which the player took a seat."""
    seats = (Seat("human", "ada"), Seat("open"))
    game_id = application.creation.create("one", NewGame("counter", {}, seats, "public")).snapshot.game_id
    assert application.listing.page("one", status="waiting").games != []
    application.seats.take(game_id, 1, "bo", None, Caller("app", app="one"))
    application.listing.update(game_id)
    assert ids(application.listing.page("one", player="bo", status="playing").games) == [game_id]
    assert application.listing.page("one", status="waiting").games == []


def test_a_cursor_that_is_none_of_ours(application: Application) -> None:
    """A cursor that the engine has not made is refused by its name."""
    for _ in range(2):
        new_game(application)
    good = sure(application.listing.page("one", limit=1).cursor)
    forged = [urlsafe_b64encode(text).decode() for text in (b"1:2", b"0000000000000:" + b"!" * 22)]
    other = sure(application.listing.page("one", limit=1, order="stale").cursor)
    with pytest.raises(BadCursor):
        application.listing.page("one", cursor=good, order="stale")
    for cursor in (good[:-1], good + "A", "", "ü", "=", other, *forged):
        with pytest.raises(BadCursor) as refused:
            application.listing.page("one", cursor=cursor)
        assert list(refused.value.data["errors"]) == ["cursor"]


def test_games_that_are_listed_as_they_were(application: Application) -> None:
    """Before a version, or not at all: a game that nobody has listed, one that is not there, one of no app."""
    listed, changed = new_game(application, "ada", "bo"), new_game(application, "cy", "di", goal=1)
    application.moves.play(changed, 0, {"amount": 1})
    now = {game: application.views.snapshot(game).version for game in (listed, changed)}
    assert application.listing.outdated({**now, "a" * 22: 1}) == [changed, "a" * 22]
    application.listing.update(changed)
    assert application.listing.outdated(now) == []
    assert application.listing.outdated({}) == []
