"""Long games: whatever is asked about them, others get their turn, the same is done once, and memory has its bounds."""

import gc
import tracemalloc
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from benchmarks.bursts import write_long_game
from benchmarks.synthetic import SyntheticGame, exchanging
from domain.lifecycle import Viewer
from events.application import Application
from events.caching import SHARES, Memory
from events.engine.access import STRANGER
from events.engine.caches import STEP, KnowledgeCache, PastCache, StateCache, size_of
from events.engine.repository import NEAR, PAGE
from events.engine.viewpoint import Viewpoint
from events.features.records.exports import FRESH, Exports
from events.log.envelope import RecordedEvent
from events.log.snapshot import Snapshot
from events.runtime import bootstrap
from events.runtime.settings import Settings
from events.scheduling import Slices
from events.store.event_store import RedisEventStore
from events.store.link import link_to
from tests.events.stand_ins import StandIn
from tests.support.memory import memory_of
from tests.support.sure import sure

EVENTS = 1500
LONGEST_SLICE = PAGE + 1  # events that are read or gone through between two pauses


class Store(StandIn):
    """A store that counts the events that are read of it."""

    def __init__(self, url: str) -> None:
        self.link = link_to(url, 10.0)
        super().__init__(RedisEventStore(self.link, self.link, 1.0))
        self.read_events = self.most_at_once = 0

    def read(self, game_id: str, after: int = 0, limit: int | None = None) -> list[RecordedEvent]:
        found: list[RecordedEvent] = self.store.read(game_id, after, limit)
        self.read_events += len(found)
        self.most_at_once = max(self.most_at_once, len(found))
        return found

    def exchange(self, here: str, there: str) -> None:
        """As by a backup of another engine's: the one game has the other's events."""
        streams = [next(key for key in self.link.call("KEYS", f"*:events:{game}")) for game in (there, here)]
        self.link.call("COPY", *streams, "REPLACE")


@pytest.fixture
def store(redis_url: str) -> Store:
    return Store(redis_url)


@pytest.fixture
def pauses() -> list[int]:
    """Grows by one with every pause of the engine below."""
    return []


@pytest.fixture
def engine(settings: Settings, store: Store, pauses: list[int]) -> Application:
    """An application of its own, as a process has it, that stops as often as it can."""
    made = bootstrap.application(settings, Slices(lambda: pauses.append(1), seconds=0))
    parts = (made.views._games, made.exports, made.replays, made.moves._handler, made.views, made.forks)
    for part in parts:
        part._store = store
    return made


@pytest.fixture(scope="module")
def long_games() -> dict[bool, tuple[str, dict[bytes, bytes]]]:
    """Games that were written once, by whether they are over: their ids, and what is kept of them."""
    return {}


@pytest.fixture(params=[False, True], ids=["running", "over"])
def game_id(
    store: Store, long_games: dict[bool, tuple[str, dict[bytes, bytes]]], request: pytest.FixtureRequest
) -> str:
    link, over = store.link, request.param
    if over not in long_games:
        written = write_long_game(store, EVENTS, over=over)
        long_games[over] = written, {key: link.call("DUMP", key) for key in link.call("KEYS", "*")}
    written, kept = long_games[over]
    link.calls([("RESTORE", key, 0, content, "REPLACE") for key, content in kept.items()])
    store.read_events = 0
    return written


def export_of(engine: Application, snapshot: Snapshot, viewer: Viewer = None) -> bytes:
    return b"".join(engine.exports.pieces(snapshot, viewer))


USES: dict[str, Callable[[Application, Snapshot], object]] = {
    "a look back": lambda engine, now: engine.views.snapshot(now.game_id, 1111),
    "an export": export_of,
    "a check": lambda engine, now: engine.exports.check(now, None),
    "events": lambda engine, now: engine.views.visible_events(now, None, 0, 1000),
    "what a seat remembers": lambda engine, now: engine.views._games.knowledge(now, 0),
    "a replay": lambda engine, now: engine.replays.documents(
        engine.replays.page(Viewpoint(now, None), 0, 100), Viewpoint(now, None), lambda _: {}
    ),
}


