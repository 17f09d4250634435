"""Decisions of an app about its game: the right to them, their consequences, races, and deaths on the way."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from domain.errors import DomainError
from domain.lifecycle import Seat
from events.application import Application
from events.engine.access import NO_TOKEN, Caller
from events.engine.idempotency import KeyedRequest
from events.engine.new_game import NewGame
from events.engine.pending_action import pending_action
from events.errors import (
    CommandMismatch,
    StoreUnavailable,
    Unauthorized,
)
from events.features.interventions import Verdict
from events.log.snapshot import Snapshot
from events.runtime import bootstrap
from events.runtime.settings import Settings
from events.store.event_store import RedisEventStore
from tests.events.conftest import Make, NewLink
from tests.events.stand_ins import Dying, Interrupted
from tests.events.timed import kinds
from tests.support.sure import sure

APP, OTHER = Caller("app", app="one"), Caller("app", app="two")
NEW = NewGame("counter", {}, (Seat("human", "ada"), Seat("human", "bo")))
SENT = KeyedRequest("3f0c8f5e-7d3b-4a53-9a36-4b8d1f1d6a10", "app key", {})
ABORT, ADJUDICATE, REPLACE = "game_aborted", "game_adjudicated", "player_replaced"

Act = Callable[[Application, str, Caller, KeyedRequest | None], Snapshot]


def abort(here: Application, game_id: str, caller: Caller, sent: KeyedRequest | None = None) -> Snapshot:
    return here.interventions.abort(game_id, caller, sent)


def adjudicate(here: Application, game_id: str, caller: Caller, sent: KeyedRequest | None = None) -> Snapshot:
    return here.interventions.adjudicate(game_id, Verdict(winner=1), caller, sent)


def replace_player(
    here: Application, game_id: str, caller: Caller, sent: KeyedRequest | None = None
) -> Snapshot:
    return here.interventions.replace_player(game_id, 0, "one", caller, sent)


EVERY: dict[str, Act] = {ABORT: abort, ADJUDICATE: adjudicate, REPLACE: replace_player}
every_act = pytest.mark.parametrize("kind", EVERY)


@pytest.fixture
def make(make: Make) -> Make:
    """Makes applications that know the keys of two apps."""
    return partial(make, keyed=True)


def game(here: Application, new: NewGame = NEW, app: str = "one") -> str:
    return here.creation.create(app, new).snapshot.game_id


@every_act
def test_a_repeat_is_answered_as_the_first(make: Make, kind: str) -> None:
    """By another process too; the key stands for one body, and a second request without it is judged anew."""
    here, there = make(), make()
    game_id = game(here)
    first = EVERY[kind](here, game_id, APP, SENT)
    before = kinds(here, game_id)
    for application in (here, there, make()):
        assert EVERY[kind](application, game_id, APP, SENT).version == first.version
    with pytest.raises(CommandMismatch):
        EVERY[kind](there, game_id, APP, replace(SENT, body={"another": 1}))
    with pytest.raises(DomainError) as refused:
        EVERY[kind](there, game_id, APP, None)
    assert refused.value.code == ("not-found" if kind == REPLACE else "game-over")
    assert kinds(here, game_id) == before


@every_act
def test_two_at_once(here: Application, make: Make, kind: str) -> None:
    """It happens once; whoever sent the same request is answered the same, whoever sent another is refused."""
    for sent in (SENT, None):
        game_id = game(here)

        def act(application: Application, game_id: str = game_id, sent: Any = sent) -> int | str:
            try:
                return EVERY[kind](application, game_id, APP, sent).version
            except DomainError as refused:
                return refused.code

        applications = [make() for _ in range(4)]
        with ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(act, applications))
        assert kinds(here, game_id).count(kind) == 1
        done = [answer for answer in answers if isinstance(answer, int)]
        assert len(done) == (4 if sent else 1)
        assert len(set(done)) == 1


@every_act
def test_against_a_move(make: Make, kind: str) -> None:
    """Both are done one after the other, or the one that comes too late is refused; nothing is lost or doubled."""
    here, there = make(), make()
    for _ in range(5):
        game_id = game(here)
        move = partial(there.moves.play, game_id, 0, {"amount": 1}, holder=None)
        with ThreadPoolExecutor(2) as pool:
            decided = pool.submit(EVERY[kind], here, game_id, APP, None)
            moved = pool.submit(move)
        assert decided.exception() is None
        refused = moved.exception()
        assert refused is None or (isinstance(refused, DomainError) and refused.code == "game-over")
        history = kinds(make(), game_id)
        assert history.count(kind) == 1
        assert history.count("added") == (refused is None)


@every_act
def test_death_on_the_way(make: Make, new_link: NewLink, kind: str) -> None:
    """Sent again with its key, the request is done once, whole: the token is void if and only if the event is there."""
    store = Dying(RedisEventStore(new_link(), new_link(), 5.0))
    dying, there = make(store=store), make()
    for dies in ("before", "after"):
        game_id = game(dying)
        store.dies = dies
        with pytest.raises(StoreUnavailable):
            EVERY[kind](dying, game_id, APP, SENT)
        is_done = dies == "after"
        assert (kind in kinds(there, game_id)) is is_done
        void = store.secrets(game_id).tokens[0] == NO_TOKEN
        assert void is (is_done and kind == REPLACE)
        EVERY[kind](there, game_id, APP, SENT)
        assert kinds(there, game_id).count(kind) == 1


def test_an_aborted_game_is_settled(make: Make) -> None:
    """Nothing is to be scored, nobody waits for anything, and the engine's own jobs end quietly."""
    here, worker = make(), make()
    bots = NewGame("counter", {}, (Seat("bot", bot="one"), Seat("human")))
    game_id = game(here, bots)
    before = worker.views.snapshot(game_id)
    assert pending_action(before.status) == "bot"
    after = abort(here, game_id, APP)
    assert after.is_settled
    assert pending_action(after.status) == ""
    history = kinds(here, game_id)
    assert worker.bot_turns.bot_move(game_id, before.version) is None
    assert worker.bot_turns.fallback_move(game_id, before.version) is None
    assert worker.bot_turns.prompt_move(game_id, before.version) is None
    assert worker.bot_turns.score_game(game_id) is None
    assert kinds(here, game_id) == history


