"""Clocks kept on a real server: deadlines, every consequence, whoever is quicker, and whoever dies."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest

from domain.clocks.clock import ALLOWANCE
from domain.errors import DomainError
from domain.lifecycle import Json, Leaver, Seat
from events.application import Application
from events.audit.verify import verify
from events.engine.access import Caller
from events.engine.idempotency import KeyedRequest
from events.engine.new_game import NewGame
from events.errors import StoreUnavailable, Unauthorized
from events.features.clocks.redis import RedisClockStore
from events.features.games.forks import WantedFork
from events.features.interventions import Verdict
from events.features.ratings.results import time_class
from events.log.envelope import RecordedEvent
from events.log.snapshot import Snapshot
from events.store import keys
from events.store.connections.client import RedisClient
from events.store.event_store import RedisEventStore
from events.store.link import link_to
from events.times import milliseconds_of, time_of
from tests.audit.games import Table, parsed
from tests.events.refusals import refusal_of
from tests.events.stand_ins import Dying
from tests.events.timed import Outages, Time, clocked, kinds, move, people, timed, turn
from tests.support.sure import sure

MINUTE: Json = {"kind": "per-move", "seconds": 60}
GAMES = [("migrato", 2), ("migo", 3)]
KINDS: list[Json] = [
    MINUTE,
    {"kind": "bank", "seconds": 60, "increment": 5},
    {"kind": "correspondence", "days": 2},
]
APP = Caller("app", app="a")

every_game = pytest.mark.parametrize(("name", "seats"), GAMES)
every_consequence = pytest.mark.parametrize("when_up", ["forfeit", "bot", "replace"])


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def outages(time: Time) -> Outages:
    return Outages(time)


@pytest.fixture
def make(redis_url: str, time: Time, outages: Outages) -> Callable[..., Application]:
    """Makes applications on one store, each with a cache of its own as processes have."""
    return lambda **more: timed(redis_url, time, outages, **more)


@pytest.fixture
def here(make: Callable[..., Application]) -> Application:
    return make()


def now(here: Application, game_id: str) -> Snapshot:
    return here.views.snapshot(game_id)


def index(redis_url: str, game_id: str) -> int | None:
    """The game's entry in the index of deadlines."""
    score = link_to(redis_url, 5.0).call("ZSCORE", keys.deadlines(keys.partition_of(game_id)), game_id)
    return None if score is None else int(score)


def settle(here: Application, game_id: str) -> Any:
    return sure(here.timekeeping).settle(game_id)


@every_game
def test_the_deadline_follows_the_game(
    here: Application, time: Time, redis_url: str, name: str, seats: int
) -> None:
    """It is in the index with every append, moves with the turns, and is gone when the game is over."""
    for clock in KINDS:
        game_id = clocked(here, clock, name, seats)
        seconds = clock.get("seconds", 86_400 * clock.get("days", 0))
        created = now(here, game_id)
        assert created.deadline == time.milliseconds + 1000 * seconds == index(redis_url, game_id)
        time.passes(10)
        turn(here, game_id)
        after = now(here, game_id)
        assert after.deadline == time.milliseconds + 1000 * seconds == index(redis_url, game_id)
        assert after.clock is not None
        first = sure(created.status.to_act)
        assert after.clock.left[first] == 1000 * (seconds - 5 if clock["kind"] == "bank" else seconds)
        here.interventions.adjudicate(game_id, Verdict(winner=1), APP)
        assert now(here, game_id).deadline == 0
        assert index(redis_url, game_id) is None


@every_game
@every_consequence
def test_time_that_is_up(
    here: Application, time: Time, redis_url: str, name: str, seats: int, when_up: str
) -> None:
    """A move at the deadline is refused; the record, made once, is that time is up, and what comes of it."""
    for by in ("a move", "the watch"):
        game_id = clocked(here, {**MINUTE, "when_up": when_up}, name, seats)
        turn(here, game_id)
        before = now(here, game_id)
        seat = sure(before.status.to_act)
        time.passes(59.999)
        assert settle(here, game_id) is None
        time.passes(0.001)
        if by == "a move":
            with pytest.raises(DomainError) as refused:
                move(here, game_id)
            told = (refused.value.code, refused.value.data["deadline"])
            assert told == ("time-is-up", time_of(time.milliseconds))
        else:
            assert settle(here, game_id) is not None
        assert settle(here, game_id) is None
        new = here.views.history(game_id, before.version)
        assert (new[0].type, new[0].seat) == ("turn_timed_out", seat)
        assert new[0].data == {"deadline": new[0].at, "when_up": when_up}
        CONSEQUENCES[when_up](here, before, seat, new)
        if when_up == "replace":
            assert index(redis_url, game_id) is None
            turn(here, game_id)
        left = None if when_up == "forfeit" else time.milliseconds + 60_000
        assert index(redis_url, game_id) == left


