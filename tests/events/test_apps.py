"""Apps in the store: their keys, who knows of them, until when, and what two at once come to."""

import re
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from hashlib import sha256

import pytest

from domain.lifecycle import Seat
from events.application import Application
from events.engine.access import ANONYMOUS, STRANGER
from events.engine.new_game import NewGame
from events.errors import GameNotFound, StoreUnavailable, Unauthorized
from events.features.apps import records
from events.features.apps.administration import (
    AppExists,
    AppNotFound,
    Apps,
    TooManyApps,
    TooManyKeys,
)
from events.features.apps.documents import app_document
from events.features.apps.keys import FRESH, AppKeys
from events.features.apps.port import MOST_APPS
from events.features.apps.records import DAY, KEY, App, StoredKey
from events.features.apps.redis.apps import RedisAppStore
from events.features.apps.scopes import ADMIN, READ, SCOPES, USUAL, WRITE
from events.fsck.keys import type_of
from events.store import keys
from events.store.connections.client import RedisClient
from events.store.link import link_to
from tests.events.conftest import NewLink
from tests.events.wiring import application_on
from tests.support.clock import Clock
from tests.support.proxy import BadConnection
from tests.support.sure import sure

HOUR = 3_600


@pytest.fixture
def store(link: RedisClient) -> RedisAppStore:
    return RedisAppStore(link)


@pytest.fixture
def apps(store: RedisAppStore) -> Apps:
    return Apps(store)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def process(store: RedisAppStore, clock: Clock) -> AppKeys:
    """A process's knowledge of keys; its seconds pass when a test says so."""
    return AppKeys({}, store, clock)