def test_a_bot_that_thinks_while_the_game_is_aborted(
    here: Application, make: Make, new_link: NewLink
) -> None:
    """The move of a bot that thinks while the game is aborted comes too late, and is dropped."""
    game_id = game(here, NewGame("counter", {}, (Seat("bot", bot="one"), Seat("human"))))
    store = RedisEventStore(new_link(), new_link(), 5.0)
    worker = make(store=Interrupted(store, lambda: abort(here, game_id, APP)))
    assert worker.bot_turns.bot_move(game_id, worker.views.snapshot(game_id).version) is None
    assert kinds(here, game_id)[-1] == ABORT


class TestReplacing:
    """A bot in a player's place."""

    def test_the_token_is_void_everywhere_at_once(self, make: Make) -> None:
        """Also for a process that has heard of nothing: for looking and for playing."""
        here, there = make(), make()
        created = here.creation.create("one", NEW)
        game_id, token = created.snapshot.game_id, created.tokens[0]
        let_in = there.callers.who_asks(token, game_id)
        there.views.open_game(game_id, let_in)
        after = replace_player(here, game_id, APP)
        for attempt in (
            lambda: there.moves.play(game_id, 0, {"amount": 1}, holder=let_in.token_hash),
            lambda: there.views.open_game(game_id, let_in),
            lambda: there.callers.who_asks(token, game_id),
            lambda: make().callers.who_asks(token, game_id),
        ):
            with pytest.raises(Unauthorized):
                attempt()
        assert there.views.snapshot(game_id).version == after.version
        other = there.callers.who_asks(created.tokens[1], game_id)
        assert there.views.open_game(game_id, other).version == after.version

    def test_the_bot_moves_at_once(self, make: Make) -> None:
        """It is due with the very append, on the seat's turn; one that remembers has seen what the seat saw."""
        here, worker = make(), make()
        game_id = game(here)
        for seat in (0, 1):
            here.moves.play(game_id, seat, {"amount": 1})
        after = here.interventions.replace_player(game_id, 0, "thinker", APP)
        assert pending_action(after.status) == "bot"
        played = sure(worker.bot_turns.bot_move(game_id, after.version))
        assert [event.type for event in played.events][:2] == ["move_chosen", "added"]
        assert played.events[0].data["bot"] == "thinker"

    def test_a_repeat_of_the_creation_gives_no_void_token(self, here: Application, make: Make) -> None:
        """A repeat of the creation gives only the tokens that are still good."""
        created = here.creation.create("one", NEW, SENT)
        replace_player(here, created.snapshot.game_id, APP)
        assert set(make().creation.create("one", NEW, SENT).tokens) == {1}


@pytest.mark.parametrize(("name", "seats"), [("migrato", 2), ("migo", 3)])
def test_a_verdict_against_a_resignation(settings: Settings, name: str, seats: int) -> None:
    """In a game of two only one of them ends it; in a larger one the resignation may come first."""
    here, there = bootstrap.application(settings), bootstrap.application(settings)
    for _ in range(5):
        people = tuple(Seat("human", f"p{seat}") for seat in range(seats))
        game_id = here.creation.create("one", NewGame(name, {}, people)).snapshot.game_id
        with ThreadPoolExecutor(2) as pool:
            decided = pool.submit(here.interventions.adjudicate, game_id, Verdict(loser=1), APP)
            resigned = pool.submit(there.moves.play, game_id, 0, {"type": "resign"})
        refusals = [refusal for act in (decided, resigned) if (refusal := act.exception()) is not None]
        assert all(isinstance(refusal, DomainError) and refusal.code == "game-over" for refusal in refusals)
        history = kinds(here, game_id)
        assert history.count("game_ended") == 1
        assert len(refusals) == 2 - history.count("player_resigned") - history.count(ADJUDICATE)
        assert len(refusals) == 1 or name == "migo"