def forfeit(here: Application, before: Snapshot, seat: int, new: list[RecordedEvent]) -> None:
    """The game has ended; whoever ran out of time is the last."""
    after, seats = now(here, before.game_id), len(before.status.seats)
    assert [event.type for event in new] == ["turn_timed_out", "game_ended"]
    assert after.status.result is not None
    assert after.status.result.reason == "timeout"
    assert after.status.result.places[seat] == seats
    assert sorted(after.status.result.places) == [1] * (seats - 1) + [seats]
    assert after.status.rated


def bot(here: Application, before: Snapshot, seat: int, new: list[RecordedEvent]) -> None:
    """A bot has moved once, and the next person is to act."""
    after, seats = now(here, before.game_id), len(before.status.seats)
    assert (new[1].type, new[1].seat) == ("move_chosen", seat)
    assert (new[1].data["fallback"], new[1].data["replaces"]) == ("time-up", "human")
    assert (after.status.to_act, after.status.seats[seat].kind) == ((seat + 1) % seats, "human")


def replaced(here: Application, before: Snapshot, seat: int, new: list[RecordedEvent]) -> None:
    """A bot plays on, without a deadline; nobody's token is the seat's any more."""
    after = now(here, before.game_id)
    assert [event.type for event in new] == ["turn_timed_out", "player_replaced"]
    assert (after.status.to_act, after.status.seats[seat].bot) == (seat, "greedy")
    assert (after.status.rated, after.deadline) == (True, 0)
    assert after.status.seats[seat].leaver == Leaver(before.status.seats[seat].player, 0)
    with pytest.raises(Unauthorized):
        here.moves.play(before.game_id, seat, {"type": "resign"}, holder="0" * 64)


CONSEQUENCES = {"forfeit": forfeit, "bot": bot, "replace": replaced}


@every_game
def test_a_whole_game_by_bots_that_move_in_time_that_is_up(
    here: Application, time: Time, name: str, seats: int
) -> None:
    """Nobody ever comes: the game ends all the same."""
    game_id = clocked(here, {**MINUTE, "when_up": "bot"}, name, seats, options={"turn_limit": 5})
    for _ in range(100):
        if now(here, game_id).status.result is not None:
            break
        time.passes(61)
        settle(here, game_id)
    result = sure(now(here, game_id).status.result)
    assert result.reason == "turn_limit"


def test_a_bots_turn_costs_nobody_anything(here: Application, time: Time, redis_url: str) -> None:
    """No matter how long its move lay in a queue; the next turn begins when its move is recorded."""
    game_id = clocked(here, KINDS[1], seats=(Seat("human"), Seat("bot", bot="greedy")))
    time.passes(10)
    turn(here, game_id)
    assert index(redis_url, game_id) is None
    time.passes(86_400)
    assert settle(here, game_id) is None
    here.bot_turns.bot_move(game_id, now(here, game_id).version)
    game = now(here, game_id)
    assert (game.status.to_act, game.deadline) == (0, time.milliseconds + 55_000)


def test_a_waiting_game_has_no_deadline(here: Application, time: Time, redis_url: str) -> None:
    """The clock starts with the game; one that is aborted before never had a deadline."""
    game_id, aborted = (clocked(here, MINUTE, seats=(Seat("human"), Seat("open"))) for _ in range(2))
    here.interventions.abort(aborted, APP)
    assert (now(here, aborted).deadline, index(redis_url, aborted)) == (0, None)
    assert kinds(here, game_id) == ["game_created", "clock_set"]
    time.passes(86_400)
    assert (settle(here, game_id), index(redis_url, game_id)) == (None, None)
    here.seats.take(game_id, 1, "bo", None, APP)
    assert index(redis_url, game_id) == now(here, game_id).deadline == time.milliseconds + 60_000


