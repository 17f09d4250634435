"""Forks that seats have made for themselves: how many, for how long, and what is left of them."""

import json
from dataclasses import replace

import pytest
from click.testing import CliRunner

from domain.errors import DomainError
from domain.lifecycle import Json, Seat
from events.application import Application
from events.engine.access import Caller
from events.engine.idempotency import KeyedRequest
from events.engine.new_game import Created, NewGame
from events.errors import EngineError, Forbidden, GameEnded, GameNotFound, TooManyForks
from events.features.games.forks import WantedFork
from events.features.games.port import SeatFork
from events.features.games.redis import RedisSeatForks
from events.runtime import adapters
from events.runtime.settings import Settings
from events.store import keys
from events.store.connections.client import RedisClient
from events.store.event_store import RedisEventStore
from events.times import time_of
from service.cli import main
from tests.events.dump import dump, holding
from tests.events.stand_ins import Interrupted
from tests.events.wiring import application_on
from tests.support.sure import sure

PEOPLE = (Seat("human"), Seat("human"))
FORK = WantedFork(2, resample=True, seats=PEOPLE)
DAY = 86_400


@pytest.fixture
def settings(redis_url: str) -> Settings:
    """Two forks of a game at a time, each for a day."""
    return replace(
        Settings(), redis_url=redis_url, queue_url=redis_url, limits="seat-forks=2", seat_forks_kept=DAY
    )


@pytest.fixture
def forks(settings: Settings) -> RedisSeatForks:
    """The operator's tools."""
    return adapters.seat_forks(settings)


def new(here: Application, app: str = "club") -> Created:
    return here.creation.create(app, NewGame(seats=PEOPLE))


def fork(here: Application, of: Created, wanted: WantedFork = FORK, approve: object = bool) -> Created:
    """A game that seat 0 forks for itself."""
    game_id = of.snapshot.game_id
    caller = here.callers.who_asks(of.tokens[0], game_id)
    created, _ = here.forks.fork(game_id, caller, wanted, approve=approve)  # type: ignore[arg-type]
    return created


def keyed_fork(here: Application, of: Created, key: str = "key") -> str:
    """The id of the game that seat 0 forks by a request that may be sent again."""
    game_id, token = of.snapshot.game_id, of.tokens[0]
    sent = KeyedRequest(key, token, {"version": FORK.version})
    created, _ = here.forks.fork(game_id, here.callers.who_asks(token, game_id), FORK, sent)
    return created.snapshot.game_id


def rematch_of(here: Application, made: Created) -> str | None:
    """The id of the rematch for which both seats of a game that is over ask."""
    game_id = made.snapshot.game_id
    callers = [here.callers.who_asks(token, game_id) for token in made.tokens.values()]
    return [here.rematches.ask(game_id, one, made.tokens[at]).game_id for at, one in enumerate(callers)][1]


def over(here: Application, game: Created) -> str:
    """The game's id, once its seat 0 has resigned."""
    game_id = game.snapshot.game_id
    here.moves.play(game_id, 0, {"type": "resign"})
    here.bot_turns.score_game(game_id)
    return game_id


def expire(link: RedisClient, forks: RedisSeatForks) -> None:
    """Let the time of all forks be up."""
    for one in forks.listed():
        key = keys.seat_forks(keys.partition_of(one.first_origin))
        link.call("ZADD", key, 1, f"{one.first_origin}:{one.game_id}")


def test_forks_of_forks_count_for_the_first_origin(application: Application, forks: RedisSeatForks) -> None:
    """At any depth; the seats of other games have their own."""
    game, other = new(application), new(application)
    first = fork(application, game)
    second = fork(application, first)
    for one in (game, first, second):
        with pytest.raises(TooManyForks) as refused:
            fork(application, one)
    assert refused.value.data == {"limit": {"name": "seat-forks-per-game", "quota": 2}}
    third = fork(application, other)
    listed = {(one.first_origin, one.game_id) for one in forks.listed()}
    origin = game.snapshot.game_id
    assert listed == {
        *((origin, one.snapshot.game_id) for one in (first, second)),
        (other.snapshot.game_id, third.snapshot.game_id),
    }


