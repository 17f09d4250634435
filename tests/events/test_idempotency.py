"""Requests that may be sent again: one game, one seat, one answer, whoever dies and however many ask at once."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest

from domain.errors import DomainError
from domain.lifecycle import ReissueToken, Seat
from events.application import Application
from events.engine.access import STRANGER, Caller, hash_of
from events.engine.command_handler import Request
from events.engine.idempotency import KeyedCommand, KeyedRequest
from events.engine.new_game import Created, NewGame
from events.errors import StoreUnavailable, Unauthorized
from events.features.seats.seats import REISSUES
from events.log.serialisers import event_document
from events.ports import CommandId, Repeated
from events.store import keys
from events.store.connections.client import RedisClient
from events.store.event_store import RedisEventStore
from tests.events.conftest import Make, NewLink
from tests.events.dump import dump, holding
from tests.events.refusals import refusal_of
from tests.events.stand_ins import Dying, StandIn

KEY = "3f0c8f5e-7d3b-4a53-9a36-4b8d1f1d6a10"
SEATS = (Seat("human", "Ada Lovelace"), Seat("human", "bo"))
NEW = NewGame("counter", {}, SEATS)
SENT = KeyedRequest(KEY, "app key", {"seats": ["ada"]})
WAITING = NewGame("counter", {}, (Seat("human"), Seat("open")))
SITTING = KeyedRequest(KEY, None, {"player": "Bo Peep", "seat": 1})
APP = Caller("app", app="one")


class AheadStore(StandIn):
    """Knows of commands from a server whose events are not there, as others of a cluster may after a failover."""

    def append(self, *_arguments: Any) -> Any:
        return Repeated(98, 99)


@pytest.fixture
def store(new_link: NewLink) -> RedisEventStore:
    return RedisEventStore(new_link(), new_link(), 5.0)


def streams(link: RedisClient) -> int:
    return len(link.call("KEYS", "*:events:*"))


def told(created: Created) -> Any:
    """All that an answer is made of."""
    return created.snapshot.game_id, created.snapshot.version, dict(created.tokens), dict(created.secrets)


class TestCreating:
    """One game for one request."""

    def test_a_repeat_is_answered_as_the_first(self, make: Make, link: RedisClient) -> None:
        """By others too, whatever has happened since; of ten at once there is one game, one seed, one answer."""
        applications = [make() for _ in range(10)]
        with ThreadPoolExecutor(10) as pool:
            answers = list(pool.map(lambda a: a.creation.create("one", NEW, SENT), applications))
        first = answers[0]
        assert [told(answer) for answer in answers] == [told(first)] * 10
        game_id = first.snapshot.game_id
        assert len({application.views.snapshot(game_id).secrets.seed for application in applications}) == 1
        applications[0].moves.play(game_id, 0, {"amount": 1})
        for application in (*applications[:2], make()):
            assert told(application.creation.create("one", NEW, SENT)) == told(first)
        assert streams(link) == 1
        for seat, token in first.tokens.items():
            assert applications[1].callers.who_asks(token).seat == seat

    def test_death_blocks_nothing(self, make: Make, store: RedisEventStore, link: RedisClient) -> None:
        """Before the game was there nothing is, after that the game is the answer."""
        for games, dies in enumerate(("before", "after")):
            sent = replace(SENT, key=dies)
            with pytest.raises(StoreUnavailable):
                make(store=Dying(store, dies)).creation.create("one", NEW, sent)
            assert streams(link) == 2 * games
            created = make().creation.create("one", NEW, sent)
            assert streams(link) == games + 1
            assert told(make().creation.create("one", NEW, sent)) == told(created)
            assert make().callers.who_asks(created.tokens[0]).seat == 0

    def test_a_key_without_a_token_is_good_until_the_seat_moves(self, make: Make) -> None:
        """For each seat its own token is told until then; an app has its key to show, and is told them all."""
        here, sent = make(), replace(SENT, token=None)
        first, apps = (
            here.creation.create("anonymous", NEW, sent),
            here.creation.create("anonymous", NEW, SENT),
        )
        assert sorted(first.tokens) == [0, 1]
        for game in (first, apps):
            here.moves.play(game.snapshot.game_id, 0, {"amount": 1})
        again = make().creation.create("anonymous", NEW, sent)
        assert (again.snapshot.version, dict(again.tokens)) == (first.snapshot.version, {1: first.tokens[1]})
        here.moves.play(first.snapshot.game_id, 1, {"amount": 1})
        assert dict(make().creation.create("anonymous", NEW, sent).tokens) == {}
        assert dict(make().creation.create("anonymous", NEW, SENT).tokens) == dict(apps.tokens)

    def test_a_seat_that_has_not_moved_in_a_long_game(self, make: Make) -> None:
        """Others may sit down, or get tokens of their own anew."""
        here, sent = make(), replace(SENT, token=None)
        first = here.creation.create("anonymous", WAITING, sent)
        here.seats.take(first.snapshot.game_id, 1, "bo", None, STRANGER)
        for _ in range(REISSUES):
            here.seats.reissue(first.snapshot.game_id, 1, STRANGER)
        assert told(make().creation.create("anonymous", WAITING, sent)) == told(first)

    def test_a_refusal_uses_no_key_up(self, make: Make) -> None:
        """A request that was refused may be corrected and sent again."""
        create = make().creation.create
        assert refusal_of(create, "one", replace(NEW, options={"goal": "high"}), SENT) == "validation-error"
        assert create("one", NEW, replace(SENT, body={"corrected": True})).tokens

    def test_the_seed_follows_from_nothing(self, make: Make, link: RedisClient) -> None:
        """It is drawn: the same request on a store that has lost the game comes to another one."""
        first = make().creation.create("one", NEW, SENT).snapshot
        for kind in ("events", "commands", "secrets"):
            link.call("DEL", f"{keys.tag(keys.partition_of(first.game_id))}:{kind}:{first.game_id}")
        again = make().creation.create("one", NEW, SENT).snapshot
        assert again.game_id == first.game_id
        assert again.secrets.seed != first.secrets.seed

    def test_nothing_that_was_sent_stands_in_the_store(self, make: Make, link: RedisClient) -> None:
        """Neither key nor token nor body, nor what could be tried against a guess of the body alone."""
        created = make().creation.create("one", NEW, SENT)
        drawn = [token.split("_", 3)[3] for token in created.tokens.values()]
        guesses = [sha256(text.encode()).hexdigest() for text in (KEY, "app key", '{"seats":["ada"]}')]
        for searched in (*drawn, KEY, "app key", "Ada Lovelace", *guesses):
            assert holding(link, searched.encode()) == []
        secret = link.call("GET", keys.REQUESTS_SECRET)
        assert len(secret) == 32
        # Whoever has the store, and has guessed the key, still lacks the app's own key.
        guessed = KeyedCommand(secret, "game", replace(SENT, token=None))
        assert guessed.game_id != created.snapshot.game_id
        assert guessed.seat_token(created.snapshot.game_id, 0) not in created.tokens.values()

    def test_an_erased_name_does_not_come_back(self, make: Make) -> None:
        """A repeat makes no player of the name that the body still holds."""
        application = make()
        first = application.creation.create("one", NEW, SENT)
        application.players.erase("one", str(first.snapshot.status.seats[0].player))
        assert told(application.creation.create("one", NEW, SENT)) == told(first)
        assert application.listing.page("one", player="Ada Lovelace").games == []


class TestTakingASeat:
    """One seat for one request."""

    @staticmethod
    def waiting(application: Application, visibility: str = "public") -> str:
        new = replace(WAITING, visibility=visibility)
        return application.creation.create("one", new).snapshot.game_id

    def test_a_repeat_is_answered_as_the_first(self, make: Make) -> None:
        """The seat, its token, and the game as it was; of ten at once one sits down, and all are told its token."""
        game_id, applications = self.waiting(make()), [make() for _ in range(10)]

        def take(application: Application) -> tuple[int, str]:
            after, token = application.seats.take(game_id, 1, "Bo Peep", "seed", STRANGER, SITTING)
            return after.version, token

        with ThreadPoolExecutor(10) as pool:
            ((version, token),) = set(pool.map(take, applications))
        applications[0].moves.play(game_id, 0, {"amount": 1})
        for again in (applications[0], make()):
            assert take(again) == (version, token)
        assert [event.type for event in make().views.history(game_id)].count("seat_taken") == 1
        assert make().callers.who_asks(token, game_id).seat == 1

    def test_death_blocks_nothing(self, make: Make, store: RedisEventStore) -> None:
        """The repeat sits down, or is told what the first was not."""
        for dies in ("before", "after"):
            game_id = self.waiting(make())
            with pytest.raises(StoreUnavailable):
                make(store=Dying(store, dies)).seats.take(game_id, 1, "Bo Peep", None, STRANGER, SITTING)
            _, token = make().seats.take(game_id, 1, "Bo Peep", None, STRANGER, SITTING)
            assert make().callers.who_asks(token, game_id).seat == 1

    def test_an_app_has_its_key_to_show(self, make: Make) -> None:
        """An app shows its key, so its repeats are answered as long as the game exists."""
        application, sent = make(keyed=True), replace(SITTING, key="1", token="app key")
        game_id = self.waiting(application)
        _, token = application.seats.take(game_id, 1, "Bo Peep", None, APP, sent)
        for seat in (0, 1):
            application.moves.play(game_id, seat, {"amount": 1})
        assert make(keyed=True).seats.take(game_id, 1, "Bo Peep", None, APP, sent)[1] == token
        for other in (replace(sent, token=None), replace(sent, token="another")):
            assert refusal_of(application.seats.take, game_id, 1, "Bo Peep", None, STRANGER, other)


class TestReissuing:
    """A new token for a seat, by the game's app."""

    @pytest.fixture
    def here(self, make: Make) -> Application:
        return make(keyed=True)

    def test_the_former_token_is_void_everywhere_at_once(self, here: Application, make: Make) -> None:
        """Also for a process that knew the game and has heard of nothing: for looking, playing and repeating."""
        there = make(keyed=True)
        created = here.creation.create("one", NEW)
        game_id, former = created.snapshot.game_id, created.tokens[0]
        let_in = there.callers.who_asks(former, game_id)
        there.moves.play(game_id, 0, {"amount": 1}, key="k", holder=let_in.token_hash)
        there.moves.play(game_id, 1, {"amount": 1})
        after, token = here.seats.reissue(game_id, 0, APP)
        assert token != former
        for key in (None, "k"):
            with pytest.raises(Unauthorized):
                there.moves.play(game_id, 0, {"amount": 1}, key=key, holder=let_in.token_hash)
        with pytest.raises(Unauthorized):
            there.views.open_game(game_id, let_in)
        with pytest.raises(Unauthorized):
            there.views.open_game(game_id, there.callers.who_asks(former, game_id))
        assert after.version == there.views.history(game_id)[-1].version
        new = there.callers.who_asks(token, game_id)
        assert there.views.open_game(game_id, new).version == after.version
        played = there.moves.play(game_id, 0, {"amount": 2}, holder=new.token_hash)
        assert played.snapshot.version == after.version + 1
        with pytest.raises(Unauthorized):
            here.callers.who_asks(former, game_id)

    def test_a_seat_that_loses_its_token_takes_no_other(self, here: Application, make: Make) -> None:
        """A seat whose token was replaced neither gets nor sees the new token."""
        created, there = here.creation.create("one", replace(WAITING, visibility="private")), make(keyed=True)
        game_id = created.snapshot.game_id
        let_in = there.callers.who_asks(created.tokens[0], game_id)
        here.seats.reissue(game_id, 0, APP)
        with pytest.raises(Unauthorized):
            there.seats.look(game_id, 1, let_in)
        with pytest.raises(Unauthorized):
            there.seats.take(game_id, 1, "eve", None, let_in)

    def test_a_game_that_is_loaded_just_then(
        self, make: Make, store: RedisEventStore, here: Application
    ) -> None:
        """A game that is loaded while a token is issued anew has secrets no older than its events."""
        created = here.creation.create("one", NEW)
        game_id = created.snapshot.game_id

        class Slow(StandIn):
            """A store that is asked for a game's events when its seat's token has just been issued anew."""

            def read(self, *asked: Any, **page: Any) -> Any:
                if self.secrets(game_id).tokens == created.snapshot.secrets.tokens:
                    here.seats.reissue(game_id, 0, APP)
                return self.store.read(*asked, **page)

        there = make(keyed=True, store=Slow(store))
        with pytest.raises(Unauthorized):
            there.views.open_game(game_id, there.callers.who_asks(created.tokens[0], game_id))

    def test_everybody_sees_it(self, here: Application) -> None:
        """As an event that changes nothing, holds nothing and hides nothing; and who waits for a bot still does."""
        new = NewGame("counter", {}, (Seat("bot", bot="one"), Seat("human")))
        created = here.creation.create("one", new).snapshot
        after, _ = here.seats.reissue(created.game_id, 1, APP)
        event = here.views.history(after.game_id)[-1]
        assert (event.type, event.schema, event.seat, event.data) == ("seat_token_reissued", 1, 1, {})
        assert after.state == created.state
        for viewer in (None, 0, 1):
            shown = event_document(after, event, viewer)
            assert (shown["data"], shown["redacted"]) == ({}, [])
        assert here.bot_turns.bot_move(created.game_id, created.version) is None
        assert here.bot_turns.bot_move(created.game_id, after.version) is not None

    def test_the_last_ones_are_asked_for_at_once(self, make: Make, here: Application) -> None:
        """No more are issued than there are, one after the other; each that is told was issued, the last is good."""
        game_id = here.creation.create("one", NEW).snapshot.game_id
        for _ in range(REISSUES - 2):
            here.seats.reissue(game_id, 0, APP)

        def reissue(application: Application) -> tuple[int, str]:
            try:
                after, token = application.seats.reissue(game_id, 0, APP)
                return after.version, token
            except DomainError as error:
                return 0, error.code

        with ThreadPoolExecutor(6) as pool:
            *refused, (_, void), (_, last) = sorted(pool.map(reissue, [make(keyed=True) for _ in range(6)]))
        assert refused == [(0, "no-more-tokens")] * 4
        events = [event for event in here.views.history(game_id) if event.type == "seat_token_reissued"]
        assert len(events) == REISSUES
        assert here.views.snapshot(game_id).secrets.tokens[0] == hash_of(last)
        assert here.callers.who_asks(last, game_id).seat == 0
        with pytest.raises(Unauthorized):
            here.callers.who_asks(void, game_id)

    def test_a_repeat_gets_no_token_that_plays_no_longer(self, here: Application) -> None:
        """Neither of a creation nor of a seat that was taken."""
        created = here.creation.create("one", NEW, SENT)
        here.seats.reissue(created.snapshot.game_id, 1, APP)
        assert dict(here.creation.create("one", NEW, SENT).tokens) == {0: created.tokens[0]}
        game_id = here.creation.create("one", replace(WAITING, visibility="public")).snapshot.game_id
        sitting = (game_id, 1, "Bo Peep", None, STRANGER, SITTING)
        here.seats.take(*sitting)
        here.seats.reissue(game_id, 1, APP)
        assert refusal_of(here.seats.take, *sitting) == "seat-taken"

    def test_a_seat_gets_so_many(self, here: Application, make: Make) -> None:
        """Each of them is an event, and events are bounded; each seat has its own, in every process."""
        created, there = here.creation.create("one", NEW), make(keyed=True)
        game_id = created.snapshot.game_id
        for application in [here, there] * (REISSUES // 2):
            after, token = application.seats.reissue(game_id, 0, APP)
        assert after.version == created.snapshot.version + REISSUES
        for application in (here, there):
            with pytest.raises(DomainError) as refused:
                application.seats.reissue(game_id, 0, APP)
            assert (refused.value.code, str(REISSUES) in str(refused.value)) == ("no-more-tokens", True)
        assert here.views.history(game_id)[-1].version == after.version
        assert there.callers.who_asks(token, game_id).seat == 0
        assert there.seats.reissue(game_id, 1, APP)[0].version == after.version + 1
        here.moves.play(game_id, 0, {"amount": 1})

    def test_a_refusal_costs_few_looks(self, make: Make, store: RedisEventStore, here: Application) -> None:
        """In a game of any length, no matter how often somebody asks."""
        game_id = here.creation.create("one", replace(NEW, options={"goal": 1000})).snapshot.game_id
        for turn in range(100):
            here.moves.play(game_id, turn % 2, {"amount": 1})
        for _ in range(REISSUES):
            here.seats.reissue(game_id, 0, APP)
        looks: list[str] = []

        class Counting(StandIn):
            """A store that tells what it is asked."""

            def read(self, *asked: Any, **page: Any) -> Any:
                found = self.store.read(*asked, **page)
                looks.extend(["event"] * len(found))
                return found

            def recorded(self, *asked: Any) -> Any:
                looks.append("command")
                return self.store.recorded(*asked)

        there = make(keyed=True, store=Counting(store))
        there.views.snapshot(game_id)
        for _ in range(2):
            looks.clear()
            assert refusal_of(there.seats.reissue, game_id, 0, APP) == "no-more-tokens"
        assert len(looks) <= 6, looks

    def test_of_a_game_of_a_former_release(self, here: Application) -> None:
        """It has counted no tokens: what it had is read as ever, and it may have as many again."""
        created = here.creation.create("one", NEW).snapshot
        for number in range(REISSUES + 1):
            tokens = {0: hash_of(str(number))}
            before = here.views.snapshot(created.game_id)
            request = Request(None, ReissueToken(0), CommandId(f"token~{number}"), tokens=tokens)
            here.seats._handler.carry_out(before, request)  # as that release did
        _, token = here.seats.reissue(created.game_id, 0, APP)
        assert here.callers.who_asks(token, created.game_id).seat == 0


def test_keys_are_told_apart_by_all_that_they_belong_to() -> None:
    """Keys of different purposes or tokens differ, since these parts cannot run into each other."""
    parts = (
        ("game", "a", "b"),
        ("gamea", "", "b"),
        ("game", "", "ab"),
        ("game", "ab", ""),
        ("game", "b", "a"),
    )
    ids = {
        KeyedCommand(bytes(32), purpose, KeyedRequest(key, token or None, {})).game_id
        for purpose, token, key in parts
    }
    assert len(ids) == len(parts)


def test_the_secret_is_one_for_all(new_link: NewLink, link: RedisClient) -> None:
    """The first who needs it makes it; it is read anew each time."""
    stores = [RedisEventStore(new_link(), new_link(), 5.0) for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(lambda store: store.requests_secret(), stores))) == 1
    link.call("FLUSHALL")
    assert dump(link) == {}
    assert len(stores[0].requests_secret()) == 32


def test_an_answer_whose_events_are_not_there(make: Make, store: RedisEventStore) -> None:
    """It may be given again once the store is of one mind: whoever asks is told to come back."""
    game_id = make(keyed=True).creation.create("one", NEW).snapshot.game_id
    with pytest.raises(StoreUnavailable) as refused:
        make(keyed=True, store=AheadStore(store)).seats.reissue(game_id, 0, APP)
    assert "no version 99" in refused.value.reason