def test_the_app_decides_without_a_deadline(here: Application, time: Time, redis_url: str) -> None:
    """It may abort or adjudicate a game whose time is up and not yet recorded; no deadline is left behind."""
    acts: list[Callable[[str], object]] = [
        lambda game_id: here.interventions.abort(game_id, APP),
        lambda game_id: here.interventions.adjudicate(game_id, Verdict(loser=0), APP),
        lambda game_id: here.interventions.replace_player(game_id, 0, "greedy", APP),
    ]
    for act in acts:
        game_id = clocked(here, MINUTE)
        time.passes(61)
        act(game_id)
        assert index(redis_url, game_id) is None
        assert "turn_timed_out" not in kinds(here, game_id)


def test_thinking_about_a_hint_counts(here: Application, time: Time) -> None:
    """A hint costs the time that it takes, and there is none when time is up."""
    game_id = clocked(here, MINUTE)
    wanted = here.hints.wanted(game_id, 0, "greedy")
    _, thought = here.hints.think(wanted)
    time.passes(30)
    here.hints.give(wanted, thought.budget)
    game = now(here, game_id)
    assert (game.deadline, kinds(here, game_id)[-1]) == (sure(game.clock).since + 60_000, "hint_given")
    wanted = here.hints.wanted(game_id, 0, "heuristic")
    time.passes(30)
    _, thought = here.hints.think(wanted)
    assert refusal_of(here.hints.give, wanted, thought.budget) == "time-is-up"


def test_resigning_is_acting_too(here: Application, time: Time) -> None:
    """In time that is up nobody resigns any more; who has resigned wins nothing by another's time.

    The place is shared with whoever runs out of time; those who still play share the first.
    """
    game_id, larger = clocked(here, MINUTE), clocked(here, MINUTE, "migo", 4)
    here.moves.play(larger, 3, {"type": "resign"})
    time.passes(60)
    assert refusal_of(here.moves.play, game_id, 0, {"type": "resign"}) == "time-is-up"
    assert now(here, game_id).status.result is not None
    settle(here, larger)
    result = sure(now(here, larger).status.result)
    assert result.places == (3, 1, 1, 3)


@pytest.mark.parametrize("by", ["its seat", "the other seat", "the app"])
def test_a_seat_that_is_handed_over_in_its_turn(
    here: Application, time: Time, redis_url: str, by: str
) -> None:
    """The time of the seat goes on, whoever has it; to give a seat away is no move, and never too late."""
    game_id = clocked(here, MINUTE | {"when_up": "bot"})
    before = now(here, game_id)
    seat = sure(before.status.to_act)
    given = 1 - seat if by == "the other seat" else seat
    caller = APP if by == "the app" else Caller("seat", None, given, game_id, before.secrets.tokens[given])
    time.passes(20)
    after, _ = here.seats.hand_over(game_id, given, "zoe", caller)
    assert after.deadline == before.deadline == index(redis_url, game_id)
    assert after.status.rated == (by != "the app")
    time.passes(40)
    holder = APP if by == "the app" else Caller("seat", None, given, game_id, after.secrets.tokens[given])
    again, _ = here.seats.hand_over(game_id, given, "yve", holder)
    assert again.deadline == before.deadline == index(redis_url, game_id)
    assert refusal_of(move, here, game_id) == "time-is-up"
    happened = kinds(here, game_id)
    assert happened.index("turn_timed_out") > happened.index("seat_handed_over")
    assert happened.count("seat_handed_over") == 2
    here.interventions.adjudicate(game_id, Verdict(winner=1), APP)
    here.bot_turns.score_game(game_id)
    report = verify(parsed(Table(here).export(game_id)), bots=True)
    assert report.wrong is None, report


def test_another_process_knows_the_same(make: Callable[..., Application], time: Time) -> None:
    """Another process knows the same from the events alone, whatever else it had cached."""
    here, there = make(), make()
    game_id = clocked(here, KINDS[1], "migo", 3)
    for _ in range(7):
        time.passes(3)
        move(here, game_id)
        assert now(there, game_id).clock == now(make(), game_id).clock == now(here, game_id).clock
    version = now(here, game_id).version
    past = there.views.snapshot(game_id, version - 2)
    assert sure(past.clock).at == milliseconds_of(here.views.history(game_id, version - 3, 1)[0].at)