def test_a_rematch_of_a_fork_is_one_of_them(application: Application, forks: RedisSeatForks) -> None:
    """It belongs to no app either, so it counts, and expires."""
    game = new(application)
    made = fork(application, game)
    game_id = over(application, made)
    begun = rematch_of(application, made)
    assert {one.game_id for one in forks.listed()} == {game_id, begun}
    with pytest.raises(TooManyForks):
        fork(application, game)


def test_a_fork_that_is_refused_leaves_nothing(application: Application, link: RedisClient) -> None:
    """By the rules of forks, by the game or by whoever counts; what speaks against it is said before it is counted."""
    game, asked = new(application), list[str]()
    bot = replace(FORK, seats=(Seat("human"), Seat("bot", bot="oracle")))
    before = dump(link)
    for wanted in (bot, replace(FORK, version=99), replace(FORK, resample=False)):
        with pytest.raises((DomainError, EngineError)):
            fork(application, game, wanted, asked.append)
    assert (asked, dump(link)) == ([], before)

    def refuse(first_origin: str) -> None:
        asked.append(first_origin)
        raise Forbidden("counted")

    with pytest.raises(Forbidden):
        fork(application, game, FORK, refuse)
    assert (asked, dump(link)) == ([game.snapshot.game_id], before)
    for _ in range(2):
        fork(application, game)
    with pytest.raises(TooManyForks):
        fork(application, game, FORK, asked.append)
    assert len(asked) == 1


def test_a_fork_is_removed_when_its_time_is_up(
    application: Application, forks: RedisSeatForks, link: RedisClient
) -> None:
    """With all that tells of it: events, tokens, references in the feed, what it waits for. Nothing else is touched."""
    game = new(application)
    caller = application.callers.who_asks(game.tokens[0], game.snapshot.game_id)
    application.forks._tell(game.snapshot, caller, FORK.version)  # which stays in the game that was forked
    before = dump(link)
    against_bot = replace(FORK, seats=(Seat("human"), Seat("bot", bot="greedy")))
    made = [fork(application, game), fork(application, game, against_bot)]
    over(application, made[0])
    application.moves.play(made[1].snapshot.game_id, 0, {"type": "resign"})
    application.forks.end_expired()
    assert [bool(holding(link, one.snapshot.game_id.encode())) for one in made] == [True, True]
    expire(link, forks)
    application.forks.end_expired()
    application.forks.end_expired()  # another dispatcher does it as well
    there = dump(link)
    assert {key: there.get(key) for key in before} == before
    assert [holding(link, one.snapshot.game_id.encode()) for one in made] == [[], []]
    assert list(forks.listed()) == []
    for one in made:
        with pytest.raises(GameNotFound):
            application.views.snapshot(one.snapshot.game_id)
    fork(application, game)


def test_the_request_of_a_fork_that_is_gone_makes_no_second_game_of_its_id(
    application: Application, forks: RedisSeatForks, link: RedisClient
) -> None:
    """Neither once it has expired nor once it was ended, nor does a rematch; another key makes another one."""
    game = new(application)
    first = keyed_fork(application, game)
    assert keyed_fork(application, game) == first
    expire(link, forks)
    application.forks.end_expired()
    made = fork(application, game)
    game_id = over(application, made)
    rematch = rematch_of(application, made)
    (listed,) = [one for one in forks.listed() if one.game_id == rematch]
    forks.end(listed)
    before = dump(link)
    with pytest.raises(GameEnded) as refused:
        keyed_fork(application, game)
    assert refused.value.data == {"game_id": first}
    caller = application.callers.who_asks(made.tokens[0], game_id)
    for asking in (application.rematches.ask, application.rematches.look, application.rematches.withdraw):
        with pytest.raises(DomainError, match="no second one"):
            asking(game_id, caller)
    assert dump(link) == before
    assert keyed_fork(application, game, "another key") != first


