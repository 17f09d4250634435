"""Moves taken back in games that are kept on a server: who says what when, and whoever is quicker."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest

from domain.errors import DomainError
from domain.lifecycle import Seat
from domain.takebacks.decide import AnswerTakeback
from events.application import Application
from events.audit.findings import Report
from events.audit.verify import verify
from events.engine.access import STRANGER, Caller
from events.engine.idempotency import KeyedRequest
from events.engine.new_game import NewGame
from events.errors import CommandMismatch, EngineError, GameNotFound, VersionConflict
from events.features.takebacks import TakebackStatus
from events.log.export import export_lines
from events.store.event_store import RedisEventStore
from tests.audit.games import parsed
from tests.events.conftest import Make, NewLink
from tests.events.refusals import refusal_of
from tests.events.stand_ins import StandIn
from tests.events.timed import Time, clocked, kinds, people, timed
from tests.support.sure import sure

ASKED, ANSWERED, TAKEN = "takeback_requested", "takeback_answered", "moves_taken_back"
DEALT = 3  # the version at which the first round is laid out


@pytest.fixture
def here(make: Make) -> Application:
    return make()


def begun(here: Application, seats: int = 2, *bots: Seat, **more: Any) -> str:
    """A game of Migo in which seat 0 has taken a card."""
    new = NewGame("migo", {"first_seat": 0}, (*people(seats), *bots), **more)
    game_id = here.creation.create("a", new).snapshot.game_id
    play(here, game_id)
    return game_id


def play(here: Application, game_id: str) -> list[str]:
    """The seat that is to act makes the first move that there is."""
    now = here.views.snapshot(game_id)
    assert now.status.to_act is not None
    move = now.game.legal_moves(now.state, now.status.to_act)[0]
    return [event.type for event in here.moves.play(game_id, now.status.to_act, move).events]


def seat_of(game_id: str, seat: int) -> Caller:
    return Caller("seat", seat=seat, game_id=game_id)


def ask(here: Application, game_id: str, seat: int = 0, sent: KeyedRequest | None = None) -> list[str]:
    played = here.takebacks.ask(game_id, seat, seat_of(game_id, seat), sent)
    return [event.type for event in played.events]


def say(
    here: Application, game_id: str, seat: int, agrees: bool, sent: KeyedRequest | None = None
) -> list[str]:
    played = here.takebacks.answer(game_id, seat, AnswerTakeback(agrees), seat_of(game_id, seat), sent)
    return [event.type for event in played.events]


def look(here: Application, game_id: str, seat: int) -> TakebackStatus:
    return here.takebacks.look(game_id, seat_of(game_id, seat))


def audited(here: Application, game_id: str, viewer: int | None = None) -> Report:
    """The report on the export for that viewer, in which nothing is wrong."""
    now, history = here.views.snapshot(game_id), here.views.history(game_id)
    report = verify(parsed(b"".join(export_lines(now, history, viewer, None))))
    assert report.wrong is None, report.wrong.document
    return report


def test_the_table_is_as_before(make: Make) -> None:
    """The table is as before the move, in whichever process the request comes."""
    one, two = make(), make()
    game_id = begun(one)
    now = two.views.snapshot(game_id)
    before = one.views.snapshot(game_id, DEALT).state
    assert ask(one, game_id) == [ASKED]
    assert say(two, game_id, 1, True) == [ANSWERED, TAKEN]
    after = one.views.snapshot(game_id)
    assert after.state == before
    assert after.version == after.turn_version == now.version + 3
    assert play(one, game_id)[0] == "card_taken"
    assert refusal_of(say, two, game_id, 1, True) == "nothing-to-take-back"


def test_the_state_of_a_request(here: Application) -> None:
    """For a seat, for another, and for who only watches; a private game is not there for strangers."""
    game_id = begun(here, 3)
    with pytest.raises(GameNotFound):
        here.takebacks.look(game_id, STRANGER)
    seen = here.takebacks.look(begun(here, visibility="public"), STRANGER)
    assert (seen.may_ask, seen.left) == (False, 0)
    now = here.views.snapshot(game_id).version
    assert look(here, game_id, 0) == TakebackStatus(now, None, None, (), (), True, None, 20)
    assert look(here, game_id, 1).refusal == "nothing-to-take-back"
    ask(here, game_id)
    assert look(here, game_id, 1) == TakebackStatus(now + 1, 0, DEALT, (), (1, 2), False, None, 20)
    assert look(here, game_id, 0).left == 19
    say(here, game_id, 2, True)
    assert look(here, game_id, 0) == TakebackStatus(now + 2, 0, DEALT, (2,), (1,), False, None, 19)
    say(here, game_id, 1, True)
    assert look(here, game_id, 0).refusal == "nothing-to-take-back"


def test_a_request_that_is_sent_again(make: Make) -> None:
    """The same is answered; the key stands for one body."""
    one, two = make(), make()
    game_id = begun(one)
    key = "3f0c8f5e-7d3b-4a53-9a36-4b8d1f1d6a10"
    sent, agreed = KeyedRequest(key, "ada", {}), KeyedRequest(key, "bo", {"agree": True})
    assert ask(one, game_id, sent=sent) == ask(two, game_id, sent=sent) == [ASKED]
    for here in (one, two, one):
        assert say(here, game_id, 1, True, agreed) == [ANSWERED, TAKEN]
    play(one, game_id)
    assert say(two, game_id, 1, True, agreed) == [ANSWERED, TAKEN]
    with pytest.raises(CommandMismatch):
        say(one, game_id, 1, False, KeyedRequest(key, "bo", {"agree": False}))
    assert kinds(one, game_id).count(TAKEN) == 1


def test_a_request_that_is_sent_again_while_it_is_carried_out(make: Make, new_link: NewLink) -> None:
    """The second finds the game moved on by the first, and answers as that was answered."""
    two = make()
    game_id = begun(two)
    ask(two, game_id)
    sent = KeyedRequest("agree", None, {"agree": True})

    class Overtaken(StandIn):
        """A store on which others get ahead of the first append, and say the same once that was refused."""

        overtaken = False

        def append(self, *arguments: Any) -> Any:
            if not self.overtaken:
                self.overtaken = True
                two.seats.reissue(game_id, 0, Caller("app", app="a"))
                with pytest.raises(VersionConflict):
                    self.store.append(*arguments)
                assert say(two, game_id, 1, True, sent) == [ANSWERED, TAKEN]
            return self.store.append(*arguments)

    one = make(store=Overtaken(RedisEventStore(new_link(), new_link(), 5.0)))
    assert say(one, game_id, 1, True, sent) == [ANSWERED, TAKEN]
    assert kinds(one, game_id).count(TAKEN) == 1


def test_against_bots_it_is_done_at_once(here: Application) -> None:
    """As long as the bot has not answered; its job from before is for another version, and it is not its turn."""
    game_id = begun(here, 1, Seat("bot", bot="greedy"))
    version = here.views.snapshot(game_id).version
    assert ask(here, game_id) == [ASKED, TAKEN]
    assert here.bot_turns.bot_move(game_id, version) is None
    assert kinds(here, game_id)[-1] == TAKEN
    play(here, game_id)
    here.bot_turns.bot_move(game_id, here.views.snapshot(game_id).version)
    assert refusal_of(ask, here, game_id) == "nothing-to-take-back"


def test_a_word_and_a_move_at_the_same_time(make: Make) -> None:
    """One of them is first, and the other is judged on what that has left."""

    def caught(act: Callable[[], object]) -> str:
        try:
            act()
        except DomainError as refusal:
            return refusal.code
        except (EngineError, VersionConflict) as error:
            return type(error).__name__
        return "done"

    for _ in range(3):
        applications = [make() for _ in range(4)]
        game_id = begun(applications[0])
        ask(applications[0], game_id)
        now = applications[0].views.snapshot(game_id)
        move = now.game.legal_moves(now.state, 1)[0]
        acts = [
            partial(say, here, game_id, 1, True) if number % 2 else partial(here.moves.play, game_id, 1, move)
            for number, here in enumerate(applications)
        ]
        with ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(caught, acts))
        found = kinds(applications[0], game_id)
        assert found[-2:] == [ANSWERED, TAKEN] if TAKEN in found else "card_taken" in found[-3:]
        assert set(answers) <= {"done", "not-your-turn", "nothing-to-take-back"}
        assert answers.count("done") == 1


def test_two_that_agree_at_the_same_time(make: Make) -> None:
    """The move is taken back once."""
    applications = [make() for _ in range(3)]
    game_id = begun(applications[0], 4)
    ask(applications[0], game_id)
    with ThreadPoolExecutor(3) as pool:
        words = [partial(say, here, game_id, seat, True) for seat, here in enumerate(applications, 1)]
        list(pool.map(lambda word: word(), words))
    assert kinds(applications[0], game_id)[-4:] == [ANSWERED, ANSWERED, ANSWERED, TAKEN]


def test_a_turn_that_is_taken_up_again_is_no_new_one(redis_url: str) -> None:
    """Against a bot, which is not asked: however often, it takes no longer than a turn may; an audit finds that so."""
    time = Time()
    here = timed(redis_url, time)
    seats = (*people(1), Seat("bot", bot="greedy"))
    game_id = clocked(here, {"kind": "per-move", "seconds": 6}, "migo", seats, options={"first_seat": 0})
    for _ in range(2):
        time.passes(2.5)
        play(here, game_id)
        assert ask(here, game_id) == [ASKED, TAKEN]
    time.passes(1)
    assert refusal_of(play, here, game_id) == "time-is-up"
    sure(here.timekeeping).settle(game_id)
    here.bot_turns.score_game(game_id)
    assert audited(here, game_id).complete
    assert kinds(here, game_id)[-3:] == ["turn_timed_out", "game_ended", "game_scored"]


@pytest.mark.parametrize("seats", [2, 3])
def test_the_record_stands_up_to_an_audit(here: Application, seats: int) -> None:
    """While the game runs, as everybody is shown it, and when it is over; forks and looks back follow the events."""
    game_id = begun(here, seats)
    for number in range(6):
        mover = ((here.views.snapshot(game_id).status.to_act or 0) - 1) % seats
        if look(here, game_id, mover).may_ask:
            ask(here, game_id, mover)
            for other in {*range(seats)} - {mover}:
                say(here, game_id, other, True)
        for _ in range(1 + number % 2):
            play(here, game_id)
    assert TAKEN in kinds(here, game_id)
    for viewer in (None, *range(seats)):
        audited(here, game_id, viewer)
    for seat in range(seats - 1):
        here.moves.play(game_id, seat, {"type": "resign"})
    here.bot_turns.score_game(game_id)
    assert audited(here, game_id).complete
