"""Apps' logs: everything once, in order, from the first use on, and nothing of anybody else's."""

import random
import time
from datetime import timedelta
from functools import partial
from itertools import pairwise

import pytest

from domain.lifecycle import Json, Seat
from domain.takebacks.decide import AnswerTakeback
from events.application import Application, wired
from events.engine.access import Caller
from events.engine.command_handler import utc_now
from events.engine.new_game import NewGame
from events.errors import CursorExpired, StoreUnavailable
from events.features.webhooks import app_logs
from events.features.webhooks.event_types import LoggedMessage
from events.features.webhooks.redis.app_logs import KEPT_SECONDS, RedisAppLogs
from events.runtime import bootstrap
from events.runtime.settings import Settings
from events.store import keys
from events.store.link import link_to
from tests.support.sure import sure
from tests.webhooks.conftest import PEOPLE, create, feed_of, move, relay_of
from workers.webhooks.relay import Relay


@pytest.fixture(autouse=True)
def ahead(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """By how many seconds applications are ahead of the time."""
    ahead = [0.0]
    now = partial(wired, now=lambda: utc_now() + timedelta(seconds=ahead[0]))
    monkeypatch.setattr(bootstrap, "wired", now)
    return ahead


def all_of(engine: Application, app: str = "club", after: str = "0") -> list[LoggedMessage]:
    found: list[LoggedMessage] = []
    while (page := engine.app_logs.page(app, after, 7)).messages:
        found += page.messages
        after = page.next
    return found


def shown(found: list[LoggedMessage]) -> list[tuple[str, int]]:
    """The types of messages, with the versions of the games that they show."""
    return [(logged.message.type, logged.message.version) for logged in found]


def play_to_the_end(engine: Application, game_id: str) -> None:
    """Until a seat resigns."""
    for _ in range(6):
        move(engine, game_id)
    seat = sure(engine.views.snapshot(game_id).status.to_act)
    engine.moves.play(game_id, seat, {"type": "resign"})
    engine.bot_turns.score_game(game_id)


def test_a_log_begins_with_the_first_question(engine: Application, relay: Relay) -> None:
    """The past is not in it, not even of a game that goes on."""
    game_id, _ = create(engine)
    start = engine.app_logs.page("club", "0", 10)
    assert start.messages == []
    turn = engine.views.snapshot(game_id).status.turn
    while engine.views.snapshot(game_id).status.turn == turn:
        version = move(engine, game_id)
    relay.step(1)
    *others, only = all_of(engine, after=start.next)
    assert {other.message.type for other in others} <= {"game.updated"}  # of a turn that goes on
    assert (only.message.type, only.message.version) == ("turn.changed", version)
    assert only.message.data["seat"] == only.message.data["to_act"]
    assert [logged.id for logged in all_of(engine)] == [*(other.id for other in others), only.id]


def test_entries_handled_again_or_in_disorder_are_logged_once_and_in_order(
    engine: Application, keyed: Settings
) -> None:
    """Whatever a relay that died has read, and however late, with several of them at work."""
    engine.app_logs.page("club", "0", 1)
    game_id, _ = create(engine)
    play_to_the_end(engine, game_id)
    entries = feed_of(keyed).read(1)
    assert len(entries) > 5
    orders = random.Random(3)
    relay_of(keyed, engine).handle(entries[:1])
    for _ in range(6):
        relay = relay_of(keyed, engine)
        orders.shuffle(entries)
        for entry in entries:
            relay.handle([entry] if orders.random() < 0.8 else [])
    relay_of(keyed, engine).handle(entries)
    told = shown(all_of(engine))
    assert [version for _, version in told] == sorted(version for _, version in told)
    assert (told[0][0], told[-1][0]) == ("game.created", "game.scored")
    assert len(set(told)) == len(told)


def test_a_relay_that_dies_or_whose_store_fails_loses_nothing(
    engine: Application, keyed: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another one takes over what it has read; a step that has failed in the middle is done again, whole."""
    engine.app_logs.page("club", "0", 1)
    create(engine)
    feed, relay = feed_of(keyed), relay_of(keyed, engine)
    assert feed.read(1)  # and never acknowledged
    write, fails = engine.app_logs.logs.write, [True, False]

    def failing(*args: object, **kwargs: object) -> int | None:
        result = write(*args, **kwargs)  # type: ignore[arg-type]
        if fails.pop(0):
            raise StoreUnavailable("the answer got lost")
        return result

    monkeypatch.setattr(engine.app_logs.logs, "write", failing)
    with pytest.raises(StoreUnavailable):
        relay.step(1)
    relay.step(1)
    assert [kind for kind, _ in shown(all_of(engine))] == ["game.created", "game.started", "turn.changed"]
    assert feed.claim_stale(0) == []


def test_rare_types_are_looked_for_in_steps(
    engine: Application, relay: Relay, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A request looks at so many messages, and says where to go on; a long poll does not wait where there are more."""
    monkeypatch.setattr(app_logs, "SCANNED", 2)
    monkeypatch.setattr(app_logs, "SCANS", 2)
    logs = engine.app_logs
    logs.page("club", "0", 1)
    for _ in range(3):
        create(engine)
    relay.step(1)
    there = all_of(engine)
    assert len(there) == 9
    page = logs.page("club", "0", 5, {"game.finished"})
    assert (page.messages, page.next, page.is_end) == ([], there[3].id, False)
    assert logs.wait_page("club", "0", 5, {"game.finished"}, 5.0) == page
    rest = logs.page("club", logs.page("club", page.next, 5, {"game.finished"}).next, 5, {"game.finished"})
    assert (rest.messages, rest.next, rest.is_end) == ([], there[-1].id, True)


def test_a_clock_that_was_set_far_back(engine: Application, relay: Relay, redis_url: str) -> None:
    """A million messages in what stays the last millisecond: they keep their order, and cursors their form."""
    engine.app_logs.page("club", "0", 1)
    later = int(time.time() * 1000) + 86_400_000
    link_to(redis_url, 5.0).call("XSETID", keys.app_log("club"), f"{later}-999998")
    create(engine)
    relay.step(1)
    found = all_of(engine)
    assert [one.id for one in found] == [f"{later}-999999", f"{later + 1}-0", f"{later + 1}-1"]
    for before, after in pairwise(found):
        assert engine.app_logs.wait("club", before.id, 0.5)
        assert engine.app_logs.page("club", before.id, 1).messages == [after]
    assert not engine.app_logs.wait("club", found[-1].id, 0.01)


def test_a_private_game_of_everybody_shows_what_its_listing_does(
    application: Application, settings: Settings
) -> None:
    """Without app keys: no turns, no versions; of a public game all."""
    relay = relay_of(settings, application)
    application.app_logs.page("anonymous", "0", 1)
    game_id, _ = create(application, "anonymous")
    public, _ = create(application, "anonymous", visibility="public")
    for one in (game_id, public):
        for _ in range(4):
            move(application, one)
    relay.step(1)
    found = all_of(application, "anonymous")
    of_private = [logged.message for logged in found if logged.message.game_id == game_id]
    assert [message.type for message in of_private] == ["game.created", "game.started"]
    for message in of_private:
        assert message.version == 0
        assert [message.data[name] for name in ("version", "turn", "to_act")] == [None] * 3
        assert not {"version", "updated_at", "turn", "to_act"} & message.data["line"].keys()
    assert "turn.changed" in {logged.message.type for logged in found if logged.message.game_id == public}


def test_events_have_what_changes_a_line(engine: Application, relay: Relay) -> None:
    """Lines to which they are applied, one by one, are those of the listing, whatever happens in the games."""
    all_of(engine)
    clock = {"kind": "bank", "seconds": 3_600}
    timed, _ = create(engine, clock=clock)  # type: ignore[arg-type]
    waits = engine.creation.create("club", NewGame(seats=(PEOPLE[0], Seat("open")), visibility="public"))
    table = waits.snapshot.game_id
    club = Caller("app", "club")
    engine.seats.take(table, 1, "bob", None, club)
    for _ in range(2):
        move(engine, timed)
        move(engine, table)
    taken_back = begun(engine)
    for seat, agrees in ((0, None), (1, True)):
        take_back(engine, taken_back, seat, agrees)
    engine.seats.hand_over(timed, 0, "zoe", club)
    engine.seats.reissue(timed, 1, club)
    engine.interventions.abort(timed, club)
    play_to_the_end(engine, table)
    relay.step(1)
    lines, names = dict[str, Json](), set[str]()
    for one in engine.app_logs.documents("club", all_of(engine)):
        assert one["data"]["line"].keys() > {"id", "game"}
        lines[one["data"]["game_id"]] = lines.get(one["data"]["game_id"], {}) | one["data"]["line"]
        names.add(one["type"])
    assert "game.updated" in names  # nothing else tells of a new token
    engine.listing.update(timed)
    listed = {line["id"]: line for line in engine.listing.page("club").games}
    assert {game: {n: v for n, v in line.items() if v is not None} for game, line in lines.items()} == {
        game: {n: v for n, v in line.items() if v is not None} for game, line in listed.items()
    }
    engine.erasure.erase("club", lines[table]["seats"][1]["player_id"])
    kept = [one for one in all_of(engine) if "seats" in one.message.data["line"]]
    assert all(seat.get("player") is None for one in kept for seat in one.message.data["line"]["seats"])
    shown = [seat for one in engine.app_logs.documents("club", kept) for seat in one["data"]["line"]["seats"]]
    assert {seat.get("player") for seat in shown} == {"ada", "zoe", None}


def test_clocks_and_new_holders(
    engine: Application, relay: Relay, redis_url: str, ahead: list[float]
) -> None:
    """Time that is up, with what comes of it, time given back, and another player on a seat."""
    all_of(engine)
    clock = {"kind": "per-move", "seconds": 60, "when_up": "replace"}
    ahead[0] = -1_000.0  # so that the outage below is over by the store's clock
    game_id, _ = create(engine, clock=clock)  # type: ignore[arg-type]
    first = sure(engine.views.snapshot(game_id).status.to_act)
    assert engine.timekeeping is not None
    engine.seats.hand_over(game_id, 1 - first, "zoe", Caller("app", "club"))
    began = sure(engine.views.snapshot(game_id).clock)
    assert began.deadline is not None
    link = link_to(redis_url, 5.0)
    link.call("ZADD", keys.OUTAGES, began.since + 2100, f"{began.since}-{began.since + 2100}")
    assert engine.timekeeping.give_back(game_id) is not None
    after = sure(engine.views.snapshot(game_id).clock)
    ahead[0] = sure(after.deadline) / 1000 - time.time() + 0.1
    assert engine.timekeeping.settle(game_id) is not None
    relay.step(1)
    kinds = [(one.message.type, one.message.data["seat"]) for one in all_of(engine)]
    assert kinds[:5] == [
        ("game.created", None),
        ("game.started", None),
        ("turn.changed", first),
        ("seat.handed-over", 1 - first),
        ("clock.credited", first),
    ]
    assert kinds[5:7] == [("turn.timed-out", first), ("player.replaced", first)]


def begun(engine: Application, app: str = "club") -> str:
    """A game of Migo in which seat 0 has moved, so that it may take that back."""
    new = NewGame("migo", {"first_seat": 0, "turn_limit": 2}, PEOPLE)
    game_id = engine.creation.create(app, new).snapshot.game_id
    move(engine, game_id)
    return game_id


def take_back(engine: Application, game_id: str, seat: int, agrees: bool | None = None) -> None:
    """The seat asks, or answers."""
    caller = Caller("seat", seat=seat, game_id=game_id)
    if agrees is None:
        engine.takebacks.ask(game_id, seat, caller)
    else:
        engine.takebacks.answer(game_id, seat, AnswerTakeback(agrees), caller)


def test_requests_to_take_a_move_back(engine: Application, keyed: Settings) -> None:
    """Asked, withdrawn, refused, agreed to; by whom, also where the log goes on in the middle of a request."""
    all_of(engine)
    game_id = begun(engine)
    for seat, agrees in ((0, None), (0, False), (0, None), (1, False), (0, None), (1, True)):
        take_back(engine, game_id, seat, agrees)
        relay_of(keyed, engine).step(1)
    told = [(one.message.type, one.message.data["seat"]) for one in all_of(engine)]
    assert told[4:] == [
        ("takeback.requested", 0),
        ("takeback.withdrawn", 0),
        ("takeback.requested", 0),
        ("takeback.refused", 1),
        ("takeback.requested", 0),
        ("takeback.agreed", 1),
        ("takeback.done", 0),
        ("turn.changed", 0),
    ]


def test_a_rematch_that_begins(engine: Application, relay: Relay) -> None:
    """The former game's followers are told which one it is, and the new one says whose rematch it is."""
    all_of(engine)
    former = begun(engine)
    move(engine, former)
    engine.bot_turns.score_game(former)
    rematch = sure(engine.rematches.ask(former, Caller("app", "club")).game_id)
    relay.step(1)
    told = {(one.message.type, one.message.game_id): one.message.data for one in all_of(engine)}
    assert told["game.created", rematch]["rematch_of"] == told["rematch.begun", former]["game_id"] == former
    assert told["rematch.begun", former]["rematch"] == rematch
    lines = {line["id"]: line.get("rematch_of") for line in engine.listing.page("club").games}
    assert lines == {former: None, rematch: former}


def test_requests_for_a_rematch(engine: Application, keyed: Settings) -> None:
    """Asking, agreeing and withdrawing are told once each: after the game too, and if the feed is handled twice."""
    all_of(engine)
    former = begun(engine)
    move(engine, former)
    engine.bot_turns.score_game(former)
    seats = [Caller("seat", seat=seat, game_id=former) for seat in range(2)]
    engine.rematches.ask(former, seats[0], "token 0")
    engine.rematches.ask(former, seats[0], "token 0")
    for _ in range(2):
        engine.rematches.withdraw(former, seats[0])
    engine.rematches.ask(former, seats[1], "token 1")
    entries = feed_of(keyed).read(1)
    relay_of(keyed, engine).handle(entries)
    assert engine.rematches.ask(former, seats[0], "token 0").game_id is not None
    entries += feed_of(keyed).read(1)
    for _ in range(2):
        relay_of(keyed, engine).handle(entries)
    told = [one.message for one in all_of(engine) if one.message.game_id == former]
    assert [(one.type, one.data["seat"]) for one in told][-7:] == [
        ("game.finished", None),
        ("game.scored", None),
        ("rematch.requested", 0),
        ("rematch.withdrawn", 0),
        ("rematch.requested", 1),
        ("rematch.agreed", 0),
        ("rematch.begun", None),
    ]


def test_requests_for_a_rematch_that_run_out(engine: Application, keyed: Settings, redis_url: str) -> None:
    """Told once each, by whoever comes across them: somebody who agrees too late, or the round that looks for them."""
    all_of(engine)
    former = begun(engine)
    move(engine, former)
    engine.bot_turns.score_game(former)
    seats = [Caller("seat", seat=seat, game_id=former) for seat in range(2)]
    link = link_to(redis_url, 5.0)

    def run_out(seat: int) -> None:
        key = keys.rematch(former)
        link.call("HSET", key, seat, b"%s 1" % link.call("HGET", key, seat).split()[0])
        link.call("ZADD", keys.REMATCHES, 1, f"{former}:{seat}")

    engine.rematches.ask(former, seats[0], "token 0")
    engine.rematches.end_requests()
    run_out(0)
    engine.rematches.ask(former, seats[1], "token 1")
    engine.rematches.end_requests()
    assert engine.rematches.look(former, seats[1]).agreed == (1,)
    run_out(1)
    assert engine.rematches.look(former, seats[1]).agreed == ()
    for _ in range(2):
        engine.rematches.end_requests()
    assert link.call("EXISTS", keys.REMATCHES, keys.rematch(former)) == 0
    relay_of(keyed, engine).handle(feed_of(keyed).read(1))
    told = [one.message for one in all_of(engine) if one.message.game_id == former]
    assert [(one.type, one.data["seat"]) for one in told][-4:] == [
        ("rematch.requested", 0),
        ("rematch.expired", 0),
        ("rematch.requested", 1),
        ("rematch.expired", 1),
    ]


def test_a_private_game_of_everybody_tells_nothing_of_requests(
    application: Application, settings: Settings
) -> None:
    """They tell of moves, and a rematch of who plays whom."""
    relay = relay_of(settings, application)
    all_of(application, "anonymous")
    game_id = begun(application, "anonymous")
    for seat, agrees in ((0, None), (1, True)):
        take_back(application, game_id, seat, agrees)
    for _ in range(2):
        move(application, game_id)
    application.bot_turns.score_game(game_id)
    for seat in range(2):
        application.rematches.ask(game_id, Caller("seat", seat=seat, game_id=game_id), f"token {seat}")
    relay.step(1)
    told = [one.message for one in all_of(application, "anonymous")]
    begin = ["game.created", "game.started"]
    assert sorted(one.type for one in told) == sorted([*begin, "game.finished", "game.scored", *begin])
    assert all("rematch_of" not in one.data for one in told)
    lines = application.listing.page("anonymous").games
    assert [line.get("rematch_of") for line in lines] == [None, None]


def test_a_private_game_of_everybody_tells_nothing_of_its_clock(
    application: Application, settings: Settings, ahead: list[float]
) -> None:
    """A timeout would say whose turn it was."""
    relay = relay_of(settings, application)
    application.app_logs.page("anonymous", "0", 1)
    clock = {"kind": "per-move", "seconds": 1}
    game_id, _ = create(application, "anonymous", clock=clock)  # type: ignore[arg-type]
    ahead[0] += 1.1
    assert application.timekeeping is not None
    assert application.timekeeping.settle(game_id) is not None
    relay.step(1)
    kinds = [one.message.type for one in all_of(application, "anonymous")]
    assert kinds == ["game.created", "game.started", "game.finished"]


def test_cursors_of_what_is_gone_are_refused(engine: Application, relay: Relay, redis_url: str) -> None:
    """Of messages that were trimmed, and of a log that was lost or given up."""
    link = link_to(redis_url, 5.0)
    first = engine.app_logs.page("club", "0", 1).next
    create(engine)
    relay.step(1)
    last = all_of(engine)[-1].id
    link.call("XTRIM", keys.app_log("club"), "MAXLEN", 1)
    with pytest.raises(CursorExpired):
        engine.app_logs.page("club", first, 1)
    assert engine.app_logs.page("club", last, 1).messages == []
    assert len(all_of(engine)) == 1
    link.call("DEL", keys.app_log("club"))
    with pytest.raises(CursorExpired):
        engine.app_logs.page("club", last, 1)
    create(engine)
    relay.step(1)
    with pytest.raises(CursorExpired):
        engine.app_logs.page("club", last, 1)
    assert len(all_of(engine)) == 3


@pytest.mark.parametrize("in_use", [True, False])
def test_old_messages_are_forgotten(engine: Application, relay: Relay, redis_url: str, in_use: bool) -> None:
    """A log that nobody asks for any more is forgotten itself, and everything begins anew."""
    link = link_to(redis_url, 5.0)
    start = engine.app_logs.page("club", "0", 1).next
    create(engine)
    relay.step(1)
    later = RedisAppLogs(link, link, lambda: time.time() + KEPT_SECONDS + 60)
    if in_use:
        later.keep("club")
    later.drop_unused()
    assert later.active() == ({"club"} if in_use else set())
    if in_use:
        assert all_of(engine) == []
        return
    assert link.call("EXISTS", keys.app_log("club")) == 0
    create(engine)
    relay.step(1)
    with pytest.raises(CursorExpired):
        engine.app_logs.page("club", start, 1)
    assert engine.app_logs.page("club", "0", 1).messages == []


def test_before_the_first_question_nothing_is_kept(engine: Application, relay: Relay, redis_url: str) -> None:
    """No log, no group of the feed: an engine without webhooks pays for none."""
    create(engine)
    relay.step(1)
    link = link_to(redis_url, 5.0)
    assert link.call("EXISTS", keys.app_log("club"), keys.app_log("anonymous")) == 0
    groups = link.calls([("XINFO", "GROUPS", keys.feed(number)) for number in range(keys.PARTITIONS)])
    assert [group for reply in groups if isinstance(reply, list) for group in reply] == []