def test_others_get_their_turn(engine: Application, store: Store, pauses: list[int], game_id: str) -> None:
    """Between two pauses no more is read than a page, whatever is asked for."""
    now = engine.views.snapshot(game_id)
    assert len(pauses) >= EVENTS / LONGEST_SLICE
    for name, use in USES.items():
        pauses.clear()
        store.read_events = store.most_at_once = 0
        use(engine, now)
        assert len(pauses) >= store.read_events / LONGEST_SLICE, name
        assert store.most_at_once <= LONGEST_SLICE, name


def test_no_look_back_goes_through_more_than_some_hundred_events(
    engine: Application, store: Store, game_id: str
) -> None:
    """Once the game has been read; and what is seen is what was there. So it is again after all states were lost."""
    now = engine.views.snapshot(game_id)
    assert store.read_events < EVENTS + 50
    for version in range(1400, 0, -97):
        store.read_events = 0
        seen = engine.views.snapshot(game_id, version)
        assert store.read_events <= 2 * STEP + 10
        assert seen.version == version
        (event,) = store.read(game_id, version - 1, 1)
        assert event.stream_head == seen.stream_head
    engine.views._games._past = PastCache(memory_of("past", 10_000_000))
    engine.views.snapshot(game_id, 1400)
    store.read_events = 0
    engine.views.snapshot(game_id, 1390)
    assert store.read_events <= 2 * STEP + 10
    assert engine.views._games.at(now, 1200).state == engine.views.snapshot(game_id, 1200).state


def test_a_game_that_is_played_here_leaves_states_as_well(engine: Application, store: Store) -> None:
    """A game that is played in this process leaves states as well, although its events are never gone through."""
    game_id = write_long_game(store, 150, over=False)
    for number in range(2 * STEP):
        now = engine.views.snapshot(game_id)
        engine.moves.play(game_id, sure(now.status.to_act), {"type": "exchange"}, key=str(number))
    mark = sure(engine.views._games._past.mark_before(game_id, 3 * STEP - 1))
    assert 0 <= mark.version - 2 * STEP < 10


def test_the_same_is_done_once_for_many(engine: Application, store: Store, game_id: str) -> None:
    """Work that many ask for at once is done once; the other callers wait for it."""
    engine.views._slices = engine.views._games._slices = engine.exports._slices = Slices(seconds=0)
    wants: list[Callable[[], object]] = [
        lambda: engine.views.snapshot(game_id),
        lambda: export_of(engine, engine.views.snapshot(game_id)),
        lambda: engine.exports.check(engine.views.snapshot(game_id), None),
    ]
    for wanted in wants:
        store.read_events = 0
        with ThreadPoolExecutor(8) as pool:
            found = [pool.submit(wanted) for _ in range(8)]
        assert [one.exception() for one in found] == [None] * 8
        assert 0 < store.read_events < EVENTS + 16 * 8


def test_an_answer_is_kept_until_something_happens(engine: Application, store: Store) -> None:
    """Per viewer. A report is given again for a minute only: the store could have been tampered with."""
    game_id, times = write_long_game(store, 300, over=False), [0.0]
    now, viewers = engine.views.snapshot(game_id), (None, 0, 1)

    def answers() -> list[object]:
        reports = [engine.exports.check(now, viewer).document for viewer in viewers]
        return [*(export_of(engine, now, viewer) for viewer in viewers), *reports]

    first = answers()
    assert len(set(first[:3])) == 3
    store.read_events = 0
    assert answers() == first
    assert store.read_events == 0
    then = engine.moves.play(game_id, sure(now.status.to_act), {"type": "exchange"}).snapshot
    assert export_of(engine, then).count(b"\n") == then.version + 2
    assert engine.exports.check(then, None).version == then.version
    exports = Exports(store, engine.heads, Slices(), Memory(1e8), clock=lambda: times[0])
    exports.check(then, None)
    for time, expected in ((FRESH - 1, 0), (FRESH + 1, then.version)):
        times[0], store.read_events = time, 0
        exports.check(then, None)
        assert store.read_events == expected


