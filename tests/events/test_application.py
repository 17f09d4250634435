"""The use-cases, told as what callers see of them; played with the small counter game."""

import hmac
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from domain.bot import Budget
from domain.lifecycle import Seat
from events.application import Application
from events.engine.command_handler import Played
from events.engine.new_game import Created, NewGame
from events.errors import CommandMismatch, StoreUnavailable, VersionBeyondEnd, VersionMismatch
from events.features.listings.projection import Listings
from events.log.serialisers import event_document
from events.store import keys
from tests.events.conftest import NewLink
from tests.events.refusals import refusal_of
from tests.support.sure import sure

HUMANS = (Seat("human", "ada", client_seed="mine"), Seat("human", "bo"))

Applications = Callable[[], Application]


def new_game(application: Application, *seats: Seat, goal: int = 10, visibility: str = "private") -> Created:
    return application.creation.create(
        "my-app", NewGame("counter", {"goal": goal}, seats or HUMANS, visibility)
    )


def add(amount: int, note: str = "") -> dict[str, Any]:
    return {"type": "add", "amount": amount, "note": note}


def as_seen(application: Application, played: Played, seat: int | None) -> object:
    """All that an answer shows."""
    events = [event_document(played.snapshot, event, seat) for event in played.events]
    return events, application.views.game_document(played.snapshot, seat)