def test_a_fork_that_is_ended_while_its_request_is_on_its_way_stays_ended(
    application: Application, forks: RedisSeatForks, link: RedisClient, settings: Settings
) -> None:
    """After somebody else had created it, or nobody yet."""
    game = new(application)

    def created_and_ended() -> None:
        keyed_fork(application, game)
        listed_and_ended()

    def listed_and_ended() -> None:
        for one in forks.listed():
            forks.end(one)

    for at, meanwhile in enumerate((created_and_ended, listed_and_ended)):
        slow = Interrupted(RedisEventStore(link, link, 5.0), meanwhile)
        late = application_on(link, slow, seat_forks=adapters.seat_forks(settings))
        with pytest.raises(GameEnded):
            keyed_fork(late, game, "key" if at == 0 else "another key")
    assert len(link.call("KEYS", "*:events:*")) == 1


def test_a_clock_that_was_ahead_keeps_no_fork(
    application: Application, forks: RedisSeatForks, link: RedisClient
) -> None:
    """A fork made under a clock that was ahead is kept for no longer than one made now."""
    game = new(application)
    made = fork(application, game).snapshot
    right = sure(forks.until(game.snapshot.game_id, made.game_id))
    key, member = keys.seat_forks(keys.partition_of(game.snapshot.game_id)), next(forks.listed())
    link.call("ZADD", key, right + 3 * DAY * 1000, f"{member.first_origin}:{member.game_id}")
    application.forks.end_expired()
    (kept,) = forks.listed()
    assert right <= kept.until < right + DAY * 1000
    assert application.forks.kept_until(made.game_id, game.snapshot.game_id) == time_of(kept.until)


def test_no_game_of_an_app_is_removed(
    application: Application, forks: RedisSeatForks, link: RedisClient
) -> None:
    """No game of an app is removed, whatever the list of forks says."""
    game_id = new(application).snapshot.game_id
    link.call("ZADD", keys.seat_forks(keys.partition_of(game_id)), 1, f"{game_id}:{game_id}")
    assert not forks.end(SeatFork(game_id, game_id, 1))
    assert application.views.snapshot(game_id).version == 2
    assert list(forks.listed()) == []


def test_the_operator_sees_and_ends_them(
    application: Application, forks: RedisSeatForks, redis_url: str
) -> None:
    """One by one, or all that go back to a game; nothing where one is not there."""
    game, other = new(application), new(application)
    made = [fork(application, of).snapshot.game_id for of in (game, game, other)]

    def run(*arguments: str) -> tuple[int, str]:
        done = CliRunner().invoke(main, ["forks", *arguments], env={"MIGRATO_REDIS_URL": redis_url})
        return done.exit_code, done.output

    def listed() -> list[Json]:
        return [json.loads(line) for line in run("list", "--json")[1].splitlines()]

    origins = {line["game_id"]: line["first_origin"] for line in listed()}
    assert origins == dict(zip(made, [game.snapshot.game_id] * 2 + [other.snapshot.game_id], strict=True))
    assert f"{made[2]}  from {other.snapshot.game_id}  until " in run("list")[1]
    code, said = run("end", made[0], "none")
    assert (code, "No seat has made none" in said, len(listed())) == (2, True, 3)
    assert run("end", made[2]) == (0, "1 fork ended.\n")
    assert run("end", "--from", game.snapshot.game_id) == (0, "2 forks ended.\n")
    assert (listed(), run("list")) == ([], (0, "There are no forks of seats.\n"))
    assert run("end")[0] == 2


def test_an_app_makes_forks_that_stay(application: Application, forks: RedisSeatForks) -> None:
    """Forks that an app makes are its own and stay, like all its games."""
    game = new(application)
    over(application, game)
    application.forks.fork(game.snapshot.game_id, Caller("app", "club"), WantedFork(2))
    assert list(forks.listed()) == []
