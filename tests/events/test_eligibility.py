"""Games that can be compared with others count for ratings: this is settled and told when they are created."""

import json
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from io import BytesIO
from typing import Any, Final

import pytest

from domain.bot import Budget
from domain.clocks.options import USUAL as USUAL_CLOCKS
from domain.clocks.options import options_document, recorded_options
from domain.errors import DomainError
from domain.game import Game
from domain.lifecycle import Json, Seat, TakeHint, TellFork
from domain.registry import GAMES
from events.application import Application
from events.audit.findings import CheckFailed
from events.audit.infer_commands import command_of
from events.audit.stream_verifier import ReadEvent
from events.audit.verify import verify
from events.engine import access
from events.engine.access import Caller
from events.engine.eligibility import judged, resolved
from events.engine.new_game import NewGame
from events.features.games.forks import WantedFork
from events.features.interventions import Verdict
from events.features.ratings.redis.counting_games import RedisCountingGames
from events.features.ratings.results import counted
from events.features.rematches.rematches import _again
from events.log.envelope import RecordedEvent
from events.log.export import Exported, export_lines, games_in
from events.log.ratings.scale import CERTAIN, KNOWN, bot_elo, elo_of, mean_of
from events.log.ratings.unrated import AT_ONCE
from events.log.serialisers import summary_document
from events.log.snapshot import Snapshot
from service.http.schemas.games.responses import UNUSUAL
from tests.events.conftest import NewLink
from tests.events.wiring import application_on
from tests.support.running import ROOT
from tests.support.sure import sure