class TestAKey:
    """A key, which is shown once and of which a hash is kept."""

    def test_it_is_known_with_its_scopes(self, apps: Apps, process: AppKeys, link: RedisClient) -> None:
        """All but to administer, unless it is said; only its hash is kept.

        It has a prefix that scanners of secrets can look for, its id, and 256 random bits.
        """
        issued = apps.create("chess-club", [WRITE, READ])
        known = process.known(issued.text)
        assert (known.app, known.scopes, known.id) == ("chess-club", frozenset({READ, WRITE}), issued.id)
        assert set(apps.create("go-club").found.app.scopes) == USUAL == set(SCOPES) - {ADMIN}
        form = sure(KEY.fullmatch(issued.text))
        assert form[1] == issued.id
        assert issued.text not in repr(issued)
        secret = issued.text.rsplit("_", 1)[-1]
        found = repr([link.call("HGETALL", key) for key in (keys.APPS, keys.APP_KEYS, keys.APP_KEYS_USED)])
        assert secret not in found
        assert sha256(issued.text.encode()).hexdigest() in found

    def test_another_one_is_refused(self, apps: Apps, process: AppKeys) -> None:
        """All with the same words: another id or secret, another form, none."""
        text, other = apps.create("chess-club").text, records.new_key(0, None)[0]
        for wrong in (other[:16] + text[16:], text[:16] + other[16:], text + "A", ""):
            for _ in range(2):
                with pytest.raises(Unauthorized) as refusal:
                    process.known(wrong)
                assert refusal.value.detail == "This token is not known."

    def test_it_expires_by_the_time_of_the_store(
        self,
        apps: Apps,
        store: RedisAppStore,
        process: AppKeys,
        clock: Clock,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """A key expires at that very moment, however often it was used before."""
        issued = apps.create("chess-club", USUAL, HOUR)
        (key,), find = apps.app("chess-club").app.keys, store.find_key
        now = [sure(key.expires) - 200]
        monkeypatch.setattr(store, "find_key", lambda key_id: replace(find(key_id), now=now[0]))  # type: ignore[type-var]
        process.known(issued.text)
        now[0] += 200
        clock.now += 0.19
        process.known(issued.text)
        clock.now += 0.02  # so a key is believed for less time than one that does not expire
        with pytest.raises(Unauthorized, match="has expired"):
            process.known(issued.text)
        assert app_document(replace(apps.app("chess-club"), now=now[0]))["status"] == "expired"


class TestManyProcesses:
    """Others know of all that one does."""

    def test_a_revoked_key_is_refused(
        self, apps: Apps, store: RedisAppStore, process: AppKeys, clock: Clock
    ) -> None:
        """Once what was known of it is a second old, also of a stream that goes on; a new app is known at once."""
        for name in ("revoked as a whole", "revoked by its key"):
            issued = apps.create(name)
            assert {AppKeys({}, store).known(issued.text).app for _ in range(3)} == {name}
            known = process.known(issued.text)
            assert known.id is not None
            assert known.digest is not None
            process.confirm(known.id, known.digest)
            if name == "revoked as a whole":
                apps.revoke(name)
            else:
                apps.revoke_key(name, issued.id)
            clock.now += FRESH - 0.01
            assert process.known(issued.text).app == name
            clock.now += 0.01
            with pytest.raises(Unauthorized):
                process.confirm(known.id, known.digest)
            with pytest.raises(Unauthorized):
                process.known(issued.text)

    def test_a_key_in_use_costs_a_round_trip_a_second(
        self, redis_url: str, counted: BadConnection, clock: Clock
    ) -> None:
        """One more on the first day's first use; and a wrong one costs one each time."""
        store = RedisAppStore(link_to(counted.url, 5.0))
        text = Apps(RedisAppStore(link_to(redis_url, 5.0))).create("chess-club").text
        process = AppKeys({}, store, clock)
        process.known(text)
        counted.requests = 0
        for _ in range(10):
            process.known(text)
        assert counted.requests == 0
        clock.now += FRESH
        process.known(text)
        assert counted.requests == 1
        for number in range(1, 4):
            with pytest.raises(Unauthorized):
                process.known(text[:-4] + "AAAA")
            assert counted.requests == 1 + number

    def test_a_store_that_is_away_lets_nobody_in(
        self,
        apps: Apps,
        store: RedisAppStore,
        process: AppKeys,
        clock: Clock,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """Nobody is told that a key is unknown either. Only the note of a key's use may be lost."""

        def away(*_: object) -> None:
            raise StoreUnavailable("away")

        text = apps.create("chess-club").text
        monkeypatch.setattr(store, "note_use", away)
        assert process.known(text).app == "chess-club"
        monkeypatch.setattr(store, "find_key", away)
        assert process.known(text).app == "chess-club"
        clock.now += FRESH
        with pytest.raises(StoreUnavailable):
            process.known(text)


class TestRotation:
    """A second key, and the end of the first."""

    def test_both_keys_are_good(self, apps: Apps, process: AppKeys) -> None:
        """A third is refused, by the names of the two, until one is gone; without overlap all former keys end."""
        first = apps.create("chess-club")
        second = apps.rotate("chess-club", 2 * HOUR)
        assert {process.known(key.text).app for key in (first, second)} == {"chess-club"}
        former, new = second.found.app.keys
        assert (former.id, new.id) == (first.id, second.id)
        assert abs(sure(former.expires) - second.found.now - 2 * HOUR * 1000) < 5000
        assert new.expires is None
        with pytest.raises(TooManyKeys) as refusal:
            apps.rotate("chess-club")
        assert refusal.value.data == {"key_ids": [first.id, second.id]}
        apps.revoke_key("chess-club", first.id)
        third = apps.rotate("chess-club")
        assert [key.id for key in third.found.app.keys] == [second.id, third.id]
        last = apps.rotate("chess-club", overlap=0)
        assert process.known(last.text).app == "chess-club"
        fresh = AppKeys({}, process._store)
        for issued in (second, third):
            with pytest.raises(Unauthorized):
                fresh.known(issued.text)

    def test_the_former_key_is_never_good_for_longer(self, apps: Apps) -> None:
        """A rotation never makes the former key good for longer than it would have been."""
        apps.create("chess-club", USUAL, HOUR)
        former, new = apps.rotate("chess-club", 24 * HOUR, 2 * HOUR).found.app.keys
        assert sure(new.expires) - sure(former.expires) >= HOUR * 1000

    def test_a_key_that_is_gone_makes_room(
        self, apps: Apps, store: RedisAppStore, process: AppKeys, link: RedisClient
    ) -> None:
        """It leaves nothing behind; the app keeps its name, and so its games."""
        first = apps.create("chess-club")
        apps.rotate("chess-club")
        found = apps.app("chess-club")
        expired, other = found.app.keys[0].expiring(found.now - 1), found.app.keys[1]
        store.put(found.app, App("chess-club", found.app.scopes, found.app.created, (expired, other)))
        assert len(apps.rotate("chess-club").found.app.keys) == 2
        assert link.call("HGET", keys.APP_KEYS, first.id) is None
        apps.revoke("chess-club")
        assert app_document(apps.app("chess-club"))["status"] == "revoked"
        assert process.known(apps.rotate("chess-club").text).app == "chess-club"

    def test_two_at_once(self, new_link: NewLink) -> None:
        """One has its way, the other is told so: an app never has a third valid key."""
        for name in ("club-0", "club-1", "club-2"):
            Apps(RedisAppStore(new_link())).create(name)
            told = at_once(lambda name=name: Apps(RedisAppStore(new_link())).rotate(name), 4)
            assert told == ["IssuedKey", *["TooManyKeys"] * 3]
            assert len(Apps(RedisAppStore(new_link())).app(name).app.keys) == 2


def at_once(do: Callable[..., object], times: int) -> list[str]:
    """The kinds of what so many threads get, or are refused by, in order."""
    barrier = threading.Barrier(times)

    def one(_: int) -> str:
        barrier.wait()
        try:
            return type(do()).__name__
        except Exception as error:  # noqa: BLE001 -- whatever it is
            return type(error).__name__

    with ThreadPoolExecutor(times) as pool:
        return sorted(pool.map(one, range(times)))


class TestNames:
    """Names of apps, each of which is given once."""

    def test_it_is_taken_for_ever(self, apps: Apps, new_link: NewLink) -> None:
        """Another app of that name would get its games. Of those who create it at once one has it, and only its key is
        good.
        """
        told = at_once(lambda: Apps(RedisAppStore(new_link())).create("chess-club"), 8)
        assert told == [*["AppExists"] * 7, "IssuedKey"]
        assert len(apps.app("chess-club").app.keys) == 1
        apps.revoke("chess-club")
        with pytest.raises(AppExists):
            apps.create("chess-club")

    def test_there_are_so_many_and_no_more(self, apps: Apps, link: RedisClient) -> None:
        """Those that are there can still be given another key."""
        apps.create("chess-club")
        link.calls([("ZADD", keys.APP_NAMES, 0, f"app-{number}") for number in range(MOST_APPS - 1)])
        with pytest.raises(TooManyApps):
            apps.create("one-more")
        apps.rotate("chess-club")
        with pytest.raises(AppNotFound):
            apps.app("one-more")


def test_the_day_of_use_is_kept_once_a_day(
    apps: Apps, store: RedisAppStore, process: AppKeys, clock: Clock, link: RedisClient
) -> None:
    """Nothing is left of a key that is gone, not even if its use is kept late."""
    issued = apps.create("chess-club")
    before = apps.app("chess-club")
    assert app_document(before)["keys"][0]["last_used_on"] is None
    for _ in range(2):
        clock.now += FRESH
        process.known(issued.text)
        after = apps.app("chess-club")
        assert before.now // DAY <= after.used[issued.id] <= after.now // DAY
        link.call("HSET", keys.APP_KEYS_USED, issued.id, before.now // DAY - 3)
    (shown,) = apps.page()[0]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", app_document(shown)["keys"][0]["last_used_on"])
    apps.revoke("chess-club")
    store.note_use(issued.id, 1)
    assert link.call("HGETALL", keys.APP_KEYS_USED) == link.call("HGETALL", keys.APP_KEYS) == []


def test_a_request_that_is_sent_again_is_done_once(store: RedisAppStore) -> None:
    """The way to the store repeats what got no answer."""
    key = StoredKey("0123456789ab", "0" * 64, 1, None)
    app = App("chess-club", (READ,), 1, (key,))
    assert [store.put(None, app) for _ in range(2)] == ["done", "done"]
    gone = App("chess-club", (READ,), 1, ())
    assert [store.put(app, gone, [key.id]) for _ in range(2)] == ["done", "done"]
    assert store.put(app, App("chess-club", (READ,), 2, ())) == "changed"
    assert store.find_key(key.id) is None


def test_fsck_knows_their_keys(apps: Apps, process: AppKeys, link: RedisClient) -> None:
    """Of every type that there is; all of them share a slot of a cluster."""
    process.known(apps.create("chess-club").text)
    found = sorted(key.decode() for key in link.call("KEYS", "*"))
    assert found == sorted([keys.APP_NAMES, keys.APPS, keys.APP_KEYS, keys.APP_KEYS_USED])
    assert {key.partition("}")[0] for key in found} == {"{apps"}
    for key in found:
        assert link.call("TYPE", key).decode() == type_of(key)


class TestWithoutKeys:
    """While there is no app, everybody is the one app; the first one changes that."""

    @pytest.fixture
    def engine(self, link: RedisClient) -> Application:
        """An engine that has a store for apps, and no app."""
        return application_on(link, apps=RedisAppStore(link))

    def test_the_first_app_ends_it(
        self, engine: Application, apps: Apps, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The first app ends it for games of bots, too, which everybody could watch."""
        assert engine.callers.acting_app(STRANGER) == ANONYMOUS
        bots = (Seat("bot", bot="one"), Seat("bot", bot="one"))
        game_id = engine.creation.create(ANONYMOUS, NewGame("counter", {}, bots)).snapshot.game_id
        engine.views.open_game(game_id, STRANGER)
        issued = apps.create("anonymous", [READ])
        monkeypatch.setattr("events.features.apps.keys.FRESH", 0.0)
        with pytest.raises(Unauthorized):
            engine.callers.acting_app(STRANGER)
        with pytest.raises(GameNotFound):
            engine.views.open_game(game_id, STRANGER)
        engine.views.open_game(game_id, engine.callers.who_asks(issued.text, game_id))

    def test_it_does_not_come_back(self, engine: Application, apps: Apps, process: AppKeys) -> None:
        """An app without a valid key is an app; and a store that is emptied opens no process that runs."""
        apps.create("chess-club")
        apps.revoke("chess-club")
        assert process.exist()
        with pytest.raises(Unauthorized):
            engine.callers.acting_app(STRANGER)

    def test_a_process_asks_once_a_second(self, redis_url: str, counted: BadConnection, clock: Clock) -> None:
        """A process asks for apps once a second while there is none, and never again once there is one."""
        process = AppKeys({}, RedisAppStore(link_to(counted.url, 5.0)), clock)
        assert [process.exist() for _ in range(5)] == [False] * 5
        assert counted.requests == 1
        Apps(RedisAppStore(link_to(redis_url, 5.0))).create("chess-club")
        assert not process.exist()
        clock.now += FRESH
        assert process.exist()
        clock.now += FRESH
        assert process.exist()
        assert counted.requests == 2

    def test_a_process_that_listens_to_others_requires_keys(self, clock: Clock) -> None:
        """Such a process requires keys even before there are any, and does not ask the store."""
        process = AppKeys({}, None, clock)
        assert not process.exist()
        process.require()
        assert process.exist()

    def test_keys_of_the_settings_go_on(self, apps: Apps, store: RedisAppStore, clock: Clock) -> None:
        """Beside those of the store, also for the same app; they do not administer, and are no app's to revoke."""
        configured = {"chess-club": sha256(b"mk_a key of somebody's own").hexdigest()}
        process = AppKeys(configured, store, clock)
        assert process.exist()
        issued = apps.create("chess-club", [READ])
        assert process.known(issued.text).scopes == {READ}
        known = process.known("mk_a key of somebody's own")
        assert (known.app, known.scopes, known.id) == ("chess-club", USUAL, None)


def test_a_seats_move_costs_nothing_more(redis_url: str, counted: BadConnection) -> None:
    """With apps in the store, a move by a seat's token is one round trip, as without."""
    link = link_to(counted.url, 5.0)
    Apps(RedisAppStore(link)).create("a")
    engine = application_on(link, apps=RedisAppStore(link))
    created = engine.creation.create("a", NewGame("counter", {}, (Seat("human"), Seat("human"))))
    game_id = created.snapshot.game_id
    engine.moves.play(game_id, 0, {"amount": 1})
    counted.requests = 0
    for turn in range(1, 5):
        seat = sure(engine.callers.who_asks(created.tokens[turn % 2], game_id).seat)
        engine.moves.play(game_id, seat, {"amount": 1})
    assert counted.requests == 4