def test_a_clock_that_is_set_back(here: Application, time: Time) -> None:
    """The game's time stands still until the machine's is there again; nobody gains a minute."""
    game_id = clocked(here, KINDS[1])
    time.passes(30)
    turn(here, game_id)
    time.passes(-20)
    turn(here, game_id)
    events = here.views.history(game_id)
    assert [event.at for event in events] == sorted(event.at for event in events)
    game = now(here, game_id)
    assert sure(game.clock).left == (35_000, 65_000)


def test_a_clock_that_cannot_be_leaves_nothing(here: Application, redis_url: str) -> None:
    """No game and no player; the same request makes one game with one clock."""
    for clock in (
        {"kind": "per-move", "seconds": 0},
        {"kind": "bank", "seconds": 9, "when_up": "bot", "bot": "x"},
    ):
        assert refusal_of(clocked, here, clock) in ("validation-error", "unknown-bot")
    assert link_to(redis_url, 5.0).call("DBSIZE") == 0
    sent, new = KeyedRequest("a-key", "token", {"clock": MINUTE}), NewGame(seats=people(2), clock=MINUTE)
    first, again = (here.creation.create("a", new, sent).snapshot.game_id for _ in range(2))
    assert again == first
    assert kinds(here, first).count("clock_set") == 1


def test_a_fork_has_no_clock(here: Application, time: Time) -> None:
    """It is for looking; a fork of a turn that timed out begins with the position as it was."""
    game_id = clocked(here, {**MINUTE, "when_up": "bot"})
    time.passes(61)
    settle(here, game_id)
    here.interventions.adjudicate(game_id, Verdict(winner=0), APP)
    for version in (3, 4):
        created, _ = here.forks.fork(game_id, APP, WantedFork(version))
        assert (created.snapshot.clock, created.snapshot.deadline) == (None, None)


def test_an_outage_costs_nobody_a_game(
    here: Application, time: Time, outages: Outages, redis_url: str
) -> None:
    """A move after the deadline is made all the same, once the time that was lost is given back, in an event."""
    game_id = clocked(here, MINUTE)
    time.passes(50)
    outages.passes(30)
    before = sure(now(here, game_id).deadline)
    move(here, game_id)
    credit = here.views.history(game_id)[3]
    given = 30_000 + ALLOWANCE
    assert (credit.type, credit.seat) == ("clock_credited", 0)
    assert credit.data == {"milliseconds": given, "until": credit.at}
    assert now(here, game_id).deadline == before + given == index(redis_url, game_id)
    time.passes(60)
    assert refusal_of(move, here, game_id) == "time-is-up"
    assert kinds(here, game_id).count("clock_credited") == 1