NO_CHANCE: Final[Any] = None
BY_APP: Final = "app"
APP = "club"
NAMED, WAITING = (Seat("human", "ada"), Seat("human", "bo")), (Seat("human", "ada"), Seat("open"))
WITH_A_BOT = (Seat("bot", bot="greedy"), Seat("human", "ada"))
DECK = GAMES["migrato"].rated_options["deck_list"]
TABLE = GAMES["migo"].rated_options["card_table"]
UNUSUAL_ONES: dict[str, list[Json]] = {
    "migrato": [
        {"turn_limit": 1},
        {"turn_limit": 1000},
        {"memory_aid": True},
        {"deck_list": {**DECK, "G5d": DECK["G5d"] + 1}},
        {"first_seat": 0},
        {"first_seat": 1},
    ],
    "migo": [{"turn_limit": 1}, {"card_table": {**TABLE, "E01": TABLE["E02"]}}, {"first_seat": 0}],
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


def new_game(
    application: Application,
    game: str,
    options: Json,
    seats: tuple[Seat, ...] = NAMED,
    pairing: str | None = BY_APP,
) -> Snapshot:
    return application.creation.create(APP, NewGame(game, options, seats, pairing=pairing)).snapshot


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
            reason = "unmeasured-bot" if seats == WITH_A_BOT and options != DRAWN else None
            assert told(new_game(application, game, options, seats)) == (reason is None, reason)


@pytest.mark.parametrize("game", GAMES)
def test_the_verdict_is_recorded(application: Application, game: str) -> None:
    """So it stays whatever a later release thinks: a game without it counts as it did. An audit wants an option."""
    unusual = new_game(application, game, {"turn_limit": 1})
    assert unusual.status.unrated == "turn_limit"
    assert told(unusual._replace(status=unusual.status._replace(unrated=None))) == (True, None)
    scored, events, exported = scored_game(application, unusual)
    assert told(scored) == (False, "turn_limit")
    assert events[0].data["unrated_because"] == "turn_limit"
    assert verify(exported).wrong is None
    assert unusual.game.redact(events[0].record, None) == (events[0].data, [])


@pytest.mark.parametrize("game", GAMES)
def test_a_game_that_counts_records_by_what(application: Application, game: str) -> None:
    """The one that paired its players, and the strength of a bot: so an auditor folds the same ratings.
    Whoever takes either away, or adds it, is found out.
    """
    _, events, exported = scored_game(application, new_game(application, game, DRAWN, WITH_A_BOT, None))
    assert events[0].data["pairing"] == "bots"
    strength, par = GAMES[game].strengths["greedy"], GAMES[game].newcomer_elo
    assert [seat.get("elo") for seat in events[0].data["seats"]] == [strength.elo - par, None]
    assert verify(exported).wrong is None
    played = sure(counted(application.views.snapshot(events[0].data["id"])))
    assert played.anchors == (strength.elo - par, None)
    for wrong in (
        {"pairing": "nobody"},
        {"pairing": "bots", "unrated_because": "arranged"},
        {"unrated_because": "x"},
    ):
        data = {**events[0].data, **wrong}
        with pytest.raises(CheckFailed):
            command_of(GAMES[game], None, ReadEvent(1, "", "game_created", 1, None, data), [])


@pytest.mark.parametrize("game", GAMES.values())
def test_people_and_bots_are_on_one_scale(game: Game) -> None:
    """A person who is as strong as a measured bot, and known as well as can be, is shown what the bot is."""
    for name, strength in game.strengths.items():
        ordinal = mean_of(sure(bot_elo(game, name, 2))) - CERTAIN * KNOWN
        assert elo_of(game, ordinal) == strength.elo


def scored_game(application: Application, game: Snapshot) -> tuple[Snapshot, list[RecordedEvent], Exported]:
    """The game as it is once seat 1 was awarded it, its events, and its export."""
    application.interventions.adjudicate(game.game_id, Verdict(winner=1), Caller("app", APP))
    application.bot_turns.score_game(game.game_id)
    scored = application.views.snapshot(game.game_id)
    events = application.views._store.read(game.game_id)
    (exported,) = games_in(BytesIO(b"".join(export_lines(scored, events))))
    return scored, events, exported


BOT_MOVES: Final = {"kind": "per-move", "seconds": 60, "when_up": "bot"}


def test_only_games_count_whose_opponents_nobody_has_chosen(application: Application) -> None:
    """People who sit down together, in the lobby or by an invite too, are friends for all that anybody knows."""
    three = (*NAMED, Seat("human", "cy"))
    with_a_bot, by_app = (
        NewGame(options=DRAWN, seats=WITH_A_BOT),
        NewGame(options=DRAWN, seats=NAMED, pairing="app"),
    )
    bot, bots = Seat("bot", bot="greedy"), (Seat("bot", bot="level-1"), Seat("bot", bot="level-2"))
    weakened, former = (
        Seat("bot", bot="level-7", budget=Budget(iterations=1)),
        next(iter(GAMES["migrato"].kept_bots)),
    )
    for new, reason in (
        (NewGame(options=DRAWN, seats=NAMED), "arranged"),
        (NewGame(options=DRAWN, seats=WAITING), "arranged"),
        (NewGame(options=DRAWN, seats=(bot, Seat("open"))), "arranged"),
        (NewGame(options=DRAWN, seats=NAMED, rematch_of="0" * 22), "arranged"),
        (NewGame(options=DRAWN, seats=NAMED, pairing="quick-match"), None),
        (by_app, None),
        (NewGame(options=DRAWN, seats=WAITING, pairing="app"), None),
        (with_a_bot, None),
        (NewGame(options=resolved(GAMES["migrato"], DRAWN, 2), seats=WITH_A_BOT, rematch_of="0" * 22), None),
        (NewGame(options=DRAWN, seats=bots), None),
        (NewGame(options=DRAWN, seats=WITH_A_BOT, rated=False), "friendly"),
        (NewGame("migo", DRAWN, three, pairing="app"), None),
        *((replace(game, clock=BOT_MOVES), "clock") for game in (with_a_bot, by_app)),
        (replace(with_a_bot, clock=BOT_MOVES | {"when_up": "replace"}), None),
        (NewGame("migo", DRAWN, (*NAMED, bot), pairing="app"), "unmeasured-bot"),
        (NewGame(options=DRAWN, seats=(Seat("bot", bot="level-7"), NAMED[0])), None),
        (NewGame(options=DRAWN, seats=(weakened, NAMED[0])), "unmeasured-bot"),
        (NewGame(options=DRAWN, seats=(Seat("bot", bot=former), NAMED[0])), "unmeasured-bot"),
    ):
        assert told(application.creation.create(APP, new).snapshot) == (reason is None, reason), new


def test_quick_match_counts_where_many_look_for_the_same() -> None:
    """With a clock, or options, of their own friends would find each other alone."""
    game = GAMES["migrato"]
    for clock, options, reason in (
        (None, {}, None),
        *((options_document(clock), {}, None) for clock in USUAL_CLOCKS),
        ({"kind": "bank", "seconds": 301}, {}, "uncommon"),
        ({"kind": "per-move", "seconds": 60, "when_up": "bot"}, {}, "uncommon"),
        (None, {"rules": "opla"}, "uncommon"),
    ):
        new = NewGame("migrato", DRAWN | options, NAMED, clock=clock, pairing="quick-match")
        assert judged(game, new).unrated == reason, (clock, options)
    assert judged(game, replace(new, options=DRAWN)).unrated is None
    assert judged(game, replace(new, options=DRAWN, visibility="public")).unrated == "uncommon"
    assert judged(game, replace(new, options=DRAWN, selective=True)).unrated == "uncommon"


def test_the_page_offers_the_clocks_that_count() -> None:
    source = (ROOT / "service/web/home/creating.js").read_text()
    block = source.partition("export const CLOCKS = {")[2].partition("};")[0]
    clocks = re.findall(r"(\w+): (\{.+\}),", block)
    offered = [json.loads(re.sub(r"(\w+):", r'"\1":', text)) for _, text in clocks]
    assert tuple(map(recorded_options, offered)) == USUAL_CLOCKS


def test_no_more_than_five_games_of_a_player_count_at_a_time(new_link: NewLink) -> None:
    """The later ones do not, from the start, also where all are asked for at once; whatever ends makes room."""
    application = application_on(new_link(), counting=RedisCountingGames(new_link()))
    with ThreadPoolExecutor(8) as pool:
        new = NewGame(options=DRAWN, seats=WITH_A_BOT)
        made = [
            one.result().snapshot
            for one in [pool.submit(application.creation.create, APP, new) for _ in range(8)]
        ]
    reasons = [told(game)[1] for game in made]
    assert sorted(reasons, key=str) == [None] * AT_ONCE + ["many-games"] * 3
    assert told(new_game(application, "migo", DRAWN, NAMED)) == (False, "many-games")
    over = made[reasons.index(None)]
    application.interventions.adjudicate(over.game_id, Verdict(winner=1), Caller("app", APP))
    assert told(new_game(application, "migo", DRAWN, NAMED)) == (True, None)
    assert told(new_game(application, "migo", DRAWN, NAMED)) == (False, "many-games")
    assert told(over) == (True, None)


@pytest.mark.parametrize("rated", [True, False])
def test_a_game_that_counts_allows_no_help(application: Application, rated: bool) -> None:
    """No hint, no fork, no move back: refused, by the audit too; one that does not count has them all."""
    created = application.creation.create(
        APP, NewGame(options=DRAWN, seats=NAMED, pairing="app", rated=rated)
    )
    now = created.snapshot
    seat = sure(now.status.to_act)
    caller = Caller("seat", APP, seat, access.hash_of(created.tokens[seat]))

    def refusal(ask: Callable[[], object]) -> str | None:
        try:
            ask()
        except DomainError as refused:
            return refused.code
        return None

    for ask in (
        lambda: application.hints.wanted(now.game_id, seat, "greedy"),
        lambda: application.forks.fork(now.game_id, caller, WantedFork(now.version, resample=True)),
        lambda: application.takebacks.ask(now.game_id, seat, caller),
        lambda: now.game.decide(now.state, seat, TakeHint("greedy", "1", None, "0" * 16), NO_CHANCE),
        lambda: now.game.decide(now.state, seat, TellFork(2), NO_CHANCE),
    ):
        assert (refusal(ask) == "rated-game") is rated
    assert (application.takebacks.look(now.game_id, caller).refusal == "rated-game") is rated


def test_a_rematch_of_a_game_that_was_not_to_count_does_not(application: Application) -> None:
    """A rematch of such a game does not count either, so players who use hints go on with them."""
    for rated in (True, False):
        game = application.creation.create(
            APP, NewGame(options=DRAWN, seats=WITH_A_BOT, rated=rated)
        ).snapshot
        assert _again(game).rated is rated


def test_a_game_that_cannot_count_is_as_it_was(application: Application) -> None:
    """If somebody has no name, that is the reason: options are neither judged nor recorded."""
    created = new_game(application, "migrato", {"turn_limit": 5}, (Seat("human"), Seat("human", "bo")))
    assert (created.status.options["first_seat"], created.status.unrated) == (0, None)
    assert told(created) == (False, "unnamed")