def test_a_large_export_is_made_while_it_is_sent(
    engine: Application, store: Store, game_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same bytes; and who goes away early leaves its place to others."""
    now = engine.views.snapshot(game_id)
    whole = export_of(engine, now)
    monkeypatch.setattr("events.features.records.exports.LARGEST_KEPT", 1000)
    store.read_events = 0
    pieces = engine.exports.pieces(now, None)
    assert whole.startswith(next(pieces))
    assert store.read_events <= LONGEST_SLICE
    assert b"".join(engine.exports.pieces(now, None)) == whole
    free = engine.exports._sending._value
    del pieces
    assert engine.exports._sending._value == free + 1


def test_a_history_that_changes_while_it_is_read(engine: Application, store: Store) -> None:
    """A backup of another engine's is put in its place between two pages: no state mixes the two."""
    here, there = (write_long_game(store, EVENTS, over=False) for _ in range(2))
    pages = 0
    read = store.read

    def replaced(game_id: str, after: int = 0, limit: int | None = None) -> list[RecordedEvent]:
        nonlocal pages
        pages += game_id == here
        if pages == 4:
            store.exchange(here, there)
        return read(game_id, after, limit)

    store.read = replaced  # type: ignore[method-assign]
    found, expected = engine.views.snapshot(here), engine.views.snapshot(there)
    assert (found.stream_head, found.state) == (expected.stream_head, expected.state)
    for version in (3 * STEP + 1, STEP + 7):
        looks = [engine.views.snapshot(game_id, version) for game_id in (here, there)]
        assert looks[0].stream_head == looks[1].stream_head
        assert looks[0].state == looks[1].state


def test_a_state_that_is_kept_of_another_history(engine: Application, store: Store) -> None:
    """Also where exactly that version is asked for, and where all that is kept is of that history."""
    here, there = (write_long_game(store, EVENTS, over=False) for _ in range(2))
    engine.views.snapshot(here, 700)
    marks = [
        mark
        for n in range(1, EVENTS // STEP + 1)
        if (mark := engine.views._games._past.mark_before(here, n * STEP))
    ]
    assert len({mark.version for mark in marks}) > 5
    store.exchange(here, there)
    for mark in (marks[-1], marks[0]):
        expected = engine.views.snapshot(there, mark.version)
        for _ in range(2):
            assert engine.views.snapshot(here, mark.version).stream_head == expected.stream_head


class TestKnowledge:
    """A seat's knowledge goes on from the knowledge before, and is the same as if it had been gathered anew."""

    def test_only_what_is_new_is_read(self, settings: Settings, engine: Application, store: Store) -> None:
        """Also of what other processes have done meanwhile."""
        game_id = write_long_game(store, 150, over=False)
        there = bootstrap.application(settings)
        for number in range(12):
            now = (there if number % 3 else engine).views.snapshot(game_id)
            assert now.status.to_act is not None
            (there if number % 2 else engine).moves.play(game_id, now.status.to_act, {"type": "exchange"})
            now, fresh = engine.views.snapshot(game_id), bootstrap.application(settings)
            store.read_events = 0
            assert engine.views._games.knowledge(now, number % 2) == fresh.views._games.knowledge(
                now, number % 2
            )
            assert store.read_events <= (now.version if number < 2 else 12)
            store.read_events = 0
            engine.views._games.knowledge(now, number % 2)
            assert store.read_events == 0

    def test_a_former_version(self, engine: Application, store: Store) -> None:
        """It is gathered anew, and what is known of a later one stays; no more is kept than its bytes allow."""
        now = engine.views.snapshot(write_long_game(store, 150, over=False))
        then = engine.views.snapshot(now.game_id, 100)
        before = engine.views._games.knowledge(then, 1)
        engine.views._games.knowledge(now, 1)
        size = engine.views._games._known._seats.bytes
        assert size > 1000
        assert engine.views._games.knowledge(then, 1) == before
        store.read_events = 0
        engine.views._games.knowledge(now, 1)
        assert store.read_events == 0
        few = engine.views._games._known = KnowledgeCache(memory_of("knowledge", 1.5 * size))
        for seat in (0, 1, 0):
            engine.views._games.knowledge(now, seat)
            assert len(few._seats) == 1

    @pytest.mark.parametrize("longer", [0, 50])
    def test_another_history(self, engine: Application, store: Store, longer: int) -> None:
        """A restored backup: nothing of what was known before is in what is known then."""
        here, there = (write_long_game(store, length, over=False) for length in (150, 150 + longer))
        for seat in (0, 1):
            engine.views._games.knowledge(engine.views.snapshot(here), seat)
        store.exchange(here, there)
        for seat in (0, 1):
            expected = engine.views._games.knowledge(engine.views.snapshot(there), seat)
            for _ in range(2):
                assert engine.views._games.knowledge(engine.views.snapshot(here), seat) == expected


class TestBytes:
    """Caches are bounded by the bytes that they take."""

    @pytest.mark.plain  # compiled, a game takes less than is estimated
    def test_the_estimate_is_what_a_game_takes(self, settings: Settings, store: Store) -> None:
        """Within a third, of what the interpreter itself counts."""
        ids = [write_long_game(store, 40, over=False) for _ in range(30)]
        engine = bootstrap.application(settings)
        engine.views.snapshot(ids[0])
        gc.collect()  # which empties the interpreter's lists of free objects: what is taken from them is not counted
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        found = [engine.views.snapshot(game_id) for game_id in ids[1:]]
        gc.collect()
        taken = tracemalloc.get_traced_memory()[0] - before
        tracemalloc.stop()
        assert 0.67 < sum(map(size_of, found)) / taken < 1.5

    def test_no_cache_outgrows_its_bytes(self, engine: Application, store: Store) -> None:
        """No cache takes more bytes than it may, however many games there are."""
        now = engine.views.snapshot(write_long_game(store, 20, over=False))
        size = size_of(now)
        games, past = StateCache(memory_of("games", 10 * size)), PastCache(memory_of("past", 10 * size))
        for number in range(200):
            game = now._replace(game_id=f"{number:022d}")
            games.put(game)
            past.put(game)
            past.mark(game._replace(stream_head=game.stream_head._replace(version=5 * STEP)))
            assert games._games.bytes <= 10 * size
            assert past._games.bytes <= 10 * size
        assert len(games._games) in (9, 10)

    def test_a_value_that_is_too_large_alone_is_not_kept(self) -> None:
        """The former value of its name goes, too; all else stays."""
        kept = Memory(10 / SHARES["exports"]).cache("exports", len)
        kept.put("a", b"123")
        kept.put("b", b"123")
        kept.put("a", b"12345678901")
        assert (kept.get("a"), kept.get("b"), kept.bytes, len(kept)) == (None, b"123", 3, 1)

    def test_few_bytes_are_enough_to_serve(self, settings: Settings, store: Store) -> None:
        """A cache that keeps next to nothing costs time alone."""
        small = bootstrap.application(replace(settings, cache_mb=1))
        small.views._games._cache = StateCache(memory_of("games", 10))
        small.views._games._past = PastCache(memory_of("past", 10))
        game = SyntheticGame(store)
        game.play(NEAR + 500, exchanging)
        game.end()
        game_id = game.game_id
        for _ in range(2):
            now = small.views.open_game(game_id, STRANGER)
            assert Counter(export_of(small, now))[ord("\n")] == now.version + 2
            assert small.views.snapshot(game_id, NEAR + 200).version == NEAR + 200
            assert small.exports.check(now, None).passed