def test_an_outage_that_another_process_gives_back_costs_nobody_a_game(
    make: Callable[..., Application], time: Time, outages: Outages, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the refusal of a move and the look at the clock: then nothing is due, and the move is in time."""
    here, watch = make(), make()
    assert here.timekeeping is not None
    assert watch.timekeeping is not None
    game_id = clocked(here, MINUTE)
    time.passes(50)
    outages.passes(30)
    look, settle_here = watch.timekeeping.give_back, here.timekeeping.settle

    def settled(asked: str) -> Any:
        assert look(asked) is not None
        return settle_here(asked)

    monkeypatch.setattr(here.timekeeping, "settle", settled)
    move(here, game_id)
    assert kinds(here, game_id).count("clock_credited") == 1


def test_an_outage_lasts_until_now_at_the_most(link: RedisClient) -> None:
    """One that a clock has made by going forward is none of those who sit down once it is set right."""
    store = RedisClockStore(link)
    now = store.watched(0).now
    ended = now + 7_200_000
    link.call("ZADD", keys.OUTAGES, ended, f"{now - 1_000}-{ended}")
    watched = store.watched(0)
    assert watched.outages == [(now - 1_000, watched.now)]
    assert store.watched(0).outages == watched.outages


def test_an_outage_after_the_deadline_saves_nobody(here: Application, time: Time, outages: Outages) -> None:
    """Nobody was there to record it; the time was up all the same."""
    game_id = clocked(here, MINUTE)
    time.passes(61)
    outages.passes(30)
    assert refusal_of(move, here, game_id) == "time-is-up"
    assert kinds(here, game_id)[-2:] == ["turn_timed_out", "game_ended"]


def test_an_outage_is_given_back_before_it_matters(here: Application, time: Time, outages: Outages) -> None:
    """So banks do not shrink by it; and once."""
    assert here.timekeeping is not None
    game_id = clocked(here, KINDS[1])
    outages.passes(20)
    assert here.timekeeping.give_back(game_id) is not None
    assert here.timekeeping.give_back(game_id) is None
    turn(here, game_id)
    game = now(here, game_id)
    assert sure(game.clock).left == (65_000, 60_000)


@every_consequence
def test_two_at_once_record_it_once(make: Callable[..., Application], time: Time, when_up: str) -> None:
    """Watches of several processes, and players who are too late."""
    first = make()
    game_id = clocked(first, {**MINUTE, "when_up": when_up}, "migo", 3)
    everybody = [make() for _ in range(6)]
    for here in everybody:
        here.views.snapshot(game_id)
    time.passes(60)

    def late(here: Application) -> None:
        with suppress(DomainError, AssertionError):  # it is over, perhaps
            move(here, game_id)

    with ThreadPoolExecutor(6) as pool:
        done = [pool.submit(settle, here, game_id) for here in everybody[:3]]
        done += [pool.submit(late, here) for here in everybody[3:]]
    for one in done:
        one.result()
    assert kinds(first, game_id).count("turn_timed_out") == 1
    after = {"forfeit": "game_ended", "bot": "move_chosen", "replace": "player_replaced"}[when_up]
    assert kinds(first, game_id).count(after) == 1


def test_a_move_in_time_or_the_time_that_is_up(redis_url: str) -> None:
    """Either may be recorded first; the other one finds it done. The player's process is a millisecond behind."""
    behind, ahead = Time(), Time()
    behind.passes(59.999)
    ahead.passes(60)
    for _ in range(20):
        game_id = clocked(timed(redis_url, Time()), MINUTE, "migo", 2)
        mover, watch = timed(redis_url, behind), timed(redis_url, ahead)
        version = now(mover, game_id).version
        with ThreadPoolExecutor(2) as pool:
            done = [pool.submit(move, mover, game_id), pool.submit(settle, watch, game_id)]
        refusal = done[0].exception()
        new = tuple(kinds(watch, game_id)[version:])
        if refusal is not None:  # or it has found the game over
            assert not isinstance(refusal, DomainError) or refusal.code == "game-over"
            assert new == ("turn_timed_out", "game_ended")
        else:
            assert new[0] == "card_taken"
            assert "turn_timed_out" not in new
        assert done[1].exception() is None


@every_consequence
def test_killed_between(
    link: RedisClient, make: Callable[..., Application], time: Time, when_up: str
) -> None:
    """All of it is there or nothing; the next one finishes, and records nothing twice."""
    store = Dying(RedisEventStore(link, link, 5.0))
    dying, next_one = make(store=store), make()
    for dies in ("before", "after"):
        game_id = clocked(dying, {**MINUTE, "when_up": when_up})
        time.passes(60)
        store.dies = dies
        with pytest.raises(StoreUnavailable):
            settle(dying, game_id)
        recorded = len(kinds(next_one, game_id))
        assert recorded == 3 if dies == "before" else recorded > 4
        settle(next_one, game_id)
        settle(dying, game_id)
        assert kinds(next_one, game_id).count("turn_timed_out") == 1


def test_a_game_without_a_clock_pays_nothing(here: Application, redis_url: str) -> None:
    """It leaves no key, and no event. A game counts in the class of its clock, so that blitz does not rate others."""
    plain = here.creation.create("a", NewGame(seats=people(2))).snapshot
    move(here, plain.game_id)
    assert (now(here, plain.game_id).clock, now(here, plain.game_id).deadline) == (None, None)
    found = link_to(redis_url, 5.0).call("KEYS", "*")
    assert not [key for key in found if b"deadline" in key or b"watched" in key or b"outages" in key]
    classes = [time_class(now(here, clocked(here, clock))) for clock in KINDS]
    assert [time_class(plain), *classes] == ["none", "live", "rapid", "correspondence"]