class TestCreating:
    """Setting a game up."""

    def test_a_listing_that_fails_does_not_fail_the_game(
        self, counter: Application, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A creation succeeds though its listing fails; a consumer of the feed lists the game later."""

        def unavailable(*_: object) -> None:
            raise StoreUnavailable("down")

        monkeypatch.setattr(Listings, "update", unavailable)
        assert counter.views.snapshot(new_game(counter).snapshot.game_id).version == 2


class TestPlaying:
    """Making moves."""

    def test_a_move_may_be_decided_on_a_game_that_was_not_current(self, counters: Applications) -> None:
        """It is decided again, on the game as it is: of the same seat's two at once the second is out of turn."""
        here, there = counters(), counters()
        game_id = new_game(here).snapshot.game_id
        there.views.snapshot(game_id)
        here.moves.play(game_id, 0, add(1))
        assert refusal_of(there.moves.play, game_id, 0, add(1)) == "not-your-turn"
        assert here.views.snapshot(game_id).version == 3
        there = counters()
        there.views.snapshot(game_id)
        here.moves.play(game_id, 1, add(2))
        assert there.moves.play(game_id, 0, add(2)).snapshot.state.total == 5
        assert here.moves.play(game_id, 1, add(3)).snapshot.state.total == 8

    def test_a_refused_move_leaves_no_trace(self, counter: Application) -> None:
        """A refused move leaves no trace, with or without a key, and the key is still free."""
        game_id = new_game(counter).snapshot.game_id
        for seat, document, code in (
            (1, add(1), "not-your-turn"),
            (0, add(4), "illegal-move"),
            (0, {}, "validation-error"),
        ):
            for key in (None, "key"):
                assert refusal_of(counter.moves.play, game_id, seat, document, key=key) == code
        assert counter.views.snapshot(game_id).version == 2
        assert not counter.moves.play(game_id, 0, add(1), key="key").repeated


class TestOnlyAtAVersion:
    """`If-Match`."""

    def test_the_current_version_will_do(self, counter: Application) -> None:
        """No other version will. A repeat is known first, or a client that lost the answer would be told 412."""
        game_id = new_game(counter).snapshot.game_id
        assert counter.moves.play(game_id, 0, add(1), key="k", if_match=2).snapshot.version == 3
        for stale in (2, 4, 0):
            with pytest.raises(VersionMismatch) as refused:
                counter.moves.play(game_id, 1, add(1), if_match=stale)
            assert refused.value.current == 3
        assert counter.views.snapshot(game_id).version == 3
        assert counter.moves.play(game_id, 0, add(1), key="k", if_match=2).repeated

    def test_the_version_that_is_known_here_may_be_stale(self, counters: Applications) -> None:
        """Another process's move makes a version current, or former, that this one does not know of."""
        here, there = counters(), counters()
        game_id = new_game(here).snapshot.game_id
        there.views.snapshot(game_id)
        here.moves.play(game_id, 0, add(1))
        with pytest.raises(VersionMismatch):
            there.moves.play(game_id, 1, add(1), if_match=2)
        there = counters()
        there.views.snapshot(game_id)
        here.moves.play(game_id, 1, add(1))
        assert there.moves.play(game_id, 0, add(1), if_match=4).snapshot.version == 5


class TestRepeating:
    """`Idempotency-Key`."""

    def test_a_repeat_answers_what_the_first_did(self, counters: Applications) -> None:
        """Everywhere, and also long after: as of that version, with what was hidden then still hidden."""
        here, there = counters(), counters()
        game_id = new_game(here, goal=5).snapshot.game_id
        first = here.moves.play(game_id, 0, add(1, "secret"), key="k")
        answers = [as_seen(here, first, seat) for seat in (0, 1, None)]
        here.moves.play(game_id, 1, add(3))
        here.moves.play(game_id, 0, add(3))
        assert here.views.snapshot(game_id).status.status == "finished"
        for application in (here, there):
            again = application.moves.play(game_id, 0, add(1, "secret"), key="k")
            assert again.repeated
            assert [as_seen(application, again, seat) for seat in (0, 1, None)] == answers
        assert here.views.snapshot(game_id).version == 6

    def test_a_key_stands_for_one_body(self, counter: Application) -> None:
        """In whatever order its members are, and whosever turn it is meanwhile; a key is its seat's own."""
        game_id, play = new_game(counter).snapshot.game_id, counter.moves.play
        body = {"amount": 1, "note": "x"}
        play(game_id, 0, body, key="k")
        assert play(game_id, 0, dict(reversed(body.items())), key="k").repeated
        for other in (body | {"note": "y"}, add(2)):
            with pytest.raises(CommandMismatch):
                play(game_id, 0, other, key="k")
        assert not play(game_id, 1, body, key="k").repeated
        with pytest.raises(CommandMismatch):
            play(game_id, 0, add(2), key="k")
        assert all(play(game_id, seat, body, key="k").repeated for seat in (0, 1))
        assert counter.views.snapshot(game_id).version == 4


class TestLooking:
    """Games and events as they are, and as they were."""

    def test_a_look_is_never_stale(self, counters: Applications) -> None:
        """By any process and any mover; and every version is what it was right after its event.

        The refusal of one that is not there names the last; waiting for one that is ahead does not wait.
        """
        here, there = counters(), counters()
        game_id, then = new_game(here).snapshot.game_id, []
        for turn in range(4):
            there.views.snapshot(game_id)
            then.append(here.moves.play(game_id, turn % 2, add(1)).snapshot)
            assert there.views.snapshot(game_id) == then[-1]
        assert [here.views.snapshot(game_id, snapshot.version) for snapshot in then] == then
        assert here.views.snapshot(game_id, 1).status.status == "waiting"
        for version in (0, -1, 7, 10**30):
            with pytest.raises(VersionBeyondEnd) as refused:
                here.views.snapshot(game_id, version)
            assert refused.value.data == {"version": 6}
        assert here.views.wait_for(game_id, 5, 5) == here.views.wait_for(game_id, 6, 0.02) == 6

    def test_another_history(self, counters: Applications, new_link: NewLink) -> None:
        """A store that lost events and got others is believed, not the memory: no answer mixes two histories."""
        here, there = counters(), counters()
        game_id = new_game(here).snapshot.game_id
        link, stream = new_link(), keys.stream(game_id)
        backup = link.call("XRANGE", stream, "-", "+")
        there.moves.play(game_id, 0, add(1))
        here.moves.play(game_id, 1, add(1))
        link.call("DEL", stream)
        for entry_id, fields in backup:
            link.call("XADD", stream, entry_id, *fields)
        there.moves.play(game_id, 0, add(3))
        assert here.moves.play(game_id, 1, add(2)).snapshot.state.total == 5
        assert there.views.snapshot(game_id).state.total == 5
        assert [event.version for event in here.views.history(game_id)] == [1, 2, 3, 4]


def test_a_result_is_confirmed_once(counters: Applications) -> None:
    """A result is confirmed once by any number of scorers; nothing can be played after the end."""
    here, there = counters(), counters()
    game_id = new_game(here, goal=3).snapshot.game_id
    assert here.bot_turns.score_game(game_id) is None
    here.moves.play(game_id, 0, add(3))
    there.views.snapshot(game_id)
    assert refusal_of(here.moves.play, game_id, 1, add(3)) == "game-over"
    scored = sure(here.bot_turns.score_game(game_id))
    assert [event.type for event in scored.events] == ["game_scored"]
    assert there.bot_turns.score_game(game_id) is None
    result = sure(there.views.snapshot(game_id).status.result)
    assert result.scored


class TestBots:
    """The moves of bots."""

    def test_a_bot_moves_at_its_version(self, counter: Application) -> None:
        """A bot moves only at the version that its job names; a job that comes late, or twice, does nothing."""
        game_id = new_game(counter, Seat("human"), Seat("bot", bot="one")).snapshot.game_id
        assert counter.bot_turns.bot_move(game_id, 2) is None  # not its turn
        version = counter.moves.play(game_id, 0, add(1)).snapshot.version
        played = sure(counter.bot_turns.bot_move(game_id, version))
        assert [(event.type, event.seat) for event in played.events] == [("move_chosen", 1), ("added", 1)]
        assert counter.bot_turns.bot_move(game_id, version) is None
        assert counter.bot_turns.fallback_move(game_id, version) is None
        assert counter.views.snapshot(game_id).version == 5

    def test_doubled_jobs_make_one_move(
        self, counters: Applications, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Even if both decide before either appends: it is one command, with one outcome."""
        here, there = counters(), counters()
        game_id = new_game(here, Seat("bot", bot="one"), Seat("human")).snapshot.game_id
        think = type(here.views.snapshot(game_id).game).think
        moves: list[object] = []

        def meanwhile(*args: Any) -> Any:
            if not moves:
                moves.append(None)
                moves.append(there.bot_turns.bot_move(game_id, 2))
            return think(*args)

        monkeypatch.setattr(type(here.views.snapshot(game_id).game), "think", meanwhile)
        late = here.bot_turns.bot_move(game_id, 2)
        first = moves[1]
        assert isinstance(first, Played)
        assert isinstance(late, Played)
        assert late.repeated
        assert late.events == first.events
        assert here.views.snapshot(game_id).version == 4

    def test_the_move_is_recorded_with_how_it_came_about(self, counter: Application) -> None:
        """Anybody who knows the game's secret finds it again: bot, version, budget, seed."""
        game_id = new_game(counter, Seat("human"), Seat("bot", bot="thinker")).snapshot.game_id
        counter.moves.play(game_id, 0, add(2))
        played = sure(counter.bot_turns.bot_move(game_id, 3))
        chosen, added = played.events
        secret = counter.views.snapshot(game_id).secrets.seed
        seed = hmac.digest(secret, f"bot:{game_id}:3".encode(), "sha256")[:8].hex()
        assert chosen.data == {
            "bot": "thinker",
            "version": "7",
            "budget": {"iterations": 20},
            "seed": seed,
            "fallback": None,
            "replaces": None,
        }
        now = counter.views.snapshot(game_id, 3)
        seen = now.game.observe(now.state, 1, ("game_created", "game_started", "added"))
        again: Any = now.game.think(seen, "thinker", int(seed, 16), Budget(**chosen.data["budget"]))
        assert counter.views.snapshot(game_id).state.notes[-1] == again.move.note
        assert added.data["amount"] == again.move.amount
        assert chosen.command == added.command == "bot:3"

    def test_the_seed_is_hidden_until_the_game_is_over(self, counter: Application) -> None:
        """From everybody, and so there is no salt to try seeds with. A bot that does not search has no budget."""
        game_id = new_game(counter, Seat("bot", bot="one"), Seat("human"), goal=4).snapshot.game_id
        assert counter.bot_turns.bot_move(game_id, 2) is not None
        now = counter.views.snapshot(game_id)
        chosen = counter.views.history(game_id, 2, 1)[0]
        data = chosen.data
        assert (data["bot"], data["budget"], len(data["seed"])) == ("one", None, 16)
        for viewer in (0, 1, None):
            document = event_document(now, chosen, viewer)
            assert document["data"]["seed"] is None
            assert document["redacted"] == ["seed"]
            assert "salt" not in document
        counter.moves.play(game_id, 1, add(3))
        over = counter.views.snapshot(game_id)
        assert over.status.status == "finished"
        assert event_document(over, chosen, None)["data"] == chosen.data
        assert event_document(now, chosen, 0)["data"]["seed"] is None  # as it was then

    def test_a_search_that_the_clock_cut_short_is_recorded_as_it_was(
        self, counter: Application, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """With the iterations that were done, not those that were allowed: with them it is found again."""
        game_id = new_game(counter, Seat("bot", bot="thinker"), Seat("human")).snapshot.game_id
        ticks = iter(range(100))
        clock = SimpleNamespace(monotonic=lambda: float(next(ticks)))
        monkeypatch.setattr("events.engine.bot_decision.time", clock)
        played = sure(counter.bot_turns.bot_move(game_id, 2))
        chosen, added = played.events
        assert chosen.data["budget"] == {"iterations": 4}  # a second each, of the 5 that there are
        now = counter.views.snapshot(game_id, 2)
        seen = now.game.observe(now.state, 0, ())
        again: Any = now.game.think(seen, "thinker", int(chosen.data["seed"], 16), Budget(iterations=4))
        assert added.data["amount"] == again.move.amount

    def test_a_bot_that_breaks_is_replaced_for_a_move(self, counter: Application) -> None:
        """Its failure is told, and the fallback moves in its place."""
        game_id = new_game(counter, Seat("bot", bot="broken"), Seat("human")).snapshot.game_id
        with pytest.raises(RuntimeError):
            counter.bot_turns.bot_move(game_id, 2)
        played = sure(counter.bot_turns.fallback_move(game_id, 2, "failed"))
        assert played.snapshot.state.notes == ("fallback",)
        assert played.events[0].data == {
            "bot": "one",
            "version": "1",
            "budget": None,
            "seed": None,
            "fallback": "failed",
            "replaces": "broken",
        }
